# More runs than the window, with very different lengths, and runs longer than what a spool keeps in memory: all rows,
# in order, none twice.
. tests/cli/helpers.bash
cat >"$WORK/m.kai" <<'END'
model M { param k = 1; state x = 1, v = 0; x' = v; v' = -k*k*x }
experiment many of M { stop = 5; sweep k from 300 to 1 by -1; record x every 0.01 }
experiment long of M { stop = 400; sweep k in (20, 19, 1); record x, v every 0.01 }
END
exits 0 run "$WORK/m.kai" -e many
says "300 of 300 runs complete"
cut -d, -f1 "$out" | sed 1d | uniq -c | awk '{ if ($1 != 501 || $2 != NR) bad = 1 } END { exit bad || NR != 300 }' ||
    fail "not 501 rows of each of 300 runs in order"
exits 0 run "$WORK/m.kai" -e long
cut -d, -f1 "$out" | sed 1d | uniq -c | awk '{ if ($1 != 40001 || $2 != NR) bad = 1 } END { exit bad || NR != 3 }' ||
    fail "not 40001 rows of each of 3 runs in order"
