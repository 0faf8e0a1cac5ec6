# For the scripts that compare runs with islands with runs as a whole: `. tests/cli/islands.bash`.

# instants FILE: t, p, m and values of the tags of instants
instants()
{
    awk -F, '
    function near(a, b) { return a == b || (a ~ /^[-0-9.]/ && b ~ /^[-0-9.]/ && a - b <= 1e-9*(1 + (a < 0 ? -a : a)) && b - a <= 1e-9*(1 + (a < 0 ? -a : a))) }
    function same(a, b,    x, y, n, i) { n = split(a, x, ","); split(b, y, ","); for (i = first + 3; i <= n; i++) if (!near(x[i], y[i])) return 0; return 1 }
    function flush(    i, kept, last) {
        if (left) { last = row[1]; kept = ""; for (i = 2; i <= rows; i++) if (!same(row[i], last)) { kept = kept row[i] "\n"; last = row[i] } if (kept != "") printf "%s\n%s", row[1], kept }
        rows = left = 0 }
    NR == 1 { for (i = 1; i <= NF && $i != "t"; i++); first = i; print; next }
    /^#/ { next }
    { key = $first; for (i = 1; i < first; i++) key = key "," $i }
    key != before { flush(); before = key }
    { row[++rows] = $0; if ($(first + 1) == -1) left = 1 }
    END { flush() }' "$1"
}

# different A B: how the instants of two runs differ; nothing if they do not. $near_time and $near_value: by more than this.
different()
{
    instants "$1" >"$WORK/instants_a"
    instants "$2" >"$WORK/instants_b"
    paste -d'\n' "$WORK/instants_a" "$WORK/instants_b" | awk -F, -v near_time=${near_time:-1e-9} -v near_value=${near_value:-1e-6} '
    function off(a, b, by) { return a - b > by || b - a > by }
    NR == 1 { for (i = 1; i <= NF && $i != "t"; i++); first = i }
    NR % 2 == 1 { n = split($0, x); next }
    { if (NF != n) { print "another number of columns or rows"; exit }
      if (NR == 2) next
      if (x[first + 1] != $(first + 1) || x[first + 2] != $(first + 2) || off(x[first], $first, near_time*(1 + ($first < 0 ? -$first : $first)))) { print "tag " x[first] "," x[first + 1] "," x[first + 2] " and " $first "," $(first + 1) "," $(first + 2); exit }
      for (i = first + 3; i <= NF; i++) if (x[i] != $i && (x[i] == "" || $i == "" || off(x[i], $i, near_value*(1 + ($i < 0 ? -$i : $i))))) { print "at t = " $first " column " i ": " x[i] " and " $i; exit } }'
}
