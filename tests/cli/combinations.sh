# Settings of the call that go together with islands, and those that are refused before the run with the reason. Every pair
# through the library: tests/unit/test_combinations.c.
. tests/cli/helpers.bash
cat >"$WORK/m.kai" <<'KAI'
model Ball { state y = 0.2, v = 0; y' = v; v' = -9.81; event hit = down(y); when hit { v := -0.5*v } }
model Lag { state y = 1; y' = -delay(y, 0.5) }
model Kick { event k = clock(10, 0.9); state v = 0; v' = -v + delta(k, 1) }
model M { a : Ball; b : Lag; c : Kick }
experiment e of M { stop = 3; islands = auto; zeno = continue }
KAI
exits 0 run "$WORK/m.kai" -o "$WORK/auto.csv"
exits 0 run "$WORK/m.kai" --islands none -o "$WORK/none.csv"
cmp -s "$WORK/auto.csv" "$WORK/none.csv" || fail "zeno = continue has all states in one island, whatever islands says"
exits 0 run "$WORK/m.kai" --choice all -o "$WORK/all.csv"
says "1 outcome, 0 failed"
exits 0 run "$WORK/m.kai" --solver taylor -o "$WORK/x.csv"
exits 2 run "$WORK/m.kai" --impulses numeric --step 0.001 -o "$WORK/x.csv"
says "a fixed step, which passes over motions shorter than itself: set impulses = symbolic, or zeno = stop"
exits 0 run "$WORK/m.kai" --impulses numeric --step 0.001 --zeno stop --stop 0.5 -o "$WORK/x.csv"
