# A sweep writes one file with a column for the run and for each swept value; a point that fails is reported and the others complete.
set -u
cat >"$WORK/m.kai" <<'END'
model M {
  param a = 1
  state x = 0
  x' = a
  when x >= 3 { halt }
  signal y = x
  state s
  s' = 0
  initial exp(s) == a
}
experiment e of M { stop = 2; sweep a in (1, -1, 4); record y }
END
"$KAIROS" run "$WORK/m.kai" -o "$WORK/o.csv" 2>"$WORK/err"
status=$?
fail() { echo "$1 (exit $status)"; cat "$WORK/err"; exit 1; }
[ $status -eq 3 ] || fail "a point failed, so the exit code is 3"
grep -q '1 failed' "$WORK/err" || fail "the failed point is not counted"
[ "$(head -1 "$WORK/o.csv")" = run,a,t,p,m,y ] || fail "header"
awk -F, '!/^#/ && NR > 1 { last[$2] = $6; t[$2] = $3 } END { exit !(last[1] - 2 < 1e-9 && 2 - last[1] < 1e-9 && last[4] - 3 < 1e-9 && 3 - last[4] < 1e-9 && t[4] < 0.76) }' \
    "$WORK/o.csv" || fail "the other points are not complete"
