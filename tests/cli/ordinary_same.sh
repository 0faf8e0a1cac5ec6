# Ordinary instants of several islands run over scenes (decision 0182); a probe that wants left limits makes all instants general ones.
# Both ways lead to the same rows, to the last bit, the same events and the same messages.
. tests/cli/helpers.bash

# both NAME BODY SETTINGS EVENTS: runs the model both ways and compares; the events are those of the summary, as a pattern.
both()
{
    local way probe
    for way in ordinary general; do
        [ $way = general ] && probe="expect left(0.001, p.x) > -1e9" || probe=""
        {
            echo "model Body { param a = 0; state x = 0, v = 0; x' = v; v' = a }"
            echo "model M {"
            echo "$2"
            echo "}"
            echo "experiment e of M { record p.x, p.v, q.x, q.v every 0.25; events = off; $3; $probe }"
        } >"$WORK/$1.kai"
        "$KAIROS" run "$WORK/$1.kai" -o "$WORK/$way.csv" >"$WORK/$way.out" 2>"$WORK/$way.err"
        echo "exit $?" >>"$WORK/$way.err"
        grep -o "events: .*[0-9];" "$WORK/$way.err" "$WORK/$way.out" | sed 's/.*events/events/; s/; [0-9]* islands.*/;/' >"$WORK/$way.events"
        sed -i -E 's/[0-9.]+ m?s\b//g; /expect left/d; s/[0-9]+ instants.*//' "$WORK/$way.err"
    done
    diff "$WORK/ordinary.csv" "$WORK/general.csv" || fail "$1: not the same rows"
    diff "$WORK/ordinary.events" "$WORK/general.events" || fail "$1: not the same events"
    diff "$WORK/ordinary.err" "$WORK/general.err" || fail "$1: not the same messages"
    grep -q "$4" "$WORK/ordinary.events" "$WORK/ordinary.err" || { cat "$WORK/ordinary.events" "$WORK/ordinary.err"; fail "$1: not what was expected"; }
}

two="  p : Body(x = 0.2, v = 1)
  q : Body(x = 0.93, v = -0.47)"
# equal balls between walls exchange their velocities: as if they passed through each other (closed form:
# low at 1.8 + 2k and (0.93 + 2k)/0.47, high at 0.8 + 2k and (1.93 + 2k)/0.47, touch at (0.73 + 2k)/1.47 and (2k - 1.13)/0.53)
both gas "$two
  event low = down(p.x), high = up(q.x - 1), touch = down(q.x - p.x)
  when low { p.x := 0; p.v := -p.v }
  when high { q.x := 1; q.v := -q.v }
  when touch { p.v := q.v; q.v := p.v }" 'stop = 8' 'low 6, high 5, touch 8'
# a reaction at the next tag, in another island; and a jump across the level of a third guard
both cascade "$two
  discrete n = 0, m = 0
  event low = down(p.x), top = up(p.x - 1), fast = up(q.v - 1)
  when low { p.v := -p.v; n := n + 1 }
  when top { p.v := -p.v; q.v := q.v + 0.6 }
  when n == 2 and m == 0 { m := 1; q.x := -3 }
  when fast { q.v := 0 }" 'stop = 8' 'low 4, top 4, fast 1'
# nothing is assigned; a signal of an event; events of both islands at one time
both idle "$two
  event half = cross(p.x - 0.7), same = cross(q.x - 0.695), late = up(p.x + q.x - 2)
  signal s = if present(half) then 1 else 0" 'stop = 4' 'half 1, same 1, late 1'
# the reaction puts the guard on its level and leaves it there, and one that accumulates
both rest "  p : Body(x = 1, a = -9.81)
  q : Body(x = 0, v = 0.1)
  event hit = down(p.x - q.x), far = up(q.x - 0.3)
  when hit { p.v := q.v - 0.5*(p.v - q.v) }" 'stop = 4' 'Zeno'
both contact "  p : Body(x = 1, a = -9.81)
  q : Body(x = 0, v = 0)
  event hit = down(p.x - q.x)
  when hit { p.v := 0; p.x := q.x }" 'stop = 4' 'hit'
# clocks: one that assigns in one island, one that pushes a state of the other across a level; a signal of a tick
both ticks "$two
  discrete n = 0
  event low = down(p.x), high = up(q.x - 1), tick = clock(0.3)
  when tick { n := n + 1; p.v := -p.v }
  when clock(0.7, 0.2) { q.x := q.x + 0.4 }
  when low { p.x := 0; p.v := -p.v }
  when high { q.x := q.x - 1 }" 'stop = 8' 'low [1-9][0-9]*, high [1-9]'
both pulses "$two
  event tick = clock(0.3), far = up(p.x + (if present(tick) then 1 else 0) - 1.5)
  discrete n = 0
  when far { n := n + 1 }
  when clock(0.5) { q.v := -q.v }" 'stop = 4' 'far'
echo "the same"
