# Circuits whose closed forms are known: derivatives at the times of rows and through the commutation of diodes; linear systems and
# steady states where storages depend on each other. Numbers of other models: tests/unit/test_analysis.c.
. tests/cli/helpers.bash
# sensitive EXPERIMENT: by R, to $WORK/s.csv, the columns t,p,value,derivatives
sensitive() { exits 0 sensitivity "$WORK/m.kai" -e "$1" --by R -o "$WORK/s.csv"; }
# near A B WITHIN WHAT
near() { awk -v a="$1" -v b="$2" -v e="$3" 'BEGIN { d = a - b; exit !(a != "" && d < e && d > -e) }' || fail "$4: $1, not $2"; }
# moved T: d(t)/d(R) in the last row of the instant that is nearest to T
moved() { awk -F, -v t="$1" 'NR > 1 && $NF != "" && $1 > t - 1e-6 && $1 < t + 1e-6 { last = $NF } END { print last }' "$WORK/s.csv"; }
cat >"$WORK/m.kai" <<'KAI'
import "electrical.kai"
model Decay { param R = 1; state x = 1; x' = -2*R*x }
experiment decay of Decay { stop = 3; record x every 0.1 }
model Stateless "one resistor and a ramp of 1 + t over R + 1" {
  param R = 1
  g : Ground;  u : VoltageSource(u = 1 + time);  a : Resistor(R = R);  b : Resistor(R = 1)
  connect u.a, a.a;  connect a.b, b.a;  connect b.b, u.b, g.a
}
experiment stateless of Stateless { stop = 3; record b.v every 0.1 }
model Coil "a half-wave rectifier with R and L: i = 0 where sin(t - φ) = -sin(φ) exp(-t R/L), tan φ = L/R" {
  param R = 1
  g : Ground;  u : VoltageSource(u = 10*sin(time));  d : Diode;  r : Resistor(R = R);  l : Inductor(L = 1)
  connect u.a, d.a;  connect d.b, r.a;  connect r.b, l.a;  connect l.b, u.b, g.a
}
experiment coil of Coil { stop = 6; record l.i }
model Peak "a peak rectifier: the diode opens where C u' + u/R = 0, tan t = -R C; then c falls with R C" {
  param R = 1
  g : Ground;  u : VoltageSource(u = 10*sin(time));  d : Diode;  r : Resistor(R = R);  c : Capacitor(C = 1)
  connect u.a, d.a;  connect d.b, r.a, c.a;  connect r.b, c.b, u.b, g.a
}
experiment peak of Peak { stop = 6; record c.v }
KAI
# -2 t exp(-2 t) in every row, those at the ends of steps too
sensitive decay
awk -F, 'NR > 1 { e = $5 + 2*$1*exp(-2*$1); if (e > 1e-9 || e < -1e-9) { print $1; exit 1 } }' "$WORK/s.csv" >"$out" ||
    fail "the derivative at t = $(cat "$out")"
# -(1 + t)/(1 + R)²
sensitive stateless
awk -F, 'NR > 1 { e = $(NF - 1) + (1 + $1)/4; if (e > 1e-9 || e < -1e-9) { print $1; exit 1 } }' "$WORK/s.csv" >"$out" ||
    fail "the derivative without states at t = $(cat "$out")"
# f(t, R) = sin(t - φ) + sin φ exp(-t R) is 0 at t = 3.94073314; dt/dR = -f_R/f_t with φ_R = -1/(1 + R²)
sensitive coil
near "$(moved 3.94073314)" "$(awk 'BEGIN { t = 3.9407331356929176; p = atan2(1, 1); q = -0.5;
    fR = -q*cos(t - p) + q*cos(p)*exp(-t) - t*sin(p)*exp(-t); ft = cos(t - p) - sin(p)*exp(-t); print -fR/ft }')" 1e-5 "dt/dR of the coil"
