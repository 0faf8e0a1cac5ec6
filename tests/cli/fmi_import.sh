# Models exported and imported again (tests/cli/fmi_tags.sh holds them against the models): in this process and in another one the same bytes, start
# values, an event inside a step of Co-Simulation, two FMUs in one model, checkpoints, mistakes.
. tests/cli/fmi.bash
for name in ball cradle; do
    exits 0 export examples/$name/model.kai -o "$WORK/$name.fmu" --fmi 3
done
for name in ball cradle; do
    for kind in me cs; do
        exits 0 run "$WORK/$name.fmu" --fmi-type $kind -o "$WORK/here.csv" --quiet
        exits 0 run "$WORK/$name.fmu" --fmi-type $kind -o "$WORK/apart.csv" --quiet --isolate
        cmp "$WORK/here.csv" "$WORK/apart.csv" || fail "$name $kind is another one in a process of its own"
    done
done

# Start values of states; and an event inside a step of Co-Simulation that has event mode is where it is: the first bounce.
exits 0 run "$WORK/ball.fmu" --set y=4 --set v=0 --stop 0.8 -o "$WORK/me.csv" --quiet
tail -1 "$WORK/me.csv" | awk -F, '{ d = $4 - (4 - 9.81/2*0.64); exit !(d < 1e-9 && d > -1e-9) }' || fail "$(tail -1 "$WORK/me.csv")"
exits 0 run "$WORK/ball.fmu" --fmi-type cs --stop 0.6 -o "$WORK/cs.csv" --quiet
awk -F, 'NR == 1 { for (i in f) delete f; n = split($0, f, ","); for (i = 1; i <= n; i++) if (f[i] == "hit_count") c = i; next }
    $c == 1 { d = $1 - sqrt(2/9.81); exit !(d < 1e-12 && d > -1e-12) }' "$WORK/cs.csv" || fail "the bounce in Co-Simulation"

# The bounce of one reaches the other, and comes back with a payload.
exits 0 run tests/fmi/both.kai -o "$WORK/both.csv" --quiet
cat >"$WORK/pair.kai" <<'K'
fmu Ball = "a.fmu"
fmu Counter = "b.fmu"
model Both {
  a : Ball; b : Counter
  a.kick = b.back
  b.e = a.hit
}
experiment both of Both {
  stop = 3
  expect final(a.hit_count) == 4; expect final(b.n) == 4; expect final(b.back_count) == 1; expect final(a.kick_count) == 1
}
K
for version in 2 3; do
    exits 0 export tests/fmi/ball.kai -o "$WORK/a.fmu" --fmi $version
    exits 0 export tests/fmi/counter.kai -o "$WORK/b.fmu" --fmi $version
    exits 0 test --allow-external "$WORK/pair.kai"
    exits 0 run --allow-external "$WORK/pair.kai" -o "$WORK/pair.csv" --quiet
    sed -i '1s/_/./g' "$WORK/pair.csv"
    python3 - "$WORK/both.csv" "$WORK/pair.csv" <<'P' || fail "the pair of $version"
import csv, sys
a, b = ([r for r in csv.reader(open(f))] for f in sys.argv[1:])
for name in ("a.y [m]", "a.v [m/s]", "b.age [s]"):
    x, y = float(a[-1][a[0].index(name)]), float(b[-1][b[0].index(name)])
    if abs(x - y) > 1e-9:
        sys.exit(f"{name} is {y} instead of {x}")
P
done

# What can save its state goes on from a checkpoint to the same bytes, in a process of its own too.
for isolate in "" --isolate; do
    exits 0 run --allow-external $isolate "$WORK/pair.kai" -o "$WORK/whole.csv" --quiet --checkpoint 0.7
    cp "$WORK/pair.kai" "$WORK/ahead.kai"
    (exec "$KAIROS" run --allow-external $isolate "$WORK/ahead.kai" -o "$WORK/cut.csv" --quiet --checkpoint 0.7 --pace 6) &
    pid=$!
    until [ -f "$WORK/cut.csv.checkpoint" ] || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
    kill -9 $pid
    wait $pid 2>/dev/null
    exits 0 resume "$WORK/cut.csv"
    cmp "$WORK/whole.csv" "$WORK/cut.csv" || fail "resumed $isolate, it is another run"
    rm -f "$WORK/cut.csv"*
done

# An FMU is found beside its model, and what is no FMU is told with its line.
printf 'fmu No = "none.fmu"\nmodel M { n : No }\nexperiment e of M { stop = 1 }\n' >"$WORK/no.kai"
exits 1 check --allow-external "$WORK/no.kai"
says "error[K172]"
printf 'fmu Ball = "a.fmu:fast"\nmodel M { n : Ball }\nexperiment e of M { stop = 1 }\n' >"$WORK/no.kai"
exits 1 check --allow-external "$WORK/no.kai"
says 'is neither ":me" nor ":cs"'
