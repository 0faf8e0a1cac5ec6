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

# The line above a panel: runs of one signal have its unit once, long names keep their ends and share their unit.
cat >"$WORK/heads.kai" <<'END'
model H { param k = 1; state v [V] = 1; v' = -k*v/1[s]
  signal temperature_of_the_wall_at_the_outlet[i in 1..4] [K] = i*time }
experiment s of H { stop = 1; sweep k from 1 to 4 by 1; plot v }
experiment t of H { stop = 1; plot temperature_of_the_wall_at_the_outlet[1], temperature_of_the_wall_at_the_outlet[2], temperature_of_the_wall_at_the_outlet[3] }
END
exits 0 plot "$WORK/heads.kai" -e s --size 80x24
prints 'v [V]    k = 1  k = 2  k = 3  k = 4'
exits 0 plot "$WORK/heads.kai" -e t --size 80x24
grep -q '\[K\] .*\[1\].*\[2\].*\[3\]' "$out" || fail "the head of a panel: $(sed -n 2p "$out")"
