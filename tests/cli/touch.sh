# A parabola that touches zero at t = 50: no event fires, and `kairos explain` lists the touch, found as the root of the derivative (within 1e-6).
set -u
"$KAIROS" explain examples/parabola/model.kai -e touch >"$WORK/out" 2>&1 || { cat "$WORK/out"; exit 1; }
awk '/cross\(x\).*at t = / { sub(/.*at t = /, ""); d = $1 - 50; if (d < 1e-6 && d > -1e-6) found = 1 } END { exit !found }' "$WORK/out" ||
    { echo "no touch at 50 for cross(x)"; cat "$WORK/out"; exit 1; }
"$KAIROS" explain examples/parabola/model.kai -e twice >"$WORK/out" 2>&1 || { cat "$WORK/out"; exit 1; }
! grep -q '^touches' "$WORK/out" || { echo "two crossings are no touch"; exit 1; }