# t = π - atan R: dt/dR = -1/(1 + R²). After it v = 10 sin(t0) exp(-(t - t0)/R), and dv/dt0 = 0 there.
sensitive peak
near "$(moved 2.35619449)" -0.5 1e-9 "dt/dR of the peak"
near "$(tail -n 1 "$WORK/s.csv" | awk -F, '{ print $(NF - 1) }')" "$(awk 'BEGIN { s = 6 - 2.356194490192345; print 7.0710678118654755*s*exp(-s) }')" 1e-6 "dv/dR after it"

# Storages that depend on others are no states of a linear system: one pole, not one more at 0.
cat >"$WORK/t.kai" <<'KAI'
import "electrical.kai"
model Pair "2 Ω into 1 F and 2 F in parallel: y = U/(1 + 6 s)" {
  input U = 1
  g : Ground;  u : VoltageSource(u = U);  r : Resistor(R = 2);  c : Capacitor(C = 1);  d : Capacitor(C = 2)
  connect u.a, r.a;  connect r.b, c.a, d.a;  connect c.b, d.b, u.b, g.a
  output y [V] = c.v
}
experiment pair of Pair { stop = 1 }
model Law "1 into C, e = q³, beside C = 1 and R = 2: at rest e = 2, and the pole is -1/2/(1 + 1/(3 q²))" {
  input U = 1
  s : Sf(f = U);  j : J0;  a : C(e = q^3, q0 = 0.5);  b : C(c = 1, e0 = 0.125);  r : R(r = 2)
  bond s -> j -> a;  bond j -> b;  bond j -> r
  output y = b.e
}
experiment law of Law { stop = 1 }
model Across "what flows into a capacitor across the input is its slope" {
  input U = 1
  g : Ground;  u : VoltageSource(u = U);  r : Resistor(R = 2);  c : Capacitor(C = 1);  d : Capacitor(C = 2)
  connect u.a, r.a, d.a;  connect r.b, c.a;  connect c.b, d.b, u.b, g.a
  output y [A] = u.i
}
experiment across of Across { stop = 1 }
KAI
exits 0 linearize "$WORK/t.kai" -e pair --json -o "$WORK/pair.json"
python3 - "$WORK/pair.json" >"$out" <<'END' || fail "$(cat "$out")"
import json, sys
s = json.load(open(sys.argv[1]))
gain = s["C"][0][0]*s["B"][0][0]/-s["A"][0][0] + s["D"][0][0]
if len(s["A"]) != 1 or abs(s["A"][0][0] + 1/6) > 1e-12 or abs(gain - 1) > 1e-12: sys.exit(print(s))
END
exits 0 steady "$WORK/t.kai" -e pair
prints "steady state, which attracts"
exits 0 steady "$WORK/t.kai" -e law
prints "1.259921049894"
prints "-0.413227634210"
exits 3 linearize "$WORK/t.kai" -e across
says "d.c.q follows the input U at once"
exits 0 steady "$WORK/t.kai" -e across
prints "steady state, which attracts"

# At the start the diode may go either way, a period later it may not: v(2π) = 10 sin(t0) exp(-(2π - t0)/3), t0 = π - atan 3.
cat >"$WORK/o.kai" <<'KAI'
import "electrical.kai"
model Rectifier {
  g : Ground;  u : VoltageSource(u = 10*sin(time));  d : Diode;  r : Resistor(R = 3);  c : Capacitor(C = 1)
  connect u.a, d.a;  connect d.b, r.a, c.a;  connect r.b, c.b, u.b, g.a
}
experiment rectifier of Rectifier { stop = 20 }
KAI
exits 0 steady "$WORK/o.kai" --period 6.283185307179586
prints "c.c.q                   2.1953877736"

# Thyristors end where the mains are 0, whatever V: their time stands beside a clock, and the mean follows V.
exits 0 sensitivity examples/thyristor-rectifier/model.kai -e resistive --by V -o "$WORK/v.csv"
python3 - "$WORK/v.csv" >"$out" <<'END' || fail "$(cat "$out")"
import csv, sys
rows = list(csv.reader(open(sys.argv[1])))
last = dict(zip((name.split(" ")[0] for name in rows[0]), rows[-1]))
if abs(float(last["d(mean.y)/d(V)"]) - float(last["mean.y"])/325) > 1e-8: sys.exit(print(last))
END
