# Dependencies in ModelStructure: what no unknown lists does not move it, by differences along whole runs, and factors that are said to be
# constant between events are. The lists themselves, with their kinds, where they can be read off the text.
. tests/cli/fmi.bash
# list ELEMENT NAME WHAT…: the line of an unknown of FMI 3.0 has these knowns, as name:kind.
list()
{
    local element=$1 unknown=$2 found
    shift 2
    found=$(awk -v element="$element" -v unknown="$unknown" '
        match($0, / name="[^"]*"/) { name = substr($0, RSTART + 7, RLENGTH - 8); match($0, /valueReference="[0-9]*"/)
                                     r = substr($0, RSTART + 16, RLENGTH - 17); of[r] = name; reference[name] = r; next }
        $1 == "<" element && $2 == "valueReference=\"" reference[unknown] "\"" {
            match($0, /dependencies="[^"]*"/); n = split(substr($0, RSTART + 14, RLENGTH - 15), known, " ")
            match($0, /dependenciesKind="[^"]*"/); split(substr($0, RSTART + 18, RLENGTH - 19), kind, " ")
            for (i = 1; i <= n; i++) printf("%s%s:%s", (i > 1 ? " " : ""), of[known[i]], kind[i]) }' "$WORK/depends/modelDescription.xml")
    [ "$found" = "$*" ] || fail "$unknown: $found instead of $*"
}
for version in 2 3; do
    fmu tests/fmi/depends.kai depends --fmi $version
    exits 0 check "$WORK/depends.fmu"
    drive depends me --depends
    ! grep ^depends "$out" || fail "$version"
    [ "$(grep -c ^checked "$out")" -gt 5 ] || fail "nothing was checked"
done
list Output o u:constant x:constant
list Output p u:dependent x:dependent
list Output r x:constant
list Output s time:dependent
list Output far x:discrete y:discrete
list Output sum_ time:constant u:fixed x:fixed
list ContinuousStateDerivative 'der(x)' x:fixed y:constant
list ContinuousStateDerivative 'der(y)' w:discrete x:discrete
list ContinuousStateDerivative 'der(z)' time:dependent x:dependent y:dependent
list ContinuousStateDerivative 'der(apart)' w:discrete apart:discrete
list InitialUnknown b a:constant
list InitialUnknown c a:dependent
list EventIndicator _indicator_1 z:discrete
for name in cradle sigma-delta boost stick-slip mixed-signals; do
    fmu examples/$name/model.kai $name --fmi 3
    drive $name me --depends
    ! grep ^depends "$out" || fail "$name"
done
