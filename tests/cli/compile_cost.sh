# To compile costs what the text holds: of n oscillators that all read each other there are n² terms, and four times as many for
# twice as many oscillators, whatever their Jacobian is made of. Instructions, with the start of the program taken off.
. tests/cli/helpers.bash
command -v valgrind >/dev/null || { echo "no valgrind: not measured"; exit 0; }
case $BUILD in *asan*) echo "instrumented build: not measured"; exit 0 ;; esac

cat >"$WORK/all.kai" <<'END'
model All "oscillators that pull each other (Kuramoto)" {
  param N = 10
  state a[i in 1..N] = i
  for i in 1..N { a[i]' = 1 + 0.01*i + sum(j in 1..N, sin(a[j] - a[i]))/N }
}
experiment e of All { stop = 0.001; record a[1] }
END
count()
{
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$KAIROS" run "$WORK/all.kai" --set "N=$1" -o /dev/null 2>"$WORK/err"
    awk '/Collected/ { print $4 }' "$WORK/err"
}
few=$(count 35)
[ -n "$few" ] || { echo "valgrind cannot run this build: not measured"; exit 0; }
many=$(count 70)
echo "instructions: $few for 35 oscillators, $many for 70"
[ "$many" -le $((5 * few)) ] || fail "compiling grows faster than what is compiled"
