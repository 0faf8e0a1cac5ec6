# Event times that accumulate (rule C4). Ball h = 1, g = 9.81: t = sqrt(2h/g) (1 + e)/(1 - e), to 1e-9.
. tests/cli/helpers.bash
cat >"$WORK/m.kai" <<'END'
model Ball { param e = 0.9
  state y = 1, v = 0
  y' = v
  v' = -9.81
  event hit = down(y)
  when hit { v := -e*v }
}
model Three { a : Ball(e = 0.01); b : Ball(y = 3); c : Ball(y = 100) }
model Relation { param e = 0.9
  state y = 1, v = 0
  y' = v
  v' = -9.81
  when y <= 0 and v < 0 { v := -e*v }
}
model Tanks {
  state a = 1, b = 1
  discrete to_a = 1
  a' = 0.75*to_a - 0.5
  b' = 0.75*(1 - to_a) - 0.5
  when down(a) { to_a := 1 }
  when down(b) { to_a := 0 }
}
model Timer { discrete next = 1, T = 0.5; when time >= next { next := next + T; T := T/2 } }
experiment ball of Ball { stop = 10 }
experiment ball8 of Ball(e = 0.8) { stop = 10 }
experiment ball1 of Ball(e = 0.1) { stop = 10 }
experiment ball01 of Ball(e = 0.01) { stop = 10 }
experiment three of Three { stop = 10 }
experiment relation of Relation { stop = 10 }
experiment tanks of Tanks { stop = 10 }
experiment timer of Timer { stop = 10 }
END
# accumulates EXPERIMENT TIME RATIO
accumulates()
{
    exits 3 run "$WORK/m.kai" -e "$1" -o "$WORK/o.csv"
    says 'fires ever faster'
    local got ratio
    got=$(sed -n 's/.*accumulate at t = \([0-9.]*\),.*/\1/p' "$err")
    ratio=$(sed -n 's/.*each interval \([0-9.e-]*\) of.*/\1/p' "$err")
    awk -v a="$got" -v b="$2" 'BEGIN { d = (a - b)/b; exit !(a != "" && d < 1e-9 && d > -1e-9) }' || fail "$1: t = $got instead of $2"
    awk -v a="$ratio" -v b="$3" 'BEGIN { d = a - b; exit !(d < 1e-3*b && d > -1e-3*b) }' || fail "$1: ratio $ratio instead of $3"
}
accumulates ball 8.57894917872889 0.9
says 'm.kai:5:15'; says 'y is 0, v jumps towards 0'; says "y' = 0 at y = 0 and v' = 0 at v = 0"
accumulates ball8 4.06371276887158 0.8
accumulates ball1 0.551862227871449 0.1
accumulates ball01 0.460645330702614 0.01
accumulates three 0.460645330702614 0.01  # one of three islands: the others have nothing to do with it
says 'where a.y is 0, a.v jumps towards 0'
accumulates relation 8.57894917872889 0.9
accumulates tanks 8 0.25
says 'with it down('; says 'stays on its level'
accumulates timer 2 0.5
exit 0
