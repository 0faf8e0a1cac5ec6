# The state of an FMU, saved in the middle of a run as bytes, brought back by a new process that never initialized its instance: it ends with the
# same bits as the run that was not interrupted. Model Exchange (with the integrator's own fixed step) and Co-Simulation, both versions.
. tests/cli/fmi.bash
version=2
# again MODEL NAME STOP: in two halves
again()
{
    version=$((version == 2 ? 3 : 2))
    fmu "$1" "$2" --fmi $version
    for kind in me cs; do
        drive "$2" $kind --step 0.005 --stop "$3"
        cp "$out" "$WORK/whole"
        drive "$2" $kind --step 0.005 --stop "$3" --save "$(awk -v t="$3" 'BEGIN { print 0.4*t }')" "$WORK/bytes"
        ! cmp -s "$out" "$WORK/whole" || fail "$2 $kind: it did not stop"
        drive "$2" $kind --step 0.005 --stop "$3" --resume "$WORK/bytes"
        diff "$WORK/whole" "$out" >"$WORK/why" || fail "$2 $version $kind: $(head -5 "$WORK/why")"
        # Bytes that are damaged or of another model are refused with a sentence.
        head -c 300 "$WORK/bytes" >"$WORK/cut"
        ! "$importer" "$WORK/$2" $kind --resume "$WORK/cut" >"$out" 2>"$err" || fail "$2 $kind: cut bytes"
        [ -s "$err" ] || fail "$2 $kind: cut bytes, and no sentence"
    done
}
again tests/fmi/late.kai late 3 # delayed signals
again tests/fmi/depends.kai depends 2 # an equation
[ -z "${FMI_EXAMPLES:-}" ] || again tests/fmi/late.kai late 3
[ -z "${FMI_EXAMPLES:-}" ] || again tests/fmi/depends.kai depends 2
for name in cradle sigma-delta impulsive-ball queue; do
    again examples/$name/model.kai $name 2
    [ -z "${FMI_EXAMPLES:-}" ] || again examples/$name/model.kai $name 2
done
