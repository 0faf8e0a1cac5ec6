# A clock, a timer, a delay, a crossing of a line and a mode that is entered, all at one time in decimals: one tag (rule T6), for
# hundreds of pairs of periods and multiples, at the start, inside and at the stop, with every kind of solver and with islands.
. tests/cli/helpers.bash

same() # SEED COUNT SETTINGS [MOST]
{
    python3 tests/reference/pairs.py "$@" >"$WORK/pairs.kai" || fail "pairs.py $*"
    exits 0 test "$WORK/pairs.kai"
    grep -q ', 0 failed$' "$out" || fail "pairs.py $*: $(grep -m 3 FAILED "$out")"
}
same 1 200 ""
same 2 40 "" 1000
same 3 80 "islands = auto"
for solver in taylor rosenbrock cvode_bdf cvode_adams rk23 "trapezoid; step = 0.01"; do
    same 4 40 "solver = $solver"
done
