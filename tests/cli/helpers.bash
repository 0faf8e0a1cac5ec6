# For the scripts of this folder: `. tests/cli/helpers.bash` (they run in the top folder).
set -u
ball=examples/ball/model.kai
out=$WORK/out
err=$WORK/err

fail()
{
    echo "$*"
    [ ! -s "$err" ] || { echo "stderr:"; head -c 2000 "$err"; }
    exit 1
}

# exits CODE ARGUMENT…: runs kairos with these arguments; stdout and stderr are in $out and $err afterwards.
exits()
{
    local expected=$1 got=0
    shift
    "$KAIROS" "$@" >"$out" 2>"$err" || got=$?
    [ $got -eq "$expected" ] || fail "kairos $*: exit code $got instead of $expected"
}

# says TEXT: stderr has it. prints TEXT: stdout has it.
says() { grep -qF -- "$1" "$err" || fail "stderr does not say: $1"; }
prints() { grep -qF -- "$1" "$out" || { head -c 2000 "$out"; fail "stdout does not have: $1"; }; }
# one_line FILE: it has exactly one.
one_line() { [ "$(wc -l <"$1")" -eq 1 ] || fail "$1 should be one line: $(cat "$1")"; }

# interrupt FILE ARGUMENT…: Ctrl-C as soon as kairos with these arguments has written something of FILE, however slow the machine
# is; it must end with 3.
interrupt()
{
    local file=$1 id code=0
    shift
    "$KAIROS" "$@" >"$out" 2>"$err" &
    id=$!
    for _ in $(seq 600); do
        [ -s "$file.part" ] && break
        sleep 0.1
    done
    [ ! -e "$file" ] || fail "the file has its name before it is whole"
    kill -INT $id
    wait $id || code=$?
    [ $code -eq 3 ] || fail "kairos $*, interrupted: exit code $code"
}
