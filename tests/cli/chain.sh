# A chain of 3,000 instances compiles in under 1 s, time grows linearly with its size, and its schedule has no loop in it.
set -u
now() { date +%s%N; }
compile() { "$KAIROS" run examples/chain/model.kai -e eigenmode --set "N=$1" --stop 1e-6 --quiet -o "$WORK/o.csv" || exit 1; }
best() # the shortest of five, in µs
{
    local least=999999999 start
    for _ in 1 2 3 4 5; do
        start=$(now)
        compile "$1"
        t=$((($(now) - start) / 1000))
        [ $t -lt $least ] && least=$t
    done
    echo $least
}
grep -q '^KAIROS_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt" && slow=20 || slow=1
one=$(best 3000)
four=$(best 12000)
[ "$one" -lt $((1000000 * slow)) ] || { echo "3000 instances take $one µs"; exit 1; }
[ "$four" -lt $((8 * one)) ] || { echo "not linear: 3000 take $one µs, 12000 take $four µs"; exit 1; }
"$KAIROS" check examples/chain/model.kai -e eigenmode --print schedule >"$WORK/schedule" 2>&1
grep -q 'c\[3000\]' "$WORK/schedule" || { echo "no schedule"; exit 1; }
! grep -q 'fixed point' "$WORK/schedule" || { echo "a loop in the schedule of a chain"; exit 1; }
