# Circuits and mechanisms whose instants have no rows run short programs (decision 0206): what their models expect, closed forms and
# values of papers, holds all the same.
. tests/cli/helpers.bash
"$KAIROS" test --allow-files --events off examples/breakaway examples/cradle examples/motor-stop tests/models/diode_rectifiers.kai \
    tests/models/bond_*.kai >"$WORK/out" 2>&1 || fail "$(grep -m 3 FAILED "$WORK/out")"
tail -1 "$WORK/out"
