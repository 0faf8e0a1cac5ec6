# kairos plot: SVG that a parser accepts with its texts as text, PNG and PDF that are what they say, models and results alike.
. tests/cli/helpers.bash

# A model: its plot lines are the panels, units stand on the axes, modes are bands.
exits 0 plot $ball -o "$WORK/ball.svg"
[ ! -s "$err" ] || fail "nothing to say"
xmllint --noout "$WORK/ball.svg" 2>"$err" || fail "no valid XML"
texts() { xmllint --xpath '//*[local-name()="text"]/text()' "$1"; }
for text in "y [m]" "v [m/s]" "t [s]" falling sitting mode "Ball, experiment bounce"; do
    texts "$WORK/ball.svg" | grep -qxF "$text" || fail "the figure has no text: $text"
done
# A parabola is a curve although the solver needs one step for it. On the sheet the curve goes from y = 1 to y = 0 and from t = 0
# to t = 5; between the first two bounces (t1 = 0.4515, t1 + 2 e t1 = 1.1740) its apex is e^2 = 0.64, at t1 + e t1 = 0.8127.
sed -n '/<title>y<\/title>/,/<\/g>/p' "$WORK/ball.svg" | grep -o 'points="[^"]*"' | sed 's/points="//; s/"//' | tr ' ' '\n' |
    awk -F, '{ x[NR] = $1; y[NR] = $2; if (NR == 1 || $2 < top) top = $2; if ($2 > bottom) bottom = $2 }
        END { for (i = 1; i <= NR; i++) { t = 5*(x[i] - x[1])/(x[NR] - x[1]); h = (bottom - y[i])/(bottom - top)
                  if (t > 0.46 && t < 1.17) { n++; if (h > apex) { apex = h; at = t } } }
              print n, apex, at; exit !(n > 100 && apex > 0.635 && apex < 0.645 && at > 0.79 && at < 0.83) }' >"$WORK/apex" ||
    fail "the second arc (points, apex, when): $(cat "$WORK/apex")"
# Jumps: open ends are white, filled ends are not.
grep -q '<ellipse.*fill="#ffffff"' "$WORK/ball.svg" || fail "no open end"
grep -q '<ellipse.*fill="#0072b2"' "$WORK/ball.svg" || fail "no filled end"
# The same file every time.
exits 0 plot $ball -o "$WORK/again.svg"
cmp -s "$WORK/ball.svg" "$WORK/again.svg" || fail "not the same file"

