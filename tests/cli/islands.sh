# Islands in the reports: counters of rollbacks in the summary and in `explain`; the sampled PI controller is the same row by row,
# whatever is an island.
. tests/cli/helpers.bash
exits 0 run tests/models/island_sensor.kai -e disturbed -o "$WORK/apart.csv"
awk '/ islands: / { for (i = 1; i <= NF; i++) if ($i ~ /^rollbacks/) n = $(i - 1) } END { exit !(n > 80) }' "$err" || fail "the sensor does not roll back"
one_line "$err"
exits 0 run tests/models/island_sensor.kai -e alone -o /dev/null
says "2 islands: 0 rollbacks, 0 steps thrown away"
exits 0 explain tests/models/island_sensor.kai -e disturbed
prints "islands: parts with a solver of their own"
grep -qE '^  s\.v .*rolled back [1-9][0-9]+ times, [1-9][0-9]+ steps thrown away' "$out" || fail "explain does not tell how often the sensor rolled back"
grep -qE '^  n\.r .*rolled back 0 times' "$out" || fail "nothing disturbs the noise"
exits 0 explain tests/models/island_sensor.kai -e whole
if grep -q islands: "$out"; then fail "a run as a whole has no islands"; fi

# instants FILE: the tags of instants
instants() { awk -F, 'NR > 1 { row[NR] = $0; t[NR] = $1; if ($2 == -1) instant[$1] = 1 } END { for (i = 2; i <= NR; i++) if (t[i] in instant) print row[i] }' "$1"; }
# agree A B: the same p and m, all numbers within 1e-9; at least 50 tags
agree()
{
    instants "$1" >"$WORK/x"
    instants "$2" >"$WORK/y"
    paste -d'\n' "$WORK/x" "$WORK/y" | awk -F, '
    NR % 2 == 1 { n = split($0, x); next }
    { if (NF != n || x[2] != $2 || x[3] != $3) bad = 1
      for (i = 1; i <= NF; i++) if (x[i] != $i && (x[i] == "" || $i == "" || x[i] - $i > 1e-9 || $i - x[i] > 1e-9)) bad = 1
      if (bad) { print; exit } }
    END { exit bad || NR < 100 }'
}
for speed in fast medium slow; do
    exits 0 run tests/models/island_sampled_pi.kai -e "whole_$speed" -o "$WORK/whole.csv"
    for kind in plantapart controllerapart bothapart auto; do
        exits 0 run tests/models/island_sampled_pi.kai -e "${kind}_$speed" -o "$WORK/$kind.csv"
        agree "$WORK/whole.csv" "$WORK/$kind.csv" || fail "$kind, $speed: another run"
    done
done
# The sensor disturbed at random times: as the run as a whole, tag by tag.
exits 0 run tests/models/island_sensor.kai -e whole -o "$WORK/whole.csv"
agree "$WORK/apart.csv" "$WORK/whole.csv" || fail "the disturbed sensor goes another way"
