# kairos check of FMUs: those that Kairos writes keep the rules; broken and hostile ones (cut, damaged, bombs, names that lead
# out, missing functions, references to nothing, cycles) end in a sentence that says what is wrong, and write nothing.
. tests/cli/fmi.bash
for model in examples/ball examples/cradle examples/sigma-delta examples/impulsive-ball; do
    for version in 2 3; do
        exits 0 export $model/model.kai --fmi $version -o "$WORK/good$version.fmu"
        exits 0 check "$WORK/good$version.fmu"
        [ ! -s "$err" ] || fail "$model, $version"
    done
done
for version in 2 3; do
    exits 0 export $ball --fmi $version -o "$WORK/good$version.fmu"
done
mkdir "$WORK/broken"
made=$(python3 tests/fmi/break.py "$WORK/good2.fmu" "$WORK/good3.fmu" "$WORK/broken") || fail "break.py"
[ "$made" -ge 50 ] || fail "only $made broken FMUs"
before=$(ls -R "$WORK" | wc -l)
code=0
timeout -s KILL 60 "$KAIROS" check "$WORK"/broken/*.fmu >"$out" 2>"$WORK/all" || code=$?
[ $code -eq 1 ] || fail "exit code $code"
for broken in "$WORK"/broken/*.fmu; do
    grep -F -- "$broken" "$WORK/all" | grep -qF -- "$(cat "${broken%.fmu}.says")" || fail "$(basename "$broken") does not say: $(cat "${broken%.fmu}.says")"
    code=0
    timeout -s KILL 20 "$KAIROS" run "$broken" >"$out" 2>"$err" || code=$?
    [ $code -eq 1 ] && [ ! -s "$out" ] && [ "$(wc -l <"$err")" -eq 1 ] || fail "run $(basename "$broken"): exit code $code, $(cat "$err")"
done
[ "$(ls -R "$WORK" | wc -l)" -le $((before + 2)) ] || fail "files were written"
exits 4 check "$WORK/none.fmu"
says "cannot be read"
