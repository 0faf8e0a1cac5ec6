# A state that stays below its absolute tolerance is told at the end of a run; with a nominal size, or grown, or always 0, it is not.
set -u
cat >"$WORK/tiny.kai" <<'END'
model Tiny {
  state q = 1e-12, still = 0, decays = 1, grows = 1e-13
  q' = -q; still' = 0; decays' = -decays; grows' = 1
}
model Named { state q [C] = 1e-12[C] nominal 1e-12; q' = -q/1[s] }
experiment tiny of Tiny { stop = 50 }
experiment named of Named { stop = 5 }
END
fail() { echo "$1"; cat "$WORK/err"; exit 1; }
"$KAIROS" run "$WORK/tiny.kai" -e tiny -o "$WORK/o.csv" 2>"$WORK/err" || fail "it fails"
grep -q 'tiny.kai:2:9: warning: q stays below its absolute tolerance, |q| <= [1-9][0-9.]*e-12 < 1e-10' "$WORK/err" || fail "q is not told"
[ "$(grep -c 'stays below' "$WORK/err")" -eq 1 ] || fail "others are told too"
"$KAIROS" run "$WORK/tiny.kai" -e named -o "$WORK/o.csv" 2>"$WORK/err" || fail "it fails"
grep -q 'stays below' "$WORK/err" && fail "a nominal size does not help"
# 6 A at its most, and 0 where steps begin and end: the diode opens there
cat >"$WORK/coil.kai" <<'END'
import "electrical.kai"
model Coil {
  g : Ground;  u : VoltageSource(u = 10*sin(time));  d : Diode;  r : Resistor(R = 1);  l : Inductor(L = 1)
  connect u.a, d.a;  connect d.b, r.a;  connect r.b, l.a;  connect l.b, u.b, g.a
}
experiment e of Coil { stop = 6; rtol = 1e-10 }
END
"$KAIROS" run "$WORK/coil.kai" -o "$WORK/o.csv" 2>"$WORK/err" || fail "it fails"
grep -q 'stays below' "$WORK/err" && fail "a current is told that is small at the ends of steps only"
exit 0
