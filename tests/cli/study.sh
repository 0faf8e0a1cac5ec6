# Studies: the same bytes for every number of threads and shards, after a kill and an interrupt too; values by their closed form;
# failed runs are rows; calls that are wrong. KAIROS_STUDY_RUNS=100000 makes as many runs instead of a sample.
. tests/cli/helpers.bash
runs=${KAIROS_STUDY_RUNS:-2000}
cat >"$WORK/ball.kai" <<'END'
model Ball {
  param g = 9.81, e = 0.8
  param h ~ lognormal(1, 0.2)
  state y = h, v = 0
  event hit = down(y)
  discrete n = 0
  y' = v;  v' = -g
  when hit { v := -e*v; n := n + 1 }
  when n >= 5 { halt }
}
experiment drop of Ball { stop = 10; expect time_of(hit, 5) ~ 2.6 within 10 }
experiment grid of Ball { stop = 1; sweep e in (0.5, 0.6); sweep g in (1, 2, 3); expect final(n) >= 0 }
experiment fails of Ball { stop = 3; seed = 3; zeno = stop; expect h < 1.2 }
END
exits 0 study "$WORK/ball.kai" -e drop --runs $runs -o "$WORK/one.csv" --threads 1
cp "$out" "$WORK/one.txt"
# mean of t5 = sqrt(2 h/g) (1 + 2 (e + … + e^4)), E sqrt(h) = exp(0.2²/8); within 3 standard errors.
awk '/time_of/ { getline; gsub(",", ""); mean = $2; half = $4; t = sqrt(2/9.81)*(1 + 2*(0.8 + 0.64 + 0.512 + 0.4096))*exp(0.04/8)
    if (mean - t > 1.5307*half || t - mean > 1.5307*half || !(half > 0)) { print mean, half, t; exit 1 } found = 1 }
    END { if (!found) exit 1 }' "$WORK/one.txt" || fail "the mean of the fifth bounce is not the closed form"
# every row by itself
awk -F, 'NR > 1 { t = sqrt(2*$2/9.81)*(1 + 2*(0.8 + 0.64 + 0.512 + 0.4096)); d = $3 - t; if (d > 1e-9 || d < -1e-9) { print; exit 1 } }' \
    "$WORK/one.csv" || fail "a row is not the closed form"
for threads in 2 5; do
    exits 0 study "$WORK/ball.kai" -e drop --runs $runs -o "$WORK/many.csv" --threads $threads
    cmp "$WORK/one.csv" "$WORK/many.csv" || fail "$threads threads give another table"
    cmp "$WORK/one.txt" "$out" || fail "$threads threads give other statistics"
done
tables=
for i in 1 2 3 4 5 6 7; do
    exits 0 study "$WORK/ball.kai" -e drop --runs $runs --shard $i/7 -o "$WORK/shard$i.csv"
    tables="$WORK/shard$i.csv $tables"
done
# shellcheck disable=SC2086
exits 0 merge $tables -o "$WORK/merged.csv"
cmp "$WORK/one.csv" "$WORK/merged.csv" || fail "the merged shards are another table"
cmp "$WORK/one.txt" "$out" || fail "the merged shards have other statistics"
exits 4 merge "$WORK/shard1.csv" "$WORK/shard3.csv"
says "run 2 is missing"
exits 4 merge "$WORK/one.csv" "$WORK/one.csv"
says "run 1 is there twice"
exits 4 merge "$WORK/ball.kai"

# killed, with a last row that is cut off, and continued
"$KAIROS" study "$WORK/ball.kai" -e drop --runs $runs -o "$WORK/killed.csv" --threads 2 >/dev/null 2>&1 &
pid=$!
for _ in $(seq 200); do [ -s "$WORK/killed.csv.part" ] && break; sleep 0.01; done
kill -KILL $pid 2>/dev/null
wait $pid 2>/dev/null
if [ ! -e "$WORK/killed.csv" ]; then
    printf '999,0.1' >>"$WORK/killed.csv.part"
    exits 0 study "$WORK/ball.kai" -e drop --runs $runs -o "$WORK/killed.csv"
fi
cmp "$WORK/one.csv" "$WORK/killed.csv" || fail "killed and continued gives another table"
head -n 700 "$WORK/one.csv" >"$WORK/half.csv.part"
exits 0 study "$WORK/ball.kai" -e drop --runs $runs -o "$WORK/half.csv"
cmp "$WORK/one.csv" "$WORK/half.csv" || fail "continued from 699 rows gives another table"
cmp "$WORK/one.txt" "$out" || fail "continued from 699 rows gives other statistics"
head -n 20 "$WORK/one.csv" >"$WORK/other.csv.part"
exits 4 study "$WORK/ball.kai" -e drop --runs $runs --seed 2 -o "$WORK/other.csv"
says "rows of another study"

