# What sleeps at both ends of a step is seen by every solver that chooses its steps (decision 0248): closed forms, and
# random pulses.
set -u
fails=0
m=tests/models/pulses.kai
all() # options… : every experiment holds
{
    "$KAIROS" test $m "$@" >"$WORK/out" 2>&1 || { echo "$*:"; cat "$WORK/out"; fails=1; }
}
for s in auto rk45 rk23 rosenbrock; do
    all --solver $s
    all --solver $s --islands one
done
for s in cvode_adams cvode_bdf trapezoid; do
    all --solver $s --rtol 1e-11
done
for e in states delayed past guards watched in_mode solved; do # where there are series
    all --solver taylor -e $e
done

# Twenty pulses in each of ten models, of widths from 1e-6 to 1 and any height, in 10 s; each has an integral of 1 to 10.
# The draws are those of a linear congruence, so that they are the same everywhere.
awk 'function draw() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
BEGIN {
    seed = 4711
    for (k = 1; k <= 10; k++) {
        sum = 0; text = ""; guards = ""; checks = ""
        for (i = 1; i <= 20; i++) {
            width = 10 ^ (-6 * draw()); at = 0.1 + 9.8 * draw(); size = 1 + 9 * draw(); kind = int(3 * draw())
            if (at < 8 * width || at > 10 - 8 * width) { width = 0.01 }
            if (kind == 0) f = sprintf("%.17g*exp(-((time - %.17g)/%.17g)^2)", size / width / 1.7724538509055160, at, width)
            if (kind == 1) f = sprintf("%.17g*(1 - tanh((time - %.17g)/%.17g)^2)", size / width / 2, at, width)
            if (kind == 2) f = sprintf("%.17g*(tanh((time - %.17g)/%.17g) - tanh((time - %.17g)/%.17g))", size / width / 4, at - width, width / 10, at + width, width / 10)
            if (width > 0.05) size = 0
            else text = text sprintf("  x%d'"'"' = %s\n", i, f)
            if (width <= 0.05 && kind == 0) {
                guards = guards sprintf("  event up%d = up(exp(-((time - %.17g)/%.17g)^2) - 0.5), down%d = down(exp(-((time - %.17g)/%.17g)^2) - 0.5)\n", i, at, width, i, at, width)
                checks = checks sprintf("  expect count(up%d) == 1\n  expect count(down%d) == 1\n", i, i)
            }
            if (size > 0) { states = states (states == "" ? "" : ", ") "x" i " = 0"; checks = checks sprintf("  expect final(x%d) ~ %.17g within 1e-4\n", i, size) }
        }
        printf "model M%d {\n  state %s\n%s%s}\nexperiment e%d of M%d {\n%s}\n", k, states, text, guards, k, k, checks
        states = ""
    }
}' >"$WORK/random.kai"
m="$WORK/random.kai"
for s in auto rk45 rk23 rosenbrock; do
    all --solver $s
done
all --solver rk45 --islands one
for s in cvode_adams cvode_bdf; do
    all --solver $s --rtol 1e-10
done
exit $fails
