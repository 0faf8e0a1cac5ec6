# Rows draw the truth: straight lines between the rows of a default result lie on the curve, with every solver and however
# long its steps are. `rows = steps` has the points of the solver alone, `events = off` none of the tags of instants.
. tests/cli/helpers.bash
cat >"$WORK/m.kai" <<'KAI'
model Ball { state y = 10, v = 0; y' = v; v' = -9.81; when down(y) { v := -0.8*v; y := 0 } }
experiment arcs of Ball { stop = 10; record y, v }
model Beside { state y = 10, v = 0; y' = v; v' = -9.81; when down(y) { v := -0.8*v; y := 0 }; signal s = y + 0 }
experiment beside of Beside { stop = 10; record y, v, s }
model Wave { signal y = sin(2*3.141592653589793*time) }
experiment wave of Wave { stop = 20 }
model Line { state x = 0; x' = 2 }
experiment line of Line { stop = 10 }
model Ticks { discrete n = 0; when clock(0.25) { n := n + 1 }; state x = 0; x' = 1 }
experiment grid of Ticks { stop = 1; record n, x every 0.5 }
KAI
for solver in rk45 rk23 rosenbrock taylor; do
    # The parabola between two rows at the middle of their line: the sag of a chord of length h is g h^2 / 8.
    exits 0 run "$WORK/m.kai" -e arcs --solver $solver
    awk -F, 'NR > 1 { if (NR > 2 && $1 > t) { sag = 9.81*($1 - t)^2/8; if (sag > worst) worst = sag } t = $1; n++ }
        END { exit !(worst < 0.02 && n < 1500) }' "$out" || fail "$solver: arcs are not drawn"
    exits 0 run "$WORK/m.kai" -e arcs --solver $solver --rows steps
    awk -F, 'NR > 2 && $1 > t { sag = 9.81*($1 - t)^2/8; if (sag > worst) worst = sag } { t = $1 } END { exit !(worst > 0.1) }' "$out" ||
        fail "$solver: steps that have rows between them"
done
# States alone are drawn by their coefficients; beside a signal they are loaded. The rows are the same, to the last digit.
exits 0 run "$WORK/m.kai" -e arcs --solver taylor
cut -d, -f1-5 "$out" >"$WORK/arcs"
exits 0 run "$WORK/m.kai" -e beside --solver taylor
cut -d, -f1-5 "$out" | cmp -s - "$WORK/arcs" || fail "coefficients draw other rows"
# A signal without a state: no solver asks for points.
exits 0 run "$WORK/m.kai" -e wave
awk -F, 'NR > 1 { if (NR > 2) { m = (t + $1)/2; d = (y + $4)/2 - sin(2*3.141592653589793*m); if (d < 0) d = -d; if (d > worst) worst = d }
    t = $1; y = $4 } END { exit !(worst < 0.01) }' "$out" || fail "the wave is not drawn"
exits 0 run "$WORK/m.kai" -e line
[ "$(wc -l <"$out")" -lt 12 ] || fail "a straight line needs no rows between: $(wc -l <"$out")"
exits 0 run "$WORK/m.kai" -e arcs --events off
awk -F, 'NR > 2 && ($2 != 0 || $3 != 0) { bad = 1 } END { exit bad || NR < 20 }' "$out" || fail "rows of instants"
exits 0 run "$WORK/m.kai" -e grid --events off
awk -F, 'NR > 1 && ($1 != (NR - 2)/2 || $4 != 2*NR - 3 || ($5 - $1)^2 > 1e-24) { bad = 1 } END { exit bad || NR != 4 }' "$out" ||
    fail "one row a grid point: $(cat "$out")"

# Small signals are drawn as large ones are: a charge with its nominal size and the current that it makes, a thousandth of a
# millimetre; and one that swings a hundred times between two points of the solver, of which some places lie on any line.
cat >"$WORK/s.kai" <<'KAI'
model Nano { state q = 0 nominal 1e-9; q' = (1e-9 - q)/0.5; signal i = (1e-9 - q)/0.5 }
experiment nano of Nano { stop = 5 }
model Micro { state x = 1e-5, v = 0; x' = v; v' = -x }
experiment micro of Micro { stop = 20 }
model Swings { signal y = sin(100*time)*exp(-time) }
experiment swings of Swings { stop = 10 }
KAI
# drawn EXPERIMENT COLUMN FORMULA OF t, RANGE: no line is off by more than 0.4 % of the range, where what is asked at some places is 0.2 %
drawn()
{
    exits 0 run "$WORK/s.kai" -e "$1"
    awk -F, "function f(t) { return $3 } function size(d) { return d < 0 ? -d : d }"'
        NR > 2 && $1 > t { for (k = 1; k < 8; k++) { d = size(y + k/8*($'"$2"' - y) - f(t + k/8*($1 - t))); if (d > worst) worst = d } }
        NR > 1 { t = $1; y = $'"$2"' } END { exit !(worst < 0.004*'"$4"') }' "$out" || fail "$1: column $2 is not drawn"
}
drawn nano 4 '1e-9*(1 - exp(-2*t))' 1e-9
drawn nano 5 '2e-9*exp(-2*t)' 2e-9
drawn micro 4 '1e-5*cos(t)' 2e-5
drawn swings 4 'sin(100*t)*exp(-t)' 2
