# A point that fails is reported with its values and stops nobody; the file says which run is not whole; exit code 3.
. tests/cli/helpers.bash
cat >"$WORK/m.kai" <<'END'
model M { param a = 1, n = 1; state x = 1; x' = a*x*x; if n > 1 { signal q = x } }
experiment pole of M { stop = 1; sweep a in (0.5, 2, 0.25) }
experiment wrong of M { stop = 1; sweep n in (2, 1, 3); record q }
END
exits 3 run "$WORK/m.kai" -e pole -o "$WORK/o.csv"
says "run 2 (a = 2) failed"
says "2 of 3 runs complete, 1 failed"
awk -F, 'NR > 1 { t[$1] = $3 } END { exit !(t[1] == 1 && t[2] < 0.6 && t[3] == 1) }' "$WORK/o.csv" ||
    fail "the other runs do not reach the end"
grep -q "^not whole: run 2 stopped at t = 0.5" "$WORK/o.csv.status" || fail "status: $(cat "$WORK/o.csv.status")"

# wrong for one value of a structural parameter
exits 2 run "$WORK/m.kai" -e none
sed -i 's/n = 1;/n = 2;/' "$WORK/m.kai"
exits 3 run "$WORK/m.kai" -e wrong
says "run 2 (n = 1) failed"
says "2 of 3 runs complete, 1 failed"
[ "$(sed '1d; /^#/d' "$out" | cut -d, -f1 | uniq | tr '\n' ' ')" = "1 3 " ] || fail "runs 1 and 3 are not there"
