# kairos test: one line per failure with place, expected, got and difference; a sweep must hold at every point.
. tests/cli/helpers.bash
mkdir "$WORK/models"
cat >"$WORK/models/a.kai" <<'END'
model M { param a = 1; state x = 1; x' = -a*x }
experiment good of M { stop = 1; expect final(x) ~ 0.36787944117144233 within 1e-8; expect final(x) < 1 }
experiment idle of M { stop = 1 }
END
exits 0 test "$WORK/models"
[ "$(cat "$out")" = "2 passed, 0 failed" ] || fail "got $(cat "$out")"
cat >"$WORK/models/b.kai" <<'END'
model M { param a = 1; state x = 1; x' = -a*x }
experiment bad of M {
  stop = 1
  expect final(x) ~ 0.5 within 1e-3 "half"
}
experiment swept of M { stop = 1; sweep a in (1, 2, 3); expect final(x) > 0.1 }
END
exits 3 test "$WORK/models"
[ "$(tail -1 "$out")" = "4 passed, 2 failed" ] || fail "got $(cat "$out")"
prints "b.kai:4:3: FAILED bad: expect final(x) ~ 0.5 within 1e-3: expected 0.5, got 0.36787"
prints "difference -0.132"
prints "half"
prints "FAILED swept (a = 3): expect final(x) > 0.1"
[ "$(wc -l <"$out")" -eq 3 ] || fail "not one line per failure"
echo 'model' >"$WORK/models/c.kai"
exits 3 test "$WORK/models"
prints "c.kai:"
[ "$(tail -1 "$out")" = "4 passed, 3 failed" ] || fail "got $(tail -1 "$out")"

# Where nothing is expected nothing is tested, which is said.
echo 'model A { state x = 1; x'"'"' = -x } experiment e of A { stop = 1 }' >"$WORK/nothing.kai"
exits 0 test "$WORK/nothing.kai"
says "no experiment expects anything"
