# Signals under delay in Model Exchange: histories grow where a step is said to be over, and at event times where nobody says it; who goes
# back, asks in any order, or saves and restores, gets the closed forms all the same, and jumps come out at their time.
. tests/cli/fmi.bash
holds()
{
    near "$(value x)" -0.16666666666666666 "$2" && near "$(value y)" 0.98999249660044542 "$2" || fail "$1: $(value x), $(value y)"
    [ "$(value low.count)" -eq 1 ] && [ "$(value out_.count)" -eq 1 ] && [ "$(value w)" -eq 1 ] || fail "$1: $(cat "$out")"
    near "$(value when_)" 1 1e-10 || fail "$1: the jump comes at $(value when_)"
}
for version in 2 3; do
    fmu tests/fmi/late.kai late --fmi $version
    for style in plain back any silent saves; do
        drive late me --style $style
        holds "$version $style" 1e-8
    done
    drive late cs
    holds "$version cs" 1e-9
done
drive late me --step 1e-4 # as exact as its steps
holds "short steps" 1e-11
drive late me $cvode
holds cvode 1e-7
# A delay that varies needs the steps: Co-Simulation only.
cat >"$WORK/varies.kai" <<'END'
model Varies { state x = 1; x' = -delay(x, 1 + 0.1*sin(time)) }
experiment e of Varies { stop = 1 }
END
fmu "$WORK/varies.kai" varies
exits 0 export "$WORK/varies.kai" -o "$WORK/varies.fmu"
says "warning: the FMU has Co-Simulation and no Model Exchange: a \`delay\` that varies needs the steps"
! grep -q '<ModelExchange' "$WORK/varies/modelDescription.xml" || fail "a delay that varies in Model Exchange"
