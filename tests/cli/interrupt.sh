# Ctrl-C: a file of whole rows, a status that says where it stopped, exit code 3, no .part file.
. tests/cli/helpers.bash
cat >"$WORK/long.kai" <<'END'
model Long { state x = 1, v = 0; x' = v; v' = -x }
experiment e of Long { stop = 1e12 }
END
interrupt "$WORK/long.csv" run "$WORK/long.kai" -o "$WORK/long.csv"
says "interrupted at t = "
[ -s "$WORK/long.csv" ] || fail "no file"
[ ! -e "$WORK/long.csv.part" ] || fail "the .part file stayed"
last=$(cat "$WORK/long.csv.status")
case $last in
"stopped at t = "*"before the end: interrupted") ;;
*) fail "last line: $last" ;;
esac
[ "$(tail -c 1 "$WORK/long.csv" | od -An -tx1 | tr -d ' ')" = 0a ] || fail "the last line has no end"
awk -F, 'NF != 5 { bad = 1 } END { exit bad || NR < 100 }' "$WORK/long.csv" || fail "a row is not whole"

# An instant that does not end is no trap.
cat >"$WORK/endless.kai" <<'END'
model Endless { signal x = pre(x, 0) + 1 }
experiment e of Endless { stop = 1; max_microsteps = 4000000000 }
END
interrupt "$WORK/endless.csv" run "$WORK/endless.kai" -o "$WORK/endless.csv"
says "interrupted at t = 0"
grep -q "^stopped at t = 0 before the end: interrupted" "$WORK/endless.csv.status" || fail "status: $(cat "$WORK/endless.csv.status")"

# Twice: at once, even if the run cannot go on because nobody reads what it writes.
mkfifo "$WORK/pipe"
sleep 100 <"$WORK/pipe" &
reader=$!
"$KAIROS" run "$WORK/long.kai" >"$WORK/pipe" 2>"$err" &
id=$!
asleep=0
for _ in $(seq 600); do
    [ "$(sed 's/.*) //; s/ .*//' /proc/$id/stat)" = S ] && asleep=$((asleep + 1)) || asleep=0
    [ $asleep -eq 5 ] && break
    sleep 0.1
done
[ $asleep -eq 5 ] || fail "it does not wait for the reader"
kill -INT $id
sleep 0.2
kill -0 $id || fail "one signal ends it although rows are left"
kill -INT $id
code=0
wait $id || code=$?
kill $reader
[ $code -eq 130 ] || fail "two signals: exit code $code"
