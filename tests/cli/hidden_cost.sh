# What the question costs that each step is asked, what it may hide (decisions 0248, 0315), where steps are short beside what its operators resolve: seven
# stars with rk45. Set-up is subtracted. Asked of each step by itself, with operators one by one, they took 36 % more. Needs valgrind.
. tests/cli/helpers.bash
command -v valgrind >/dev/null || { echo "no valgrind: not measured"; exit 0; }
case $BUILD in *asan*) echo "instrumented build: not measured"; exit 0 ;; esac
case $(sed -n 's/^CMAKE_BUILD_TYPE:[A-Z]*=//p' "$BUILD/CMakeCache.txt") in Debug) echo "not optimised: not measured"; exit 0 ;; esac

count()
{
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$KAIROS" run bench/smooth.kai -e pleiades --solver rk45 --stop "$1" -o /dev/null 2>&1 |
        awk '/Collected/ { print $4 }'
}
first=$(count 1) last=$(count 3)
[ -n "$first" ] && [ -n "$last" ] || { echo "valgrind cannot run this build: not measured"; exit 0; }
echo "seven stars from 1 to 3: $((last - first)) instructions"
[ $((last - first)) -le 46000000 ] || fail "steps that hide nothing cost more than they did"
