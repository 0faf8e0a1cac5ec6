# docs/architecture.md and its picture are what the sources say, and a change of the sources is noticed.
. tests/cli/helpers.bash
tools/house --check || exit 1
if command -v xmllint >/dev/null; then xmllint --noout docs/house.svg || fail "house.svg is not well-formed"; fi
for room in src/*/; do
    grep -q "^| [0-9]* | \[\`$(basename "$room")\`\]" docs/architecture.md || fail "docs/architecture.md does not have $room: add it to src/layers and run tools/house"
done
mkdir "$WORK/top"
cp -r tools cmake docs src cli include "$WORK/top"
echo '#include "elab/flat.h"' >>"$WORK/top/src/result/csv.c"
"$WORK/top/tools/house" --check >/dev/null && fail "an #include between rooms goes unnoticed"
"$WORK/top/tools/house"
"$WORK/top/tools/house" --check || fail "tools/house does not bring it up to date"
grep -q '^| [0-9]* | .`result`.*elab' "$WORK/top/docs/architecture.md" || fail "the new #include is not in the table"
