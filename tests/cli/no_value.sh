# A relation or crossing that is asked for where its operator has no value stops the run there, with every solver: with operator, operand, line and
# time, and not as Zeno (decision 0346). What is 0/0 at a single time does not stop it.
. tests/cli/helpers.bash

# ends MODEL WORDS: at the start, on line 2
ends()
{
    printf 'model M {\n %s }\nexperiment e of M { stop = 6 }\n' "$1" >"$WORK/m.kai"
    for solver in auto rk45 rk23 rosenbrock cvode_bdf; do
        exits 3 run "$WORK/m.kai" --solver $solver -o "$WORK/m.csv"
        says "$2"
        says 'm.kai:2:'
        ! grep -q Zeno "$err" || fail "Zeno: $1"
    done
}
ends "state x = -3; x' = 1; signal o = if log(x) < -1 then 5 else 6" '`log(x) < -1` has no value at t = 0: log(-3)'
ends "state x = -3; x' = 1; signal o = if log(x) > -1 or x < 0 then 5 else 6" '`log(x) > -1` has no value at t = 0: log(-3)'
ends "state x = -3; x' = 1; discrete n = 0; when sqrt(x) > 1 { n := 1 }" '`sqrt(x) > 1` has no value at t = 0: sqrt(-3)'
ends "state x = -3; x' = 1; event e = up(sqrt(x) - 1)" '`up(sqrt(x) - 1)` has no value at t = 0: sqrt(-3)'

printf "model M { state x = 0; x' = 1; signal o = if sin(x)/x > 0.5 then 1 else 2 }\nexperiment e of M { stop = 6; expect at(1, o) == 1 and final(o) == 2 }\n" >"$WORK/m.kai"
exits 0 test "$WORK/m.kai"

# A derivative whose state is on the border of its domain from the start, and does not move in steps as short as those near t = 0: the run ends there.
borders()
{
    printf 'model M {\n %s }\nexperiment e of M { stop = 3; start = %s }\n' "$1" "$2" >"$WORK/m.kai"
    for solver in auto rk45 rk23 cvode_bdf euler; do
        exits 3 run "$WORK/m.kai" --solver $solver --time 20 -o "$WORK/m.csv"
        says "the derivative of z has no value beyond t = "
        says 'm.kai:2:'
    done
    for solver in rosenbrock trapezoid backward_euler; do
        exits 3 run "$WORK/m.kai" --solver $solver --time 20 -o "$WORK/m.csv"
        ! grep -q 'takes more than' "$err" || fail "$solver: endless: $1"
    done
}
borders "state x = 1, z = 0; x' = -1; z' = asin(2 - x)" 0
borders "state x = 1, z = 0; x' = 1; z' = sqrt(1 - x)" 0
borders "state x = 1, z = 0; x' = 1; z' = sqrt(1.001 - x)" -0.001
