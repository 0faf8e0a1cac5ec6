# Progress on stderr if it is a terminal, nothing if it is not, nothing with --quiet; the summary is one line.
. tests/cli/helpers.bash
exits 0 run $ball -o "$WORK/ball.csv"
one_line "$err"
for part in "Ball, experiment bounce" "t = 5" "30 instants" "steps (" "rejected)" "rows (view full)" "hit 29"; do
    says "$part"
done
exits 0 run $ball -o "$WORK/ball.csv" --quiet
[ ! -s "$err" ] || fail "--quiet is not quiet"
echo "model M { state x = 1; x' = x*x }" >"$WORK/pole.kai"
exits 3 run "$WORK/pole.kai" -o "$WORK/pole.csv" --quiet
[ -s "$err" ] || fail "--quiet silences an error"

command -v script >/dev/null || exit 0
cat >"$WORK/long.kai" <<'END'
model Long { state x = 1, v = 0; x' = v; v' = -x }
experiment e of Long { stop = 1e12 }
END
# until_bar SECONDS OPTION…: runs on a terminal until a bar is seen or the time is over
until_bar()
{
    local limit=$1
    shift
    : >"$WORK/screen"
    script -qefc "exec $KAIROS run $WORK/long.kai -o $WORK/long.csv $* & echo \$! >$WORK/id; wait" "$WORK/screen" \
        </dev/null >/dev/null 2>&1 &
    local terminal=$! found=1
    for _ in $(seq $((10 * limit))); do
        if grep -q "$bar" "$WORK/screen"; then
            found=0
            break
        fi
        sleep 0.1
    done
    kill -TERM "$(cat "$WORK/id")"
    wait $terminal
    return $found
}
bar='% *t = .* instants/s, about .* left'
until_bar 60 || fail "no progress, rate and time left on a terminal: $(tail -c 300 "$WORK/screen")"
bar='% *t = '
if until_bar 2 --quiet; then fail "--quiet shows progress"; fi
