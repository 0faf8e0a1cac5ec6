# An FMU of FMI 3.0 written by hand (tests/fmi/arrays.c): arrays of states, parameters, inputs and outputs, with lengths that are numbers or structural
# parameters; clocks as the standard has them, seen in event mode before the update and once; discrete outputs at the tag of what they hang on; slopes
# of array elements. Values are closed forms.
. tests/cli/fmi.bash
by_hand arrays x86_64-linux
exits 0 check "$WORK/arrays.fmu"
cat >"$WORK/rig.kai" <<'K'
fmu Arrays = "arrays.fmu"
model Rig {
  a : Arrays(w_2 = 7)
  a.u_1 = time
  event poke = clock(0.5, 0.5)
  a.poke = poke
  discrete on_ = 0, ticks = 0, last = 0, same = 0
  a.b = on_
  when a.tick { ticks := ticks + 1; last := a.number }
  when poke { on_ := 1 - on_ }
  event flipped = a.not_b < 0.5
  when flipped if on_ > 0.5 { same := same + 1 }     // at the tag at which b is on
}
experiment e of Rig {
  stop = 3.4; solver = rosenbrock; rtol = 1e-8
  expect final(a.x_1) ~ 4 within 1e-7; expect final(a.x_2) ~ 7 within 1e-7
  expect final(a.y_1) ~ 4 + 3.4 within 1e-7; expect final(a.y_2) ~ 7.25 within 1e-7
  expect count(a.tick) == 3; expect time_of(a.tick, 2) ~ 2 within 1e-12
  expect final(ticks) == 3; expect final(last) == 3 "the number of the tick is there with it"; expect final(a.number) == 3
  expect final(a.pokes) == 6; expect final(same) == 3
}
K
exits 0 test --allow-external "$WORK/rig.kai"
exits 0 test --allow-external --isolate "$WORK/rig.kai"
exits 0 run "$WORK/arrays.fmu" --set w_3=2 -o "$WORK/alone.csv"
tail -1 "$WORK/alone.csv" | grep -q '^3.5,' || fail "$(tail -1 "$WORK/alone.csv")"
