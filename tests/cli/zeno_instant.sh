# Reactions at one t that shrink without end (rule R5). Three equal touching balls, one arrives with v = 1: below
# e = 7 - 4 sqrt(3) the collisions never end. Two of them multiply the relative velocities by the larger root of
# s^2 - ((1+e)^2/4 - 2e) s + e^2, which is 0.16 for e = 0.05; all velocities go to 1/3. Above, the sequences end.
. tests/cli/helpers.bash
cat >"$WORK/balls.kai" <<'END'
function after(v, vo, e) = (v + vo + e*(vo - v)) / 2
model Three {
  param e = 0.05
  state x[i in 1..3] = 0, v1 = 1, v2 = 0, v3 = 0
  x[1]' = v1; x[2]' = v2; x[3]' = v3
  v1' = 0; v2' = 0; v3' = 0
  discrete n = 0
  choose {
    when x[1] >= x[2] and v1 > v2 { v1 := after(v1, v2, e); v2 := after(v2, v1, e); n := n + 1 }
    when x[2] >= x[3] and v2 > v3 { v2 := after(v2, v3, e); v3 := after(v3, v2, e); n := n + 1 }
  }
}
experiment e of Three { stop = 1 }
experiment goes_on of Three { stop = 1; zeno = continue
  expect final(v1) ~ 1/3 within 1e-12; expect final(v2) ~ 1/3 within 1e-12; expect final(v3) ~ 1/3 within 1e-12 }
experiment e072 of Three(e = 0.072) { stop = 1; expect final(n) > 20 }
experiment e075 of Three(e = 0.075) { stop = 1; expect final(n) ~ 16 within 0 }
experiment e080 of Three(e = 0.08) { stop = 1; expect final(n) ~ 10 within 0 }
experiment e100 of Three(e = 0.1) { stop = 1; expect final(n) ~ 6 within 0 }
experiment e170 of Three(e = 0.17) { stop = 1; expect final(n) ~ 4 within 0 }
experiment e500 of Three(e = 0.5) { stop = 1; expect final(n) ~ 3 within 0 }
experiment e1 of Three(e = 1) { stop = 1; expect final(n) ~ 2 within 0; expect final(v3) ~ 1 within 0 }
END
exits 3 run "$WORK/balls.kai" -e e -o "$WORK/o.csv"
says 'Zeno inside the instant t = 0'; says 'a round of 2 tags'; says 'each 0.16000000'
says 'v1 = 0.333333333, v2 = 0.333333333, v3 = 0.333333333'
says 'the pinnacles are endless'; says 'balls.kai:9:5'; says 'balls.kai:10:5'
awk -F, '/^0/ { n = $NF } END { exit !(n < 25) }' "$WORK/o.csv" || fail "not before the 25th impact"
for e in goes_on e072 e075 e080 e100 e170 e500 e1; do
    exits 0 run "$WORK/balls.kai" -e $e -o "$WORK/o.csv"
done
got=$("$KAIROS" test "$WORK/balls.kai") || fail "the sequences that end do not end as they should: $got"

# Two masses on the floor, perfectly inelastic, the upper one struck (paper 000, section 5.4): halved for ever. And loops
# that shrink but end at a bound, with and without guards that the solver watches.
cat >"$WORK/stack.kai" <<'END'
model Stack {
  state v1 = -1, v2 = 0
  v1' = 0; v2' = 0
  choose {
    when v1 < v2 { v1 := (v1 + v2)/2; v2 := (v1 + v2)/2 }
    when v2 < 0 { v2 := 0 }
  }
}
model Halve { state x = 1; discrete n = 0; x' = 0; choose { when x > 1e-9 { x := x/2; n := n + 1 } } }
model HalveDiscrete { discrete x = 1, n = 0; choose { when x > 1e-9 { x := x/2; n := n + 1 } } }
model HalveEvent {
  discrete x = 1, n = 0
  event go
  when time >= 0.5 { emit go }
  when go if x > 1e-9 { x := x/2; n := n + 1; emit go }
}
experiment stack of Stack { stop = 1 }
experiment goes_on of Stack { stop = 1; zeno = continue; expect final(v1) ~ 0 within 0; expect final(v2) ~ 0 within 0 }
experiment halve of Halve { stop = 1; expect final(n) ~ 30 within 0 }
experiment halve_discrete of HalveDiscrete { stop = 1; expect final(n) ~ 30 within 0 }
experiment halve_event of HalveEvent { stop = 1; expect final(n) ~ 30 within 0 }
END
exits 3 run "$WORK/stack.kai" -e stack -o "$WORK/o.csv"
says 'each 0.5 of the one before, towards v1 = 0'; says 'stack.kai:5:5'; says 'stack.kai:6:5'
got=$("$KAIROS" test "$WORK/stack.kai") || fail "$got"
exit 0
