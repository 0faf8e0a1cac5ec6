# Two FMUs, an event that crosses from one to the other and comes back with a payload: as in one model. And inputs: a crossing
# of an input is an event, whether it flows (Model Exchange) or jumps (Co-Simulation).
. tests/cli/fmi.bash
exits 0 run tests/fmi/both.kai -o "$WORK/both.csv" --quiet
for version in 2 3; do
    fmu tests/fmi/ball.kai a --fmi $version
    fmu tests/fmi/counter.kai b --fmi $version
    "$BUILD/tests/fmi_pair" "$WORK/a" "$WORK/b" 0.01 3 a.hit=b.e b.back.value=a.kick.value b.back=a.kick >"$out" 2>"$err" || fail "fmi_pair: $?"
    same "$WORK/both.csv" 1e-8 >"$WORK/why" || fail "$version: $(cat "$WORK/why")"
    [ "$(value a.hit.count)" -eq 4 ] && [ "$(value b.back.count)" -eq 1 ] || fail "$version: $(cat "$out")"
done
