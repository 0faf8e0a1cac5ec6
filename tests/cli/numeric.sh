# Numeric impulses on the command line. Without derivatives of δ the symbolic run and the numeric one, both with the right Riemann
# sum and the same h, have the same trace to the last bit (paper 003, section 4); with them the numeric one comes late. What the
# numbers grow to is reported when it nears overflow (eq. 39), and an overflow stops the run.
. tests/cli/helpers.bash
case $BUILD in *asan*) ;; *) ulimit -v 4000000 ;; esac

# runs SETTINGS FILE STEP: the columns t, p, m and all states of the model in $WORK/m.kai.
runs()
{
    sed "s/SETTINGS/$1; step = $3/" "$WORK/m.kai" >"$WORK/r.kai"
    exits 0 run "$WORK/r.kai" -o "$2"
}
# same COUNT: both runs of $WORK/m.kai agree in every bit, and have at least COUNT rows at the left limit of an instant.
same()
{
    for h in 0.01 1/128 0.0037; do
        h_text=$(printf '%s' "$h" | sed 's,/,\\/,')
        runs 'solver = riemann' "$WORK/symbolic.csv" "$h_text"
        runs 'impulses = numeric' "$WORK/numeric.csv" "$h_text"
        cmp -s "$WORK/symbolic.csv" "$WORK/numeric.csv" || fail "traces differ at h = $h: $(diff "$WORK/symbolic.csv" "$WORK/numeric.csv" | head -4)"
        [ "$(grep -c ',-1,0,' "$WORK/numeric.csv")" -ge "$1" ] || fail "too few instants at h = $h"
    done
}
cat >"$WORK/m.kai" <<'EOF'
model Force "Fig. 1 as an impulsive equation" {
  param g = 9.81
  state y = 1, v = 0
  event hit = down(y)
  signal F = delta(hit, -2*pre(v))
  y' = v
  v' = -g + F
}
model Diagram "Fig. 1 as a block diagram: decision, derivative, sum, two integrators" {
  param g = 9.81
  state y = 1, v = 0.3
  event hit = down(y)
  signal given = if hit then pre(given, 0) - 2*pre(v) else pre(given, 0)
  signal F = der(given)
  y' = v
  v' = -g + F
}
model M {
  a : Force
  b : Diagram
}
experiment e of M { SETTINGS; islands = one; stop = 5; record a.y, a.v, b.y, b.v }
EOF
same 10
# The force itself: its weight in the one run, weight/h for one step in the other.
for column in a.F b.F; do
    sed -i "s/record .*}/record $column }/" "$WORK/m.kai"
    runs 'solver = riemann' "$WORK/symbolic.csv" '1\/64'
    runs 'impulses = numeric' "$WORK/numeric.csv" '1\/64'
    [ "$(head -1 "$WORK/symbolic.csv")" = "t,p,m,$column,$column.impulse" ] || fail "symbolic header"
    [ "$(head -1 "$WORK/numeric.csv")" = "t,p,m,$column" ] || fail "numeric header"
    paste -d, "$WORK/symbolic.csv" "$WORK/numeric.csv" | awk -F, 'NR > 1 && $5 != "" { n++; if ($9 != 64*$5) bad++ }
        NR > 1 && $2 == 0 && $3 == 0 && $5 == "" && $9 != 0 { bad++ } END { exit !(n >= 5 && !bad) }' || fail "$column: heights are not weight/h"
done

cat >"$WORK/m.kai" <<'EOF'
model M "modes, delays, pre, factors, a loop of impulses, masses that exchange momentum" {
  event k = clock(0.1, 0.05), hit = down(z)
  state v1 = 3, v2 = -1.25, x = 0, q = 1, z = 1, w = 0, later = 0
  signal push = delta(k, pre(v2) - pre(v1)), s = if time >= 0.73 then 2 else 1
  v1' = push
  v2' = -push
  x' = v1*v2 + (1 + time)*push/q + der(s)
  q' = -q/3
  z' = w
  w' = -9.81 + delta(hit, -1.8*pre(w))
  signal f
  later' = delay(push, 0.13) + f + pre(push)
  modes {
    initial mode a { f = delta(k, 2); on time >= 0.52 -> b }
    mode b { f = delta(hit, x) - later }
  }
}
experiment e of M { SETTINGS; islands = one; stop = 1.5; record v1, v2, x, q, z, w, later }
EOF
same 15

# δ′: the numeric run needs one step more than the symbolic one to get where it is at once.
cat >"$WORK/m.kai" <<'EOF'
model M {
  event k = clock(10, 1)
  state x = 0
  x' = -x + der(delta(k, 1))
}
experiment e of M { SETTINGS; islands = one; stop = 1.25; record x }
EOF
runs 'solver = riemann' "$WORK/symbolic.csv" '1\/64'
runs 'impulses = numeric' "$WORK/numeric.csv" '1\/64'
diff "$WORK/symbolic.csv" "$WORK/numeric.csv" | grep -q '^[<>] 1,' || fail "equal at the kick"
[ "$(grep '^1,0,0,' "$WORK/symbolic.csv")" = "1,0,0,-1,1" ] || fail "symbolic: $(grep '^1,0,0,' "$WORK/symbolic.csv")"
[ "$(grep '^1,0,0,' "$WORK/numeric.csv")" = "1,0,0,63" ] || fail "numeric: $(grep '^1,0,0,' "$WORK/numeric.csv")"
grep '^1.015625,' "$WORK/numeric.csv" | awk -F, '{ exit !($4 > -1 && $4 < -0.98) }' || fail "not there one step later"

# Overflow.
cat >"$WORK/m.kai" <<'EOF'
model M {
  param w = 1
  event k = up(time - 3e-60)
  state x = 0
  x' = der(der(der(der(der(delta(k, w))))))
}
experiment e of M { impulses = numeric; step = 1e-60; stop = 2e-59 }
experiment fine of M { impulses = numeric; step = 1e-49; stop = 2e-48 }
EOF
exits 3 run "$WORK/m.kai" -e e -o "$WORK/o.csv"
says 'm.kai:5:8: warning: numeric impulses near overflow: derivative 6 of a unit step grows to C(5,2)/h^6 = inf with h = 1e-60'
says 'm.kai:4:9: error: numeric impulses overflow in x at t = '
sed -i 's/1e-60; stop/1e-51; stop/; s/3e-60/3e-51/; s/2e-59/2e-50/' "$WORK/m.kai"
exits 0 run "$WORK/m.kai" -e e -o "$WORK/o.csv"
says 'C(5,2)/h^6 = 1e+307 with h = 1e-51; take a longer step, or impulses = symbolic'
exits 0 run "$WORK/m.kai" -e fine -o "$WORK/o.csv"
grep -q warning "$err" && fail "a warning without need"

# The solver is riemann, whoever chooses it.
exits 2 run "$WORK/m.kai" -e fine --solver rk45 -o "$WORK/o.csv"
says 'numeric impulses are integrated by the right Riemann sum, not by `rk45`'
exits 0 run "$WORK/m.kai" -e fine --solver riemann -o "$WORK/o.csv"
exit 0
