# --checkpoint and resume: a run that is killed with SIGKILL at any moment, again and again, goes on and gives the same bytes as
# one that was not. KAIROS_KILLS=1000 kills that often; 20 times otherwise.
. tests/cli/helpers.bash
kills=${KAIROS_KILLS:-20}

# Steps, crossings, a clock, delays of signals and events, a queue, random draws, modes, a warning: all that a snapshot holds.
cat >"$WORK/model.kai" <<'E'
model Ball {
  param g = 9.81, e = 0.95
  state y = 1, v = 0
  event hit = down(y)
  modes {
    initial mode falling { y' = v; v' = -g; when hit { v := -e*v }; on hit if abs(v) < 0.5 -> resting { y := 0 } }
    mode resting { y' = 0; v' = 0; on wake -> falling { v := 3 + uniform(0, 1) } }
  }
  event wake = clock(1.5), late = delay(hit, 0.3), put = sample(y, wake), taken = queue(put, late)
  signal before = delay(y, 0.25), shown = hold(taken, -1)
  discrete n = 0
  when late { n := n + 1 }
  state area = 0
  area' = before + sin(time)*exponential_like
  signal exponential_like = exp(-area*area)
}
experiment e of Ball { stop = 20; max_step = 1e-3; seed = 7 }
E

# Runs in the folder of the model with a relative path; resume may be called from anywhere.
# Both become the program: who is killed is the run itself.
start() { cd "$WORK" && exec "$KAIROS" run model.kai "${options[@]}" --checkpoint 0.7 -o "$1" --quiet >/dev/null 2>>"$err"; }
resume() { exec "$KAIROS" resume "$WORK/$1" --quiet >/dev/null 2>>"$err"; }

# killed COMMAND…: in the background, and killed after up to `most` ms; false if it was over before.
killed()
{
    "$@" &
    local process=$! code=0
    sleep "$(printf '0.%03d' $((RANDOM * most / 32768)))"
    kill -KILL $process 2>/dev/null
    wait $process 2>/dev/null || code=$?
    [ $code -eq 137 ]
}

RANDOM=${KAIROS_SEED:-1}
count=0
for options in "--view full" "--view unique --solver cvode_bdf" "--view limits --solver rosenbrock"; do
    read -r -a options <<<"$options"
    begun=$(date +%s%N)
    (start whole.csv) || fail "${options[*]}: the run failed"
    most=$((($(date +%s%N) - begun) / 1000000 + 10))
    [ $most -lt 900 ] || most=900
    [ ! -e "$WORK/whole.csv.checkpoint" ] || fail "a complete run leaves its checkpoint"
    [ "$(wc -l <"$WORK/whole.csv")" -gt 1000 ] || fail "too few rows to lose"
    for ((i = 0; i < (kills + 2) / 3; i++)); do
        rm -f "$WORK"/killed.csv*
        count=$((count + 1))
        killed start killed.csv || true
        while [ -e "$WORK/killed.csv.checkpoint" ] && killed resume killed.csv; do
            count=$((count + 1))
            [ ! -e "$WORK/killed.csv" ] || break
        done
        if [ -e "$WORK/killed.csv.checkpoint" ]; then
            "$KAIROS" resume "$WORK/killed.csv" --quiet 2>>"$err" || fail "${options[*]}: resume failed"
        elif [ ! -e "$WORK/killed.csv" ]; then # killed before anything was there
            (start killed.csv) || fail "${options[*]}: the run failed"
        fi
        cmp "$WORK/whole.csv" "$WORK/killed.csv" || fail "${options[*]}: kill $count gives another result"
        [ ! -e "$WORK/killed.csv.checkpoint" ] && [ ! -e "$WORK/killed.csv.part" ] || fail "something is left behind"
    done
done

# Ctrl-C: a readable result with a remark, and it goes on.
options=(--view full)
(start whole.csv) || fail "the run failed"
(cd "$WORK" && exec "$KAIROS" run model.kai --checkpoint 0.7 -o stopped.csv 2>"$err" >/dev/null) &
process=$!
while [ ! -e "$WORK/stopped.csv.checkpoint" ]; do sleep 0.01; done
kill -INT $process
if ! wait $process; then
    says "kairos resume stopped.csv goes on"
    grep -q "^stopped" "$WORK/stopped.csv.status" || fail "no remark"
    "$KAIROS" resume "$WORK/stopped.csv" 2>"$err" || fail "resume after Ctrl-C"
    says "t = 20"
fi
cmp "$WORK/whole.csv" "$WORK/stopped.csv" || fail "Ctrl-C gives another result"

# What cannot be saved, and what cannot be gone on with.
exits 2 run "$WORK/model.kai" --checkpoint 1
exits 2 run - --checkpoint 1 -o "$WORK/x.csv" <"$WORK/model.kai"
exits 2 run "$WORK/model.kai" --checkpoint 0 -o "$WORK/x.csv"
exits 2 run "$WORK/model.kai" --checkpoint nan -o "$WORK/x.csv"
exits 4 resume "$WORK/nothing.csv"
one_line "$err"
exits 2 resume
kill_one()
{
    options=(--view full)
    rm -f "$WORK"/one.csv*
    start one.csv &
    local process=$!
    while [ ! -e "$WORK/one.csv.checkpoint" ]; do sleep 0.005; done
    kill -KILL $process
    wait $process 2>/dev/null
    [ -e "$WORK/one.csv.checkpoint" ] || { rm -f "$WORK/one.csv"; kill_one; }
}
kill_one
cp "$WORK/one.csv.checkpoint" "$WORK/good"
for damage in 20 60 200 3000; do # one byte is another
    cp "$WORK/good" "$WORK/one.csv.checkpoint"
    printf '\377' | dd of="$WORK/one.csv.checkpoint" bs=1 seek=$damage conv=notrunc status=none
    printf '\252' | dd of="$WORK/one.csv.checkpoint" bs=1 seek=$((damage + 1)) conv=notrunc status=none
    exits 4 resume "$WORK/one.csv"
    says "damaged"
done
head -c 500 "$WORK/good" >"$WORK/one.csv.checkpoint"
exits 4 resume "$WORK/one.csv"
cp "$WORK/good" "$WORK/one.csv.checkpoint"
sed -i 's/e = 0.95/e = 0.96/' "$WORK/model.kai"
exits 4 resume "$WORK/one.csv"
says "another model"
sed -i 's/e = 0.96/e = 0.95/' "$WORK/model.kai"
mv "$WORK/one.csv.part" "$WORK/kept"
exits 4 resume "$WORK/one.csv"
says "it is gone"
head -c 10 "$WORK/kept" >"$WORK/one.csv.part"
exits 4 resume "$WORK/one.csv"
says "shorter than it was"
mv "$WORK/kept" "$WORK/one.csv.part"
exits 0 resume "$WORK/one.csv"
cmp "$WORK/whole.csv" "$WORK/one.csv" || fail "after all that it gives another result"
