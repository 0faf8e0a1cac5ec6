# What the documents say is true: every ```kai block of README.md and docs/ passes `kairos check`, every `expect` in one holds, every
# ```kai-error block is rejected, and the rows and sentences shown in README.md are what the program prints.
set -eu
blocks=$WORK/blocks
mkdir -p "$blocks"
find README.md docs examples -name '*.md' | sort | while read -r file; do
    awk -v prefix="$blocks/$(echo "$file" | tr / _)" '
        /^ *```kai *$/ { out = sprintf("%s-%d.kai", prefix, NR); print "// from line " NR > out; next }
        /^ *```kai-error *$/ { out = sprintf("%s-%d.bad", prefix, NR); print "// from line " NR > out; next }
        /^ *```/ { if (out) close(out); out = ""; next }
        out { print > out }' "$file"
done
failed=0
for block in "$blocks"/*.kai; do
    if ! "$KAIROS" check --allow-external "$block" >"$WORK/said" 2>&1; then
        echo "rejected: $(basename "$block")"
        cat "$block" "$WORK/said"
        failed=1
    fi
done
for block in "$blocks"/*.bad; do
    [ -e "$block" ] || continue
    cp "$block" "$block.kai"
    code=0
    "$KAIROS" check --allow-external "$block.kai" >"$WORK/said" 2>&1 || code=$?
    # What only a run can find is rejected by the run.
    [ $code -ne 0 ] || "$KAIROS" run --allow-external "$block.kai" -o /dev/null >"$WORK/said" 2>&1 || code=$?
    if [ $code -ne 1 ] && [ $code -ne 3 ]; then
        echo "not rejected ($code): $(basename "$block")"
        cat "$block" "$WORK/said"
        failed=1
    fi
    rm "$block.kai"
done
"$KAIROS" test --allow-external "$blocks" >"$WORK/said" 2>&1 || {
    cat "$WORK/said"
    failed=1
}
first=$(ls -v "$blocks"/README.md-*.kai | head -n 1)
"$KAIROS" run "$first" >"$WORK/rows" 2>"$WORK/summary"
awk '/^ *```/ { inside = $0 ~ /```csv/; next } inside' README.md >"$WORK/shown"
while read -r row; do
    grep -Fxq -- "$row" "$WORK/rows" || { echo "README.md shows a row that is not printed: $row"; failed=1; }
done <"$WORK/shown"
[ -s "$WORK/shown" ] || failed=1
# The instant that README.md shows. (Blocks begin with a comment line, which the reader's file does not have.)
sed 1d "$first" >"$WORK/ball.kai"
(cd "$WORK" && "$KAIROS" plot ball.kai --instant 0.45) >"$WORK/instant"
awk '/^\$ kairos plot ball.kai --instant/ { inside = 1; next } /^```/ { inside = 0 } inside' README.md | diff - "$WORK/instant" || {
    echo "README.md shows another instant"
    failed=1
}
[ "$(ls "$blocks"/*.kai | wc -l)" -gt 15 ] || { echo "the documents have lost their models"; failed=1; }
exit $failed
