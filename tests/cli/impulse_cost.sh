# What carries no impulse pays nothing for those that do: an impulse on one mass of a chain of 120 (240 states) changes the
# instructions of a step by less than 1 %, whether its event never comes or has come. Counted, not timed, where valgrind is; the
# step is fixed, so that all runs take the same steps; the difference of two lengths leaves the work before the first step out.
set -u
case $BUILD in *asan*) exit 0 ;; esac
command -v valgrind >/dev/null || exit 0
# chain FORCE: the model with FORCE on mass 60
chain()
{
    cat >"$WORK/m.kai" <<EOF
model Chain {
  param N = 120, k = 1, c = 0.02
  state x[i in 1..N] = 0, v[i in 1..N] = 0
  event never = up(time - 1000), once = up(time - 0.005)
  for i in 1..N { x[i]' = v[i] }
  v[1]' = k*(x[2] - 2*x[1]) + c*(v[2] - 2*v[1]) + 1
  for i in 2..N-1 {
    if i != 60 { v[i]' = k*(x[i-1] - 2*x[i] + x[i+1]) + c*(v[i-1] - 2*v[i] + v[i+1]) }
  }
  v[60]' = k*(x[59] - 2*x[60] + x[61]) + c*(v[59] - 2*v[60] + v[61]) + $1
  v[N]' = k*(x[N-1] - 2*x[N]) + c*(v[N-1] - 2*v[N])
}
experiment e of Chain { solver = euler; step = 0.01; record x[1] every 1e6 }
EOF
}
counted()
{
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$KAIROS" run "$WORK/m.kai" --stop "$1" --quiet -o "$WORK/o.csv" 2>&1 |
        awk '/Collected/ { print $4 }'
}
# instructions FORCE: per 100 steps
instructions()
{
    chain "$1"
    short=$(counted 0.5) long=$(counted 1.5)
    [ -n "$short" ] && [ -n "$long" ] && echo $((long - short))
    return 0
}
plain=$(instructions 0)
# Programs that valgrind cannot read (clang's debug information, sanitizers) are counted in the other build.
[ -n "$plain" ] || { echo "valgrind counts nothing"; exit 0; }
echo "100 steps of 240 states: $plain instructions without impulses"
[ "$plain" -gt 240000 ] || { echo "too few to be true"; exit 1; }
for force in 'delta(never, 1)' 'delta(once, 1)'; do
    with=$(instructions "$force")
    echo "$force: $with"
    [ $((1000 * (with > plain ? with - plain : plain - with))) -lt $((10 * plain)) ] || { echo "more than 1 %"; exit 1; }
done
