# 250 random automata with nested modes, resets, unions of events, delays and holds: every recorded tag is the one that an
# interpreter of the written rules, in exact arithmetic, expects (tests/reference). AUTOMATA: how many, if more are wanted.
. tests/cli/helpers.bash
check() # FIRST COUNT
{
    (cd tests/reference && PYTHONDONTWRITEBYTECODE=1 python3 automata.py "$KAIROS" "$WORK" "$@") >"$out" 2>"$err" ||
        fail "$(head -5 "$out")"
    grep -q '^[0-9]* automata, 0 differ$' "$out" || fail "$(cat "$out")"
}
check 1 "${AUTOMATA:-250}"
check 811 1  # two events of one delay at one time, and a crossing in the step behind them
