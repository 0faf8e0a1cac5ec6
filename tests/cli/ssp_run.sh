# `kairos run system.ssp`: the values and events of the model that was exported as a system, and a system built by hand with everything that parameterizes and
# connects one, against closed forms: systems within systems, sets and mappings, units and transformations.
. tests/cli/fmi.bash
exits 0 run tests/fmi/system.kai -o "$WORK/whole.csv" --quiet
exits 0 export tests/fmi/system.kai -o "$WORK/system.ssp"
exits 0 run "$WORK/system.ssp" -o "$WORK/system.csv" --quiet
# last FILE NAME: the value of a column at the end.
last() { awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) { sub(/ \[.*/, "", $i); if ($i == name) k = i } next } !/^#/ { v = $k } END { if (!k) exit 1; print v }' "$1"; }
for pair in y:y count_:count_ first.y:first.y second.x_1:second.x[1] counter.n:counter.n; do
    near "$(last "$WORK/system.csv" ${pair%%:*})" "$(last "$WORK/whole.csv" ${pair#*:})" 1e-6 || fail "$pair: $(last "$WORK/system.csv" ${pair%%:*})"
done
# the events of one FMU in the other: two resets, six crossings of which one is behind the last reset
[ "$(last "$WORK/system.csv" again.tick_count)" -eq 2 ] && [ "$(last "$WORK/system.csv" counter.reset_count)" -eq 2 ] &&
    [ "$(last "$WORK/system.csv" counter.up_count)" -eq 6 ] || fail "events of the system"
exits 0 run "$WORK/system.ssp" --set first.k=1 --stop 0.5 -o "$WORK/slow.csv" --quiet
near "$(last "$WORK/slow.csv" t)" 0.5 0 || fail "--stop"
mkdir "$WORK/parts"
for part in Ramp:ramp Gain:gain Sink:sink Warm:warm Switch:switch_ Number:number; do
    exits 0 export tests/fmi/parts.kai -e "${part#*:}" -o "$WORK/parts/${part%:*}.fmu"
done
python3 tests/fmi/make_ssp.py "$WORK/parts" "$WORK/every.ssp" || fail "make_ssp.py"
exits 0 check "$WORK/every.ssp"
exits 0 run "$WORK/every.ssp" -o "$WORK/every.csv" --quiet
# 36 km/h for 2 s; FMUs that count in km, or whose connector says so; 2 x + 3 before and 2*5 + 1 behind; 300 K in degrees Celsius
for case in ramp.y:20 kilo.y:20 kilo.x:0.02 plain.x:0.02 far:20 twice.u:3.04 naked.u:0.02 warm:26.85 map.x:1 set.u:7 inner_gain.y:473 sub_gain.y:1892 colour.u:7 named.u:3 bound.u:5 node_gain.u:20 hub.u:20; do
    near "$(last "$WORK/every.csv" ${case%%:*})" ${case#*:} 1e-9 || fail "$case: $(last "$WORK/every.csv" ${case%%:*})"
done
exits 2 run "$WORK/every.ssp" -o "$WORK/x.csv" --checkpoint 1
says "kairos import"
exits 2 run "$WORK/every.ssp" --set nobody=1
exits 4 run "$WORK/none.ssp"
[ -z "$(find "$WORK" -maxdepth 1 -name 'kairos-ssp*')" ] || fail "folders were left behind"
