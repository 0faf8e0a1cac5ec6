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
