# The same call gives the same bytes, and the output grid changes no event time.
. tests/cli/helpers.bash
exits 0 run $ball -o "$WORK/a.csv"
exits 0 run $ball -o "$WORK/b.csv"
cmp "$WORK/a.csv" "$WORK/b.csv" || fail "two runs differ"

model='model M { state y = 1, v = 0; y'"'"' = v; v'"'"' = -9.81; event hit = down(y); when hit { v := -0.8*v } }'
events() # of an experiment with these settings: the times and values of `hit`
{
    printf '%s\nexperiment e of M { stop = 3; %s }\n' "$model" "$1" >"$WORK/m.kai"
    exits 0 run "$WORK/m.kai"
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "hit") h = i; else if ($i ~ /^v( |$)/) v = i }
    NR > 1 && $h != "" { print $1, $v }' "$out"
}
events "record v, hit" >"$WORK/free"
[ "$(wc -l <"$WORK/free")" -ge 5 ] || fail "too few events: $(cat "$WORK/free")"
for every in 0.5 0.1 0.013 0.001; do
    events "record v, hit every $every" >"$WORK/grid"
    cmp "$WORK/free" "$WORK/grid" || fail "every $every moves events"
done
