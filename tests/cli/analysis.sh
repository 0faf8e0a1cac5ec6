# linearize and sensitivity: what they print, and calls that are wrong. Numbers are in tests/unit/test_analysis.c.
. tests/cli/helpers.bash
cat >"$WORK/p.kai" <<'END'
model Pendulum {
  param l = 2, n = 1
  input M = 0
  state phi = 0.2, w = 0
  output x = l*sin(phi)
  phi' = w
  w' = -9.81/l*sin(phi) + M
}
experiment swing of Pendulum { stop = 1 }
END
exits 0 linearize "$WORK/p.kai" --steady
prints "  w'                     -4.905              0"
exits 0 linearize "$WORK/p.kai" --json -o "$WORK/p.json"
grep -q '"C": \[\[1.960133155682' "$WORK/p.json" || fail "JSON"
exits 0 linearize "$WORK/p.kai" -o "$WORK/p.svg"
grep -q 'phase x/M' "$WORK/p.svg" || fail "no phase in the figure"
exits 2 linearize "$WORK/p.kai" --inputs ph
says 'there is no `ph` in Pendulum'
exits 2 linearize "$WORK/p.kai" --inputs phi
says 'neither an input nor a parameter'
exits 2 linearize "$WORK/p.kai" --at x
exits 2 sensitivity "$WORK/p.kai"
says '--by a,b'
exits 2 sensitivity "$WORK/p.kai" --by x
exits 0 sensitivity "$WORK/p.kai" --by l,phi -o "$WORK/s.csv"
head -n 1 "$WORK/s.csv" | grep -q 'd(x)/d(l)' || fail "no column d(x)/d(l)"
[ ! -e "$WORK/s.csv.part" ] || fail "a part is left"
