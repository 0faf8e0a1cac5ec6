# An unknown that no equation changes with has no value: any would do. It is said, with the equation, and the guess is not taken
# for a solution. A double root is one, though nothing changes with the unknown there to first order.
. tests/cli/helpers.bash
cat >"$WORK/m.kai" <<'KAI'
model Nothing { unknown y = 5; equation 0*y == 0 }
experiment nothing of Nothing { stop = 1 }
model Itself { unknown y = 5; signal q = y; equation q == q }
experiment itself of Itself { stop = 1 }
model Half { unknown a = 1, b = 2; equation a == 1; equation 2*a == 2*a }
experiment half of Half { stop = 1 }
model Double { unknown y = 0; equation y*y == 0 }
experiment double of Double { stop = 1; expect final(y) == 0 }
KAI
for e in nothing itself; do
    exits 3 run "$WORK/m.kai" -e $e
    says 'the equations could not be solved at t = 0'; says 'last tried y = 5'
done
"$KAIROS" run "$WORK/m.kai" -e half >"$out" 2>"$WORK/err" && fail "b has no equation"
"$KAIROS" run "$WORK/m.kai" -e double >"$out" 2>"$WORK/err" || fail "a double root: $(cat "$WORK/err")"
