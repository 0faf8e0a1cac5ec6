# stop = inf: a model at rest comes to the end of time and returns; one that moves can be interrupted.
. tests/cli/helpers.bash
cat >"$WORK/inf.kai" <<'END'
model Rest { state x = 1; x' = 0 }
experiment rest of Rest { stop = inf; expect final(x) ~ 1 within 0 }
model Moves { state x = 1, v = 0; x' = v; v' = -x }
experiment moves of Moves { stop = inf; record x every 1000 }
END
timeout -s KILL 120 "$KAIROS" test "$WORK/inf.kai" -e rest >"$out" 2>"$err" || fail "at rest: $(cat "$out")"
timeout -s KILL 120 "$KAIROS" run "$WORK/inf.kai" -e rest -o "$WORK/rest.csv" >"$out" 2>"$err" || fail "at rest: $(cat "$err")"
interrupt "$WORK/moves.csv" run "$WORK/inf.kai" -e moves -o "$WORK/moves.csv"
says "interrupted at t = "

# A ball that falls for half a second in a run without end: the step of a polynomial does not leap over it.
for stop in 1e20 1e100 inf; do
    timeout -s KILL 60 "$KAIROS" run $ball --stop $stop -o "$WORK/ball.csv" >"$out" 2>"$err" || fail "stop $stop: $(cat "$err")"
    says "hit 29"
done