# results before the end: the part is whole rows, and can be merged and drawn while the study goes on
sed 's/stop = 10; expect/stop = 10; max_step = 1e-3; expect/' "$WORK/ball.kai" >"$WORK/slow.kai"
"$KAIROS" study "$WORK/slow.kai" -e drop --runs 100000 -o "$WORK/slow.csv" --threads 1 -q &
pid=$!
for _ in $(seq 3000); do [ "$(wc -l <"$WORK/slow.csv.part" 2>/dev/null || echo 0)" -gt 30 ] && break; sleep 0.01; done
exits 0 merge "$WORK/slow.csv.part"
prints "time_of(hit, 5)"
exits 0 plot "$WORK/slow.csv.part" -o "$WORK/slow.svg"
kill -INT $pid
wait $pid
[ $? -eq 3 ] || fail "an interrupted study does not say so"
! [ -e "$WORK/slow.csv" ] || fail "a table that is not whole has its name"

# designs
exits 0 study "$WORK/ball.kai" -e grid --design grid -o "$WORK/grid.csv"
[ "$(sed -n 5p "$WORK/grid.csv" | cut -d, -f1-3)" = 4,0.6,1 ] || fail "the grid: $(cat "$WORK/grid.csv")"
printf 'e,y\n0.5,2\n0.25,3\n' >"$WORK/points.csv"
exits 0 study "$WORK/ball.kai" -e drop --points "$WORK/points.csv" --measure n,v -o "$WORK/list.csv"
[ "$(head -n 1 "$WORK/list.csv")" = 'run,e,y,"time_of(hit, 5)",n,v,passed,reason' ] || fail "$(head -n 1 "$WORK/list.csv")"
grep -q '^2,0.25,3,' "$WORK/list.csv" || fail "the list"
exits 0 study "$WORK/ball.kai" -e drop --design latin --runs 64 -o "$WORK/latin.csv"
exits 0 study "$WORK/ball.kai" -e drop --design sobol --runs 64 -o "$WORK/sobol.csv"
# a Latin hypercube has one value in each of 64 slices: ln h is normal, so that half of them are below the median, a quarter of
# these below exp(-0.2·1.150349)
for table in latin sobol; do
    awk -F, 'NR > 1 { below += $2 < 1; tail += $2 < exp(-0.2*1.1503493803760079) } END { exit !(below == 32 && tail == 8) }' \
        "$WORK/$table.csv" || fail "$table is not even"
done

# failed runs are rows with their reason
sed 's/when n >= 5 { halt }/assert h < 1.1 "too high"/' "$WORK/ball.kai" >"$WORK/assert.kai"
exits 0 study "$WORK/assert.kai" -e drop --stop 0.3 --runs 50 -o "$WORK/failed.csv"
failed=$(grep -c 'too high' "$WORK/failed.csv")
[ "$failed" -gt 5 ] && [ "$failed" -lt 30 ] || fail "$failed failed runs"
prints "50 runs, $failed failed"
prints "fails in $failed of 50 runs: $((2*failed)) %"  # one line for the assertion, with its confidence
[ "$(grep -c '^fails in' "$out")" = 1 ] || fail "$(grep '^fails in' "$out")"
awk -F, '/too high/ && !($2 >= 1.1) { exit 1 } !/too high/ && NR > 1 && !($2 < 1.1) { exit 1 }' "$WORK/failed.csv" || fail "other runs failed"

exits 2 study "$WORK/ball.kai" -e drop --set h=1
says "nothing varies"
exits 2 study "$WORK/ball.kai" -e drop --shard 8/7
exits 2 study "$WORK/ball.kai" -e drop --runs 0
exits 2 study "$WORK/ball.kai" -e drop --design best
exits 2 merge
exits 4 study "$WORK/ball.kai" -e drop --points "$WORK/none.csv"
exits 0 study "$WORK/ball.kai" -e drop --runs 10 --json
prints '"measures": ['
exits 0 study "$WORK/ball.kai" -e drop --runs 200 --figure "$WORK/h.svg"
grep -q 'time_of(hit, 5)' "$WORK/h.svg" || fail "no histogram"
exits 2 study "$WORK/ball.kai" -e drop --runs 20 --figure "$WORK/h.xyz"
