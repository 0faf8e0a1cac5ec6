# Models exported and imported again, against the models themselves. Model Exchange: every event at the same tags ⟨t, p, m⟩ with the same payloads, and
# the same values at the end; Co-Simulation of 3.0, which stops at events: at the same times; of 2.0: as often. A sample; FMI_EXAMPLES=all takes every
# example that has no `choose`, FMI_EXAMPLES="ball relay" these, both versions.
. tests/cli/fmi.bash
names=$(sample ball ball-automata cradle relay traffic-light)
# how NAME KIND VERSION
how()
{
    case $1-$2$3 in
        three-balls-*) echo counts ;; # crossings at one time that Model Exchange locates apart
        *-me?) echo tags ;;
        *-cs3) echo times ;;
        *) echo counts ;;
    esac
}
# part NAME: which experiment. As an instance a chain of 6000 states is questions with 6000 arguments each.
part() { [ "$1" != chain ] || printf '%s' '-e short'; }
# text NAME: the model. An instance takes part in each of the queue's third of a million instants, with a commit: a hundredth of them, and a row at the end.
text()
{
    [ "$1" = queue ] || { echo "examples/$1/model.kai" && return; }
    sed 's/stop = 200000/stop = 2000/; s/record mean every 1000000/record mean, n, customers/' examples/queue/model.kai >"$WORK/queue.kai"
    echo "$WORK/queue.kai"
}

version=2
for name in $names; do
    [ "$name" != external ] || continue # calls a C function, which an FMU does not carry
    version=$((version == 2 ? 3 : 2))
    # shellcheck disable=SC2046
    exits 0 run "$(text $name)" $(part $name) -o "$WORK/model.csv" --quiet
    versions=$version
    [ -z "${FMI_EXAMPLES:-}" ] || versions="2 3"
    for v in $versions; do
        # shellcheck disable=SC2046
        exits 0 export "$(text $name)" $(part $name) -o "$WORK/model.fmu" --fmi "$v"
        for kind in me cs; do
            exits 0 run "$WORK/model.fmu" --fmi-type $kind -o "$WORK/imported.csv" --quiet
            python3 tests/fmi/tags.py "$WORK/model.csv" "$WORK/imported.csv" "$(within $name)" "$(how $name $kind "$v")" >"$WORK/why" 2>&1 ||
                fail "$name of $v, $kind: $(cat "$WORK/why")"
        done
    done
done

# Two instances whose events cross both ways: one tag does it in the FMUs as in the model.
exits 0 run tests/fmi/both.kai -o "$WORK/both.csv" --quiet
cat >"$WORK/pair.kai" <<'K'
fmu Ball = "a.fmu"
fmu Counter = "b.fmu"
model Both {
  a : Ball; b : Counter
  a.kick = b.back
  b.e = a.hit
}
experiment both of Both { stop = 3 }
K
for version in 2 3; do
    exits 0 export tests/fmi/ball.kai -o "$WORK/a.fmu" --fmi $version
    exits 0 export tests/fmi/counter.kai -o "$WORK/b.fmu" --fmi $version
    exits 0 run --allow-external "$WORK/pair.kai" -o "$WORK/pair.csv" --quiet
    sed -i '1s/\./_/g' "$WORK/pair.csv"
    python3 tests/fmi/tags.py "$WORK/both.csv" "$WORK/pair.csv" 1e-9 tags >"$WORK/why" 2>&1 || fail "the pair of $version: $(cat "$WORK/why")"
done

# Arrays of values, events and indicators.
exits 0 run tests/fmi/chain.kai -o "$WORK/model.csv" --quiet
exits 0 export tests/fmi/chain.kai -o "$WORK/model.fmu" --fmi 3
exits 0 run "$WORK/model.fmu" -o "$WORK/imported.csv" --quiet
python3 tests/fmi/tags.py "$WORK/model.csv" "$WORK/imported.csv" 1e-6 tags >"$WORK/why" 2>&1 || fail "the chain: $(cat "$WORK/why")"

# Ticks of an event that follow each other with nothing between are all there, and so is the payload of each: 3 at t = 0.1, 0.2 … 1, and two at one t.
cat >"$WORK/ticks.kai" <<'K'
model Ticks {
  output event tick = sample(time, clock(0.1, 0.1)), twice
  event other = clock(0.5, 0.5)
  when other { emit twice(1) }
  when twice if twice == 1 { emit twice(2) }
}
experiment e of Ticks { stop = 1.05 }
K
cat >"$WORK/heard.kai" <<'K'
fmu Ticks = "ticks.fmu"
model Heard {
  t : Ticks
  discrete n = 0, total = 0, twice = 0
  when t.tick { n := n + 1; total := total + t.tick }
  when t.twice { twice := twice + t.twice }
}
experiment e of Heard {
  stop = 1.05
  expect final(n) == 10; expect final(total) ~ 5.5 within 1e-12; expect final(twice) == 6; expect count(t.twice) == 4
  expect final(t.tick_count) == 10; expect final(t.tick_value) ~ 1 within 1e-12; expect final(t.twice_value) == 2
}
K
for version in 2 3; do
    exits 0 export "$WORK/ticks.kai" -o "$WORK/ticks.fmu" --fmi $version
    exits 0 test --allow-external "$WORK/heard.kai"
done
exits 0 test --allow-external --isolate "$WORK/heard.kai"

# Bounces that run together are told with the time at which they do, as those of the model are: t1 (1 + 2e/(1 - e)), t1 = sqrt(2/9.81), e = 1/4.
printf 'model Ball { state y = 1, v = 0\n  y'"'"' = v\n  v'"'"' = -9.81\n  when down(y) { v := -0.25*v }\n}\nexperiment x of Ball { stop = 3 }\n' >"$WORK/zeno.kai"
exits 0 export "$WORK/zeno.kai" -o "$WORK/zeno.fmu"
for run in zeno.kai zeno.fmu; do
    exits 3 run "$WORK/$run" -o /dev/null
    says "the events accumulate at t = 0.752539"
done
