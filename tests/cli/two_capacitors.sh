# Paper 000, Fig. 40: two capacitors as drawn have no constructive fixed point at the instant the switch closes: the run stops there,
# names the voltages and the loop with its lines, and says how to break it (rule R3). With the delay the same circuit runs.
. tests/cli/helpers.bash
model=examples/two-capacitors/model.kai
exits 3 run $model -e as_drawn -o "$WORK/out.csv"
says 'nonconstructive'
says 'unknown at t = 1'
grep -qE '\bu\b' "$err" && grep -qE '\bv\b' "$err" || fail "u and v are not named"
line=$(grep -n 'state u .V. = u0, v' $model | sed -n 3p | cut -d: -f1)
says "$model:$line:"
says 'pre'
exits 0 run $model -e fig41 -o "$WORK/out.csv"
