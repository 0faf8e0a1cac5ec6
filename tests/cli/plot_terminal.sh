# Without -o the picture is made of characters: 80 by 24, the ball can be read off.
. tests/cli/helpers.bash
export LC_ALL=C.UTF-8
exits 0 plot $ball --signals y
[ "$(wc -l <"$out")" -eq 24 ] || fail "$(wc -l <"$out") lines"
[ "$(wc -L <"$out")" -le 80 ] || fail "wider than 80"
prints "Ball, experiment bounce"
prints "y [m]"
prints "t [s]"
prints falling
# Height 1 at the start: the curve begins at the label 1.0, in the first line of the panel or the second, and comes down to
# the line of 0.0 at t = 0.4515, a tenth of the width.
top=$(grep -n '^ *1\.0 ' "$out" | cut -d: -f1)
bottom=$(grep -n '^ *0\.0 ' "$out" | head -1 | cut -d: -f1)
[ -n "$top" ] && [ -n "$bottom" ] && [ $((bottom - top)) -gt 12 ] || fail "the axis: $top to $bottom"
blanks=$(sed -n "${bottom}s/^ *0\.0 .\( *\).*/\1/p" "$out" | tr -d '\n' | wc -c)
[ "$blanks" -ge 5 ] && [ "$blanks" -le 7 ] || fail "the ball is on the floor after $blanks of 73 characters"
# Ticks of t do not touch each other.
grep -qE '^ *0\.0 +0\.5 +1\.0 ' "$out" || fail "the labels of the time axis"
# No colour where nobody looks; another size on demand.
! grep -q $'\033' "$out" || fail "colour codes in a file"
exits 0 plot $ball --size 40x12 --signals v
[ "$(wc -l <"$out")" -eq 12 ] || fail "not 12 lines"
# Two panels do not write over each other.
exits 0 plot $ball
prints "y [m]"
prints "v [m/s]"
