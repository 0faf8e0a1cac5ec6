# The solver changes cost, not events: experiments of examples/ and tests/models, with solver = auto in islands and as a whole and
# with rk45, have the same tags at tight tolerances: the same p and m, t within 1e-6, values within 1e-5. Every sixth experiment
# is taken, but none of Zeno, whose last bounces are below the tolerance, nor of tanks that are empty to the square root of it.
# Files that ask for an implicit method are stiff, and rk45 does not come to their end.
. tests/cli/helpers.bash
. tests/cli/islands.bash
near_time=1e-6 near_value=1e-5

# What rounding decides: whether a jump by the last bits is one (diode-oscillator, crowbar), whether balls that fall together meet at one
# instant, whether a signal that comes to its level within the error of a step touches it (lib_level_crossing), how often vessels that
# level out pass their level, and when (ring3, row3), how often two signals cross that are the same but for rounding (modal).
rounding="examples/diode-oscillator/model.kai:fig34 tests/models/lib_level_crossing.kai:e tests/models/textbook.kai:ring3 tests/models/textbook.kai:row3 tests/models/textbook.kai:crowbar tests/models/impulse_across.kai:modal tests/models/impulse_across.kai:modal_rk45"

# runs FILE NAME SOLVER ISLANDS TO
runs() { "$KAIROS" run "$1" -e "$2" --solver "$3" --islands "$4" --rtol 1e-10 --atol 1e-12 -o "$5" 2>"$err"; }

compared=0 number=0
for file in examples/*/*.kai tests/models/*.kai; do
    names=$(grep -oE '^ *experiment +[A-Za-z0-9_]+' "$file" | awk '{ print $2 }')
    case $file in */auto.kai | */domains.kai | */domain_at_tick.kai) continue ;; esac  # roots of what rounding leaves
    case $file in */rest_*.kai) continue ;; esac  # how often a level is crossed before rest on it is the error of steps, under a root
    grep -Eq 'riemann|numeric|euler|external|random|zeno|import "\.\.' "$file" && continue
    solvers="auto:auto rk45:one"
    grep -Eq 'rosenbrock|cvode_bdf' "$file" && solvers="auto:auto"
    for name in $names; do
        number=$((number + 1))
        [ $((number % 6)) -eq 0 ] || continue
        case "$rounding" in *"$file:$name"*) continue ;; esac
        runs "$file" "$name" auto one "$WORK/b.csv" || continue
        for solver in $solvers; do
            runs "$file" "$name" "${solver%:*}" "${solver#*:}" "$WORK/a.csv" || fail "$file, $name: $solver: $(cat "$err")"
            found=$(different "$WORK/a.csv" "$WORK/b.csv")
            [ -z "$found" ] || fail "$file, $name: $solver: $found"
            compared=$((compared + 1))
        done
    done
done
echo "$compared runs are as with auto as a whole"
[ $compared -ge 60 ] || fail "only $compared runs were compared"
