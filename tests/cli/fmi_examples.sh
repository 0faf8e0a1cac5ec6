# Examples as FMUs of FMI 2.0 and 3.0, driven as Model Exchange by a foreign integrator (fixed step, and CVODE with its own root finding) and as
# Co-Simulation: as many events as in `kairos run`, and the same values at the end. A sample; FMI_EXAMPLES=all takes every example that has no
# `choose`, FMI_EXAMPLES="ball relay" these, both versions.
. tests/cli/fmi.bash
names=$(sample ball-automata cradle diode-bridge impulsive-ball relay sampled-pi stick-slip three-balls zeno-signal)
# steps NAME: what an importer has to know of the model. Of two crossings of one guard within a step it sees neither.
steps()
{
    case $1 in
        hydraulic-press) echo --step 1e-4 ;; # stiff valves
        sigma-delta) echo --step 1e-3 ;;
        parabola) echo --step 0.01 ;; # 0.2 s below zero in 1000 s
    esac
}
# drives NAME KIND: whether this importer can integrate it.
drives() { [ "$1 $2" != "argesim-c5 me" ]; } # a time constant of 0.4 µs is no work for a fixed step

version=2
for name in $names; do
    [ "$name" != external ] || continue # calls a C function, which an FMU does not carry
    version=$((version == 2 ? 3 : 2))
    exits 0 run examples/$name/model.kai -o "$WORK/$name.csv" --quiet
    versions=$version
    [ -z "${FMI_EXAMPLES:-}" ] || versions="2 3"
    for v in $versions; do
        fmu examples/$name/model.kai $name --fmi "$v"
        for kind in me "me $cvode" cs; do
            drives $name "$kind" || continue
            # shellcheck disable=SC2046,SC2086
            drive $name $kind $(steps $name)
            same "$WORK/$name.csv" "$(within $name)" >"$WORK/why" || fail "$name $v $kind: $(cat "$WORK/why")"
        done
    done
    rm -rf "${WORK:?}/$name" "$WORK/$name.fmu" "$WORK/$name.csv"
done
