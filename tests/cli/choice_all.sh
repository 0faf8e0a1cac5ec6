# choice = all: a branch column before t, whole trajectories, one line per outcome, bounds and failures that say where;
# `kairos test` holds every expectation against every outcome and names the branch; sweeps have run and branch.
. tests/cli/helpers.bash
billiard=examples/billiard/model.kai

exits 0 run $billiard -e unequal
[ "$(head -1 "$out" | cut -d, -f1-4)" = branch,t,p,m ] || fail "header: $(head -1 "$out")"
[ "$(cut -d, -f1 "$out" | uniq | tr '\n' ' ')" = "branch 1 2 " ] || fail "branches 1 and 2, each in one piece"
awk -F, 'NR > 1 && !($1 in first) { first[$1] = $2 } { last[$1] = $2 } END { exit !(first[1] == 0 && first[2] == 0 && last[1] == 2 && last[2] == 2) }' \
    "$out" || fail "a branch is not a whole trajectory"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { sub(/ \[.*/, "", $i); c[$i] = i }; next } { a[$1] = $c["a.v"]; m[$1] = $c["b.v"]; z[$1] = $c["c.v"] }
    function far(x, y) { return x - y > 1e-12 || y - x > 1e-12 }
    END { exit far(a[1], -73/27) || far(m[1], -40/27) || far(z[1], -5/9) || far(a[2], -31/9) || far(m[2], -7/9) || far(z[2], -2/3) }' \
    "$out" || fail "velocities after the collisions"
says "branch 1: a.x = -2.7037037, a.v = -2.7037037"
says "branch 2: a.x = -3.44444444, a.v = -3.44444444"
says "order: at t = 1: line $(grep -n 'when a.x' $billiard | cut -d: -f1) (a.v, b.v)"
says "order: at t = 1: line $(grep -n 'when b.x' $billiard | cut -d: -f1) (b.v, c.v)"
says "2 outcomes, 0 failed; 1 choice point, 0 orders merged"
exits 0 run $billiard -e unequal --quiet --view unique
[ ! -s "$err" ] || fail "--quiet"
[ "$(cut -d, -f1 "$out" | uniq -c | awk '{ printf "%s ", $1 }')" = "1 3 3 " ] || fail "--view unique keeps the last row of a branch"
exits 0 run $billiard -e equal
says "1 outcome, 0 failed; 1 choice point, 1 order merged"
[ "$(cut -d, -f1 "$out" | uniq | tr '\n' ' ')" = "branch 1 " ] || fail "equal masses: one branch"
exits 0 run $billiard -e restitution
[ "$(head -1 "$out" | cut -d, -f1-4)" = run,e,branch,t ] || fail "header of a sweep: $(head -1 "$out")"
[ "$(cut -d, -f1,3 "$out" | uniq | tr '\n' ' ')" = "run,branch 1,1 1,2 2,1 2,2 3,1 3,2 " ] || fail "runs and branches"
says "6 outcomes"

# expectations hold in every outcome, or the branch is named
cat >"$WORK/m.kai" <<'END'
model M {
  param limit = 5
  discrete n = 0
  event tick = clock(0.5, 0.25)
  choose {
    when tick { n := 2*n + 1 }
    when tick { n := n - 1 }
  }
  assert n <= limit "too many"
}
experiment short of M { stop = 0.5; choice = all; expect final(n) ~ 1 within 0 }
experiment long of M { stop = 10; choice = all; max_branches = 7; max_choices = 1000 }
experiment deep of M { stop = 100; choice = all; max_choices = 40 }
experiment fails of M(limit = 2) { stop = 1; choice = all }
experiment swept of M { stop = 1; choice = all; sweep limit in (2, 5) }
END
exits 3 test "$WORK/m.kai"
prints "FAILED short (branch 2: at t = 0.25: line 7 (n)): expect final(n)"
prints "1 passed, 1 failed"

# bounds
sed -i 's/param limit = 5/param limit = inf/' "$WORK/m.kai"
exits 3 run "$WORK/m.kai" -e long -o "$WORK/o.csv"
says "more than 7 outcomes (max_branches); 7 outcomes are complete"
says "m.kai:7:"
says "help: set a larger max_branches"
says "7 outcomes so far, not all"
grep -q "^not whole: after branch 7 there are outcomes missing" "$WORK/o.csv.status" || fail "status: $(cat "$WORK/o.csv.status")"
exits 3 run "$WORK/m.kai" -e deep
says "more than 40 choice points (max_choices)"
exits 1 check tests/wrong/setting_range.kai

# an order that fails is an outcome; the others are complete
exits 3 run "$WORK/m.kai" -e fails -o "$WORK/o.csv"
says "branch 1: n = 3; order: at t = 0.25: line 6 (n); at t = 0.75: line 6 (n)"
says "too many"
says "4 outcomes, 1 failed"
[ "$(cat "$WORK/o.csv.status")" = "not whole: branch 1 stopped at t = 0.75" ] || fail "status: $(cat "$WORK/o.csv.status")"
exits 3 run "$WORK/m.kai" -e swept
says "run 1 (limit = 2) failed: branch 1 (at t = 0.25: line 6 (n); at t = 0.75: line 6 (n))"
says "1 of 2 runs complete, 1 failed"
exits 0 explain "$WORK/m.kai" -e short
prints "choice     all: this is the branch that always takes the first alternative"
