# kairos explain: limiting states, rejections by cause, tags, guards with place and count, touches, an estimate of the accuracy that is
# about right; as text, JSON and HTML.
. tests/cli/helpers.bash
exits 0 explain $ball
grep -Eq "^ +29  $ball:[0-9]+  down\(y\)$" "$out" || fail "no count of down(y): $(cat "$out")"
grep -Eq "^ +29  $ball:[0-9]+  when: v$" "$out" || fail "no count of the reaction: $(cat "$out")"
grep -Eq "^ +1  $ball:[0-9]+  transition: -> sitting, y$" "$out" || fail "no count of the transition: $(cat "$out")"
prints "30 with "
prints "solver     auto"
[ ! -s "$err" ] || fail "it says something on stderr"

cat >"$WORK/m.kai" <<'END'
model M {
  state p = 1, x = 1
  p' = 2*(time - 1)
  x' = -x
  event c = cross(p)
  discrete n = 0
  when c { n := n + 1 }
}
experiment e of M { stop = 3; rtol = 1e-5; max_step = 0.7; expect final(n) ~ 0 within 0 }
END
exits 0 test "$WORK/m.kai"
exits 0 explain "$WORK/m.kai"
touch=$(sed -n "s|^ *1  $WORK/m.kai:5  cross(p), the last at t = ||p" "$out")
awk -v t="$touch" 'BEGIN { exit !(t > 1 - 1e-6 && t < 1 + 1e-6) }' || fail "the touch is at '$touch': $(cat "$out")"

# the estimate is the error of x(3) = exp(-3), to a factor of 2
estimate=$(sed -n 's/.* differ by at most \([^ ]*\) of their size, in x:.*/\1/p' "$out")
value=$(sed -n 's/.* in x: \([^,]*\), finer .*/\1/p' "$out")
awk -v d="$estimate" -v x="$value" 'BEGIN { e = x - exp(-3); if (e < 0) e = -e
    exit !(d > 0 && d < 2*e && d > e/2) }' || fail "estimate $estimate of the error of $value"

exits 0 explain "$WORK/m.kai" --solver euler --stop 1 --set x=2
prints "euler"
prints "0 to 1,"
exits 2 explain "$WORK/m.kai" --view full

