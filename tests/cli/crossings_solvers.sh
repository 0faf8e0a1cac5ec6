# Every crossing is found with every solver: those that integrate a case exactly find it to the last digits, the others
# find all of them. Domains are not overshot by any.
set -u
fails=0
check() # solver options… : the experiment runs and has the events asked for
{
    want=$1; experiment=$2; file=$3; shift 3
    "$KAIROS" run "$file" -e "$experiment" -o /dev/null "$@" >"$WORK/out" 2>&1 || { echo "$experiment $*:"; cat "$WORK/out"; fails=1; return; }
    grep -Eq "$want" "$WORK/out" || { echo "$experiment $*: no $want in"; cat "$WORK/out"; fails=1; }
}
for s in rk45 rk23 euler riemann backward_euler trapezoid rosenbrock cvode_adams cvode_bdf taylor; do
    m=tests/models/crossings_all.kai
    check "any 3" cubic $m --solver $s
    check "any 3;" in_time $m --solver $s --stop 10
    check " 12;" twelve $m --solver $s
    check " 12;" twelve_states $m --solver $s
    check " 101;" sine $m --solver $s --stop 100.5
    check " 2;" disk $m --solver $s --stop 800
    [ $s = taylor ] && continue
    m=tests/models/domains.kai
    check "h > 0 1" by_if $m --solver $s
    check "h < 0 1" by_max $m --solver $s
    check "h <= 0 1" by_mode $m --solver $s
done
for s in rk45 rk23 rosenbrock cvode_adams cvode_bdf trapezoid; do
    check "0 < -y 12" bounces tests/models/domains.kai --solver $s --rtol 1e-8 --atol 1e-10
done
# What no relation keeps legal is reported with its operator, operand, line and time: x = 1 - t is negative beyond t = 1.
cat >"$WORK/nan.kai" <<'END'
model Open {
  state x = 1, y = 0
  x' = -1
  y' = sqrt(x)
  event other = down(y + 1)
}
experiment e of Open { stop = 3 }
END
for s in rk45 rosenbrock cvode_adams; do
    "$KAIROS" run "$WORK/nan.kai" --solver $s -o /dev/null >"$WORK/out" 2>&1
    [ $? -eq 3 ] || { echo "a root of a negative number goes on with $s"; fails=1; }
    grep -Eq "nan.kai:4:[0-9]+: error: the derivative of y is not a number at t = (1|1\.0000000[0-9]*|0\.99999[0-9]*): sqrt\(-" "$WORK/out" ||
        { echo "$s:"; cat "$WORK/out"; fails=1; }
done
exit $fails
