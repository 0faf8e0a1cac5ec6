# Declared units: what is written as a plain number is in them, and everything that is shown is too.
. tests/cli/helpers.bash

cat >"$WORK/m.kai" <<'END'
model Trip "a walk of 3.6 km/h" {
  param L [mH] = 0.8, room [degC] = 20
  state x [km] = 1.5, T [degC] = room
  signal F [kN] = delta(up(time - 0.5), 2[kN*s])
  x' = 1[m/s]
  T' = 0.1[K/s]
}
experiment e of Trip { stop = 10; record x, T, F every 5; plot x; expect final(x) ~ 2[km] within 1[m] }
experiment swept of Trip { stop = 1; record x every 1; sweep L in (0.8, 2e-3[H]) }
END
exits 0 run "$WORK/m.kai" -o "$WORK/m.csv"
[ "$(head -1 "$WORK/m.csv")" = "t,p,m,x [km],T [degC],F [kN],F.impulse [kN*s]" ] || fail "header: $(head -1 "$WORK/m.csv")"
awk -F, 'NR == 2 && !($4 == 1.5 && $5 == 20) { bad = 1 } $7 != "" && NR > 1 { n++; if ($7 != 2) bad = 1 }
    END { exit bad || n != 1 || ($4 - 1.51)^2 > 1e-20 || ($5 - 21)^2 > 1e-18 }' "$WORK/m.csv" || fail "values: $(cat "$WORK/m.csv")"

# Given from outside: a number is in the unit, and a unit may be written.
for given in 2 2000[m] 2[km] 4/2; do
    exits 0 run "$WORK/m.kai" --set x="$given"
    [ "$(sed -n 2p "$out" | cut -d, -f4)" = 2 ] || fail "--set x=$given: $(sed -n 2p "$out")"
done
exits 0 run "$WORK/m.kai" --set T=-40[degF]
[ "$(sed -n 2p "$out" | cut -d, -f5)" = -40 ] || fail "-40 degF: $(sed -n 2p "$out")"
exits 2 run "$WORK/m.kai" --set x=3[s]

# A sweep: its column, and its name in messages and legends.
exits 0 run "$WORK/m.kai" -e swept
[ "$(head -1 "$out")" = "run,L [mH],t,p,m,x [km]" ] || fail "header: $(head -1 "$out")"
[ "$(tail -1 "$out" | cut -d, -f1,2)" = 2,2 ] || fail "the second run: $(tail -1 "$out")"

# Listings and expectations.
exits 0 run "$WORK/m.kai" --list
grep -q '^  L  *param  *0.8  *\[mH\]' "$out" || fail "--list: $(cat "$out")"
exits 0 check --print flat "$WORK/m.kai"
grep -q 'param L \[mH\] = 0.8$' "$out" || fail "--print flat: $(cat "$out")"
exits 3 test "$WORK/m.kai"
grep -q 'expected 2 km, got 1.51' "$out" || fail "expect: $(cat "$out")"

# Figures of the model and of the result, by the same names; results without units and with the older names of impulses.
exits 0 plot "$WORK/m.kai" -o "$WORK/a.svg"
grep -q '>x \[km\]<' "$WORK/a.svg" || fail "no axis in km"
exits 0 plot "$WORK/m.csv" --signals x -o "$WORK/b.svg"
grep -q '>x \[km\]<' "$WORK/b.svg" || fail "no axis in km from the result"
printf 't,p,m,F,F#0\n0,0,0,1,\n1,0,0,1,2\n1,1,0,1,\n2,0,0,1,\n' >"$WORK/old.csv"
printf 't,p,m,F,F.impulse\n0,0,0,1,\n1,0,0,1,2\n1,1,0,1,\n2,0,0,1,\n' >"$WORK/new.csv"
exits 0 plot "$WORK/old.csv" --signals F --title "" -o "$WORK/old.svg"
exits 0 plot "$WORK/new.csv" --signals F --title "" -o "$WORK/new.svg"
cmp -s "$WORK/old.svg" "$WORK/new.svg" || fail "x#0 and x.impulse are drawn differently"
