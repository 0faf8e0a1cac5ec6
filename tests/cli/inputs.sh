# --input: values hold from the first tag of their time on, together with what else is due; --pace: real time, and the same bytes.
. tests/cli/helpers.bash
cat >"$WORK/m.kai" <<'K'
model A {
  input u = 0
  input event ping
  event c = clock(0.5)
  state x = 0
  discrete n = 0, got = 0
  x' = u
  when c { n := u }
  when ping { got := ping }
}
experiment e of A { stop = 2; rows = steps }
K
# Before the start: start values, no events. A field that is empty, and a value again, change nothing. No newline at the end.
printf 't,u,ping\n-1,5,9\n0,1,\n0.5,2,7\n1,2,\n1.25,-1,\n1.5,-1,3\n1.5,,4\n5,100,100' >"$WORK/in.csv"
exits 0 run "$WORK/m.kai" -q --input "$WORK/in.csv" -o "$WORK/r.csv"
# By hand: x = t to 0.5, then 2 a second to 1.25, then -1; the clock at 0.5 sees the value of 0.5.
cat >"$WORK/expected" <<'C'
t,p,m,u,ping,c,x,n,got
0,-1,0,1,,,0,0,0
0,0,0,1,,1,0,0,0
0,0,1,1,,,0,1,0
0.5,-1,0,1,,,0.5,1,0
0.5,0,0,2,7,1,0.5,1,0
0.5,0,1,2,,,0.5,2,7
1,-1,0,2,,,1.5,2,7
1,0,0,2,,1,1.5,2,7
1.25,-1,0,2,,,2,2,7
1.25,0,0,-1,,,2,2,7
1.5,-1,0,-1,,,1.75,2,7
1.5,0,0,-1,3,1,1.75,2,7
1.5,0,1,-1,,,1.75,-1,3
1.5,0,2,-1,4,,1.75,-1,3
1.5,0,3,-1,,,1.75,-1,4
2,-1,0,-1,,,1.25,-1,4
2,0,0,-1,,1,1.25,-1,4
C
diff "$WORK/expected" "$WORK/r.csv" || fail "other rows"

# A result of any format is an input too; a column that the model does not take is not.
cat >"$WORK/source.kai" <<'K'
model S { signal u = 3*time; event tick = clock(1) }
experiment e of S { stop = 2; record u every 0.5 }
K
exits 0 run "$WORK/source.kai" -q -o "$WORK/in.npz"
exits 0 run "$WORK/m.kai" -q --input "$WORK/in.npz" -o "$WORK/held.csv"
# 3 t held over every half second: 0.5*(0 + 1.5 + 3 + 4.5)
[ "$(tail -1 "$WORK/held.csv" | cut -d, -f7)" = 4.5 ] || fail "$(tail -1 "$WORK/held.csv")"

# Checkpoints have what waits.
exits 0 run "$WORK/m.kai" -q --input "$WORK/in.csv" --checkpoint 0.7 -o "$WORK/c.csv"
diff "$WORK/c.csv" "$WORK/r.csv" || fail "a checkpoint changes the rows"

# In real time: two seconds in a fifth of one, not earlier.
begun=$(date +%s%N)
exits 0 run "$WORK/m.kai" -q --input "$WORK/in.csv" --pace 10 -o "$WORK/p.csv"
[ $((($(date +%s%N) - begun) / 1000000)) -ge 199 ] || fail "it did not wait"
cmp "$WORK/p.csv" "$WORK/r.csv" || fail "the pace changes the rows"
# Rows are there when their time has come: the first ones while the run goes on.
"$KAIROS" run "$WORK/m.kai" -q --pace 0.01 -o "$WORK/slow.csv" 2>"$err" &
process=$!
for _ in $(seq 100); do [ -s "$WORK/slow.csv.part" ] && break; sleep 0.05; done
kill -INT $process
wait $process
[ "$(sed -n 2p "$WORK/slow.csv")" = "0,-1,0,0,,,0,0,0" ] || fail "no rows: $(cat "$WORK/slow.csv")"

