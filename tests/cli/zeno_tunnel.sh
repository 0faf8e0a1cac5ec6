# A state that passes a surface which turned it back until then, because its last motion was too small to come back over
# the level: reported, never drawn (issue of paper 000, Figs. 18-21: the paper's picture shows it at 12.8).
. tests/cli/helpers.bash
cat >"$WORK/m.kai" <<'END'
model Naive "a detector that is armed above the level and fires below it, as the paper's" {
  param e = 0.8, tolerance = 1e-4
  state y = 10, v = 0
  discrete armed = false
  y' = v
  v' = -9.8
  event beyond = down(y + tolerance/2)
  when y > 0 { armed := true }
  when beyond { armed := false }
  when beyond if armed { v := -e*v }
}
model Below "put below the floor by its own reaction" {
  state y = 1, v = 0
  y' = v
  v' = -9.81
  event hit = down(y)
  when hit { v := -0.1*v; y := -0.1 }
}
model Stay "a level that is crossed and left behind, a trap that opens: nothing is turned back and then passed" {
  state y = 1, v = 0, z = 1
  discrete open = false, n = 0
  y' = v
  v' = -9.81
  z' = -1
  event hit = down(y)
  when hit if not open { v := -0.8*v }
  when time >= 3.5 { open := true }
  when down(z) { n := n + 1 }
  when z < -0.5 { n := n + 1 }
}
model Ball { state y = 1, v = 0
  y' = v
  v' = -9.81
  event hit = down(y)
  when hit { v := -0.5*v }
}
experiment naive of Naive { stop = 14 }
experiment drawn of Naive { stop = 14; zeno = continue }
experiment finer of Naive(tolerance = 1e-6) { stop = 14 }
experiment below of Below { stop = 3 }
experiment stay of Stay { stop = 4; expect final(n) ~ 2 within 0; expect final(y) < -1 }
experiment bdf of Ball { stop = 3; zeno = continue; solver = cvode_bdf }
END
exits 3 run "$WORK/m.kai" -e naive -o "$WORK/o.csv"
says 'tunnelled at t = 12.83'; says 'm.kai:7:18'; says 'down(y + tolerance/2)'; says 'help: add a mode'
awk -F, '/^[0-9]/ && $4 < -1e-3 { exit 1 }' "$WORK/o.csv" || fail "the fall is drawn"
exits 0 run "$WORK/m.kai" -e drawn -o "$WORK/o.csv"    # zeno = continue: drawn, under a warning
says 'warning: tunnelled at t = 12.83'
exits 3 run "$WORK/m.kai" -e finer -o "$WORK/o.csv"
says 'tunnelled at t = 12.85'
exits 3 run "$WORK/m.kai" -e below -o "$WORK/o.csv"
says 'tunnelled at t = 0.4515236409857'; says 'm.kai:16:15'; says 'at a speed of 0.442945'
got=$("$KAIROS" test "$WORK/m.kai" 2>&1 | grep stay) && fail "a level left behind: $got"
exits 0 run "$WORK/m.kai" -e stay -o "$WORK/o.csv"
# A solver whose error exceeds the last motions: whatever happens, the ball does not fall through the floor unnoticed.
code=0
"$KAIROS" run "$WORK/m.kai" -e bdf -o "$WORK/o.csv" 2>"$err" || code=$?
awk -F, '/^[0-9]/ && $4 < -1e-6 { exit 1 }' "$WORK/o.csv" || says 'tunnelled'
exit 0
