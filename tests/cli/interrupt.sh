# Ctrl-C: a file of whole rows, a last line that says where it stopped, exit code 3, no .part file.
. tests/cli/helpers.bash
cat >"$WORK/long.kai" <<'END'
model Long { state x = 1, v = 0; x' = v; v' = -x }
experiment e of Long { stop = 1e12 }
END
# The signal comes when rows are being written, however slow the machine is.
"$KAIROS" run "$WORK/long.kai" -o "$WORK/long.csv" >"$out" 2>"$err" &
id=$!
for _ in $(seq 600); do
    [ -s "$WORK/long.csv.part" ] && break
    sleep 0.1
done
[ ! -e "$WORK/long.csv" ] || fail "the file has its name before it is whole"
kill -INT $id
code=0
wait $id || code=$?
[ $code -eq 3 ] || fail "exit code $code"
says "interrupted at t = "
[ -s "$WORK/long.csv" ] || fail "no file"
[ ! -e "$WORK/long.csv.part" ] || fail "the .part file stayed"
last=$(tail -1 "$WORK/long.csv")
case $last in
"# stopped at t = "*"before the end: interrupted") ;;
*) fail "last line: $last" ;;
esac
[ "$(tail -c 1 "$WORK/long.csv" | od -An -tx1 | tr -d ' ')" = 0a ] || fail "the last line has no end"
sed '$d' "$WORK/long.csv" | awk -F, 'NF != 5 { bad = 1 } END { exit bad || NR < 100 }' || fail "a row is not whole"
