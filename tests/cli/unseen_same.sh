# Circuits and mechanisms whose instants have no rows run short programs (decision 0206): what their models expect, closed forms and
# values of papers, holds all the same.
. tests/cli/helpers.bash
"$KAIROS" test --allow-files --events off examples/breakaway examples/cradle examples/motor-stop tests/models/diode_rectifiers.kai \
    tests/models/bond_*.kai >"$WORK/out" 2>&1 || fail "$(grep -m 3 FAILED "$WORK/out")"
tail -1 "$WORK/out"

# Where what is shown hangs on no mode, sets that are tried leave nothing in the registers (decision 0222): rows, and all that
# is counted, are to the last digit those of a run whose tags are all looked at. Two capacitors that a switch joins have impulses, and
# storages that depend on each other.
cat >"$WORK/pump.kai" <<'KAI'
import "electrical.kai"
model Pump {
  param T [s] = 1e-3
  discrete joined = false
  when clock(T, T)     { joined := true }
  when clock(T, 0.4*T) { joined := false }
  source : VoltageSource;  r : Inductor(L = 0.2e-3);  d : Diode;  c : Capacitor(C = 20e-6)
  k : Switch;  e : Capacitor(C = 30e-6);  l : Inductor(L = 5e-3);  free : Diode;  load : Resistor(R = 40);  g : Ground
  source.u = 9[V]
  k.closed = joined
  connect source.a, r.a
  connect r.b, d.a
  connect d.b, c.a, k.a
  connect k.b, e.a, l.a, free.b
  connect l.b, load.a
  connect source.b, c.b, e.b, free.a, load.b, g.a
}
experiment pump of Pump {
  stop = 0.0503
  record c.v, e.v, l.i every 0.00123
}
KAI
same()
{
    for events in tags off; do
        "$KAIROS" run "$1" --stop "$2" --events $events -o "$WORK/$events.csv" 2>"$WORK/err" || fail "$(cat "$WORK/err")"
        cut -d, -f1,4- "$WORK/$events.csv" >"$WORK/$events.rows"
        sed -E 's/[0-9]+ rows .view full.//; s/; [^;]*$//' "$WORK/err" >"$WORK/$events.counts"
    done
    [ "$(wc -l <"$WORK/off.rows")" -ge "$3" ] || fail "$1: too few rows"
    grep -vFxf "$WORK/tags.rows" "$WORK/off.rows" && fail "$1: a row is another one where nobody looks"
    cmp "$WORK/tags.counts" "$WORK/off.counts" || fail "$1: something else is counted where nobody looks"
}
same "$WORK/pump.kai" 0.0503 40
same bench/boost_bond.kai 0.0021 2
