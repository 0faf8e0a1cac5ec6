// The models of the language document, and one that uses every production of the grammar.
#ifndef KAIROS_TESTS_SNIPPETS_H
#define KAIROS_TESTS_SNIPPETS_H

static const char snippet_ball[] =
    "model Ball \"bounces, then rests\" {\n"
    "  param g [m/s^2] = 9.81,  e = 0.7 \"restitution\"\n"
    "  param v_rest [m/s] = 0.01        \"impacts slower than this end the bouncing\"\n"
    "  state y [m] = 1,  v [m/s] = 0\n"
    "  event hit = down(y)\n"
    "  modes {\n"
    "    initial mode falling {\n"
    "      y' = v\n"
    "      v' = -g + delta(hit, -(1 + e)*pre(v))\n"
    "      on hit if abs(pre(v)) < v_rest -> sitting { y := 0; v := 0 }\n"
    "    }\n"
    "    mode sitting { y' = 0; v' = 0 }\n"
    "  }\n"
    "}\n"
    "experiment bounce of Ball(e = 0.8) { stop = 5[s]; rtol = 1e-8; plot y; expect final(y) ~ 0 within 1e-9 }\n";

// Three balls a, b, c in a row, one collision per reaction, in any order.
#define SNIPPET_COLLISIONS                                                                                             \
    "  choose {\n"                                                                                                     \
    "    when a.x >= b.x and a.v > b.v {\n"                                                                            \
    "      a.v := after(a.m, a.v, b.m, b.v, e)\n"                                                                      \
    "      b.v := after(b.m, b.v, a.m, a.v, e)\n"                                                                      \
    "    }\n"                                                                                                          \
    "    when b.x >= c.x and b.v > c.v {\n"                                                                            \
    "      b.v := after(b.m, b.v, c.m, c.v, e)\n"                                                                      \
    "      c.v := after(c.m, c.v, b.m, b.v, e)\n"                                                                      \
    "    }\n"                                                                                                          \
    "  }\n"

static const char snippet_billiard[] =
    "function after(m, v, mo, vo, e) = (m*v + mo*vo + mo*e*(vo - v)) / (m + mo)\n"
    "model Mass { param m [kg] = 1; state x [m] = 0, v [m/s] = 0; x' = v; v' = 0 }\n"
    "model Billiard \"outer balls hit the middle one at the same instant\" {\n"
    "  param e = 1\n"
    "  a : Mass(x = -1, v = 1);  b : Mass;  c : Mass(x = 1, v = -1)\n" SNIPPET_COLLISIONS
    "  signal p = a.m*a.v + b.m*b.v + c.m*c.v\n"
    "  assert abs(p) < 1e-9 \"momentum is conserved\"\n"
    "}\n"
    "experiment three of Billiard { stop = 2; choice = all; plot a.x, b.x, c.x }\n";

static const char snippet_cradle[] =
    "model Cradle \"m2 rides on m1; m1 strikes m3 (paper 001, Fig. 5)\" {\n"
    "  param eps = 0.8, Fth [N*s] = -0.5, vth [m/s] = 0.8\n"
    "  m1 : I(i = 1, p0 = 0.95);  m2 : I(i = 1, p0 = 0.95);  m3 : I(i = 1)\n"
    "  v1 : J1;  v2 : J1;  v3 : J1\n"
    "  bond v1 -> m1;  bond v2 -> m2;  bond v3 -> m3\n"
    "  F13 : J0 switched {                       // ON: v1 - v3 is what `bounce` imposes\n"
    "    initial mode apart : OFF { on x1 >= x3 and v1.f > v3.f -> contact }\n"
    "    mode contact : ON        { on v1.f < v3.f -> apart }\n"
    "  }\n"
    "  F12 : J0 switched {                       // ON: v1 = v2\n"
    "    initial mode stuck : ON  { on area(F12.e) < Fth -> slip }\n"
    "    mode slip : OFF          { on abs(v1.f - v2.f) < vth -> stuck }\n"
    "  }\n"
    "  bounce : Sf(f = -eps*pre(v1.f - v3.f))\n"
    "  bond v1 -> F13 -> v3;  bond F13 -> bounce;  bond v1 -> F12 -> v2\n"
    "  state x1 [m] = -1,  x3 [m] = 0\n"
    "  x1' = v1.f;  x3' = v3.f\n"
    "}\n";

