# `record … every T` gives rows at start + nT, computed and not summed up, with the values of the solution there.
. tests/cli/helpers.bash
cat >"$WORK/m.kai" <<'END'
model M { state x = 1; x' = -x }
experiment e of M { stop = 1; record x every 0.1 }
END
exits 0 run "$WORK/m.kai"
awk -F, 'NR > 1 { n++; d = $4 - exp(-$1); if (d < 0) d = -d; if (d > 1e-7 || $2 != 0 || $3 != 0) bad = 1 }
END { exit bad || n != 11 }' "$out" || fail "wrong rows: $(cat "$out")"
[ "$(cut -d, -f1 "$out" | sed -n 5p)" = 0.30000000000000004 ] || fail "not 3*0.1: $(sed -n 5p "$out")"
# A grid that is finer than times can be told apart is a sentence, not a loop without end.
cat >"$WORK/far.kai" <<'END'
model M { state x = 1; x' = -x }
experiment e of M { start = 1e17; stop = 1e17 + 1000; record x every 0.1 }
END
exits 3 run "$WORK/far.kai"
says "rows every 0.1 s are closer together than time can resolve"
