# Ctrl-C in a sweep: whole rows in order of the runs, a status that says what is missing, exit code 3.
. tests/cli/helpers.bash
cat >"$WORK/long.kai" <<'END'
model Long { param a = 1; state x = 1, v = 0; x' = v; v' = -a*x }
experiment e of Long { stop = 1e12*(1); sweep a from 1 to 50 by 1 }
END
interrupt "$WORK/long.csv" run "$WORK/long.kai" -o "$WORK/long.csv"
says "interrupted"
case $(cat "$WORK/long.csv.status") in
"not whole: run 1 stopped at t = "*"are missing") ;;
*) fail "status: $(cat "$WORK/long.csv.status")" ;;
esac
awk -F, 'NF != 7 { bad = 1 } NR > 2 && $1 < run { bad = 1 } NR > 1 { run = $1 }
END { exit bad || NR < 100 }' "$WORK/long.csv" || fail "rows are not whole or not in order"
