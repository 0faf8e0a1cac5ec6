# A reader that has what it wanted is no error: `| head -1` ends an endless run, quietly and with exit code 0.
. tests/cli/helpers.bash
cat >"$WORK/long.kai" <<'END'
model Long { param a = 1; state x = 1, v = 0; x' = v; v' = -a*x }
experiment one of Long { stop = 1e12 }
experiment many of Long { stop = 1e12; sweep a in (1, 2, 3) }
END
for experiment in one many; do
    for _ in 1 2 3; do
        "$KAIROS" run "$WORK/long.kai" -e $experiment --quiet 2>"$err" | head -1 >"$out"
        codes=${PIPESTATUS[*]}
        [ "$codes" = "0 0" ] || fail "$experiment: exit codes $codes"
        [ ! -s "$err" ] || fail "$experiment: not quiet"
        grep -q 't,p,m,x,v$' "$out" || fail "$experiment: header $(cat "$out")"
    done
done
