# Parts at their limits: a resistance that a sweep makes 0 is a wire (the capacitor behind it hangs on the source), one that is 0 in
# the text may be anything in a run, ratios and gains of 0 couple nothing; a storage that stores nothing is refused with what it
# would be.
. tests/cli/helpers.bash
cat >"$WORK/m.kai" <<'END'
import "electrical.kai"
model Feed {
  param R [ohm] = 1, k = 1, L [H] = 1e-3, C [F] = 1e-3
  u : VoltageSource(u = 10 + 2*sin(10*time));  r : Resistor(R = R*k);  c : Capacitor(C = C);  load : Resistor(R = 5);  g : Ground()
  l : Inductor(L = L);  rl : Resistor(R = 1)
  connect u.a, r.a;  connect r.b, c.a, load.a, l.a;  connect l.b, rl.a;  connect c.b, load.b, rl.b, u.b, g.a
}
experiment swept of Feed { stop = 3; sweep R in (0, 0.5, 1); record c.v, u.i, load.i }
experiment factor of Feed { stop = 3; sweep k in (2, 0); record c.v, u.i, load.i }
model Without "the same without the resistor" {
  u : VoltageSource(u = 10 + 2*sin(10*time));  c : Capacitor(C = 1e-3);  load : Resistor(R = 5);  g : Ground()
  l : Inductor(L = 1e-3);  rl : Resistor(R = 1)
  connect u.a, c.a, load.a, l.a;  connect l.b, rl.a;  connect c.b, load.b, rl.b, u.b, g.a
}
experiment without of Without { stop = 3; record c.v, u.i, load.i }
model Wire { param R [ohm] = 0
  u : VoltageSource(u = 10);  r : Resistor(R = R);  c : Capacitor(C = 1e-3);  load : Resistor(R = 5);  g : Ground()
  connect u.a, r.a;  connect r.b, c.a, load.a;  connect c.b, load.b, u.b, g.a
}
experiment wire of Wire { stop = 1; sweep R in (0, 1, 5); record c.v, r.i }
model Ratios { param n = 0, gain = 0
  u : VoltageSource(u = 10);  ra : Resistor(R = 1);  t : Transformer(n = n);  rb : Resistor(R = 2);  g : Ground()
  s : VCVS(gain = gain);  rc : Resistor(R = 4)
  connect u.a, ra.a, s.c1;  connect ra.b, t.a1;  connect t.a2, rb.a;  connect s.a, rc.a
  connect u.b, t.b1, t.b2, rb.b, s.b, s.c2, rc.b, g.a
}
experiment ratios of Ratios { stop = 1; sweep n in (0, 2); record ra.i, rb.v, rc.v }
END
# last RUN: the last row of a run of the table, without its number, parameter and tag. Columns of impulses are empty, 0.
last() { awk -F, -v run="$1" '$1 == run' "$WORK/t.csv" | tail -1 | cut -d, -f6-; }
near() # near "a,b,…" "x,y,…" TOLERANCE WHAT
{
    awk -F, -v wanted="$2" -v off="$3" '{ n = split(wanted, w); for (i = 1; i <= n; i++) { d = $i - w[i]; if (d < 0) d = -d; if (!(d <= off)) exit 1 } }' \
        <<<"$1" || fail "$4: $1 instead of $2"
}
exits 0 run "$WORK/m.kai" -e without -o "$WORK/w.csv"
wanted=$(tail -1 "$WORK/w.csv" | cut -d, -f4-)
exits 0 run "$WORK/m.kai" -e swept -o "$WORK/t.csv"
says "3 of 3 runs complete"
near "$(last 1)" "$wanted" 1e-7 "R = 0 as a point of a sweep"
exits 0 run "$WORK/m.kai" -e factor -o "$WORK/t.csv"
near "$(last 2)" "$wanted" 1e-7 "a factor of 0"
exits 0 run "$WORK/m.kai" -e wire -o "$WORK/t.csv"
near "$(last 1)" 10,0,2 1e-9 "R = 0 in the text"
near "$(last 2)" 8.333333333333,0,1.666666666667 1e-7 "R = 1 where the text has 0"
near "$(last 3)" 5,0,1 1e-7 "R = 5 where the text has 0"
exits 0 run "$WORK/m.kai" -e ratios -o "$WORK/t.csv"
near "$(last 1)" 10,0,0 1e-12 "a ratio of 0 short-circuits one side and leaves the other alone"
near "$(last 2)" 1.111111111111111,4.444444444444444,0 1e-12 "a ratio of 2: 10 V = i (1 + 4 2 ohm)"
exits 3 run "$WORK/m.kai" -e without --set c.C=0
says "the parameter of c is 0 at the start"
says "leave the part out"
exits 3 run "$WORK/m.kai" -e without --set l.L=0
says "join its two ends"
# A law whose factor goes through 0: solved where a resistance is left (1 - v = (3 - t)/3 up to 1), refused where it would tie the
# capacitor to the source.
cat >"$WORK/l.kai" <<'END'
model Through { param r0 = 2
  discrete k = 1
  u : Se(e = 1);  j : J1;  r : R(r = r0);  x : R(e = max(1 - time, 0)*x.f);  c : C(c = 1);  y : R(r = k)
  bond u -> j;  bond j -> r;  bond j -> x;  bond j -> c
  w : Se(e = 1);  i : J1;  d : C(c = 1);  bond w -> i;  bond i -> y;  bond i -> d
  when r0 == 3 and time >= 0.5 { k := 0 }
}
experiment through of Through { stop = 2;  expect final(c.e) ~ 1 - 2/3*exp(-0.5) within 1e-6 }
END
exits 0 test "$WORK/l.kai"
exits 3 run "$WORK/l.kai" --set r0=0 -o "$WORK/l.csv"
says "has no solution that could be found at t = 1"
exits 3 run "$WORK/l.kai" --set r0=3 -o "$WORK/l.csv"
says "the derivative of d.q is not a number at t = 0.5"
echo "1 passed, 0 failed"
