# What a figure shows: axes in readable units, Boolean and event axes, colours of modes and of ordered runs, curves that lie
# on each other, phase planes with equal scales and a direction, logarithmic axes, a chosen range, measured points.
. tests/cli/helpers.bash
texts() { sed -n 's/.*<text[^>]*>\([^<]*\)<.*/\1/p' "$1"; }
shows() { texts "$1" | grep -qxF -- "$2" || fail "$1 has no text \`$2\`: $(texts "$1" | tr '\n' '|')"; }

cat >"$WORK/m.kai" <<'END'
model Cell { state x [V] = 0; input u [V]
  modes { initial mode low { x' = (u - x)/1[ms]; on x > 0.8[V] -> high } mode high { x' = (0 - x)/2[ms]; on x < 0.2[V] -> low } }
  signal busy = x > 0.5[V]; event top = up(x - 0.8[V]) }
model Two { a : Cell(u = 1, x = 0); b : Cell(u = 2, x = 0.1); signal same [V] = a.x }
experiment e of Two { stop = 20[ms]; plot a.x, b.x; plot a.busy; plot a.top }
experiment twice of Two { stop = 20[ms]; plot a.x, same }
model Orbit { state x [m] = 1, y [m] = 0; x' = -y/1[s]; y' = x/1[s]
  modes { initial mode upper { on y < 0 -> lower } mode lower { on y >= 0 -> upper } } }
