# Ports of bond graphs are terminals in FMI 3.0, with their effort; elements and junctions are none. Where ports are joined the efforts are equal: the
# values of the importer say so.
. tests/cli/fmi.bash
cat >"$WORK/circuit.kai" <<'END'
import "electrical.kai"
model Load { port a : electrical, b : electrical; r : Resistor(R = 2); c : Capacitor(C = 0.5); connect a, r.a; connect r.b, c.a; connect c.b, b }
model Top { src : VoltageSource; src.u = 1; load : Load; g : Ground; connect src.a, load.a; connect src.b, load.b, g.a }
experiment e of Top { stop = 1 }
END
fmu "$WORK/circuit.kai" circuit --fmi 3
exits 0 check "$WORK/circuit.fmu"
xml=$WORK/circuit/terminalsAndIcons/terminalsAndIcons.xml
ports=$(sed -n 's/.*<Terminal name="\([^"]*\)".*/\1/p' "$xml" | sort | tr '\n' ' ')
[ "$ports" = "g.a load.a load.b load.c.a load.c.b load.r.a load.r.b src.a src.b " ] || fail "terminals: $ports"
[ "$(grep -c 'memberName="e" variableKind="signal"' "$xml")" -eq 9 ] || fail "members"
sed -n 's/.*variableName="\([^"]*\)".*/\1/p' "$xml" | while read -r name; do
    grep -q "name=\"$name\"" "$WORK/circuit/modelDescription.xml" || fail "$name is no variable"
done
drive circuit me
near "$(value src.a.e)" "$(value load.a.e)" 1e-15 || fail "efforts of joined ports"
near "$(value load.r.b.e)" 0.6321205588285577 1e-7 || fail "the capacitor has 1 - exp(-1) V at t = 1, not $(value load.r.b.e)" # R C = 1 s
fmu "$WORK/circuit.kai" two --fmi 2
[ ! -e "$WORK/two/terminalsAndIcons" ] || fail "terminals in 2.0"
fmu $ball ball --fmi 3
[ ! -e "$WORK/ball/terminalsAndIcons" ] || fail "terminals without ports"
