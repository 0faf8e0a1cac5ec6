# Impulses on the command line: what cannot be decided before a run stops it at the operator's line, with the time, and exits with 3;
# the columns x.impulse, x.impulse1 … of a result; `kairos check --print impulses`.
. tests/cli/helpers.bash
case $BUILD in *asan*) ;; *) ulimit -v 4000000 ;; esac  # the sanitizers map more than that
# stops MESSAGE PLACE TEXT: the model in TEXT is accepted by check, and its run stops with MESSAGE at PLACE (line:column).
stops()
{
    printf '%s\n' "$3" >"$WORK/m.kai"
    exits 0 check "$WORK/m.kai"
    exits 3 run "$WORK/m.kai" -o "$WORK/o.csv"
    grep -qF -- "m.kai:$2: error$1" "$err" || fail "no 'error$1' at $2"
    grep -q '^help:' "$err" || fail "no help: $1"
    grep -q '^stopped at' "$WORK/o.csv.status" || fail "the file looks whole: $1"
}
stops '[K110]: a product of two impulses, `a` ('"$WORK/m.kai"':3:10) and `b` ('"$WORK/m.kai"':4:10), at t = 1' 5:14 'model M {
  event k = up(time - 1), l = clock(1, 1)
  signal a = delta(k, 1)
  signal b = 3 + delta(l, 1)
  signal c = a*b
}
experiment e of M { stop = 2 }'
stops '[K110]: a product of two impulses, `d` ('"$WORK/m.kai"':3:10) and `twice` ('"$WORK/m.kai"':3:27), at t = 0.5' 4:14 'model M {
  event k = clock(1, 0.5), l = up(time - 0.5)
  signal d = delta(k, 1), twice = 2*delta(l, 1)
  signal y = d*twice
}
experiment e of M { stop = 2 }'
stops '[K119]: an impulse times a signal that jumps at the same tag, `s` ('"$WORK/m.kai"':3:10) and `delta(k, 1)` ('"$WORK/m.kai"':4:16), at t = 1' 4:14 'model M {
  event k = up(time - 1)
  signal s = if time >= 1 then 2 else 1
  signal c = s*delta(k, 1)
}
experiment e of M { stop = 2 }'
stops '[K119]: an impulse times a signal that jumps at the same tag' 5:8 'model M {
  event k = up(time - 1)
  state v = 1, w = 0
  v'"'"' = delta(k, 2*time)
  w'"'"' = v*delta(k, 1)
}
experiment e of M { stop = 2 }' # v contains the jump already (rule R2): pre(v) is meant
stops '[K119]: an impulse times a signal that jumps at the same tag' 4:14 'model M {
  event k = up(time - 1)
  signal s = if time >= 1 then 2 else 1
  signal c = delta(k, 1)/s
}
experiment e of M { stop = 2 }'
stops '[K119]: an impulse times a signal that jumps at the same tag' 4:14 'model M {
  event k = up(time - 1)
  signal u = abs(time - 1)
  signal c = u*der(delta(k, 1))
}
experiment e of M { stop = 2 }' # the derivative of u jumps, and the product needs it
stops '[K119]: an impulse times a signal that jumps at the same tag' 6:14 'model M {
  event k = up(time - 1)
  state y = 0, v = 1
  v'"'"' = delta(k, 2)
  y'"'"' = v
  signal c = y*der(delta(k, 1))
}
experiment e of M { stop = 2 }'
stops '[K118]: a decision that switches exactly at an impulse, `delta(k, 1)` ('"$WORK/m.kai"':3:32) or `1`, at t = 1' 3:14 'model M {
  event k = up(time - 1)
  signal s = if time >= 1 then delta(k, 1) else 1
}
experiment e of M { stop = 2 }' # paper 003, eq. 22
stops '[K118]: a decision that switches exactly at an impulse' 3:14 'model M {
  event k = up(time - 1)
  signal s = if time >= 1 then 7 else delta(k, 1)
}
experiment e of M { stop = 2 }' # the impulse is on the side that is left
stops ': nonconstructive: the value of v after its jump, the jump of v are unknown at t = 1; known: k = 1; the loop: the value of v after its jump ('"$WORK/m.kai"':3:9) needs the jump of v ('"$WORK/m.kai"':4:3) needs the value of v after its jump' 3:9 'model M {
  event k = up(time - 1)
  state v = 1
  v'"'"' = delta(k, -2*v)
}
experiment e of M { stop = 2 }' # the jump of v needs v after the jump
printf '%s\n' 'model M {' '  event k = up(time - 1)' '  state x = 0' '  signal d = delta(k, 1) + pre(d, 0)' "  x' = d" '}' \
    'experiment e of M { stop = 2 }' >"$WORK/m.kai"
exits 3 run "$WORK/m.kai" -o "$WORK/o.csv"
says 'chattering Zeno at t = 1' # pre hands the impulse on for ever
sed -e '/state x/d' -e "/x' = d/d" "$WORK/m.kai" >"$WORK/no_state.kai"
exits 3 run "$WORK/no_state.kai" -e e -o "$WORK/o.csv"
says 'chattering Zeno at t = 1'

