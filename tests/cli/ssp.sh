# A model whose parts are instances as a system of FMUs (SSP 1.0), integrated by a foreign importer that knows the description and the FMUs alone: the
# values and events of the whole model. What is more than parts and connections is refused with its name.
. tests/cli/fmi.bash
exits 0 run tests/fmi/system.kai -o "$WORK/whole.csv" --quiet
exits 0 export tests/fmi/system.kai -o "$WORK/system.ssp"
mkdir "$WORK/system"
python3 -m zipfile -e "$WORK/system.ssp" "$WORK/system"
for file in "$WORK"/system/resources/*.fmu; do
    exits 0 check "$file"
    python3 -m zipfile -e "$file" "${file%.fmu}"
done
[ "$(ls "$WORK"/system/resources/*.fmu | wc -l)" -eq 5 ] || fail "components of the same structure share an FMU, others do not"
"$BUILD/tests/fmi_system" "$WORK/system" 0.001 >"$out" 2>"$err" || fail "fmi_system: $?"
same "$WORK/whole.csv" 1e-6 >"$WORK/why" || fail "$(cat "$WORK/why")"
[ "$(value again.tick.count)" -eq 2 ] && [ "$(value counter.up_.count)" -gt 3 ] || fail "$(cat "$out")"
near "$(value second.k)" 40 0 && near "$(value first.k)" 20 0 || fail "parameters that follow from others"
if command -v xmllint >/dev/null; then
    xmllint --noout "$WORK/system/SystemStructure.ssd" || fail "no XML"
fi
exits 0 export tests/fmi/system.kai -o "$WORK/again.ssp"
cmp "$WORK/system.ssp" "$WORK/again.ssp" || fail "two exports differ"
# Reading: a good one, and broken ones, each with its sentence.
exits 0 check "$WORK/system.ssp"
mkdir "$WORK/broken"
made=$(python3 tests/fmi/break_ssp.py "$WORK/system.ssp" "$WORK/broken") || fail "break_ssp.py"
[ "$made" -ge 40 ] || fail "only $made broken systems"
for broken in "$WORK"/broken/*.ssp; do
    exits 1 check "$broken"
    says "$(cat "${broken%.ssp}.says")"
done
# As a folder: the FMUs, and the model that the system is.
exits 0 import "$WORK/system.ssp" -o "$WORK/as"
[ "$(ls "$WORK/as"/part*.fmu | wc -l)" -eq 5 ] && cmp "$WORK/as/part1.fmu" "$WORK/system/resources/Source.fmu" || fail "FMUs of the folder"
for line in 'fmu Part1 = "part1.fmu"' '  second : Part3(k = 40)' '  counter.u = second.x_2' '  output y = second.y' \
    'experiment e of Chain { start = 0; stop = 3 }'; do
    grep -qxF "$line" "$WORK/as/system.kai" || fail "no line $line: $(cat "$WORK/as/system.kai")"
done
exits 2 import "$WORK/system.ssp"
says "needs -o FOLDER"
exits 1 import "$WORK/broken/value.ssp" -o "$WORK/none"
exits 4 check "$WORK/none.ssp"
says "cannot be read"
# refused NAME TEXT WORDS
refused()
{
    printf '%s\n' "$2" >"$WORK/$1.kai"
    exits 1 export "$WORK/$1.kai" -o "$WORK/x.ssp"
    says "$3"
    [ ! -e "$WORK/x.ssp" ] || fail "$1: a file was left behind"
}
parts='model A { output y = sin(time) } model B { input u; state x = 0; x'"'"' = u }'
refused computed "$parts model M { a : A; b : B; b.u = 2*a.y } experiment e of M { stop = 1 }" '`b.u` is computed where it is connected'
refused state "$parts model M { a : A; b : B; b.u = a.y; state z = 0; z' = b.x } experiment e of M { stop = 1 }" '`z` changes by itself'
refused when "$parts model M { a : A; b : B; b.u = a.y; when up(a.y) { } } experiment e of M { stop = 1 }" "stands in the model itself"
exits 1 export $ball -o "$WORK/x.ssp"
says "Ball has no instances"
exits 1 export examples/cradle/model.kai -o "$WORK/x.ssp"
says "this model cannot be a system"
exits 1 export tests/fmi/system.kai --fmi 3 -o "$WORK/x.ssp"
says "SSP 1.0 has FMUs of version 2"