static const char snippet_library[] =
    "model Switch { port a, b;  input closed\n"
    "  s : J1 switched { initial mode open : OFF { on closed -> shut }\n"
    "                    mode shut : ON { on not closed -> open } }\n"
    "  bond a -> s -> b }\n"
    "\n"
    "model Diode { port a, b;  param drop [V] = 0\n"
    "  d : J1 switched {            // OFF: d.e = a.e - b.e - drop; the area decides before the value\n"
    "    initial mode blocking : OFF { on area(d.e) > 0 or area(d.e) == 0 and post(d.e) > 0 -> conducting }\n"
    "    mode conducting : ON        { on area(d.f) < 0 or area(d.f) == 0 and post(d.f) < 0 -> blocking } }\n"
    "  vd : Se(e = drop);  bond a -> d -> b;  bond d -> vd }\n"
    "\n"
    "model Stiction { port a, b;  param Fs = 1, Fk = 0.5, As = 0.01\n"
    "  va : J1;  vb : J1;  k : J0\n"
    "  s : J0 switched {            // returns by strict sign, not by abs(dv) < vth; a clutch leaves `stuck` on `not "
    "engaged`\n"
    "    initial mode stuck : ON { on area(s.e) >  As or post(s.e) >  Fs -> fwd\n"
    "                              on area(s.e) < -As or post(s.e) < -Fs -> back }\n"
    "    mode fwd  : OFF { on va.f < vb.f -> stuck }\n"
    "    mode back : OFF { on va.f > vb.f -> stuck } }\n"
    "  fr : Se(e = if s.mode == fwd then Fk else (if s.mode == back then -Fk else 0))\n"
    "  bond a -> va;  bond vb -> b\n"
    "  bond va -> s -> vb;  bond va -> k -> vb;  bond fr -> k }\n"
    "\n"
    "model Stop { port a;  input x;  param e = 0.8, v_rest = 0.01\n"
    "  v : J1\n"
    "  s : J0 switched {\n"
    "    initial mode free : OFF { on x <= 0 and v.f < -v_rest -> bounce\n"
    "                              on x <= 0 and v.f < 0 -> rest }\n"
    "    mode bounce : ON { on v.f > 0 -> free }\n"
    "    mode rest   : ON { on area(s.e) < 0 or area(s.e) == 0 and post(s.e) < 0 -> free } }\n"
    "  law : Sf(f = if s.mode == bounce then -e*pre(v.f) else 0)\n"
    "  bond law -> s -> v;  bond v -> a }\n";

static const char snippet_every[] =
    "// every production\n"
    "import \"library.kai\"\n"
    "external f(x, y) = \"libm:hypot\"\n"
    "external now() = \"libc:clock\"\n"
    "function g(a) = a^2\n"
    "function h() = if true then 1 else 0\n"
    "\n"
    "model Every \"all of it \\\\ \\\"quoted\\\" \\n\\t é\" {\n"
    "  param N = 3 \"how many\", g [m/s^2] = 9.81, k [1/s] = 1.5e-3, t [10^3*kg*m^-1] = .5\n"
    "  state x[i in 1..N] [m] = 0, z = 0   // an array\n"
    "  discrete n = 0\n"
    "  signal p = +x[1]*2^-3^2 - -z / 4[s] + sum(i in 1..N, x[i]) \"sum\"\n"
    "  event hit = down(z), other\n"
    "  input F = 0, u\n"
    "  input event open\n"
    "  output y, q[j in 1..2*N - 1]\n"
    "  output event closed = hit\n"
    "  port a : electrical, b, c : thermal\n"
    "  w = [1, 2.5[m], [x[1], true]]\n"
    "  z'' = -g\n"
    "  x[1]' = 3\n"
    "  x[2] = 3\n"
    "  sub[1].v.mode = 4\n"
    "  sub[1].v' = 4; b.c.d = 1;; b.e' = 2\n"
    "  sub : island Ball[i in 1..N](x = 1.5*i, v = (if i > 1 then 2 else 3))\n"
    "  plain : Ball\n"
    "  s : J0 switched { initial mode off_ : OFF { on hit -> on_ } mode on_ : ON { preempt on z < 0 if not open -> "
    "resume off_ { z := 1 } } }\n"
    "  for i in 1..N { x[i]' = forall(j in 1..N, x[j] > 0) }\n"
    "  if N > 2 and N < 4 or false { extra = 1 }\n"
    "  when hit if z < 0 { z := -z; emit closed(z); emit other; halt \"done\"; halt }\n"
    "  when z >= 1 { sub[1].x := pre(z, 0) }\n"
    "  choose {\n"
    "    weight 2*N : when a == b { n := n + 1 }\n"
    "    weight 1 : on c != d -> m\n"
    "    for i in 1..N { when x[i] > 1 { n := 0 } }\n"
    "    on e -> r\n"
    "  }\n"
    "  modes {\n"
    "    initial mode m { z' = 1 }\n"
    "    mode r { }\n"
    "  }\n"
    "  bond as flow a -> s -> b.c\n"
    "  connect a.p, b.n, c[1].q\n"
    "  initial z == 3\n"
    "  assert not z < -1 and not not open\n"
    "  assert product(i in 1..2, i) + least(i in 1..2, i) - greatest(i in 1..2, i) > 0 \"text\"\n"
    "  assert exists(i in 1..N, x[i] > 0)\n"
    "  long = 1 +\n"
    "    2\n"
    "    - 3\n"
    "}\n"
    "experiment e of Every { stop = 10[s]; record x, y.z every 0.1; plot x[1], y against z\n"
    "  sweep g in (1, 2, 3)\n"
    "  sweep a.b from 0 to 1 by 0.1\n"
    "  expect final(x) ~ 2 within 1e-6 \"near\"\n"
    "  expect count(hit) == 3\n"
    "}\n"
    "experiment f of Every(N = 2, g = 1) { }\n";

static const char* const snippets[] = {snippet_ball, snippet_billiard, snippet_cradle, snippet_library, snippet_every};

enum
{
    SNIPPETS = sizeof snippets / sizeof *snippets,
};

#endif