# Which state limits the steps: the one that oscillates 500 times faster, wherever it is declared. The time of an event is as
# accurate as the run: x reaches 0.1 at ln 10, and the estimate of that error is right to a factor of 2.
cat >"$WORK/limits.kai" <<'END'
model M {
  state slow = 1, fast = 0
  slow' = -slow/10
  fast' = 50*cos(50*time)
}
experiment second of M { stop = 3; rtol = 1e-5 }
model N {
  state fast = 0, slow = 1
  slow' = -slow/10
  fast' = 50*cos(50*time)
}
experiment first of N { stop = 3; rtol = 1e-5 }
model Decay { state x = 1; x' = -x; event low = down(x - 0.1); discrete n = 0; when low { n := n + 1 } }
experiment decay of Decay { stop = 3; rtol = 1e-4 }
model Beyond "the square root of a negative number beyond y = 1" { state y = 0; y' = sqrt(1 - y) }
experiment broken of Beyond { stop = 1.99; rtol = 1e-3; solver = rk45 }
model Kink { state x = 0; x' = smooth(abs(sin(20*time))) }
experiment inaccurate of Kink { stop = 5 }
model Stiff { state y = 1; y' = -1000*y^3 }
experiment newton of Stiff { solver = backward_euler; step = 1; stop = 3 }
END
for e in first second; do
    exits 0 explain "$WORK/limits.kai" -e $e
    grep -q "^  limited by fast in " "$out" || fail "the fast state does not limit the steps: $(cat "$out")"
done
exits 0 explain "$WORK/limits.kai" -e first --solver cvode_adams
grep -q "^  limited by fast in " "$out" || fail "not with CVODE: $(cat "$out")"
exits 0 explain "$WORK/limits.kai" -e decay
sed -n 's/^  the times of 1 crossings differ by at most \([^ ,]*\), at number 1 of down(x - 0.1): \([^,]*\), finer .*/\1 \2/p' "$out" |
    awk '{ e = $2 - log(10); if (e < 0) e = -e; ok = $1 > 0 && $1 < 2*e && $1 > e/2 } END { exit !ok }' ||
    fail "the error of the event: $(cat "$out")"

# Rejections by cause, each cause alone.
exits 0 explain "$WORK/limits.kai" -e broken
grep -Eq "and ([0-9]+) rejected: \1 at which something was not a number" "$out" || fail "NaN: $(cat "$out")"
exits 0 explain "$WORK/limits.kai" -e inaccurate
grep -Eq "and ([0-9]+) rejected: \1 too inaccurate" "$out" || fail "inaccurate: $(cat "$out")"
exits 0 explain "$WORK/limits.kai" -e newton
grep -Eq "and ([0-9]+) rejected: \1 whose implicit equation was not solved" "$out" || fail "Newton: $(cat "$out")"

# Which method and why, with solver = auto: h' = -sqrt(h) ends its series at t = 2; a stiff decay to cos t; an island apiece.
cat >"$WORK/methods.kai" <<'END'
model Tank { state h = 1; h' = if h > 0 then -sqrt(h) else 0 }
experiment tank of Tank { stop = 3 }
model Fast { state x = 0; x' = -1e6*(x - cos(time)) }
experiment fast of Fast { stop = 10 }
model Late { state x = 1; x' = -delay(x, 1) }
model Both { a : Tank(); b : Fast(); c : Late() }
experiment both of Both { stop = 3; islands = auto }
END
exits 0 explain "$WORK/methods.kai" -e tank
grep -Eq "^  methods    rk45 [0-9]+ steps, taylor [0-9]+$" "$out" || fail "steps of methods: $(cat "$out")"
prints "from t = 0 on taylor: the equations have power series"
grep -Eq "from t = 1\.[0-9]* on rk45: the power series ends close by" "$out" || fail "a border: $(cat "$out")"
exits 0 explain "$WORK/methods.kai" -e fast
grep -Eq "from t = [-0-9.e]* on rosenbrock: stability limits the steps" "$out" || fail "stiff: $(cat "$out")"
exits 0 explain "$WORK/methods.kai" -e both
awk '/^islands:/ { inside = 1 } /^$/ { inside = 0 } inside && /^  [abc]\./ { island = $1 } / on / { said[island $6 $7 $8 $9 $10] = 1 }
    function has(text,    key) { for (key in said) if (index(key, text) == 1) return 1; return 0 }
    END { exit !(has("a.htaylor:theequationshave") && has("b.xrosenbrock:stability") && has("c.xtaylor:theequationshave") &&
                 !has("a.hrosenbrock") && !has("b.xrk45") && !has("c.xrk45")) }' "$out" || fail "each island its own: $(cat "$out")"
exits 0 explain "$WORK/methods.kai" -e fast --solver rosenbrock
grep -q methods "$out" && fail "a named solver has no choice"

# Five balls: six tags at one instant, as the table of paper 000 has rows.
exits 0 explain examples/newtons-cradle/model.kai
prints "1 of 1 tag, 1 of 6 tags; the longest at t = 1 with 6"
[ "$(grep -c 'when: ball\[' "$out")" -eq 4 ] || fail "four collisions: $(cat "$out")"

# JSON: brackets and quotes close, the numbers are those of the text.
exits 0 explain examples/newtons-cradle/model.kai --json
one_line "$out"
awk '{ gsub(/\\./, ""); gsub(/"[^"]*"/, "s"); n = gsub(/[{]/, "") - gsub(/[}]/, ""); m = gsub(/\[/, "") - gsub(/\]/, "")
       exit n != 0 || m != 0 || index($0, "\"") > 0 || /,,|nan|inf[^o]/ }' "$out" || fail "not JSON: $(cat "$out")"
for part in '"model":"Cradle"' '"status":"end"' '"most_tags":6' '"tags":6,"instants":1' '"kind":"when"' '"steps":{"accepted":'; do
    prints "$part"
done
echo "model Pole { state x = 1; x' = x*x }" >"$WORK/pole.kai"
exits 3 explain "$WORK/pole.kai" --stop 2 --json
prints '"status":"failed"'

# HTML: well-formed, nothing from outside, the same facts.
exits 0 explain examples/newtons-cradle/model.kai -o "$WORK/report.html"
[ ! -s "$out" ] || fail "it prints beside the page"
[ ! -e "$WORK/report.html.part" ] || fail "a .part file stayed"
xmllint --noout "$WORK/report.html" || fail "the page is not well-formed"
grep -q '<td>6</td><td class="n">1</td>' "$WORK/report.html" || fail "no tags in the page"
if grep -Eqi '<script|<link|src=|href=|url\([^#]|@import' "$WORK/report.html"; then fail "the page needs something from outside"; fi
# Three figures: the run, its longest instant, the blocks. Ids are those of one page.
[ "$(grep -c '<svg' "$WORK/report.html")" -eq 3 ] || fail "not three figures"
for text in 'ball[5].x' 'choose'; do grep -qF ">$text<" "$WORK/report.html" || fail "no figure with $text"; done
grep -o ' id="[^"]*"' "$WORK/report.html" | sort | uniq -d | grep -q . && fail "an id stands twice in the page"
[ "$(ls "$WORK" | grep -c figure)" -eq 0 ] || fail "a figure stayed beside the page"
exits 0 explain $ball -o "$WORK/report.html"
[ "$(grep -c '<svg' "$WORK/report.html")" -eq 3 ] || fail "the ball: its run, its blocks, its modes"
exits 3 explain "$WORK/pole.kai" --stop 2 -o "$WORK/report.html"
[ "$(grep -c 'x grows without bound' "$err")" -eq 1 ] || fail "a failure is told once"
grep -q 'The run failed: ' "$WORK/report.html" || fail "the page does not say that the run failed"
exits 2 explain $ball -o "$WORK/report.txt"
one_line "$err"
says "FILE.html"
exits 4 explain $ball -o "$WORK/none/report.html"
one_line "$err"
exit 0

# Islands with their rollbacks, in all three forms.
run_explain() { "$KAIROS" explain tests/models/island_sensor.kai "$@" 2>/dev/null; }
first=$(sed -n 's/^experiment \([a-z_]*\) of.*/\1/p' tests/models/island_sensor.kai | head -n 1)
run_explain -e "$first" | grep -q '^islands:' || { echo "no islands in the text"; exit 1; }
run_explain -e "$first" --json | grep -q '"rollbacks"' || { echo "no islands in the JSON"; exit 1; }
run_explain -e "$first" -o "$WORK/islands.html"
grep -q '>Islands<' "$WORK/islands.html" || { echo "no islands in the page"; exit 1; }
