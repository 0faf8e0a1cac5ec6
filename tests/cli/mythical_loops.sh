# Specifications that no set of modes can satisfy are reported as a mythical loop, with the cycle, the line and exit 3 (rule B3,
# paper 002, Figs. 10 and 14); their corrected versions run (checked by `kairos test` of the same files).
set -u
fail() { echo "$1"; cat "$WORK/err"; exit 1; }
loops() # FILE EXPERIMENT TIME CYCLE
{
    timeout 20 "$KAIROS" run "$1" -e "$2" -o "$WORK/out.csv" 2>"$WORK/err"
    [ $? -eq 3 ] || fail "$2: exit code is not 3"
    grep -q "error: mythical loop at t = $3: .*$4; and again" "$WORK/err" || fail "$2: not the cycle $4"
    grep -q '^help: ' "$WORK/err" || fail "$2: no help"
    grep -qE "^$1:[0-9]+:[0-9]+: " "$WORK/err" || fail "$2: no place"
    grep -q '^stopped at' "$WORK/out.csv.status" || fail "$2: the file does not say that it is not whole"
}
# Only the junctions that toggle, with effort and flow in each set.
values='(e = [-0-9.e+]*, f = [-0-9.e+]*)'
loops examples/ball-cspec/model.kai fig10 0 "floor1.mode = on_ $values; then floor1.mode = off_ $values"
loops examples/relay/model.kai loops 0.001 "relay.mode = open $values; then relay.mode = closed $values"
loops examples/breakaway/model.kai loops 1 "F12.mode = stuck (e = 0.75, f = 0); then F12.mode = slip $values"
