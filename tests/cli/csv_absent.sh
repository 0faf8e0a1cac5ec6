# What is absent is an empty field, never 0: the ball's `hit` is present at the middle tag of each bounce only.
. tests/cli/helpers.bash
exits 0 run $ball
awk -F, '
BEGIN { left = "none" }
NR > 1 && $2 == 0 && left == $1 { if ($6 == "") bad++; else hits++ }
NR > 1 && !($2 == 0 && left == $1) && $6 != "" { bad++ }
NR > 1 && $2 == -1 { left = $1 }
END { print hits + 0, bad + 0 }' "$out" >"$WORK/counts"
[ "$(cat "$WORK/counts")" = "29 0" ] || fail "hits and misplaced fields: $(cat "$WORK/counts")"
