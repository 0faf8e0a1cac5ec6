# Rows are strictly increasing by (t, p, m).
. tests/cli/helpers.bash
cat >"$WORK/m.kai" <<'END'
model M {
  state x = 1
  discrete n = 0
  x' = -1
  when down(x) { x := 1; n := 0 }
  when x > 0.5 and n < 3 { n := n + 1 }
  discrete ticks = 0
  when clock(0.25) { ticks := ticks + 1 }
}
experiment e of M { stop = 5 }
END
for model in $ball "$WORK/m.kai"; do
    exits 0 run "$model"
    awk -F, 'NR == 1 { next }
    NR > 2 && !($1 > t || $1 == t && ($2 > p || $2 == p && $3 > m)) { print "row " NR ": " $0; bad = 1 }
    { t = $1 + 0; p = $2 + 0; m = $3 + 0 }
    END { exit bad || NR < 20 }' "$out" || fail "$model: rows are out of order"
done
