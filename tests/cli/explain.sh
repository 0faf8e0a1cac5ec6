# kairos explain: guards with place and count, a touch with its time, and an estimate of the accuracy that is about right.
. tests/cli/helpers.bash
exits 0 explain $ball
grep -Eq "^ +29  $ball:[0-9]+  down\(y\)$" "$out" || fail "no count of down(y): $(cat "$out")"
prints "30 with "
prints "rk45"
[ ! -s "$err" ] || fail "it says something on stderr"

cat >"$WORK/m.kai" <<'END'
model M {
  state p = 1, x = 1
  p' = 2*(time - 1)
  x' = -x
  event c = cross(p)
  discrete n = 0
  when c { n := n + 1 }
}
experiment e of M { stop = 3; rtol = 1e-5; max_step = 0.7; expect final(n) ~ 0 within 0 }
END
exits 0 test "$WORK/m.kai"
exits 0 explain "$WORK/m.kai"
touch=$(sed -n "s|^ *1  $WORK/m.kai:5  cross(p), the last at t = ||p" "$out")
awk -v t="$touch" 'BEGIN { exit !(t > 1 - 1e-6 && t < 1 + 1e-6) }' || fail "the touch is at '$touch': $(cat "$out")"

# the estimate is the error of x(3) = exp(-3), to a factor of 2
estimate=$(sed -n 's/.* differ by at most \([^ ]*\) of their size, in x:.*/\1/p' "$out")
value=$(sed -n 's/.* in x: \([^,]*\), finer .*/\1/p' "$out")
awk -v d="$estimate" -v x="$value" 'BEGIN { e = x - exp(-3); if (e < 0) e = -e
    exit !(d > 0 && d < 2*e && d > e/2) }' || fail "estimate $estimate of the error of $value"

exits 0 explain "$WORK/m.kai" --solver euler --stop 1 --set x=2
prints "euler"
prints "0 to 1,"
exits 2 explain "$WORK/m.kai" --view full
