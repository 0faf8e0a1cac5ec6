# Files that are none, or have no end, at every option that reads one: a device, a folder, a FIFO that nobody writes, a line of gigabytes,
# rows without end. Each ends in a sentence with the place, in little memory; Ctrl-C ends what goes on; what is read is not replaced.
. tests/cli/helpers.bash
case $BUILD in *asan*) ;; *) ulimit -v 1000000 ;; esac
mkdir -p "$WORK/e/folder" && cd "$WORK/e" || exit 1
echo "model M { input u = 0; param k = 1; state x = 0; x' = u + k }
experiment r of M { stop = 1 }" >m.kai
printf 't,p,m,x\n0,0,0,1\n' >one.csv
truncate -s 4G hole
mkfifo fifo

# door SENTENCE ARGUMENT…: exit 4, or 2 of a figure whose overlay cannot be read
door()
{
    timeout -s KILL 20 "$KAIROS" "${@:2}" >"$out" 2>"$err"
    local code=$?
    [ $code -eq 4 ] || [ $code -eq 2 ] || fail "${*:2}: exit $code"
    says "$1"
}
for call in "study m.kai --points" "run m.kai --input" "fit m.kai --by k --data" "plot m.kai --overlay" "compare one.csv" "merge -o t.csv" plot; do
    # shellcheck disable=SC2086
    door "/dev/zero:1: this line goes on for more than 64 MB" $call /dev/zero
done
door "hole:1: this line goes on for more than 64 MB" study m.kai --points hole
door "/dev/zero cannot be read: File too large" import -o n.kai /dev/zero
for file in /dev/zero hole; do
    ln -sf $file x.csv.checkpoint
    door "x.csv.checkpoint" resume x.csv
done
for call in "study m.kai --points" "run m.kai --input" "fit m.kai --by k --data" "plot m.kai --overlay" "compare one.csv" "merge -o t.csv" plot; do
    # shellcheck disable=SC2086
    door "folder cannot be read: it is a folder" $call folder
done
door "Is a directory" fmt folder

# What a text or a result brings along is not waited for.
ln -s fifo wait.fmu
ln -s fifo wait.ssp
ln -sf fifo x.csv.checkpoint
ln -s fifo one.csv.status
door "it is no regular file" run wait.fmu
door "it is no regular file" check wait.ssp
door "it is no regular file" resume x.csv
exits 0 plot one.csv
rm one.csv.status
printf 'a\0b\n' >zeros.csv
door "zeros.csv:1: this line holds bytes of 0" study m.kai --points zeros.csv
printf 'k\n1\n2,3\n' >points.csv
door "points.csv:3: 1 values are wanted" study m.kai --points points.csv

# Rows without end: those behind the stop are not wanted; Ctrl-C ends the others at once.
python3 -c 'i = 0
print("t,u")
while True: print(i, 1, sep=","); i += 1' 2>/dev/null | timeout -s KILL 20 "$KAIROS" run m.kai --input /dev/stdin -o rows.csv -q || fail "rows behind the stop are waited for"
[ "$(tail -n 1 rows.csv | cut -d, -f1)" = 1 ] || fail "the run has not come to its stop"
cat >stop.py <<'P'
import os, signal, subprocess, sys, threading, time
read, write = os.pipe()
process = subprocess.Popen(sys.argv[2:], stdin=read, stderr=subprocess.PIPE,
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
os.close(read)
head, row = sys.argv[1].split("|")
os.write(write, (head + "\n").encode())
def feed():
    try:
        while True:
            os.write(write, (row + "\n").encode() * 1000)
    except OSError:
        pass
threading.Thread(target=feed, daemon=True).start()
time.sleep(0.5)
process.send_signal(signal.SIGINT)
try:
    said = process.communicate(timeout=10)[1].decode()
except subprocess.TimeoutExpired:
    process.kill()
    sys.exit("it goes on")
if process.returncode != 3 or "interrupted behind line" not in said:
    sys.exit(f"exit {process.returncode}: {said}")
os._exit(0)
P
python3 stop.py "t,u|0,1" "$KAIROS" run m.kai --input /dev/stdin -o rows.csv || fail "--input"
python3 stop.py "k|1" "$KAIROS" study m.kai --points /dev/stdin -o t.csv || fail "--points"
python3 stop.py "t,x|1,1" "$KAIROS" fit m.kai --by k --data /dev/stdin || fail "--data"
printf 't,p,m,x\n0,0,0,1\n1,0,0,2\n' | timeout 20 "$KAIROS" plot /dev/stdin >"$out" 2>"$err" || fail "a result in a pipe"

# What is read is not replaced, whatever it is called; what is replaced is whole.
printf 't,u\n0,1\n' >u.csv
printf 't,x\n0.5,1\n1,2\n' >d.csv
printf 'run,a,passed,reason\n1,2,1,\n' >table.csv
ln -s table.csv other.csv
for call in "run m.kai --input u.csv -o ./u.csv" "study m.kai --points points.csv -o ./points.csv" "fit m.kai --by k --data d.csv --json -o ./d.csv" \
    "merge table.csv -o other.csv"; do
    # shellcheck disable=SC2086
    exits 2 $call
    says "-o "
done
[ "$(cat u.csv d.csv table.csv | wc -l)" = 7 ] || fail "a file that was read is replaced"
cp table.csv kept.csv
printf 'run,a,passed,reason\n1,2,1,\n1,2,1,\n' >wrong.csv
exits 4 merge wrong.csv -o kept.csv
cmp -s table.csv kept.csv || fail "a table that could not be written replaces one"
[ ! -e kept.csv.part ] || fail "half a table stays"
