# External functions: found beside the model, then in the system; what is missing is named with its line and the places tried; several
# threads call them; no derivative is made up.
. tests/cli/helpers.bash
cat >"$WORK/three.c" <<'C'
double three(double a, double b, double c) { return a + 10 * b + 100 * c; }
double eight(double a, double b, double c, double d, double e, double f, double g, double h)
{ return a + 2 * b + 4 * c + 8 * d + 16 * e + 32 * f + 64 * g + 128 * h; }
double none(void) { return 42; }
double bad(double x) { return x > 0.5 ? 0.0 / 0.0 : 1; }
C
cc -shared -fPIC -o "$WORK/libthree.so" "$WORK/three.c" || fail "no compiler"
cat >"$WORK/m.kai" <<'K'
external three(a, b, c) = "three:three"
external eight(a, b, c, d, e, f, g, h) = "libthree.so:eight"
external none() = "libthree.so:none"
external erf(x) = "libm.so.6:erf"
model M {
  param k = 1
  param fixed = three(1, k, 3)
  state x = 0
  x' = three(1, 2, 3)*k
  signal y = eight(1, 0, 1, 0, 1, 0, 1, x), z = none(), gauss = erf(x)
  event up_ = up(three(x, 0, 0) - 100)
  discrete n = 0
  when up_ { n := three(n, 1, 0) }
}
experiment e of M {
  stop = 1
  sweep k in (1, 2, 3, 4)
  expect final(x) ~ 321*k within 1e-9
  expect final(y) ~ 1 + 4 + 16 + 64 + 128*321*k within 1e-6
  expect final(z) == 42
  expect final(gauss) ~ 1 within 1e-15
  expect time_of(up_, 1) ~ 100/(321*k) within 1e-12
  expect final(n) == 10
  expect fixed == 301 + 10*k
}
K
exits 0 test --allow-external "$WORK/m.kai"
prints "0 failed"
# another folder than the one we are in
(cd "$WORK" && "$KAIROS" test --allow-external m.kai >"$out" 2>"$err") || fail "not found beside m.kai"

sed 's/three:three/nowhere:three/' "$WORK/m.kai" >"$WORK/n.kai"
exits 1 check --allow-external "$WORK/n.kai"
says "n.kai:1:10: error[K135]: there is no library \`nowhere\` for three; tried $WORK/nowhere, $WORK/nowhere.so, $WORK/libnowhere.so, and the libraries of the system"
sed 's/three:three/three:four/' "$WORK/m.kai" >"$WORK/n.kai"
exits 1 check --allow-external "$WORK/n.kai"
says "n.kai:1:10: error[K136]: library \`three\` has no function \`four\`"
cp "$WORK/three.c" "$WORK/text.so"
sed 's/three:three/text.so:three/' "$WORK/m.kai" >"$WORK/n.kai"
exits 1 check --allow-external "$WORK/n.kai"
says "error[K135]: the library of three cannot be opened"

# No derivative is made up; a NaN is the operator's.
cat >"$WORK/d.kai" <<'K'
external erf(x) = "libm.so.6:erf"
model D { signal y = erf(time), slope = der(y) }
K
exits 1 check "$WORK/d.kai"
says "d.kai:2:41: error[K137]: the derivative of the external function erf"
cat >"$WORK/nan.kai" <<'K'
external bad(x) = "three:bad"
model N { state x = 0; x' = 1
  signal y = 2*bad(x) }
experiment e of N { stop = 1 }
K
exits 3 run --allow-external "$WORK/nan.kai" -o "$WORK/nan.csv"
says "nan.kai:3:16"

# A library that calls libm without saying so finds it, since the program has it.
cat >"$WORK/silent.c" <<'C'
double cosh(double);
double chain(double x) { return cosh(x); }
C
cc -shared -fPIC -fno-builtin -nostdlib -o "$WORK/silent.so" "$WORK/silent.c" || fail "no compiler"
cat >"$WORK/silent.kai" <<'K'
external chain(x) = "silent.so:chain"
model M { state x = 0; x' = 1; signal y = chain(x) }
experiment e of M { stop = 1; expect final(y) ~ 1.5430806348152437 within 1e-15 }
K
exits 0 test --allow-external "$WORK/silent.kai"
prints "1 passed, 0 failed"
