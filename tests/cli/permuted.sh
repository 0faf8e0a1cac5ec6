# R1: whatever the order of its items, a model has one meaning: fifty shuffles give the same file, bit for bit.
set -eu
cat >"$WORK/items" <<'END'
state x = 1, v = 0
discrete n = 0, flip = 1
signal a = -4*x - 0.1*v + b, b = flip*c
signal c = if n > 3 then d else 2
signal d = if n > 3 then 1 else c
x' = v
v' = a
event hit = cross(x), tick = clock(0.7, 0.35)
event both
when hit { n := n + 1; emit both(v) }
when tick { flip := -flip }
when both if value(both) > 0 { v := 0.9*v }
signal total = x + 2*v + 3*n + d
END
for i in $(seq 1 50); do
    {
        echo 'model M {'
        if [ "$i" = 1 ]; then cat "$WORK/items"; else awk -v seed="$i" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' "$WORK/items" | sort -n | cut -f2-; fi
        echo '}'
        echo 'experiment e of M { stop = 20; record x, v, n, flip, a, b, c, d, total }'
    } >"$WORK/m.kai"
    "$KAIROS" run "$WORK/m.kai" --quiet -o "$WORK/$i.csv"
    cmp "$WORK/1.csv" "$WORK/$i.csv" || { cat "$WORK/m.kai"; exit 1; }
done
[ "$(wc -l <"$WORK/1.csv")" -gt 50 ]
