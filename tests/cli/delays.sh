# A delay that becomes 0 or less ends the run with its place, its value and what to do.
. tests/cli/helpers.bash
cat >"$WORK/m.kai" <<'KAI'
model Vanishing {
  state x = 1
  x' = -delay(x, 1 - time/2)
}
model Negative {
  discrete T = 1
  when clock(10, 2) { T := -1 }
  signal d = delay(time, T)
}
model Unread {
  state x = 1
  x' = -x
  signal d = delay(x, cos(time))
}
model Start {
  param T = -2
  signal d = delay(time, T)
}
KAI
for solver in rk45 taylor rosenbrock; do
    exits 3 run "$WORK/m.kai" --model Vanishing --solver $solver -o "$WORK/x.csv"
    says "m.kai:3:9: error: a transport delay of"
    says "at t = 1.99999999"
    says "a continuous signal needs a delay above 0: keep it up with max(T, 0.001), say"
    exits 3 run "$WORK/m.kai" --model Negative --solver $solver -o "$WORK/x.csv"
    says "m.kai:8:14: error: a transport delay of -1 at t = 2"
    exits 3 run "$WORK/m.kai" --model Unread --solver $solver -o "$WORK/x.csv"
    says "m.kai:13:14: error: a transport delay of -"
done
exits 3 run "$WORK/m.kai" --model Start -o "$WORK/x.csv"
says "m.kai:17:14: error: a transport delay of -2 at t = 0"
