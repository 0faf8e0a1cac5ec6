# Islands that move along short polynomials start again and step without their solvers (decision 0258). A longest step that no step
# reaches keeps the solvers at work. Both ways lead to the same rows, to the last bit, the same events, steps and messages; and
# a run that is saved now and then, for which all solvers are put where they would be, to the same rows.
. tests/cli/helpers.bash

# both NAME BODY SETTINGS EVENTS: runs the model both ways and compares; the events are those of the summary, as a pattern.
both()
{
    local way longest
    for way in solving gliding; do
        [ $way = solving ] && longest="max_step = 1e9" || longest=""
        {
            echo "model Body { param a = 0; state x = 0, v = 0; x' = v; v' = a }"
            echo "model M {"
            echo "$2"
            echo "}"
            echo "experiment e of M { record p.x, p.v, q.x, q.v every 0.23; $3; $longest }"
        } >"$WORK/$1.kai"
        "$KAIROS" run "$WORK/$1.kai" -o "$WORK/$way.csv" >"$WORK/$way.out" 2>&1
        echo "exit $?" >>"$WORK/$way.out"
        sed -i -E "s/[0-9.]+ m?s\b//g; s/$way//g" "$WORK/$way.out"
    done
    "$KAIROS" run "$WORK/$1.kai" --checkpoint 0.7 -o "$WORK/saved.csv" >/dev/null 2>&1
    diff "$WORK/gliding.csv" "$WORK/saved.csv" || fail "$1: saving the run changes its rows"
    [ "$(wc -l <"$WORK/gliding.csv")" -gt 20 ] || fail "$1: no rows"
    diff "$WORK/gliding.csv" "$WORK/solving.csv" || fail "$1: not the same rows"
    diff "$WORK/gliding.out" "$WORK/solving.out" || fail "$1: not the same events, steps or messages"
    grep -q "$4" "$WORK/gliding.out" || { cat "$WORK/gliding.out"; fail "$1: not what was expected"; }
}

# a third ball between two that walls are there for glides
three="  p : Body(x = 0.2, v = 1)
  r : Body(x = 0.4, v = 0.3)
  q : Body(x = 0.93, v = -0.47)"
both gas "$three
  event low = down(p.x), high = up(q.x - 1), first = down(r.x - p.x), second = down(q.x - r.x)
  when low { p.x := 0; p.v := -p.v }
  when high { q.x := 1; q.v := -q.v }
  when first { p.v := r.v; r.v := p.v }
  when second { r.v := q.v; q.v := r.v }" 'stop = 60' 'first [1-9][0-9].*second [1-9][0-9]'
# parabolas, a clock that pushes one of them, and events that do nothing
both fall "  p : Body(x = 5, a = -1)
  q : Body(x = 2, v = 1, a = -1.3)
  s : Body(x = 0, v = 0.1)
  event low = down(p.x - q.x), lower = down(q.x - s.x), far = cross(p.x + q.x - 6)
  when low { p.v := q.v; q.v := p.v }
  when lower { q.v := 2*s.v - q.v; s.v := 0.1 - s.v }
  when clock(0.7) { p.v := p.v + 0.5 }" 'stop = 30' 'far [1-9]'
# a field that changes with the instants, and one island that is no polynomial beside them
both fields "  discrete a = -1
  p : Body(x = 1)
  q : Body(x = 3, v = 0.2)
  state u = 0.1, w = 0
  u' = w; w' = -u + a
  event meet = down(q.x - p.x), turn = cross(u - 0.05*p.x), off = up(p.x - 4)
  when meet { a := -a; p.v := q.v - 1 - 0.1*a; q.v := p.v }
  when off { p.x := 0; p.v := 0.7 + 0.1*a }
  when turn { p.v := p.v + 0.3; q.v := q.v - 0.01 }" 'stop = 40' 'turn [1-9]'
echo "the same"
