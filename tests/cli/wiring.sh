# Messages about circuits name the parts that the user wrote, with their lines; what agrees or can be parted is not refused.
. tests/cli/helpers.bash
exits 1 check tests/wrong/wiring_parallel.kai
says '5 V and 6 V in parallel: u1 (line 4), u2 (line 5)'
[ "$(grep -c 'error\[' "$err")" -eq 1 ] || fail "more than one error for one mistake"
exits 1 check tests/wrong/wiring_series.kai
says '1 A and 2 A in series: j1 (line 4), j2 (line 5)'
exits 1 check tests/wrong/wiring_loop.kai
says '1.5 V, 1.5 V and 2 V in a loop'
says 'c3 (line 7)'
exits 1 check tests/wrong/wiring_short.kai
says '5 V short-circuited: u (line 4)'
exits 0 check tests/wrong/wiring_floating.kai
says 'floating: nothing ties t (line 7), load (line 8) to ground'
exits 1 check tests/wrong/wiring_open.kai
says 'wiring_open.kai:5:3: error[K093]: port `r.b` is not connected'
says 'electrical.kai:10:24: note: the port'

# Two equal sources agree; a switch can part two that do not; what varies is up to the run.
cat >"$WORK/m.kai" <<'END'
import "electrical.kai"
model Equal { u1 : VoltageSource(u = 5);  u2 : VoltageSource(u = 5);  r : Resistor;  g : Ground
  connect u1.a, u2.a, r.a;  connect u1.b, u2.b, r.b, g.a }
model Parted { u1 : VoltageSource(u = 5);  u2 : VoltageSource(u = 6);  s : Switch(closed = false);  r : Resistor;  g : Ground
  connect u1.a, s.a, r.a;  connect s.b, u2.a;  connect u1.b, u2.b, r.b, g.a }
model Bridge { u : VoltageSource(u = 5);  d1 : Diode;  d2 : Diode;  d3 : Diode;  d4 : Diode;  r : Resistor;  g : Ground
  connect u.a, d1.a, d2.b;  connect u.b, d3.a, d4.b;  connect d1.b, d3.b, r.a;  connect d2.a, d4.a, r.b, g.a }
model Pumps { j1 : CurrentSource(j = 1);  j2 : CurrentSource(j = 2);  r : Resistor;  g : Ground
  connect j1.a, j2.b, r.a;  connect j1.b, j2.a, r.b, g.a }
model Varying {
  u1 : VoltageSource(u = 5)
  u2 : VoltageSource(u = if time < 1 then 5 else 6)
  g : Ground
  connect u1.a, u2.a;  connect u1.b, u2.b, g.a }
experiment varying of Varying { stop = 2 }
END
exits 0 check "$WORK/m.kai"
[ ! -s "$err" ] || fail "there is nothing to say about these"
exits 3 run "$WORK/m.kai" -e varying
says "m.kai:11:3: error"
says "u1 (line 11), u2 (line 12)"
