# Every model in tests/wrong is refused by `kairos check` (exit 1) with the code and at the place that its first line says:
# `// error K020 3:14` (or `// warning …`, exit 0). Every message has a help line, and no model makes more than five errors out of one.
set -u
bad=0
for file in tests/wrong/*.kai; do
    read -r _ kind code place <"$file"
    "$KAIROS" check --allow-external --allow-files "$file" >"$WORK/out" 2>&1
    status=$?
    expected=1
    [ "$kind" = warning ] && expected=0
    if [ $status -ne $expected ]; then
        echo "$file: exit code $status, not $expected"
        bad=1
    elif ! grep -qF "$file:$place: $kind[$code]:" "$WORK/out"; then
        echo "$file: no $kind[$code] at $place, but"
        grep -E 'error|warning' "$WORK/out" | head -3 | cut -c1-200
        bad=1
    elif ! grep -q '^help:' "$WORK/out"; then
        echo "$file: no help"
        bad=1
    elif [ "$(grep -c 'error\[' "$WORK/out")" -gt 5 ]; then
        echo "$file: too many errors"
        bad=1
    fi
done
# All errors of a file in one go.
[ "$("$KAIROS" check tests/wrong/all_at_once.kai 2>&1 | grep -c 'error\[K020\]')" -eq 3 ] || { echo "all_at_once.kai: not three errors"; bad=1; }

# says STATUS CODE ARGUMENTS: what the command line gets wrong has a code too.
says()
{
    status=$1 code=$2
    shift 2
    "$KAIROS" "$@" >"$WORK/out" 2>&1
    got=$?
    if [ $got -ne "$status" ] || ! grep -q "$code" "$WORK/out"; then
        echo "kairos $*: exit $got, not $status, or no $code"
        bad=1
    fi
}
echo '// nothing' >"$WORK/empty.kai"
echo 'model M { param a = 1 }' >"$WORK/one.kai"
{
    echo 'model M0 { param a = 1 }'
    for i in $(seq 1 600); do echo "model M$i { a : M$((i - 1)) }"; done
} >"$WORK/nested.kai"
for command in run check explain; do says 1 'empty.kai:1:1: error.K082' $command "$WORK/empty.kai"; done
echo 'function half(a) = a/2' >"$WORK/functions.kai"
"$KAIROS" check "$WORK/functions.kai" || bad=1 # they are there to be imported
says 2 'K028' run "$WORK/one.kai" --set b=1 -o "$WORK/o.csv"
says 2 'K029' run "$WORK/one.kai" -e nothing -o "$WORK/o.csv"
says 1 'K054' check "$WORK/nested.kai"
says 4 'cannot be read' check "$WORK/no_such_file.kai"
says 1 'a jump is written `when event' check tests/wrong/action_call.kai
exit $bad
