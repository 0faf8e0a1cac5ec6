# The header of a result: the tag, then the recorded names; with `record` only those, in that order.
. tests/cli/helpers.bash
exits 0 run $ball
[ "$(head -1 "$out")" = "t,p,m,y [m],v [m/s],hit,mode" ] || fail "header: $(head -1 "$out")"
[ "$(awk -F, '{ print NF }' "$out" | sort -u)" = 7 ] || fail "rows have different numbers of fields"
cat >"$WORK/m.kai" <<'END'
model Part { state x = 1; x' = -x }
model M { a : Part; b : Part(x = 2); signal s = a.x + b.x }
experiment e of M { stop = 1; record s, b.x }
END
exits 0 run "$WORK/m.kai"
[ "$(head -1 "$out")" = "t,p,m,s,b.x" ] || fail "header: $(head -1 "$out")"
[ "$(sed -n 2p "$out")" = "0,0,0,3,2" ] || fail "first row: $(sed -n 2p "$out")"
