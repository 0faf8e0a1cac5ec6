# What an FMU adds to the variables of its model, in both versions and both kinds: counts and payloads of events, the area of impulses beside the
# jump of the states, the presence of a value that can be absent. Four impulses of 3 at 0.5, 1, 1.5, 2; x(2.25) = 3 (1.75 + 1.25 + 0.75 + 0.25).
. tests/cli/fmi.bash
for version in 2 3; do
    fmu tests/fmi/values.kai values --fmi $version
    for kind in me cs; do
        drive values $kind
        near "$(value v)" 12 1e-12 && near "$(value x)" 12 1e-12 && near "$(value F.area)" 12 1e-12 || fail "$version $kind: $(cat "$out")"
        [ "$(value e.count)" -eq 4 ] && [ "$(value s.count)" -eq 4 ] && near "$(value s.value)" 2 1e-12 || fail "$version $kind: $(cat "$out")"
        [ "$(value there.present)" -eq 1 ] && near "$(value there)" 24 1e-11 || fail "$version $kind: $(cat "$out")"
        drive values $kind --stop 0.75
        [ "$(value there.present)" -eq 0 ] && near "$(value F.area)" 3 1e-12 || fail "$version $kind at 0.75: $(cat "$out")"
    done
done
