# Studies: measures by expressions with names, draws inside the model that depend on the number of the run, trajectories of chosen runs
# and one run again, the same bits as the study made.
. tests/cli/helpers.bash
cat >"$WORK/ball.kai" <<'END'
model Ball {
  param e ~ uniform(0.7, 0.9)
  param h [m] ~ lognormal(1, 0.2)
  state y [m] = h, v [m/s] = 0
  event hit = down(y)
  discrete n = 0
  y' = v;  v' = -9.81
  when hit { v := -e*v; n := n + 1 }
  when n >= 5 { halt }
}
experiment drop of Ball { stop = 10[s]; expect time_of(hit, 5) ~ 2.6 within 10 }
END
# top is h; speed at the first bounce sqrt(2 g h); the order is that of the call
exits 0 study "$WORK/ball.kai" --runs 200 --measure 'n, top = max(y)' --measure 'min(v) + 0*final(y)/1[s], high = max(y) > 1, never = time_of(hit, 9)' -o "$WORK/m.csv"
[ "$(head -n 1 "$WORK/m.csv")" = 'run,e,h [m],"time_of(hit, 5)",n,top [m],min(v) + 0*final(y)/1[s] [m/s],high,never,passed,reason' ] ||
    fail "$(head -n 1 "$WORK/m.csv")"
awk -F, 'NR > 1 { s = sqrt(2*9.81*$3); if ($5 != 5 || $6 != $3 || $7 + s > 1e-8 || $7 + s < -1e-8 || $8 != ($3 > 1) || $9 != "") { print; exit 1 } }' "$WORK/m.csv" ||
    fail "a measure is not its closed form"
high=$(awk -F, 'NR > 1 { n += $8 } END { print n }' "$WORK/m.csv")
prints "true in $high of 200 runs"
# names alone are the same values as final()
exits 0 study "$WORK/ball.kai" --runs 50 --measure 'n,v' -o "$WORK/plain.csv"
exits 0 study "$WORK/ball.kai" --runs 50 --measure 'n, v = final(v)' -o "$WORK/final.csv"
cmp "$WORK/plain.csv" "$WORK/final.csv" || fail "v is not final(v)"
exits 0 optimize "$WORK/ball.kai" --by h --low 1 --high 3 --measure 'max(y) - 2*(2[m] - max(y))^2/1[m]' --maximise
prints "2.25"
exits 2 study "$WORK/ball.kai" --measure 'max(yy)'
says "--measure"
exits 2 study "$WORK/ball.kai" --measure 'top ='
exits 2 study "$WORK/ball.kai" --measure 'a,,b'

# draws of the model: the same for every split, others in every run; the mean of exponential(2), whose rate is 2, is 1/2
cat >"$WORK/draws.kai" <<'END'
model Draws {
  discrete a = 0, b = 0
  when time >= 0.5 { a := exponential(2);  b := uniform(0, 1) }
}
experiment e of Draws { stop = 1 }
END
exits 0 study "$WORK/draws.kai" --runs 4000 --measure a,b -o "$WORK/one.csv" --threads 1
awk '/^a$/ { getline; gsub(",", ""); if ($2 - 0.5 > 1.5307*$4 || 0.5 - $2 > 1.5307*$4) exit 1; found = 1 } END { exit !found }' "$out" || fail "the mean of the draws: $(cat "$out")"
[ "$(tail -n +2 "$WORK/one.csv" | cut -d, -f2 | sort -u | wc -l)" = 4000 ] || fail "runs draw the same numbers"
exits 0 study "$WORK/draws.kai" --runs 4000 --measure a,b -o "$WORK/two.csv" --threads 2
cmp "$WORK/one.csv" "$WORK/two.csv" || fail "two threads draw other numbers"
exits 0 study "$WORK/draws.kai" --runs 4000 --measure a,b --shard 3/7 -o "$WORK/shard.csv"
awk -F, 'NR == FNR { row[$1] = $0; next } FNR > 1 && row[$1] != $0 { exit 1 }' "$WORK/one.csv" "$WORK/shard.csv" || fail "a shard draws other numbers"
exits 0 study "$WORK/draws.kai" --runs 4000 --measure a,b --seed 2 -o "$WORK/seed.csv"
! cmp -s "$WORK/one.csv" "$WORK/seed.csv" || fail "the seed does not matter"
! grep -q "no effect" "$err" || fail "$(cat "$err")"

