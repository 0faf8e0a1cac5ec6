# Inputs that an importer moves between events (Model Exchange): relations, crossings, floor and modes that read them are event indicators,
# found where the input crosses and not at the next event.
. tests/cli/fmi.bash
for version in 2 3; do
    fmu tests/fmi/inputs.kai inputs --fmi $version
    for how in "" "$cvode" "--style silent" "--style exact" "--style back" "--style saves"; do
        drive inputs me --ramp u=1 --ramp v=2 $how
        [ "$(value n)" -eq 1 ] && near "$(value first)" 0.25 1e-10 || fail "$version $how: u > 0.25 $(value n) times, at $(value first)"
        [ "$(value e.count)" -eq 1 ] && near "$(value last)" 0.5 1e-10 || fail "$version $how: up(u - 0.5) at $(value last)"
        [ "$(value stairs)" -eq 3 ] || fail "$version $how: floor(4 u) $(value stairs) times"
        near "$(value both)" 0.5 1e-10 || fail "$version $how: x + v >= 1.5 at $(value both)"
        [ "$(value mode)" -eq 2 ] || fail "$version $how: the mode is $(value mode)"
    done
done
