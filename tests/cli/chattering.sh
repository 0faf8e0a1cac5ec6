# The loop of paper 000, section 4, with a microstep delay: (x, y, z) = (1,0,1), (2,1,1), (3,2,1) ... at t = 0, without end.
# The run reports chattering Zeno with the signals that keep changing, and exits with 3 (rules R5, R6).
set -u
cat >"$WORK/loop.kai" <<'END'
model Loop {
  signal z = 1
  signal x = y + z
  signal y = pre(x, 0)
}
experiment e of Loop { stop = 1; record x, y, z }
END
fail() { echo "$1"; cat "$WORK/err"; head -8 "$WORK/out.csv"; exit 1; }
"$KAIROS" run "$WORK/loop.kai" -o "$WORK/out.csv" 2>"$WORK/err"
[ $? -eq 3 ] || fail "exit code is not 3"
grep -qi 'chattering' "$WORK/err" || fail "not called chattering"
grep -qE '\bx\b.*\by\b|\by\b.*\bx\b' "$WORK/err" || fail "does not name x and y"
awk -F, -v want='x,y,z' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    /^#/ || $at["p"] < 0 { next }
    { n++; if ($1 != 0 || $at["x"] != n || $at["y"] != n - 1 || $at["z"] != 1) { print "row", NR, $0; bad = 1 } }
    END { exit bad || n < 5 }' "$WORK/out.csv" || fail "the rows are not (1,0,1), (2,1,1), (3,2,1), ..."

# A cycle that revisits its state is reported at once.
cat >"$WORK/cycle.kai" <<'END'
model Flip {
  discrete on_ = false
  when on_ { on_ := false }
  when not on_ { on_ := true }
}
experiment e of Flip { stop = 1 }
END
"$KAIROS" run "$WORK/cycle.kai" -o "$WORK/out.csv" 2>"$WORK/err"
[ $? -eq 3 ] || fail "a cycle: exit code is not 3"
grep -qi 'chattering' "$WORK/err" || fail "a cycle: not called chattering"
grep -q 'on_' "$WORK/err" || fail "a cycle: on_ is not named"
[ "$(wc -l <"$WORK/out.csv")" -lt 20 ] || fail "a cycle: not recognised at once"
# A cycle of modes is told by their names.
cat >"$WORK/modes.kai" <<'END'
model M { state x = 0; x' = 1
  modes { initial mode first { on x > 2 -> second } mode second { on x > 1 -> third } mode third { on x > 0.5 -> first } } }
experiment e of M { stop = 10 }
END
"$KAIROS" run "$WORK/modes.kai" -q -o "$WORK/out.csv" 2>"$WORK/err"
grep -q 'mode = second fires' "$WORK/err" || fail "the modes of the cycle have no names: $(cat "$WORK/err")"
exit 0
