# The mutants of tests/mutants still fit the sources, and there are at least sixty, in all rooms. KAIROS_MUTANTS=1: all of them run, and at least 55
# are noticed.
. tests/cli/helpers.bash

tools/mutants --check || fail "adapt the mutants that no longer fit"
[ "$(ls tests/mutants/*.mutant | wc -l)" -ge 60 ] || fail "fewer than sixty mutants"
for room in src/*/; do
    ls tests/mutants/*-"$(basename "$room")"-*.mutant >/dev/null 2>&1 || fail "no mutant in $room"
done

# One that does not fit is told.
mkdir -p "$WORK/copy/tests/mutants" "$WORK/copy/tools" "$WORK/copy/src"
cp tools/mutants "$WORK/copy/tools"
echo "int a;" >"$WORK/copy/src/a.c"
printf 'Nothing.\n\nfile src/a.c\n<<<<\nint b;\n====\nint c;\n>>>>\n' >"$WORK/copy/tests/mutants/01-base-nothing.mutant"
! "$WORK/copy/tools/mutants" --check >"$WORK/said" || fail "a mutant without a place fits"
grep -q "01-base-nothing: what it replaces stands 0 times in src/a.c" "$WORK/said" || fail "$(cat "$WORK/said")"

[ "${KAIROS_MUTANTS:-0}" = 0 ] && exit 0
tools/mutants | tee "$WORK/report"
[ "$(sed -n 's/^\([0-9]*\) noticed.*/\1/p' "$WORK/report")" -ge 55 ] || fail "too few are noticed"
