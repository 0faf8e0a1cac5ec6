# Circuits and mechanisms of any length, for the table in README.md: circuits.py ladder|diodes|belt|pack|arm N > model.kai
import sys

kind, n = sys.argv[1], sys.argv[2]

models = {
    "ladder": """import "electrical.kai"
model M {
  u : VoltageSource(u = 1);  g : Ground()
  r : Resistor[i in 1..N](R = 1);  c : Capacitor[i in 1..N](C = 1)
  connect u.b, g.a;  connect u.a, r[1].a
  for i in 1..N { connect r[i].b, c[i].a;  connect c[i].b, g.a }
  for i in 2..N { connect r[i-1].b, r[i].a }
}
experiment e of M { stop = 10;  record c[1].v, c[2].v }""",
    "diodes": """import "electrical.kai"
model M {
  u : VoltageSource(u = 10*sin(2*pi*50*time));  g : Ground()
  d : Diode[i in 1..N]();  r : Resistor[i in 1..N](R = 1);  l : Resistor[i in 1..N](R = 1000)
  c : Capacitor[i in 1..N](C = 1e-5)
  connect u.b, g.a;  connect u.a, d[1].a
  for i in 1..N { connect d[i].b, r[i].a;  connect r[i].b, c[i].a, l[i].a;  connect c[i].b, l[i].b, g.a }
  for i in 2..N { connect r[i-1].b, d[i].a }
}
experiment e of M { stop = 0.04;  record c[1].v, c[2].v }""",
    "belt": """import "translational.kai"
model M {
  m : Mass[i in 1..N](m = 1);  s : Stiction[i in 1..N](Fs = 1, Fk = 0.5);  k : Spring[i in 1..N](k = 2)
  w : Fixed();  belt : Velocity(v = 0.3)
  for i in 1..N { connect belt.a, s[i].a;  connect s[i].b, m[i].a, k[i].a }
  for i in 2..N { connect k[i-1].b, m[i].a }
  connect k[N].b, w.a
}
experiment e of M { stop = 20;  record m[1].x, m[1].v }""",
    "pack": """import "electrical.kai"
model Module "a cell that is bled while its voltage is high" {
  port p : electrical, n : electrical
  param v0 = 3.7, high = 3.75, low = 3.74
  cell : Capacitor(C = 50, v0 = v0);  ri : Resistor(R = 0.01);  rb : Resistor(R = 2)
  modes { initial mode idle { on cell.v > high -> bleed }  mode bleed { on cell.v < low -> idle } }
  s : Switch(closed = mode == bleed)
  connect cell.b, n;  connect cell.a, ri.a;  connect ri.b, p, rb.a;  connect rb.b, s.a;  connect s.b, n
}
model M {
  m : Module[i in 1..N](v0 = 3.7 + 0.04*mod(i*0.618, 1));  g : Ground();  charger : CurrentSource(j = 1)
  connect m[1].n, g.a
  for i in 2..N { connect m[i-1].p, m[i].n }
  connect charger.a, m[N].p;  connect charger.b, g.a
}
experiment e of M { stop = 20;  record m[1].cell.v }""",
    "arm": """import "electrical.kai"
model Half "half bridge on a capacitor: two switches with diodes, and dead times" {
  port p : electrical, n : electrical
  input up = false, down = true
  c : Capacitor(C = 1e-3, v0 = 100);  s1 : Switch(closed = up);  s2 : Switch(closed = down);  d1 : Diode();  d2 : Diode()
  connect c.a, s1.a, d1.b;  connect s1.b, d1.a, s2.a, d2.b, p;  connect s2.b, d2.a, c.b, n
}
model M {
  param many = (N)
  u : VoltageSource(u = 50*many + 20*many*sin(2*pi*50*time));  l : Inductor(L = 5e-3);  r : Resistor(R = many);  g : Ground()
  h : Half[i in 1..N](up = mod(time*1000 + 0.001*i*i + i/many, 1) < 0.5,
                      down = mod(time*1000 + 0.001*i*i + i/many + 0.51, 1) < 0.48)
  connect u.a, l.a;  connect l.b, r.a;  connect r.b, h[1].p
  for i in 2..N { connect h[i-1].n, h[i].p }
  connect h[N].n, u.b, g.a
}
experiment e of M { stop = 0.002;  record l.i, h[1].c.v every 1e-4;  events = off }""",
}
text = models[kind]
for before in "[1..", "1..", "2..":
    text = text.replace(before + "N", before + n)
print(text.replace("[N]", "[" + n + "]").replace("(N)", n))
