# Paper 000, sections 5.2 to 5.5: what the examples show on purpose is reported, not drawn in silence.
. tests/cli/helpers.bash

# The ideal ball: event times accumulate at 90/7.
exits 3 run examples/zeno-ball/model.kai -e zeno -o "$WORK/out.csv"
says 'Zeno'
says '12.857142857'
says 'examples/zeno-ball/model.kai:'

# With the paper's detector the ball tunnels through the floor when bounce 28 comes back to it, at 12.835068872564616.
exits 0 run examples/zeno-ball/model.kai -e fig19 -o "$WORK/out.csv"
says 'tunnelled at t = 12.83506887'

# The stacked masses: endless impacts inside one instant, halving towards rest; the floor takes the whole impulse.
exits 3 run examples/stacked-masses/model.kai -e endless -o "$WORK/out.csv"
says 'Zeno inside the instant t = 1'
says 'each 0.5 of the one before'
says 'upper = 0'
says 'floor_impulse = 1'

# Three touching balls below e = 7 - 4 sqrt(3): ratio (T + sqrt(T^2 - 4 e^2))/2 with T = (1 + e)^2/4 - 2 e, recognised before impact 25.
exits 3 run examples/touching-balls/model.kai -e endless -o "$WORK/out.csv"
says 'Zeno inside the instant t = 0'
says 'each 0.16000000'
impacts=$(grep -oE 'impacts = [0-9]+' "$err" | tail -n 1 | grep -oE '[0-9]+')
[ "$impacts" -lt 25 ] || fail "recognised only at impact $impacts"

# The signal of Fig. 17 has no left limit at t = 1. As printed it is drawn until there; with an event at every zero, k/(k + 2),
# the intervals go like 1/k^2.
exits 3 run examples/zeno-signal/model.kai -e as_printed -o "$WORK/out.csv"
says 'x has no left limit at t = 1: sin(inf)'
awk -F, '/^[0-9]/ { t = $1; if ($4 > most) most = $4 } END { exit !(t > 0.998 && NR > 1000 && most > 0.999) }' "$WORK/out.csv" || fail "Fig. 17 is not drawn up to its limit"
exits 3 run examples/zeno-signal/model.kai -e to_the_limit -o "$WORK/out.csv"
says 'the intervals shrink like 1/n^2'
says 'has no left limit'
grep -qE 'accumulate at t = (0.99999[0-9]*|1(.00000[0-9]*)?),' "$err" || fail "the limit of Fig. 17 is not reported"

# Fig. 7 without its delays is a causality loop.
exits 3 run examples/two-balls/model.kai -e no_delay -o "$WORK/out.csv"
says 'nonconstructive'
says 'a.v'
says 'law.F1'

# Pushing by collisions costs more than a thousand times the steps of pushing by a mode (Figs. 15 and 26).
steps() { "$KAIROS" run examples/pushing/model.kai -e "$1" -o "$WORK/out.csv" 2>&1 | sed -n 's/.* instants, \([0-9]*\) steps.*/\1/p'; }
many=$(steps fig15)
few=$(steps fig26_physical)
[ "$many" -gt $((1000 * few)) ] || fail "$many steps by collisions, $few by modes"
