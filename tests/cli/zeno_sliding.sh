# A solution on a surface which both vector fields push it onto (rule C4): both fields, the surface, the time.
. tests/cli/helpers.bash
cat >"$WORK/m.kai" <<'END'
model Slide {
  state x = 1.5, y = 1
  x' = if x > y then -2 else 2
  y' = if y > x then -3 else 1.5
}
model Switch {
  state x = 1
  discrete d = -1
  x' = d
  when down(x) { d := 1 }
  when up(x) { d := -2 }
}
model Sign { state x = 1; x' = 0.5 - 3*sign(x) }
model Start { state x = 0; x' = if x > 0 then -1 else 2 }
model Push {
  state x1 = 0, v1 = 0, x2 = 0, v2 = 0
  x1' = v1; v1' = 1; x2' = v2; v2' = 0
  when up(x1 - x2) { v1 := v2; v2 := v1 }
}
experiment slide of Slide { stop = 1; islands = one }
experiment switch of Switch { stop = 2 }
experiment sign of Sign { stop = 1 }
experiment start of Start { stop = 1 }
experiment push of Push { stop = 1; solver = rk45; islands = one }
END
slides() { exits 3 run "$WORK/m.kai" -e "$1" -o "$WORK/o.csv"; says "sliding at t = $2"; [ "$(wc -l <"$WORK/o.csv")" -lt "${3:-20}" ] || fail "$1: too late"; }
slides slide 0.14285714285714
says 'm.kai:3:11'; says 'the surface of x > y'
says "x' = -2, y' = 1.5 where it holds"; says "x' = 2, y' = -3 where it does not hold"; says "x' = -0.352941, y' = -0.352941"
slides switch 1
says "x' = 1 below its level"; says "x' = -2 above its level"
slides sign 0.4
says "x' = -2.5"; says "x' = 3.5"
slides start 0 40    # a Taylor step each way until it is told
says "x' = -1 where it holds"; says "x' = 2 where it does not hold"
exits 3 run "$WORK/m.kai" -e push -o "$WORK/o.csv"    # touching bodies that are pushed (rule C5)
says 'rests on the level of up(x1 - x2) and is pushed against it'; says 'a mode for the contact'
exit 0
