# A study under mpirun: the same table for every number of ranks, and after a worker was killed in the middle. Needs Open MPI and the
# part that was built with it. KAIROS_STUDY_RUNS=100000 makes as many runs instead of a sample.
. tests/cli/helpers.bash
runs=${KAIROS_STUDY_RUNS:-2000}
command -v mpirun >/dev/null && [ -e "$BUILD/lib/kairos/libkairos-mpi.so" ] || exit 0
grep -q '^KAIROS_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt" && exit 0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
cat >"$WORK/ball.kai" <<'END'
model Ball {
  param h ~ lognormal(1, 0.2)
  state y = h, v = 0
  event hit = down(y)
  discrete n = 0
  y' = v;  v' = -9.81
  when hit { v := -0.8*v; n := n + 1 }
  when n >= 5 { halt }
}
experiment drop of Ball { stop = 10; expect time_of(hit, 5) ~ 2.6 within 10 }
END
exits 0 study "$WORK/ball.kai" --runs $runs -o "$WORK/one.csv"
cp "$out" "$WORK/one.txt"
for ranks in 1 2 4; do
    mpirun --oversubscribe -n $ranks "$KAIROS" study "$WORK/ball.kai" --runs $runs -o "$WORK/ranks.csv" >"$out" 2>"$err" || fail "mpirun -n $ranks"
    cmp "$WORK/one.csv" "$WORK/ranks.csv" || fail "$ranks ranks give another table"
    cmp "$WORK/one.txt" "$out" || fail "$ranks ranks give other statistics"
done

# trajectories, which rank 0 makes again
exits 0 study "$WORK/ball.kai" --runs 50 --keep 2,40-41 -o "$WORK/kept.csv"
mv "$WORK/kept-runs.csv" "$WORK/alone-runs.csv"
mpirun --oversubscribe -n 2 "$KAIROS" study "$WORK/ball.kai" --runs 50 --keep 2,40-41 -o "$WORK/kept.csv" >"$out" 2>"$err" || fail "mpirun --keep"
cmp "$WORK/kept-runs.csv" "$WORK/alone-runs.csv" || fail "trajectories of ranks are others"

# A worker is killed while it works: what is written stays, and the same command goes on.
sed 's/stop = 10;/stop = 10; max_step = 1e-4;/; s/experiment drop/experiment slow/' "$WORK/ball.kai" >"$WORK/slow.kai"
exits 0 study "$WORK/slow.kai" --runs 200 -o "$WORK/slow.csv"
mpirun --oversubscribe -n 3 "$KAIROS" study "$WORK/slow.kai" --runs 200 -o "$WORK/killed.csv" >"$out" 2>&1 &
pid=$!
worker=
for _ in $(seq 2000); do
    [ -s "$WORK/killed.csv.part" ] && worker=$(pgrep -f "study $WORK/slow.kai --runs 200 -o $WORK/killed.csv" -P $pid | tail -n 1)
    [ -z "$worker" ] || break
    sleep 0.01
done
[ -n "$worker" ] && kill -KILL "$worker" || fail "no worker to kill"
wait $pid && fail "a study that lost a worker says that it is whole"
[ ! -e "$WORK/killed.csv" ] || fail "a table that is not whole has its name"
exits 0 study "$WORK/slow.kai" --runs 200 -o "$WORK/killed.csv"
says "going on behind them"
cmp "$WORK/slow.csv" "$WORK/killed.csv" || fail "a killed worker changes the table"