# What is refused before a run names both operands.
# names MODEL PLACE: `check` of tests/wrong/MODEL has a note at PLACE.
names()
{
    exits 1 check "tests/wrong/$1.kai"
    grep -qF "tests/wrong/$1.kai:$2: note:" "$err" || fail "$1: no note at $2"
}
names impulse_product 4:14
names impulse_product 4:26
names impulse_square 4:10
names impulse_inverse 4:16

names impulse_inverse_state 6:19
names impulse_nonlinear 4:18
names impulse_power 4:14
names impulse_guard 6:8
names impulse_guard 4:10
names impulse_condition 4:17
names impulse_crossing 5:16
names impulse_sample 4:20
names impulse_weight 5:23
names impulse_decision 4:17
names impulse_decision 4:24
names impulse_jump 6:8
names impulse_jump 7:10
names impulse_pre_loop 5:14

# Columns: behind the regular part one per order, empty where there is no impulse; `record` brings them along.
cat >"$WORK/m.kai" <<'END'
model M {
  event k = up(time - 1.5)
  signal y = (2 + time)*der(delta(k, 4)), z = 1
  state x = 0
  x' = y
}
experiment e of M { stop = 2 }
experiment chosen of M { stop = 2; record y }
END
exits 0 run "$WORK/m.kai" -e e
[ "$(head -1 "$out")" = "t,p,m,k,y,y.impulse,y.impulse1,z,x,x.impulse" ] || fail "header: $(head -1 "$out")"
[ "$(grep '^1.5,-1,0,' "$out")" = "1.5,-1,0,,0,,,1,0," ] || fail "left limit: $(grep '^1.5,-1,0,' "$out")"
[ "$(grep '^1.5,0,0,' "$out")" = "1.5,0,0,1,0,-4,14,1,-4,14" ] || fail "impulse: $(grep '^1.5,0,0,' "$out")"
[ "$(grep '^1.5,1,0,' "$out")" = "1.5,1,0,,0,,,1,-4," ] || fail "right limit: $(grep '^1.5,1,0,' "$out")"
[ "$(awk -F, '{ print NF }' "$out" | sort -u)" = 10 ] || fail "rows have different numbers of fields"
exits 0 run "$WORK/m.kai" -e chosen
[ "$(head -1 "$out")" = "t,p,m,y,y.impulse,y.impulse1" ] || fail "header: $(head -1 "$out")"
exits 0 run "$ball"
head -1 "$out" | grep -q impulse && fail "impulse columns in a model without impulses"

# Orders: what can carry an impulse, what can jump, which states integrate impulses.
exits 0 check --print impulses "$WORK/m.kai"
grep -qE '^y +δ′ ' "$out" || fail "y: $(grep '^y' "$out")"
grep -qE '^z +no impulse +continuous$' "$out" || fail "z: $(grep '^z' "$out")"
grep -qE '^x +δ +can jump, integrates impulses$' "$out" || fail "x: $(grep '^x' "$out")"
exits 0 check --print impulses examples/impulse-product/model.kai -e printed
grep -qE '^U +no impulse +continuous$' "$out" || fail "U: $(grep '^U' "$out")"
exits 0 check --print impulses "$ball"
grep -q 'δ' "$out" && fail "the ball has no impulses"
exit 0
# A signal that is made of several efforts and flows has a column too: a valve that shuts in front of water that flows takes the momentum of the
# pipe, I q = 4; of two coils of 2 H with M = 1 H the one with 3 A is cut off, the other feeds a resistor: its flux stays, i2 = 1.5, and
# the first is struck by 2 (-3) + 1.5 = -4.5 V s.
cat >"$WORK/m.kai" <<'X'
import "hydraulic.kai"
model Slam {
  supply : Reservoir(p = 5); pipe : Pipe(R = 5, I = 4, q0 = 1); v : Valve(R = 0); sink : Reservoir
  v.open = time < 1
  connect supply.a, pipe.a
  connect pipe.b, v.a
  connect v.b, sink.a
  signal thrice = 3*v.p - v.r.e
}
experiment e of Slam { stop = 2 }
X
exits 0 run "$WORK/m.kai" -o "$WORK/o.csv"
got=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) name[$i] = i } $1 == 1 && $2 == 0 { printf "%s %s", $name["v.p.impulse [Pa*s]"], $name["thrice.impulse"] }' "$WORK/o.csv")
[ "$got" = "4 12" ] || fail "impulses of sums: $got instead of 4 12"
cat >"$WORK/m.kai" <<'X'
import "electrical.kai"
model Cut {
  g : Ground; t : CoupledInductors(L1 = 2, L2 = 2, k = 0.5, i10 = 3); s : Switch(closed = false); r : Resistor(R = 1)
  connect t.a1, s.a
  connect s.b, t.b1, g.a, t.b2
  connect t.a2, r.a
  connect r.b, g.a
}
experiment e of Cut { stop = 1 }
X
exits 0 run "$WORK/m.kai" -o "$WORK/o.csv"
got=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) name[$i] = i } $1 == 0 && $2 == 0 { printf "%s,%s,%s", $name["t.v1.impulse [V*s]"], $name["t.v2.impulse [V*s]"], $name["t.i2 [A]"] }' "$WORK/o.csv")
[ "$got" = "-4.5,,1.5" ] || fail "impulses of coils: $got instead of -4.5,,1.5"
