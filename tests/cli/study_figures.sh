# Figures of studies, from the study itself, from its table and from its trajectories; calls that cannot be drawn.
. tests/cli/helpers.bash
cat >"$WORK/plane.kai" <<'END'
model Plane {
  param a [m] ~ uniform(0, 2)
  param b [m] ~ uniform(0, 1)
  param c [m] ~ uniform(-1, 1)
  state x [m] = 5*a - 3*b + 0.1*c
  x' = -x/1[s]
}
experiment e of Plane { stop = 2[s];  expect at(0, x) ~ 0 within 100 }
experiment grid of Plane { stop = 1[s]; sweep a in (1, 2, 3); sweep b in (0, 1);  expect at(0, x) ~ 0 within 100 }
END
for kind in histogram scatter tornado; do
    exits 0 study "$WORK/plane.kai" --runs 60 --figure "$WORK/$kind.svg" --chart $kind -o "$WORK/t.csv"
    grep -q 'at(0, x)' "$WORK/$kind.svg" || fail "$kind does not name its measure"
    exits 0 plot "$WORK/t.csv" --chart $kind -o "$WORK/table.svg"
    cmp "$WORK/$kind.svg" "$WORK/table.svg" || fail "$kind of the table is another one"
done
# the bars: a 5·1.8, b 3·0.9, c 0.1·1.8
[ "$(grep -oE '>[abc]<' "$WORK/tornado.svg" | tr -d '><\n')" = cba ] || fail "the ranks"
grep -q 'R² = 1.000' "$WORK/tornado.svg" || fail "a plane is a plane"
exits 0 study "$WORK/plane.kai" -e grid --design grid --figure "$WORK/heat.svg" --chart heat -o "$WORK/g.csv"
grep -q '#440154' "$WORK/heat.svg" && grep -q '#fde725' "$WORK/heat.svg" || fail "the map has no ends"
for ending in png pdf; do
    [ -e "$BUILD/lib/kairos/libkairos-figures.so" ] || continue
    exits 0 study "$WORK/plane.kai" --runs 30 --figure "$WORK/f.$ending" --chart fan --signals x
    [ -s "$WORK/f.$ending" ] || fail "no $ending"
done
exits 0 study "$WORK/plane.kai" --runs 30 --figure "$WORK/fan.svg" --chart fan --trajectories "$WORK/runs.csv"
exits 0 plot "$WORK/runs.csv" --chart fan -o "$WORK/file.svg"
cmp "$WORK/fan.svg" "$WORK/file.svg" || fail "the fan of a file is another one"
grep -q '30 runs' "$WORK/fan.svg" && grep -q 'x \[m\]' "$WORK/fan.svg" || fail "the fan"
exits 0 plot "$WORK/t.csv" --chart heat --signals 'c,b,at(0, x)' -o "$WORK/axes.svg"
grep -q '>c \[m\]<' "$WORK/axes.svg" && grep -q '>b \[m\]<' "$WORK/axes.svg" || fail "the axes of the map"
exits 0 plot "$WORK/t.csv" --chart scatter --signals 'at(0, x)' --against a
prints "a [m]"
exits 0 study "$WORK/plane.kai" --runs 30 --shard 1/2 -o "$WORK/p1.csv"
exits 0 study "$WORK/plane.kai" --runs 30 --shard 2/2 -o "$WORK/p2.csv"
exits 0 merge "$WORK/p1.csv" "$WORK/p2.csv" --figure "$WORK/m.svg" --chart tornado

exits 2 study "$WORK/plane.kai" --runs 30 --figure "$WORK/x.svg" --chart pie
says "not \`pie\`"
exits 2 study "$WORK/plane.kai" --runs 30 --chart heat
says "--figure"
exits 2 plot "$WORK/t.csv" --chart heat --against a -o "$WORK/x.svg"
says "two factors"
exits 2 plot "$WORK/t.csv" --chart fan -o "$WORK/x.svg"
says "trajectories"
exits 2 plot "$WORK/t.csv" --signals nothing -o "$WORK/x.svg"
says "no column \`nothing\`"
exits 2 plot "$WORK/runs.csv" --chart heat -o "$WORK/x.svg"
exits 2 plot "$WORK/runs.csv" --chart fan --signals nothing -o "$WORK/x.svg"
exits 2 study "$WORK/plane.kai" --runs 3 --figure "$WORK/x.svg" --chart tornado
says "do not tell 3 factors apart"

# What would be refused in the end is refused before the runs: there are none on standard output, and no table.
for chart in histogram fan; do
    exits 2 study "$WORK/plane.kai" --runs 3 --figure "$WORK/x.bmp" --chart $chart -o "$WORK/late.csv"
    says "ends in .svg, .png or .pdf"
    [ ! -s "$out" ] && [ ! -e "$WORK/late.csv" ] || fail "$chart: runs for a picture that cannot be"
done
exits 2 merge "$WORK/p1.csv" "$WORK/p2.csv" --figure "$WORK/x.bmp" -o "$WORK/late.csv"
[ ! -e "$WORK/late.csv" ] || fail "a table for a picture that cannot be"

# A measure that never varies has no bars and no plane; 0.1 is one whose sum rounds.
sed 's/0.1\*c$/0.1*c; signal k = 0.1/' "$WORK/plane.kai" >"$WORK/same.kai"
exits 0 study "$WORK/same.kai" --runs 60 --measure k,x --figure "$WORK/k.svg" --chart tornado --signals k,x -o "$WORK/k.csv"
grep -q '0.1 in every run' "$WORK/k.svg" || fail "a measure that never varies"
[ "$(grep -c 'R²' "$WORK/k.svg")" = 1 ] || fail "planes: $(grep 'R²' "$WORK/k.svg")"
