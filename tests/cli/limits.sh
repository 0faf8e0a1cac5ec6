# --time and --memory end a compilation or a run in a sentence and exit code 3; the rows until then stay, with a remark.
. tests/cli/helpers.bash

printf 'model M { state x = 1, v = 0; x'"'"' = v; v'"'"' = -x }\nexperiment e of M { stop = inf; max_step = 1e-3; record x every 0.01 }\n' >"$WORK/long.kai"
exits 3 run --time 0.3 "$WORK/long.kai" -o "$WORK/long.csv"
says "the run takes more than 0.3 s, the limit it was given; it has come to t = "
says "help: "
grep -q '^stopped at t = .* before the end' "$WORK/long.csv.status" || fail "no remark"
[ "$(wc -l <"$WORK/long.csv")" -gt 10 ] || fail "the rows are lost"

# Its past grows: a limit of memory, not of the machine.
printf 'model M { state x = 1; x'"'"' = -delay(x, 1000) }\nexperiment e of M { stop = 1e9; max_step = 1e-4; record x every 10 }\n' >"$WORK/past.kai"
exits 3 run --memory 20M --time 60 "$WORK/past.kai" -o "$WORK/past.csv"
says "the run needs more than 20 MB of memory, the limit it was given; it has come to t = "
[ "$(wc -l <"$WORK/past.csv")" -gt 2 ] || fail "the rows are lost"

awk 'BEGIN { print "model M {"; for (i = 0; i < 50000; i++) printf "state x%d = 0\nx%d'"'"' = 1\n", i, i; print "}" }' >"$WORK/large.kai"
for command in check run explain prove "graph -o $WORK/g.svg"; do
    exits 3 $command --memory 5M "$WORK/large.kai"
    says "needs more than 5 MB of memory, the limit it was given"
done

# Each point of a sweep and each experiment of a test has the limit for itself; the others go on.
printf 'model M { param h = 1; state x = 1; x'"'"' = -x }\nexperiment e of M { stop = 1; sweep h in (1, 2) }\n' >"$WORK/sweep.kai"
exits 0 run --time 100 --memory 1G "$WORK/sweep.kai" -o "$WORK/sweep.csv"
printf 'experiment f of M { stop = 1; expect final(x) > 0 }\n' | cat "$WORK/long.kai" - >"$WORK/test.kai"
sed -i 's/record x every 0.01/expect final(x) > 0/' "$WORK/test.kai"
exits 3 test --time 0.3 "$WORK/test.kai"
prints "more than 0.3 s"
prints "1 passed, 1 failed"

for wrong in "--time 0" "--time x" "--time -1" "--memory 10" "--memory lots" "--memory 5X" "--memory nan" "--memory 1e99"; do
    exits 2 run $wrong "$ball"
    one_line "$err"
done
