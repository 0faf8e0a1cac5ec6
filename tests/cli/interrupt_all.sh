# Ctrl-C reaches whatever is being done: reading, compiling, a long step, an endless instant, rows without end, choices, a plot, a report.
# Each ends by itself after one signal. How soon is not tested here, because machines are busy (docs/reliability.md has figures).
. tests/cli/helpers.bash

# interrupted ARGUMENT…: one SIGINT while it works; it comes to an end, with exit code 3 and without a second signal.
interrupted()
{
    "$KAIROS" "$@" >"$out" 2>"$err" &
    local process=$! code=0
    sleep 0.4
    kill -INT $process 2>/dev/null || fail "$*: it was over too soon"
    (sleep 20 && kill -KILL $process 2>/dev/null) &
    local guard=$!
    wait $process || code=$?
    kill $guard 2>/dev/null
    [ $code -eq 3 ] || fail "$*: exit code $code"
    grep -qi "interrupted" "$err" || fail "$*: it does not say so"
}

awk 'BEGIN { printf "function f0(x) = x + x\n"
    for (i = 1; i < 60; i++) printf "function f%d(x) = f%d(f%d(x)) + f%d(x)\n", i, i - 1, i - 1, i - 1
    print "model M { state x = 0; x'"'"' = f59(x) }\nexperiment e of M { stop = 1 }" }' >"$WORK/functions.kai"
cat >"$WORK/stop.kai" <<'E'
model M { state x = 1; x' = sin(1e6*time) + x }
experiment e of M { stop = inf; max_step = 1e-9 }
E
cat >"$WORK/instant.kai" <<'E'
model M { state x = 0; x' = 1; discrete n = 0; event e; when x > 0.5 { emit e(1) } when e { n := n + 1; emit e(1) } }
experiment e of M { stop = 1; max_microsteps = 4294967295 }
E
cat >"$WORK/rows.kai" <<'E'
model M { state x = 0; x' = 1 }
experiment e of M { stop = 1; record x every 1e-300 }
E
awk 'BEGIN { print "model M { state x = 0; x'"'"' = 1; discrete n = 0"
    for (i = 0; i < 20; i++) printf "discrete d%d = 0\nchoose { when x > %g { d%d := 1; n := 2*n } when x > %g { d%d := 2; n := n + 1 } }\n", i, 0.01*i, i, 0.01*i, i
    print "}\nexperiment e of M { stop = 1; choice = all; max_branches = 9007199254740992; max_choices = 9007199254740992 }" }' >"$WORK/choices.kai"

interrupted run "$WORK/functions.kai" -o "$WORK/o.csv"
for model in stop instant rows choices; do
    interrupted run "$WORK/$model.kai" -o "$WORK/o.csv"
done
interrupted plot "$WORK/stop.kai" -o "$WORK/o.svg"
interrupted plot "$WORK/instant.kai" -o "$WORK/o.svg"
interrupted explain "$WORK/stop.kai"