# Misuse.
printf 't,u,z\n1,1,1\n' >"$WORK/z.csv"
exits 2 run "$WORK/m.kai" --input "$WORK/z.csv" -o "$WORK/no.csv"
says "\`z\` is no input of model A"
printf 't,u,u\n1,1,5\n' >"$WORK/z.csv"
exits 2 run "$WORK/m.kai" --input "$WORK/z.csv" -o "$WORK/no.csv"
says "two columns for the input \`u\`"
printf 't,x\n1,1\n' >"$WORK/z.csv"
exits 2 run "$WORK/m.kai" --input "$WORK/z.csv" -o "$WORK/no.csv"
printf 't,u\n1,1\n0.5,2\n' >"$WORK/z.csv"
exits 2 run "$WORK/m.kai" --input "$WORK/z.csv" -o "$WORK/no.csv"
says "row 2: its time 0.5 comes behind 1"
exits 4 run "$WORK/m.kai" --input "$WORK/none.csv" -o "$WORK/no.csv"
exits 4 run "$WORK/m.kai" --input "$WORK/m.kai" -o "$WORK/no.csv"
[ ! -e "$WORK/no.csv" ] || fail "there is a result"
for pace in 0 -1 inf fast; do exits 2 run "$WORK/m.kai" --pace $pace; done

# Units of columns: those of the table count, of time too; what cannot be converted is said. A lag that starts at its input stays.
cat >"$WORK/units.kai" <<'END'
model Lag { param tau [s] = 1; input u [V] = 0; state v [V] = 2; v' = (u - v)/tau }
experiment e of Lag { stop = 5 }
END
printf 't [ms],u [mV]\n0,2000\n4000,2000\n' >"$WORK/milli.csv"
exits 0 run "$WORK/units.kai" --input "$WORK/milli.csv" -q -o "$WORK/milli_out.csv"
[ "$(tail -n 1 "$WORK/milli_out.csv")" = 5,0,0,2,2 ] || fail "mV were taken for V: $(tail -n 1 "$WORK/milli_out.csv")"
printf 't,u [K]\n0,2\n' >"$WORK/kelvin.csv"
exits 2 run "$WORK/units.kai" --input "$WORK/kelvin.csv" -q -o "$WORK/no.csv"
says 'the input `u` is in V, the column in K'
printf 't [m],u\n0,2\n' >"$WORK/metres.csv"
exits 4 run "$WORK/units.kai" --input "$WORK/metres.csv" -q -o "$WORK/no.csv"
says 'another unit of time'
# The same of what is fitted: v = 2 exp(-t/tau) with tau = 0.5, in ms and mV.
printf 'Time [ms],v [mV]\n0,2000\n500,735.7588823428847\n1000,270.6705664732254\n' >"$WORK/decay.csv"
exits 0 fit "$WORK/units.kai" --data "$WORK/decay.csv" --by tau
grep -Eq '^  tau +0\.(5 |50000|49999)' "$out" || fail "not 0.5: $(cat "$out")"
tr ',' ';' <"$WORK/decay.csv" >"$WORK/semicolons.csv"
exits 2 fit "$WORK/units.kai" --data "$WORK/semicolons.csv" --by tau
says 'write commas'
# Measured points over a curve stand where their units say; two results in two units are told apart.
exits 0 plot "$WORK/units.kai" --signals v --overlay "$WORK/decay.csv" -o "$WORK/over.svg"
sed 's/>[^<]*</></g' "$WORK/over.svg" >"$WORK/over_milli"
printf 't,v\n0,2\n0.5,0.7357588823428847\n1,0.2706705664732254\n' >"$WORK/decay_s.csv"
exits 0 plot "$WORK/units.kai" --signals v --overlay "$WORK/decay_s.csv" -o "$WORK/over.svg"
[ "$(grep -c ellipse "$WORK/over_milli")" -eq 4 ] || fail "the points are missing"
diff <(grep ellipse "$WORK/over_milli" | head -n 3) <(grep ellipse "$WORK/over.svg" | head -n 3) || fail "points in mV stand elsewhere"
printf 't,v [V]\n0,1\n' >"$WORK/v.csv"
printf 't,v [mV]\n0,1\n' >"$WORK/mv.csv"
exits 1 compare "$WORK/v.csv" "$WORK/mv.csv"
prints 'the first is in V, the second in mV'
