# All errors of a file in one go, each with its code, its line, the text and a caret.
. tests/cli/helpers.bash
cat >"$WORK/bad.kai" <<'END'
model M {
  param mass [kg] = 1, length [m] = 2
  state x = 1
  x' = velocty
  signal velocity = mass + length
  signal s = 1
  s = 2
  state y = 0
}
END
exits 1 check "$WORK/bad.kai"
for line in 4 5 7 8; do
    grep -q "^$WORK/bad.kai:$line:[0-9]*: error\[K[0-9]*\]: " "$err" || fail "no error at line $line"
done
[ "$(grep -o 'error\[K[0-9]*\]' "$err" | sort -u | wc -l)" -ge 4 ] || fail "fewer than four codes"
says "did you mean \`velocity\`?"
grep -q '^ *| *^' "$err" || fail "no caret"
cp "$err" "$WORK/check"
exits 1 run "$WORK/bad.kai"
for line in 4 5 7 8; do
    grep -q "^$WORK/bad.kai:$line:" "$err" || fail "run: no error at line $line"
done
