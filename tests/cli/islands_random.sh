# Random models of two to five parts that meet in guards, clocks, delays, holds, modes and assignments: with islands and as a whole
# they go the same way (rule D2). The seeds are fixed; those whose models chatter within rounding are left out by hand.
. tests/cli/helpers.bash
. tests/cli/islands.bash

model() # SEED
{
    awk -v seed="$1" '
    function draw() { state = (state*16807) % 2147483647; return state/2147483647 }
    function below(n) { return int(draw()*n) }
    function number(from, to) { return sprintf("%.3f", from + (to - from)*draw()) }
    function pick(list,    x, n) { n = split(list, x, ";"); return x[1 + below(n)] }
    function part(i,    kind) {  # a state or signal xI and a discrete dI that drives it
        kind = below(4)
        if (kind == 0) return "state x" i " = " number(-1, 1) "; discrete d" i " = " number(-1, 1) "; x" i q " = " number(0.5, 2) "*(d" i " - x" i ")"
        if (kind == 1) return "state x" i " = " number(-1, 1) ", y" i " = 0; discrete d" i " = 0; x" i q " = y" i "; y" i q " = -" number(1, 9) "*(x" i " - d" i ")"
        if (kind == 2) return "state x" i " = " number(-1, 1) "; discrete d" i " = " number(-1, 1) "; x" i q " = (if d" i " > 0 then 1 else -1)*" number(0.3, 1.2)
        return "m" i " : Modal(up_ = " number(0.3, 1) ", down_ = " number(0.3, 1) ", x = " number(-1, 1) "); signal x" i " = m" i ".x; discrete d" i " = 0" }
    function event(i, j,    kind) {  # between two parts, or of time
        kind = below(6)
        if (kind == 0) return "up(x" i " - " number(-0.8, 0.8) ")"
        if (kind == 1) return "down(x" i " - x" j ")"
        if (kind == 2) return "cross(x" i " + x" j " - " number(-0.5, 0.5) ")"
        if (kind == 3) return "clock(" number(0.2, 1.5) ", " number(0, 0.5) ")"
        if (kind == 4) return "up(sin(" number(1, 3) "*time) - " number(-0.7, 0.7) ")"
        return "up(time - " number(0.5, 5) ")" }
    BEGIN {
        state = seed*7919 + 1; q = "\047"; for (i = 0; i < 5; i++) draw()
        print "model Modal { param up_ = 1, down_ = 1; state x = 0; discrete n = 0"
        print "  modes { initial mode rise { x" q " = up_; on x > 1.1 -> fall { n := n + 1 } }"
        print "    mode fall { state z = 0; z" q " = 1; x" q " = -down_; when z > 0.6 { n := -n } on x < -0.4 -> rise } } }"
        print "model M {"
        n = 2 + below(4)
        for (i = 0; i < n; i++) print "  " part(i)
        a = below(n); b = (a + 1 + below(n - 1)) % n; c = below(n)
        print "  event e0 = " event(a, b) ", e1 = " event(b, c == b ? a : c) ", e2 = " event(c, c == a ? b : a) ", late = delay(e1, " number(0.1, 0.8) "), told"
        print "  signal held = hold(sample(x" a ", e2), 0), before = pre(x" b "), both = held + before*before, past = delay(x" c ", " number(0.1, 0.6) ")"
        print "  event seen = up(past - " number(-0.5, 0.5) ")"
        print "  discrete k0 = 0, k1 = 0, k2 = 0"
        print "  when " pick("e0;e1;late;seen") " if x" c " > " number(-0.5, 0.5) " { d" a " := " pick("-d" a ";x" b ";" number(-1, 1)) " }"
        print "  when x" b " > x" a " + " number(-0.5, 0.5) " { k0 := k0 + x" c "; emit told(x" b ") }"
        print "  when " pick("e2;late;told;seen") " { d" b " := " pick("-d" b ";x" c ";" number(-1, 1)) " }"
        print "  when " pick("e0;e2;seen") " { k1 := k1 + 1 }"
        print "  when told { k2 := k2 + told }"
        print "  signal total = x" a " + x" b
        print "}"
        print "experiment apart of M { stop = 5; rtol = 1e-10; atol = 1e-12; islands = auto }"
        print "experiment whole of M { stop = 5; rtol = 1e-10; atol = 1e-12 }"
    }'
}
compared=0
for seed in ${SEEDS:-$(seq 1 25)}; do
    model "$seed" >"$WORK/m.kai"
    exits 0 run "$WORK/m.kai" -e whole -o "$WORK/b.csv"
    exits 0 run "$WORK/m.kai" -e apart -o "$WORK/a.csv"
    grep -q ' islands: ' "$err" && compared=$((compared + 1))
    found=$(different "$WORK/a.csv" "$WORK/b.csv")
    [ -z "$found" ] || fail "seed $seed: $found"
done
echo "$compared random models with islands are as without"
[ $compared -ge 15 ] || fail "only $compared models made islands"
