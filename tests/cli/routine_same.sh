# Ordinary instants of small models run as routines (decision 0270). Reactions that change nothing, more than a routine has room for, leave
# them to ordinary.c. Both ways lead to the same rows, to the last bit, the same events, tags and messages, with every tag shown and with none.
. tests/cli/helpers.bash

# idle EVENT
idle()
{
    local k
    for k in 1 2 3 4 5 6 7 8 9; do echo "  discrete idle$k = 0; when $1 { idle$k := 0 }"; done
}

# both NAME EVENT BODY SETTINGS EVENTS: runs the model both ways and compares; the events are those of the summary, as a pattern.
both()
{
    local way events
    for events in "events = off" "tags = all"; do
        for way in routine ordinary; do
            {
                echo "model M {"
                echo "$3"
                [ $way = routine ] || idle "$2"
                echo "}"
                echo "experiment e of M { islands = one; record y, v every 0.17; $4; $([ "$events" = "tags = all" ] || echo "$events") }"
            } >"$WORK/$1.kai"
            "$KAIROS" run "$WORK/$1.kai" -o "$WORK/$way.csv" >"$WORK/$way.out" 2>&1
            echo "exit $?" >>"$WORK/$way.out"
            sed -i -E "s/[0-9.]+ m?s\b//g; s/$way\\.csv//g" "$WORK/$way.out"
        done
        [ "$(wc -l <"$WORK/routine.csv")" -gt 8 ] || { cat "$WORK/routine.out"; fail "$1: no rows"; }
        cmp "$WORK/routine.csv" "$WORK/ordinary.csv" || fail "$1, $events: not the same rows"
        diff "$WORK/routine.out" "$WORK/ordinary.out" || fail "$1, $events: not the same events, tags or messages"
        grep -q "$5" "$WORK/routine.out" || { cat "$WORK/routine.out"; fail "$1: not what was expected"; }
    done
}

flight="  state y = 10, v = 0, x = 0, w = 3
  y' = v; v' = -9.81; x' = w; w' = 0"
both ball hit "$flight
  event hit = down(y)
  when hit { v := -v; y := 0 }" 'stop = 40' 'hit [1-9][0-9]'
# several guards; values that are exchanged; what is assigned and does not change; two reactions to one event
both walls hit "$flight
  event hit = down(y), left = down(x), right = up(x - 4), half = cross(y - 5)
  discrete n = 0, m = 2
  when hit { v := -0.9*v; y := 0; n := m; m := n }
  when hit { x := x }
  when left { w := -w; x := 0 }
  when right { w := -w; x := 4 }" 'stop = 12' 'right [1-9]'
# a second tag that finds something, a jump across a level, a value that is none
both cascade hit "$flight
  event hit = down(y), high = up(w - 5)
  discrete n = 0, m = 0, k = 0
  when hit { v := -v; n := n + 1; w := w + 1 }
  when n == 3 and m == 0 { m := 1; x := 0 }
  when high { k := k + 1; w := 1 }" 'stop = 30' 'high [1-9]'
both nothing hit "$flight
  event hit = down(y)
  when hit { v := -v; w := sqrt(w - 1) }" 'stop = 30' 'exit [1-9]'
both zeno hit "$flight
  event hit = down(y)
  when hit { v := -0.5*v; y := 0 }" 'stop = 9' 'Zeno'
both rest hit "$flight
  event hit = down(y)
  when hit { v := 0; y := 0 }" 'stop = 9' 'contact'
# clocks, with guards that cut steps and guards that a tick pushes over their levels
both sampled low "  state y = 1, v = 0
  discrete u = 0, n = 0
  y' = v; v' = -4*y - 0.1*v + u
  event low = down(y), tick = clock(0.1)
  when tick { u := if v > 0 then 0.5 else -0.5 }
  when low { n := n + 1; v := v + 0.01 }
  when clock(0.7) { y := -y }" 'stop = 12' 'low [1-9]'
# machines: ticks, crossings and relations that lead from mode to mode, with actions; two machines at one time
both boost open "  state y = 0, v = 0
  event open = clock(1e-1, 0.5e-1), close = clock(1e-1, 1e-1)
  modes {
    initial mode on_ { y' = 12; v' = -v
      on open if y > 0 or v < 1.2 -> diode
      on open -> rest }
    mode diode { y' = 6*(1 - 4*v); v' = y - v
      on close -> on_
      on down(y) -> rest { y := 0 } }
    mode rest { y' = 0; v' = -v
      on close -> on_
      on v < 0.1 -> diode }
  }" 'stop = 4' 'down(y) [1-9]'
both machines tick "  state y = 0, v = 1
  discrete n = 0
  y' = v; v' = if flag then -1 else 1
  event tick = clock(0.3), up_ = up(y - 1), down_ = down(y)
  signal flag = y > 0.5
  modes { initial mode a { on tick -> b { n := n + 1 }; on up_ -> b }; mode b { on tick -> a { v := v - 0.1 }; on down_ -> b } }
  modes { initial mode c { on tick -> d }; mode d { on up_ -> c; on v < -1.5 -> c { v := 0.3 } } }
  when down_ { v := -v }" 'stop = 9' 'down_ [1-9]'
echo "the same"
