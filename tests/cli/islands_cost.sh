# With islands an event costs what it touches, not what the model holds: instructions per collision of a one-dimensional gas of 10
# and of 1000 balls, and per switching of a farm of 20 and of 400 rooms with thermostats, set-up subtracted. Needs valgrind.
. tests/cli/helpers.bash
command -v valgrind >/dev/null || { echo "no valgrind: not measured"; exit 0; }
case $BUILD in *asan*) echo "instrumented build: not measured"; exit 0 ;; esac

# gas N: rtol and records as in bench/gas10.kai, but with islands
gas() { sed "s/param N = 10/param N = $1/; s/rtol = 1e-8/rtol = 1e-8; islands = auto/" bench/gas10.kai >"$WORK/gas$1.kai"; }
farm() { sed "s/param N = 20/param N = $1/; /record/s/\$/ every 100/; /expect/d" tests/models/island_farm.kai >"$WORK/farm$1.kai"; }
# count FILE STOP: instructions and events
count()
{
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$KAIROS" run "$1" --stop "$2" -o /dev/null 2>"$WORK/err"
    awk '/instants/ { for (i = 2; i <= NF; i++) if ($i ~ /^instants/) events = $(i - 1) } /Collected/ { print $4, events }' "$WORK/err"
}
# each FILE FIRST LAST: instructions per event between the two times
each() { echo "$(count "$1" "$2") $(count "$1" "$3")" | awk '{ printf "%d", ($3 - $1)/($4 - $2) }'; }

# cells N: a row of cells that events reach one after the other, d apart
cells() { sed "s/n = 20/n = $1/; s/clock(1)/clock(0.01)/; s/d = 0.07/d = 0.0071/; /expect/d; /^experiment whole/d; /stop/s/\$/; record v[1] every 10/" tests/models/islands_delays.kai | sed '/^\/\/ Delays of/,$d' >"$WORK/cells$1.kai"; }

# driven N GUARD: oscillators, each pushed while a guard of time holds that shares an operator with the others
driven()
{
    cat >"$WORK/driven$1.kai" <<END
model Driven {
  param w = 1
  state x = 0, v = 0
  x' = v; v' = -w^2*x + (if $2 > 0.001*w then 1 else 0)
}
model Many { d : Driven[i in 1..$1](w = 1 + i/$1) }
experiment driven of Many { stop = 6; record d[1].x every 10 }
END
}

# counters N: clocks that count, and one state that they do not concern
counters()
{
    cat >"$WORK/counters$1.kai" <<END
model Counter { param T = 1; discrete n = 0; when clock(T) { n := n + 1 } }
model Many { c : Counter[i in 1..$1](T = 1 + 0.0001*i); state x = 0; x' = 1 - x }
experiment count of Many { stop = 6; record x, c[1].n; events = off }
END
}

gas 10; gas 1000; farm 20; farm 400; cells 20; cells 400
[ -n "$(count "$WORK/gas10.kai" 0.1)" ] || { echo "valgrind cannot run this build: not measured"; exit 0; }
few=$(each "$WORK/gas10.kai" 2 8)
many=$(each "$WORK/gas1000.kai" 0.002 0.005)
echo "instructions per collision: $few with 10 balls, $many with 1000"
[ "$few" -gt 1000 ] && [ "$many" -le $((3 * few / 2)) ] || fail "the cost of a collision grows with the gas"
few=$(each "$WORK/farm20.kai" 0.5 1)
many=$(each "$WORK/farm400.kai" 0.5 0.55)
echo "instructions per switching: $few with 20 rooms, $many with 400"
[ "$few" -gt 1000 ] && [ "$many" -le $((3 * few)) ] || fail "the cost of a switching grows with the farm"
few=$(each "$WORK/cells20.kai" 1 2)
many=$(each "$WORK/cells400.kai" 0.5 0.6)
echo "instructions per instant: $few with 20 cells that delayed events reach, $many with 400"
[ "$few" -gt 1000 ] && [ "$many" -le $((3 * few)) ] || fail "the cost of a delayed event grows with the model"
for guard in 'mod(time, 1) - 0.5' 'sin(6*time)'; do
    driven 20 "$guard"; driven 400 "$guard"
    few=$(each "$WORK/driven20.kai" 2 6)
    many=$(each "$WORK/driven400.kai" 3 4)  # steps that come again have become maps
    echo "instructions per switching at $guard: $few with 20 oscillators, $many with 400"
    [ "$few" -gt 1000 ] && [ "$many" -le $((2 * few)) ] || fail "the cost of a guard of time grows with the model"
done
counters 100; counters 2000
few=$(each "$WORK/counters100.kai" 1 6)
many=$(each "$WORK/counters2000.kai" 1 2)
echo "instructions per tick: $few with 100 counters, $many with 2000"
[ "$few" -gt 1000 ] && [ "$many" -le $((2 * few)) ] || fail "the cost of a tick grows with the model"
