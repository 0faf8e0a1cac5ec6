# What an instant costs, in instructions: an impact of a ball, a sample that turns a force, a switching of a converter, a collision
# of two balls in a gas. Set-up is subtracted, and so are the runs before programs become code of the machine (decision 0320). The bounds are what was reached and a sixth more, for other compilers. Needs valgrind.
. tests/cli/helpers.bash
command -v valgrind >/dev/null || { echo "no valgrind: not measured"; exit 0; }
case $BUILD in *asan*) echo "instrumented build: not measured"; exit 0 ;; esac
case $(sed -n 's/^CMAKE_BUILD_TYPE:[A-Z]*=//p' "$BUILD/CMakeCache.txt") in Debug) echo "not optimised: not measured"; exit 0 ;; esac

count()
{
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$KAIROS" run "$1" --stop "$2" -o /dev/null 2>"$WORK/err"
    awk '/instants/ { for (i = 2; i <= NF; i++) if ($i ~ /^instants/) events = $(i - 1) } /Collected/ { print $4, events }' "$WORK/err"
}
# costs NAME FIRST LAST MOST: instructions an instant between the two times
costs()
{
    local each
    each=$(echo "$(count "bench/$1.kai" "$2") $(count "bench/$1.kai" "$3")" | awk 'NF == 4 { printf "%d", ($3 - $1)/($4 - $2) }')
    [ -n "$each" ] || { echo "valgrind cannot run this build: not measured"; exit 0; }
    echo "$1: $each instructions an instant, at most $4"
    [ "$each" -gt 500 ] && [ "$each" -le "$4" ] || fail "$1: an instant costs more than it did"
}
costs ball 2000 8000 1730
costs sigdel 0.1 0.3 3530
costs boost 0.02 0.04 4450
costs boost_bond 0.01 0.02 8600
costs gas10 2 8 12600
