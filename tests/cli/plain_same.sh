# Plain models have instants and flights of their own (decisions 0151, 0152); an assertion that always holds makes a model one that
# has not. Both ways lead to the same events, rows, tags and messages.
. tests/cli/helpers.bash

# both NAME BODY SETTINGS: runs the model without and with an assertion, events off and on, and compares.
both()
{
    local way events
    for events in "events = off" ""; do
        for way in plain general; do
            {
                echo "model M {"
                echo "$2"
                [ $way = plain ] && echo "}" || echo "  assert time >= 0 }"
                echo "experiment e of M { islands = one; record y, v; $3; $events }"
            } >"$WORK/$1.$way.kai"
            "$KAIROS" run "$WORK/$1.$way.kai" -o "$WORK/$way.csv" >/dev/null 2>"$WORK/$way.err"
            echo "exit $?" >>"$WORK/$way.err"
            "$KAIROS" test "$WORK/$1.$way.kai" >"$WORK/$way.test" 2>&1
            # places differ in nothing but the name of the file; digits beyond the ninth are rounding
            sed -i -E "s/$1\.(plain|general)//g; s/[0-9.]+ m?s\b//g; s/([0-9]\.[0-9]{8})[0-9]+/\1/g; /^ *assert/d; s/[0-9]+ (solver )?steps//g" "$WORK/$way.err" "$WORK/$way.test"
        done
        ! grep -q FAILED "$WORK/plain.test" || { cat "$WORK/plain.test"; fail "$1, $events: not what was expected"; }
        diff "$WORK/plain.err" "$WORK/general.err" || fail "$1, $events: not the same messages"
        diff "$WORK/plain.test" "$WORK/general.test" || fail "$1, $events: not the same expectations"
        [ -s "$WORK/plain.csv" ] || continue
        awk -F, 'NR == FNR { row[FNR] = $0; n = FNR; next }
            { k = split(row[FNR], a, ","); if (k != NF) bad = 1
              for (i = 1; i <= NF; i++) if (FNR > 1 && a[i] != $i && !(($i - a[i])^2 <= 1e-18*(1 + $i^2))) { bad = 1; print "row " FNR ": " a[i] " and " $i } }
            END { exit bad || n != FNR }' "$WORK/plain.csv" "$WORK/general.csv" || fail "$1, $events: not the same rows"
    done
}

flight="  param g = 9.81
  state y = 10, v = 0, x = 0, w = 3
  y' = v; v' = -g; x' = w; w' = 0"
both walls "$flight
  event hit = down(y), left = down(x), right = up(x - 4)
  discrete n = 0
  when hit { v := -0.9*v; y := 0; n := n + 1 }
  when left { w := -w; x := 0 }
  when right { w := -w; x := 4 }" 'stop = 12; expect count(hit) > 3; expect count(right) ~ 5 within 0.1; expect final(n) ~ count(hit) within 0.1; expect final(x) ~ 4 within 1e-9'
# a second reaction at the same t, and a jump across the level of another guard
both cascade "$flight
  event hit = down(y), high = up(w - 5)
  discrete n = 0, m = 0, k = 0
  when hit { v := -v; n := n + 1; w := w + 1 }
  when n == 3 and m == 0 { m := 1; x := 0 }
  when high { k := k + 1; w := 1 }" 'stop = 30; expect final(m) ~ 1 within 0.1; expect final(k) ~ 2 within 0.1; expect count(high) ~ 2 within 0.1'
both across "$flight
  event hit = down(y), high = up(w - 5), higher = up(w + x - 18)
  discrete k = 0
  when hit { v := -v; w := w + 1; x := 0 }
  when high { k := k + 1; w := 1 }
  when higher { k := k + 10 }" 'stop = 30; expect count(high) ~ 2 within 0.1; expect count(higher) ~ 2 within 0.1; expect final(k) ~ count(high) + 10*count(higher) within 0.1'
# an event that does nothing, and one without a reaction of its own
both idle "$flight
  event hit = down(y), half = cross(y - 5)
  when hit { v := -v; y := 0 }" 'stop = 9; expect count(hit) ~ 3 within 0.1; expect count(half) ~ 6 within 0.1'
# crossings at one time, and one at the stop
both together "$flight
  event hit = down(y), gate = up(x - 3*sqrt(20/9.81))
  when hit { v := -v; y := 0 }
  when gate { w := -w }" 'stop = 9; expect count(hit) ~ 3 within 0.1; expect count(gate) ~ 1 within 0.1'
# accumulation is found, and a body that comes to rest
both zeno "$flight
  event hit = down(y)
  when hit { v := -0.5*v; y := 0 }" 'stop = 9'
both rest "$flight
  event hit = down(y)
  when hit { v := 0; y := 0 }" 'stop = 9'
both go_on "$flight
  event hit = down(y)
  when hit { v := -0.5*v; y := 0 }" 'stop = 9; zeno = continue; expect final(y) ~ 0 within 1e-9'
# a clock in between, every third tick at a time of an impact
both clock "  state y = 0, v = 1
  y' = v; v' = 0
  event far = up(y - 3)
  when far { v := -v }
  when down(y) { v := -v }
  discrete n = 0
  when clock(1) { n := n + 1 }" 'stop = 20; expect final(n) ~ 21 within 0.1; expect count(far) ~ 3 within 0.1'
# linear fields from tick to tick: with a guard that cuts some of the steps, and with two clocks
both sampled "  state y = 1, v = 0
  discrete u = 0, n = 0
  y' = v; v' = -4*y - 0.1*v + u + sin(3*time)
  event low = down(y), tick = clock(0.1)
  when tick { u := if v > 0 then 0.5 else -0.5 }
  when low { n := n + 1 }" 'stop = 12; expect count(low) ~ final(n) within 0.1; expect final(n) > 2'
both clocks "  state y = 1, v = 0
  discrete n = 0, m = 0
  y' = v; v' = -y
  when clock(0.25) { n := n + 1; v := v + 0.01 }
  when clock(0.75, 0.5) { m := m + 1 }" 'stop = 9.9; expect final(n) ~ 40 within 0.1; expect final(m) ~ 13 within 0.1'
echo "the same"
