# A chain of 3,000 instances compiles (the time is printed, it does not decide), the work grows linearly with its size, counted
# in instructions where valgrind can, and its schedule has no loop in it.
set -u
compile() { "$@" "$KAIROS" run examples/chain/model.kai -e eigenmode --set "N=$size" --stop 1e-6 --quiet -o "$WORK/o.csv" 2>&1; }
instructions() { size=$1; compile valgrind --tool=callgrind --callgrind-out-file=/dev/null | awk '/Collected/ { print $4 }'; }

size=3000
start=$(date +%s%N)
compile env || exit 1
echo "3000 instances: $((($(date +%s%N) - start) / 1000000)) ms, start to exit"

case $BUILD in *asan*) few="" ;; *) command -v valgrind >/dev/null && few=$(instructions 400) || few="" ;; esac
if [ -n "$few" ]; then
    many=$(instructions 1600)
    echo "instructions: $few for 400 instances, $many for 1600"
    [ "$many" -lt $((5 * few)) ] || { echo "not linear"; exit 1; }
fi

"$KAIROS" check examples/chain/model.kai -e eigenmode --print schedule >"$WORK/schedule" 2>&1
grep -q 'c\[3000\]' "$WORK/schedule" || { echo "no schedule"; exit 1; }
! grep -q 'fixed point' "$WORK/schedule" || { echo "a loop in the schedule of a chain"; exit 1; }
