# A swept parameter that changes the structure: the model is compiled for each value, the result has all columns, and what
# a run does not have is absent.
. tests/cli/helpers.bash
cat >"$WORK/m.kai" <<'END'
model M {
  param n = 2, a = 1
  state x[i in 1..n] = i
  for i in 1..n { x[i]' = -a*x[i] }
  signal s = sum(i in 1..n, x[i])
}
experiment many of M { stop = 1; sweep n in (1, 3, 2); sweep a in (1, 2) }
experiment one of M { stop = 1 }
END
exits 0 run "$WORK/m.kai" -e many -o "$WORK/all.csv"
says "6 of 6 runs complete"
[ "$(head -1 "$WORK/all.csv")" = "run,n,a,t,p,m,x[1],x[2],x[3],s" ] || fail "header: $(head -1 "$WORK/all.csv")"
awk -F, 'NR > 1 && !seen[$1]++ { print $1 "," $2 "," $3 "," $7 "," $8 "," $9 "," $10 }' "$WORK/all.csv" >"$WORK/starts"
cmp "$WORK/starts" - <<'END' || fail "first rows: $(cat "$WORK/starts")"
1,1,1,1,,,1
2,1,2,1,,,1
3,3,1,1,2,3,6
4,3,2,1,2,3,6
5,2,1,1,2,,3
6,2,2,1,2,,3
END
exits 0 run "$WORK/m.kai" -e one --set n=3 --set a=2
sed 1d "$out" >"$WORK/single"
awk -F, '$1 == 4' "$WORK/all.csv" | cut -d, -f4- | cmp - "$WORK/single" || fail "run 4 differs from the single run"
