# Rule D2: islands change cost, not trajectories. Every experiment of examples/ and tests/models runs with `islands = auto`; where
# that makes islands, the tags of all instants are those of the run as a whole: the same p and m, t within 1e-9, values within 1e-6.
# Rows between instants belong to solvers and differ. Instants and tags that change nothing by more than 1e-9 are left out: a
# relation that flips within the rounding of its terms is no event of either run.
. tests/cli/helpers.bash
. tests/cli/islands.bash

# What rounding decides: an assignment of what the state already is, to the last bit or not, makes a pinnacle or a microstep.
rounding="examples/falling-at-angle/model.kai:slides_left examples/falling-at-angle/model.kai:slides_by_weights
examples/three-balls/model.kai:fig9a"
# Three equal balls whose difference is rounding: where its sign flips, islands with a fixed step begin a new step there.
# The same balls with steps of their own: after a dozen bounces their times differ by some units in the last place, so that
# they share an instant or not.
rounding="$rounding examples/impulsive-ball/model.kai:riemann tests/models/impulse_ball.kai:elastic"

compared=0
for file in examples/*/*.kai tests/models/*.kai; do
    names=$(grep -oE '^ *experiment +[A-Za-z0-9_]+' "$file" | awk '{ print $2 }')
    [ -n "$names" ] && ! grep -q 'islands' "$file" || continue
    for name in $names; do
        case $rounding in *"$file:$name"*) continue ;; esac
        status=0
        "$KAIROS" run "$file" -e "$name" --islands auto -o "$WORK/a.csv" 2>"$err" || status=$?
        grep -q ' islands: ' "$err" || continue
        expected=0
        "$KAIROS" run "$file" -e "$name" --islands one -o "$WORK/b.csv" 2>"$WORK/err2" || expected=$?
        [ $status -eq $expected ] || fail "$file, $name: exit code $status with islands, $expected without"
        found=$(different "$WORK/a.csv" "$WORK/b.csv")
        [ -z "$found" ] || fail "$file, $name: $found"
        compared=$((compared + 1))
    done
done
echo "$compared experiments with islands are as without"
[ $compared -ge 60 ] || fail "only $compared experiments made islands"
