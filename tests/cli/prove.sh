# kairos prove: answers for the models of paper 002, witnesses that replay, exit codes, figures, the warning of kairos check.
. tests/cli/helpers.bash
ball=examples/ball-cspec/model.kai relay=examples/relay/model.kai

# Fig. 8 as drawn: at x <= 0 with p > 0 no mode can stay; the cure is the paper's own.
exits 1 prove $ball -e fig10 -o "$WORK/witness.kai"
prints "refuted: Combined"
prints "from x = 0, ball.p = "
prints 'cure: add `ball.p <= 0` to the guard at '
prints "replay: mythical loop"
exits 3 run --allow-files "$WORK/witness.kai" -o "$WORK/witness.csv"
says "mythical loop at t = 0"

# Fig. 11: the same with the sign of the momentum.
exits 0 prove $ball -e fig11
prints "proved: "
prints "numbers are exact"

# Figs. 13, 14: V1 <= V2 is true in the whole closed mode; V1 < V2 never.
exits 1 prove $relay -e loops -o "$WORK/relay.kai"
prints 'write `<` for `<=`'
exits 3 run --allow-files "$WORK/relay.kai" -o "$WORK/relay.csv"
says "mythical loop at t = 0.001"
exits 0 prove $relay -e strict

# The cradle of paper 001: with the parameters of Table 1 no state loops, with those of Table 2 one does.
exits 0 prove examples/cradle/model.kai -e table1
exits 1 prove examples/cradle/model.kai -e table2
prints "replay: mythical loop"

for model in pressure-valves flyback-circuit diode-bridge clutch buck; do
    exits 0 prove examples/$model/model.kai
done

# A storage with a matrix under guards: its rows are those of its ports.
cat >"$WORK/coils.kai" <<'END'
model Coils "two coupled coils; a diode frees the first, a switch shorts the second" {
  source : Se(e = 1)
  coils : I(i = [[2, 1], [1, 2]])
  r : R(r = 1)
  a : J1 switched {
    initial mode blocking : OFF { on area(a.e) > 0 or area(a.e) == 0 and post(a.e) > 0 -> conducting }
    mode conducting : ON        { on area(a.f) < 0 or area(a.f) == 0 and post(a.f) < 0 -> blocking }
  }
  b : J1
  bond source -> a -> coils
  bond coils -> b -> r
}
experiment e of Coils { stop = 1 }
model Bad "a guard that undoes itself: mythical loop" {
  source : Se(e = 1)
  coils : I(i = [[2, 1], [1, 2]])
  r : R(r = 1)
  a : J1 switched {
    initial mode blocking : OFF { on post(a.e) >= 0 -> conducting }
    mode conducting : ON        { on post(a.f) <= 0 -> blocking }
  }
  b : J1
  bond source -> a -> coils
  bond coils -> b -> r
}
experiment f of Bad { stop = 1 }
END
exits 0 prove "$WORK/coils.kai" -e e
prints "proved: "
exits 1 prove "$WORK/coils.kai" -e f
prints "from coils.p[1] = 0, coils.p[2] = 0, a.mode = blocking"
prints "replay: mythical loop"

# A figure: one panel per set of modes and one for all; a grey one only where something is departed.
exits 1 prove $relay -e loops --plot C1.q,C2.q -o "$WORK/phase.svg"
grep -q "departed from every set" "$WORK/phase.svg" || fail "no conjunction in the figure"
grep -q "departed everywhere: never real" "$WORK/phase.svg" || fail "the closed relay is departed everywhere"
grep -q "relay open" "$WORK/phase.svg" || fail "the modes are not named"
exits 0 prove $relay -e strict --plot C1.q,C2.q -o "$WORK/phase.svg"
grep -q "every state has a mode to rest in" "$WORK/phase.svg" || fail "with < every state has a mode"
exits 4 prove $relay --plot C1.q,nothing -o "$WORK/none.svg"
says 'there is no state `nothing`'

# Wrong calls.
exits 2 prove $relay --plot C1.q,C2.q
says "--plot needs -o"
exits 2 prove $relay --timeout never
says "number of seconds"
exits 2 prove
exits 2 prove $relay -e nobody

# Unknown names the terms.
cat >"$WORK/vague.kai" <<'END'
model M { state x = 0; x' = 1
  modes { initial mode a { on sin(x) > 0.9 -> b }
          mode b { on cos(x) > 0.9 -> a } } }
END
exits 3 prove "$WORK/vague.kai" --timeout 10
prints "unknown: "
prints "sin(x)"

# The cheap form: both lines.
cat >"$WORK/overlap.kai" <<'END'
model M { state x = 1; x' = -1
  modes {
    initial mode above { on x <= 0 -> below }
    mode below { on x >= 0 -> above }
  } }
experiment e of M { stop = 0.5 }
END
exits 0 check "$WORK/overlap.kai"
says ":3:26: warning[K140]"
says ":4:18: note"
[ "$(grep -c K140 "$err")" -eq 1 ] || fail "K140 is said more than once"
sed 's/x <= 0/x < 0/' "$WORK/overlap.kai" >"$WORK/strict.kai"
exits 0 check "$WORK/strict.kai"
! grep -q K140 "$err" || fail "strict guards do not overlap"
