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

# Delays that no step could follow, and signals of which no machine could keep the past, end in a sentence with what to do,
# also where no limit was given; who gives a limit of time has said how long it may take.
cat >"$WORK/n.kai" <<'KAI'
model Nothing {
  state x = 0
  x' = delay(x + time, 1e-17)
}
experiment late of Nothing { start = 1; stop = 2 }
model Fast {
  signal s = delay(sin(1e12*time), 1e-9)
}
experiment fast of Fast { stop = 1; record s every 1 }
model Kinks {
  state x = 0
  x' = -delay(x, 1, abs(sin(1e9*time)))
}
model Long {
  signal s = delay(sin(1e9*time), 1)
}
experiment long of Long { stop = 2; record s every 1 }
KAI
exits 3 run "$WORK/n.kai" -e late -o "$WORK/x.csv"
says "n.kai:3:8: error: a transport delay of 1e-17 is nothing beside t = 1"
exits 3 run "$WORK/n.kai" -e fast -o "$WORK/x.csv"
says "n.kai:7:14: error: a delayed signal is too fast to be followed at t = "
says "and 1 s of it are wanted"
says "delay something slower"
exits 3 run "$WORK/n.kai" -e fast --time 0.2 -o "$WORK/x.csv"
says "the run takes more than 0.2 s"
exits 3 run "$WORK/n.kai" --model Kinks --stop 2 -o "$WORK/x.csv"
says "n.kai:12:9: error: a delayed signal is too fast to be followed at t = -1.0008"
exits 3 run "$WORK/n.kai" -e long --time 60 -o "$WORK/x.csv"
says "n.kai:15:14: error: a delayed signal is too fast"
