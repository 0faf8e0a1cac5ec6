# Examples as FMUs, in turn of FMI 2.0 and 3.0, driven by a foreign integrator with a fixed step and as Co-Simulation: as many events as in
# `kairos run`, and the same values at the end.
. tests/cli/fmi.bash
version=2
for name in ball-automata boost cradle coulomb-oscillator diode-bridge flyback-diode friction impulsive-ball mixed-signals relay \
    simultaneous-collisions step-derivatives stick-slip three-balls; do
    version=$((version == 2 ? 3 : 2))
    fmu examples/$name/model.kai $name --fmi $version
    exits 0 run examples/$name/model.kai -o "$WORK/$name.csv" --quiet
    for kind in me cs; do
        drive $name $kind
        same "$WORK/$name.csv" 1e-5 >"$WORK/why" || fail "$name $kind: $(cat "$WORK/why")"
    done
    rm -rf "${WORK:?}/$name" "$WORK/$name.fmu"
done
