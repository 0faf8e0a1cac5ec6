# Directional derivatives of an imported FMU are the Jacobian of implicit solvers: they are asked for, rates are not spent on differences, and a stiff
# FMU agrees with its closed form, through inputs that the model computes from its states too (tests/fmi/stiff.c).
. tests/cli/fmi.bash
by_hand stiff
export STIFF_COUNTS=$WORK/counts
count() { awk -v name="$1" '{ for (i = 1; i < NF; i++) if ($i == name) print $(i + 1) }' "$STIFF_COUNTS"; }
exits 0 check "$WORK/stiff.fmu"
cat >"$WORK/rig.kai" <<'K'
fmu Stiff = "stiff.fmu"
model Rig {
  f : Stiff
  state z = 0
  z' = -z + f.y
  f.u = 0.5*f.y + 0*z          // the slopes go through it: y' = -s/2 y
}
experiment a of Rig { stop = 10; solver = rosenbrock; rtol = 1e-7; expect final(f.x) ~ cos(10) within 1e-6; expect final(f.y) ~ 0 within 1e-6 }
experiment b of Rig { stop = 10; solver = cvode_bdf; rtol = 1e-7; expect final(f.x) ~ cos(10) within 1e-5; expect final(f.y) ~ 0 within 1e-5 }
K
for solver in a b; do
    exits 0 test --allow-external "$WORK/rig.kai" -e $solver
    [ "$(count slopes)" -gt 2 ] || fail "directional derivatives are not used: $(cat "$STIFF_COUNTS")"
    cp "$STIFF_COUNTS" "$WORK/told.$solver"
done
exits 0 test --allow-external --isolate "$WORK/rig.kai" -e a

# Without them the same by differences, at the price of more rates.
sed -i 's/ providesDirectionalDerivative="true"//' "$WORK/stiff/modelDescription.xml"
(cd "$WORK/stiff" && rm ../stiff.fmu && python3 -m zipfile -c ../stiff.fmu modelDescription.xml binaries)
exits 0 test --allow-external "$WORK/rig.kai" -e a
[ "$(count slopes)" -eq 0 ] || fail "they are not there to be used"
[ "$(count rates)" -gt "$(awk '{ print $2 }' "$WORK/told.a")" ] || fail "differences cost nothing: $(cat "$STIFF_COUNTS" "$WORK/told.a")"