experiment o of Orbit { stop = 5; plot y against x }
model Decay { param tau [ms] = 1; state v [V] = 5; v' = -v/tau }
experiment s of Decay { stop = 5[ms]; sweep tau from 1 to 5 by 1; plot v }
experiment small of Decay(v = 0.005) { stop = 5[ms]; plot v }
model Many { state x[i in 1..30] = i; for i in 1..30 { x[i]' = 0 } }
experiment many of Many { stop = 1 }
END
exits 0 plot "$WORK/m.kai" -e e -o "$WORK/e.svg"
for text in 't [ms]' '[V]' true false a.busy a.top; do
    shows "$WORK/e.svg" "$text"
done
# The two machines have the same two colours: four fills would be four.
[ "$(grep -o 'fill="#[0-9a-f]*" fill-opacity="0.35"' "$WORK/e.svg" | sort -u | wc -l)" -le 2 ] || fail "instances of one model have other colours"

exits 0 plot "$WORK/m.kai" -e twice -o "$WORK/twice.svg"
grep -q 'stroke-dasharray="8,8"\|stroke-dasharray="8 8"' "$WORK/twice.svg" || fail "curves that coincide look like one"

exits 0 plot "$WORK/m.kai" -e small -o "$WORK/small.svg"
shows "$WORK/small.svg" 'v [mV]'
exits 0 plot "$WORK/m.kai" -e s -o "$WORK/s.svg"
shows "$WORK/s.svg" 'tau = 5 ms'
grep -q 'stroke="#440154"' "$WORK/s.svg" || fail "ordered runs have no ramp of colours"

# A circle is round: both axes have the same length per metre. Its two halves have the colours of their modes.
exits 0 plot "$WORK/m.kai" -e o -o "$WORK/o.svg"
shows "$WORK/o.svg" upper
shows "$WORK/o.svg" lower
exits 0 plot "$WORK/m.kai" -e small --log y -o "$WORK/log.svg"
texts "$WORK/log.svg" | grep -q '^10⁻' || fail "no powers of ten"
exits 0 plot "$WORK/m.kai" -e s --y=-10:40 -o "$WORK/y.svg"
shows "$WORK/y.svg" 40
exits 2 plot "$WORK/m.kai" -e s --y=5:2 -o "$WORK/y.svg"
exits 2 plot "$WORK/m.kai" -e s --log z -o "$WORK/y.svg"

# Measured points, by name or as the only signal; what cannot be matched is said.
printf 'time [s];v [V]\n0;5\n0.001;1.8\n0.002;0.7\n' >"$WORK/measured.csv"
exits 0 plot "$WORK/m.kai" -e s --set tau=1 --overlay "$WORK/measured.csv" -o "$WORK/over.svg"
shows "$WORK/over.svg" measured.csv
[ "$(grep -c '<ellipse' "$WORK/over.svg")" -ge 3 ] || fail "the points are missing"
printf '0,5\n0.001,1.8\n' >"$WORK/bare.csv"
exits 0 plot "$WORK/m.kai" -e s --set tau=1 --overlay "$WORK/bare.csv" -o "$WORK/over.svg"
printf 't,w\n0,5\n' >"$WORK/other.csv"
exits 2 plot "$WORK/m.kai" -e twice --overlay "$WORK/other.csv" -o "$WORK/over.svg"

# Expressions are signals of the model; a mistake in one points into it.
exits 0 plot "$WORK/m.kai" -e o --signals "hypot(x, y), x" -o "$WORK/x.svg"
shows "$WORK/x.svg" 'hypot(x, y)'
exits 2 plot "$WORK/m.kai" -e o --signals "x +" -o "$WORK/x.svg"
says '--signals:1:3'
exits 0 run "$WORK/m.kai" -e o -q -o "$WORK/o.csv"
exits 2 plot "$WORK/o.csv" --signals "x^2" -o "$WORK/x.svg"
says 'needs the model'

# What does not fit is said in the figure.
exits 0 plot "$WORK/m.kai" -e many -o "$WORK/many.svg"
texts "$WORK/many.svg" | grep -q 'more signals are not shown' || fail "what was left out is not said"

# Names that are cut keep their ends; after seven colours lines are dashed; several units stand in the legend; events of one
# time have heads of their own; a logarithmic axis has gaps where there is nothing positive; ticks count from a round number.
cat >"$WORK/names.kai" <<'END'
model Names { param N = 9
  signal temperature_of_the_inner_wall_near_the_outlet_of_the_pipe[i in 1..N] [K] = i*time
  signal F [N] = 3*time, q [m^2] = time, near = 1 + 1e-9*sin(time), wave = sin(time)
  event a = clock(1), b = clock(0.5) }
experiment e of Names { stop = 10
  plot temperature_of_the_inner_wall_near_the_outlet_of_the_pipe[1], temperature_of_the_inner_wall_near_the_outlet_of_the_pipe[2], temperature_of_the_inner_wall_near_the_outlet_of_the_pipe[3], temperature_of_the_inner_wall_near_the_outlet_of_the_pipe[4], temperature_of_the_inner_wall_near_the_outlet_of_the_pipe[5], temperature_of_the_inner_wall_near_the_outlet_of_the_pipe[6], temperature_of_the_inner_wall_near_the_outlet_of_the_pipe[7], temperature_of_the_inner_wall_near_the_outlet_of_the_pipe[8]
  plot F, q
  plot near
  plot a, b }
END
long=temperature_of_the_inner_wall_near_the_outlet_of_the_pipe
exits 0 plot "$WORK/names.kai" -o "$WORK/names.svg"
texts "$WORK/names.svg" | grep -q '^temperature.*….*pipe\[8\]$' || fail "the name lost its index: $(texts "$WORK/names.svg" | grep temp)"
for text in 'F [N]' 'q [m²]' '×10⁻⁹ + 1'; do
    shows "$WORK/names.svg" "$text"
done
grep -q 'stroke-dasharray="8,8"\|stroke-dasharray="8 8"' "$WORK/names.svg" || fail "the eighth curve looks like the first"
exits 0 plot "$WORK/names.kai" -o "$WORK/events.svg" --signals a,b
[ "$(grep -o '<ellipse[^>]* cy="[0-9.]*"' "$WORK/events.svg" | sed 's/.*cy=//' | sort -u | wc -l)" -eq 2 ] ||
    fail "events of one time hide each other"
exits 0 plot "$WORK/names.kai" -o "$WORK/wave.svg" --signals wave --log y
[ "$(grep -c '<polyline\|<path' "$WORK/wave.svg")" -ge 2 ] || fail "no gap where the wave is below 0"
texts "$WORK/wave.svg" | grep -qx '0.1' && texts "$WORK/wave.svg" | grep -q '^10⁻' && fail "two ways to write powers of ten"
exits 0 plot "$WORK/names.kai" -o "$WORK/title.svg" --signals F --title "$(printf '%090d' 7)"
shows "$WORK/title.svg" "$(printf '%090d' 7)"
printf 'time;v\n0;1\n' >"$WORK/semicolons.csv"
exits 4 plot "$WORK/semicolons.csv" -o "$WORK/no.svg"
says 'its columns are separated by `;`: write commas'
printf 'x,y\n1,2\n' >"$WORK/nameless.csv"
exits 4 plot "$WORK/nameless.csv" -o "$WORK/no.svg"
says 'the first column is called `t` or `time`'

# Without `plot` lines what is recorded is drawn, without `record` lines the states.
cat >"$WORK/recorded.kai" <<'END'
model R { state x = 1, y = 2; x' = -x; y' = -y; signal z [V] = 3[V]*x
  event tick = clock(0.001); signal comb = delta(tick, 0.01) }
experiment plain of R { stop = 1 }
experiment recorded of R { stop = 1; record z every 0.1; record y }
END
exits 0 plot "$WORK/recorded.kai" -e plain -o "$WORK/plain.svg"
shows "$WORK/plain.svg" x
exits 0 plot "$WORK/recorded.kai" -e recorded -o "$WORK/recorded.svg"
shows "$WORK/recorded.svg" 'z [V]'
shows "$WORK/recorded.svg" y
texts "$WORK/recorded.svg" | grep -qx x && fail "what is not recorded is drawn"
# A thousand impulses are a comb without heads and labels.
exits 0 plot "$WORK/recorded.kai" -e plain --signals comb -o "$WORK/comb.svg"
texts "$WORK/comb.svg" | grep -q δ && fail "labels on a comb of impulses"
[ "$(grep -c '<polygon' "$WORK/comb.svg")" -le 1 ] || fail "heads on a comb of impulses"