exits 0 plot $ball -o "$WORK/ball.png" --size 300x200
[ "$(head -c 8 "$WORK/ball.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "no PNG"
[ "$(head -c 24 "$WORK/ball.png" | tail -c 8 | od -An -tx1 | tr -d ' \n')" = 0000025800000190 ] || fail "not 600 by 400 pixels"
exits 0 plot $ball -o "$WORK/ball.pdf"
[ "$(head -c 5 "$WORK/ball.pdf")" = %PDF- ] || fail "no PDF"

# A result: the same curves; --signals, --against, --title, --from, --to.
exits 0 run $ball -o "$WORK/ball.csv" --quiet
exits 0 plot "$WORK/ball.csv" -o "$WORK/result.svg" --signals y,v --title "a < b & c" --from 0.4 --to 0.5
xmllint --noout "$WORK/result.svg" 2>"$err" || fail "no valid XML"
texts "$WORK/result.svg" | grep -q 'a &lt; b &amp; c' || fail "the title"
texts "$WORK/result.svg" | grep -qx 0.42 || fail "the axis does not zoom"
! texts "$WORK/result.svg" | grep -qx 5.0 || fail "the axis goes on to the end"
for view in limits unique; do
    exits 0 run $ball -o "$WORK/view.csv" --quiet --view $view
    exits 0 plot "$WORK/view.csv" -o "$WORK/view.svg" --signals v
    xmllint --noout "$WORK/view.svg" 2>"$err" || fail "view $view"
done
exits 0 plot "$WORK/ball.csv" -o "$WORK/phase.svg" --signals v --against y
texts "$WORK/phase.svg" | grep -qx 'y \[m\]' || fail "no name on the x axis"
"$KAIROS" run $ball --quiet | "$KAIROS" plot - -o "$WORK/stdin.svg" --signals y 2>"$err" || fail "standard input"

# Impulses are arrows with their weights: 2 sqrt(2*9.81) = 8.859; δ′ is written as such.
exits 0 plot examples/impulsive-ball/model.kai -o "$WORK/impulse.svg"
[ "$(texts "$WORK/impulse.svg" | grep -cxF '8.859 δ')" -eq 6 ] || fail "six impulses with their weight"
exits 0 plot examples/step-derivatives/model.kai -o "$WORK/steps.svg"
texts "$WORK/steps.svg" | grep -qxF "1 δ′" || fail "no δ′"
# From the result too: the columns F.impulse belong to F.
exits 0 run examples/impulsive-ball/model.kai -o "$WORK/impulse.csv" --quiet
exits 0 plot "$WORK/impulse.csv" -o "$WORK/impulse2.svg" --signals force.F
[ "$(texts "$WORK/impulse2.svg" | grep -cxF '8.859 δ')" -eq 6 ] || fail "six impulses from the result"

# A sweep and the outcomes of a choice are drawn over each other.
cat >"$WORK/sweep.kai" <<'END'
model M { param k = 1; state x = 1; x' = -k*x }
experiment e of M { stop = 1; plot x; sweep k in (1, 2, 3) }
END
exits 0 plot "$WORK/sweep.kai" -o "$WORK/sweep.svg"
for k in 1 2 3; do texts "$WORK/sweep.svg" | grep -qxF "k = $k" || fail "no k = $k in the legend"; done
exits 0 run "$WORK/sweep.kai" -o "$WORK/sweep.csv" --quiet
exits 0 plot "$WORK/sweep.csv" -o "$WORK/sweep2.svg"
texts "$WORK/sweep2.svg" | grep -qxF "k = 2" || fail "no k = 2 from the result"
exits 0 plot examples/billiard/model.kai -e unequal -o "$WORK/billiard.svg"
texts "$WORK/billiard.svg" | grep -qxF "a.x (outcome 2)" || fail "no second outcome"

# Several experiments over each other: the figure knows them by name.
exits 0 plot examples/spring-mass/model.kai -e forward,backward -o "$WORK/two.svg"
for e in forward backward; do texts "$WORK/two.svg" | grep -qxF $e || fail "no $e in the legend"; done
exits 2 plot examples/spring-mass/model.kai -e forward,none -o "$WORK/three.svg"
[ ! -e "$WORK/three.svg" ] || fail "a figure of an experiment that there is not"

# A run that fails is drawn as far as it came, and the exit code says so.
exits 3 plot examples/zeno-ball/model.kai -e zeno -o "$WORK/zeno.svg"
says Zeno
xmllint --noout "$WORK/zeno.svg" || fail "no figure of a run that failed"

# Many rows: the file stays small, and the one row that is high is there.
awk 'BEGIN { print "t,p,m,x"; for (i = 0; i < 300000; i++) printf "%d,0,0,%s\n", i, i == 123456 ? 7.5 : i % 3 }' >"$WORK/many.csv"
exits 0 plot "$WORK/many.csv" -o "$WORK/many.svg"
[ "$(wc -c <"$WORK/many.svg")" -lt 200000 ] || fail "a figure of $(wc -c <"$WORK/many.svg") bytes"
# The curve reaches the top 5 % of the panel, where nothing but 7.5 is (the rows between are at most 2).
exits 0 plot "$WORK/many.csv" -o "$WORK/many.txt.svg" --from 0 --to 100000
texts "$WORK/many.svg" | grep -qx 6 || fail "the axis does not reach 7.5"
! texts "$WORK/many.txt.svg" | grep -qx 6 || fail "7.5 is not before t = 100000"
