# fmt is idempotent on every model of the project, keeps its meaning and comments, and --check tells.
. tests/cli/helpers.bash
for model in examples/*/*.kai tests/models/*.kai; do
    [ -e "$model" ] || continue
    cp "$model" "$WORK/m.kai"
    exits 0 fmt "$WORK/m.kai"
    cp "$WORK/m.kai" "$WORK/once.kai"
    exits 0 fmt "$WORK/m.kai"
    cmp "$WORK/once.kai" "$WORK/m.kai" || fail "$model: fmt twice is not fmt once"
    exits 0 fmt --check "$WORK/m.kai"
    [ "$(grep -c '//' "$model")" -eq "$(grep -c '//' "$WORK/m.kai")" ] || fail "$model: a comment is lost"
done
printf 'model   M{state x=1 // first\n\n\n\nx'"'"'=-x}\n' >"$WORK/m.kai"
exits 1 fmt --check "$WORK/m.kai"
prints "$WORK/m.kai"
exits 0 run "$WORK/m.kai"
cp "$out" "$WORK/before"
exits 0 fmt "$WORK/m.kai"
grep -q '// first' "$WORK/m.kai" || fail "the comment is lost"
exits 0 fmt --check "$WORK/m.kai"
exits 0 run "$WORK/m.kai"
cmp "$out" "$WORK/before" || fail "fmt changed the model"
"$KAIROS" fmt - <"$WORK/m.kai" | cmp - "$WORK/m.kai" || fail "fmt - differs"
printf 'model M {' >"$WORK/m.kai"
exits 1 fmt "$WORK/m.kai"
[ "$(cat "$WORK/m.kai")" = "model M {" ] || fail "fmt touched a file with errors"
