# The loop of paper 000, section 4, with an incrementer instead of the integrator has no constructive fixed point: x and y stay unknown, z = 1.
# The report names both, prints the loop as a path with lines, names the remedy, and the exit code is 3 (rule R3).
set -u
cat >"$WORK/loop.kai" <<'END'
model Loop {
  signal z = 1
  signal x = y + z
  signal y = x + 1
}
END
fail() { echo "$1"; cat "$WORK/err"; exit 1; }
"$KAIROS" run "$WORK/loop.kai" -o "$WORK/out.csv" 2>"$WORK/err"
[ $? -eq 3 ] || fail "exit code is not 3"
grep -q 'nonconstructive' "$WORK/err" || fail "not called nonconstructive"
grep -qE '(x, y|y, x) are unknown' "$WORK/err" || fail "does not say that x and y are unknown"
grep -qE '[xyz], z (is|are) unknown|z, [xyz]' "$WORK/err" && fail "z is known"
grep -q "z = 1" "$WORK/err" || fail "does not say that z = 1"
grep -q 'loop.kai:3:10' "$WORK/err" || fail "no place of x"
grep -q 'loop.kai:4:10' "$WORK/err" || fail "no place of y"
grep -q 'pre' "$WORK/err" || fail "does not say how to break the loop"

# The same loop built from instances.
cat >"$WORK/blocks.kai" <<'END'
model Incrementer { input u; output y = u + 1 }
model Adder { input a, b; output sum_of = a + b }
model Constant { param k = 1; output y = k }
model Loop {
  f : Incrementer
  g : Adder
  h : Constant
  signal x = g.sum_of
  signal y = f.y
  signal z = h.y
  f.u = x
  g.a = y
  g.b = z
}
END
"$KAIROS" run "$WORK/blocks.kai" -o "$WORK/out.csv" 2>"$WORK/err"
[ $? -eq 3 ] || fail "exit code is not 3 (blocks)"
for place in 11:3 8:10 2:34 12:3 9:10 1:37; do
    grep -q "blocks.kai:$place" "$WORK/err" || fail "the path misses $place"
done
grep -qE '\b(z|h\.y|g\.b)\b[^;]*unknown' "$WORK/err" && fail "z, h.y and g.b are known"
exit 0
