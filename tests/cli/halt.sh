# `halt` ends the run where it fires, the file is whole, and the summary says why. A clock without a period is refused.
. tests/cli/helpers.bash
cat >"$WORK/m.kai" <<'END'
model M { state x = 0; x' = 1; when x > 0.5 { halt "enough" } }
experiment e of M { stop = 3 }
END
exits 0 run "$WORK/m.kai" -o "$WORK/o.csv"
says 'halted: enough'
grep -q '^#' "$WORK/o.csv" && fail "a run that halts is whole"
tail -1 "$WORK/o.csv" | grep -q '^0.500000' || fail "it ends at 0.5"
echo 'model C { param T = 0; event e = clock(T) }' >"$WORK/c.kai"
exits 3 run "$WORK/c.kai" -o "$WORK/o.csv"
says 'c.kai:1:34'
says 'period'
exit 0
