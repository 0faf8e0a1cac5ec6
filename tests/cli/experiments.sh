# Without -e the first experiment runs and the summary says so; without any experiment the model runs.
. tests/cli/helpers.bash
cat >"$WORK/m.kai" <<'END'
model M { state x = 1; x' = -x }
experiment first of M { stop = 1 }
experiment second of M(x = 5) { stop = 2 }
END
exits 0 run "$WORK/m.kai"
says "M, experiment first (the first of 2): t = 1,"
exits 0 run "$WORK/m.kai" -e second
says "M, experiment second: t = 2,"
[ "$(sed -n 2p "$out")" = 0,0,0,5 ] || fail "second starts at $(sed -n 2p "$out")"
exits 0 run "$WORK/m.kai" -e second --stop 3 --set x=7 --solver rk23
says "t = 3,"
[ "$(sed -n 2p "$out")" = 0,0,0,7 ] || fail "--set x=7 starts at $(sed -n 2p "$out")"
sed -i /experiment/d "$WORK/m.kai"
exits 0 run "$WORK/m.kai"
says "M: t = "