# exponential takes a rate, in a draw and in a distribution: the mean of 2 per minute is half a minute
cat >"$WORK/rate.kai" <<'END'
model Rate { param a [min] ~ exponential(2), b [min] ~ exponential(120[1/h]), c [s] ~ exponential(2[1/min]); discrete n = 0; when time >= 0.5 { n := 1 } }
experiment e of Rate { stop = 1[s] }
END
exits 0 study "$WORK/rate.kai" --runs 4000
for mean in a:0.5 b:0.5 c:30; do
    awk -v name="${mean%%:*}" -v mean="${mean##*:}" '$1 == name { getline; gsub(",", ""); d = $2 - mean; if (d > 1.5307*$4 || -d > 1.5307*$4) exit 1; found = 1 }
        END { exit !found }' "$out" || fail "the mean of $mean: $(cat "$out")"
done

# trajectories
exits 0 study "$WORK/ball.kai" --runs 100 -o "$WORK/k.csv"
cp "$WORK/k.csv" "$WORK/plain.csv"
exits 0 study "$WORK/ball.kai" --runs 100 --keep 1,17,40-42 -o "$WORK/k.csv"
cmp "$WORK/k.csv" "$WORK/plain.csv" || fail "keeping trajectories changes the table"
[ "$(cut -d, -f1 "$WORK/k-runs.csv" | uniq | tr '\n' ' ')" = "run 1 17 40 41 42 " ] || fail "kept: $(cut -d, -f1 "$WORK/k-runs.csv" | uniq)"
exits 0 study "$WORK/ball.kai" --runs 100 --run 17 -o "$WORK/r.csv"
says "17,"
grep '^17,' "$WORK/k-runs.csv" | cut -d, -f4- >"$WORK/a"
tail -n +2 "$WORK/r.csv" >"$WORK/b"
cmp "$WORK/a" "$WORK/b" || fail "run 17 again is another run"
# exactly as `kairos run` with these values
set -- $(grep '^17,' "$WORK/k.csv" | cut -d, -f2,3 | tr , ' ')
exits 0 run "$WORK/ball.kai" --set e="$1" --set h="$2" -o "$WORK/own.csv"
cmp "$WORK/own.csv" "$WORK/r.csv" || fail "run 17 is not what kairos run makes of its values"
for ending in npz h5 mat; do
    [ $ending != h5 ] || [ -e "$BUILD/lib/kairos/libkairos-hdf5.so" ] || continue
    exits 0 study "$WORK/ball.kai" --runs 20 --trajectories "$WORK/all.$ending" -q
    exits 0 plot "$WORK/all.$ending" --chart fan --signals y -o "$WORK/f.svg"
    grep -q '>20 runs<' "$WORK/f.svg" || fail ".$ending: not 20 runs"
done
# a study that goes on has the trajectories of the runs before too
head -n 31 "$WORK/plain.csv" >"$WORK/k.csv.part"
mv "$WORK/k-runs.csv" "$WORK/whole-runs.csv"
exits 0 study "$WORK/ball.kai" --runs 100 --keep 1,17,40-42 -o "$WORK/k.csv"
cmp "$WORK/k-runs.csv" "$WORK/whole-runs.csv" || fail "a continued study keeps other trajectories"
exits 2 study "$WORK/ball.kai" --runs 100 --keep 101 -o "$WORK/k.csv"
says "the study has 100 runs"
exits 2 study "$WORK/ball.kai" --runs 100 --keep some -o "$WORK/k.csv"
exits 2 study "$WORK/ball.kai" --runs 100 --keep 3
exits 2 study "$WORK/ball.kai" --runs 100 --run 101
exits 2 study "$WORK/ball.kai" --runs 100 --trajectories "$WORK/x.xyz"
