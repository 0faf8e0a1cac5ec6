# Motion along surfaces: recognised in modal form too, shown by explain as intervals, and off is off. The relay with the
# drift t/4 slides from the time at which 1 - t + t^2/8 = 0, 4 - sqrt(8), until t = 4.
. tests/cli/helpers.bash
cat >"$WORK/m.kai" <<'END2'
model Leaves { state x = 1; x' = -sign(x) + time/4 }
model Modes {
  state x = 1, y = 0
  modes {
    initial mode a { x' = -1; y' = 1; on x < 0 -> b }
    mode b { x' = 2; y' = -1; on x > 0 -> a }
  }
}
model Crossings {
  state x = 1, y = 0
  modes {
    initial mode a { x' = -1; y' = 1; on down(x) -> b }
    mode b { x' = 2; y' = -1; on up(x) -> a }
  }
}
model Rounding "s^2 + c^2 - 1 is rounding of 0: what it switches is noise, but no sliding" {
  state s = 0, c = 1, w = 0
  s' = c; c' = -s
  w' = if s^2 + c^2 > 1 then 1 else -1
}
model Distant "back and forth, slowly; the stop is far away" {
  state x = 0, d = 0
  discrete up_ = 1
  x' = up_
  d' = if x > 0.5 then -1 else 1
  when up(x - 1) { up_ := -1 }
  when down(x) { up_ := 1 }
  when x > 1e9 { halt "never" }
  when time > 40 { halt "enough" }
}
model Not "two relays on one surface, with different means: not unique" {
  state x = 1, y = 0
  x' = (if x > 0 then -1 else 1)*(if x < 0 then 3 else 1)
  y' = 1
}
experiment leaves of Leaves { stop = 6; zeno = continue }
experiment slide of Leaves { stop = 6; zeno = slide }
experiment leaves_stop of Leaves { stop = 6 }
experiment modes_ of Modes { stop = 4 }
experiment crossings of Crossings { stop = 4 }
experiment rounding of Rounding { stop = 0.3 }
experiment distant of Distant { stop = 1e15 }
END2
exits 0 explain "$WORK/m.kai" -e leaves
prints 'along surfaces'
grep -Eq '^  from t = 1.171572[0-9]* to (4|3.99999999[0-9]*|4.0000000[0-9]*): x < 0 at ' "$out" || fail "the interval: $(cat "$out")"
exits 0 explain "$WORK/m.kai" -e slide --json
prints '"slides":[{"text":"x < 0"'
exits 3 run "$WORK/m.kai" -e leaves_stop -o "$WORK/o.csv"
says 'sliding at t = 1.17157287525'; says 'or set zeno = continue'
for e in modes_ crossings; do
    exits 3 run "$WORK/m.kai" -e $e -o "$WORK/o.csv"
    says 'sliding at t = 1:'; says "x' = -1, y' = 1"; says "x' = 2, y' = -1"; says "along the surface their mean is x' = 0, y' = 0.333333"
done
exits 0 run "$WORK/m.kai" -e rounding -o "$WORK/o.csv"
exits 0 run "$WORK/m.kai" -e distant -o "$WORK/o.csv"
exit 0
