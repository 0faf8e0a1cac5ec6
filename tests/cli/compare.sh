# kairos compare: values, times of events, sequences of modes; the first difference with its tag; exit codes 0, 1, 2.
. tests/cli/helpers.bash
csv() { printf '%s\n' "t,p,m,x,hit,mode" "$@"; }

csv 0,0,0,1,,a 1,-1,0,2,,a 1,0,0,2,1,a 1,1,0,0,,b 2,0,0,1,,b >"$WORK/a.csv"
exits 0 compare "$WORK/a.csv" "$WORK/a.csv"
prints "0 of 3 signals differ"

# A value: the tag of the first difference, both numbers, how far apart.
csv 0,0,0,1,,a 1,-1,0,2,,a 1,0,0,2,1,a 1,1,0,0.25,,b 2,0,0,1.5,,b >"$WORK/b.csv"
exits 1 compare "$WORK/a.csv" "$WORK/b.csv"
prints "x: first difference at ⟨1, 1, 0⟩: 0 and 0.25, 0.25 apart (tolerance 2e-06)"
prints "1 of 3 signals differ"
exits 1 compare "$WORK/a.csv" "$WORK/b.csv" --tolerance 0.4
prints "⟨2, 0, 0⟩"
exits 0 compare "$WORK/a.csv" "$WORK/b.csv" --tolerance 0.5
exits 0 compare "$WORK/a.csv" "$WORK/b.csv" --tolerance 25%
exits 1 compare "$WORK/a.csv" "$WORK/b.csv" --tolerance 24%
exits 0 compare "$WORK/a.csv" "$WORK/b.csv" --tolerance x=0.5
exits 1 compare "$WORK/a.csv" "$WORK/b.csv" --tolerance x=0.1 --tolerance 9
exits 0 compare "$WORK/a.csv" "$WORK/b.csv" --signals hit,mode
exits 1 compare "$WORK/a.csv" "$WORK/b.csv" -q
[ ! -s "$out" ] || fail "-q prints"

# Everything 1 ms later, the jump too: the same within 1 ms, whatever the height of the jump.
csv 0,0,0,1,,a 1.001,-1,0,2,,a 1.001,0,0,2,1,a 1.001,1,0,0,,b 2,0,0,1,,b >"$WORK/late.csv"
exits 1 compare "$WORK/a.csv" "$WORK/late.csv" --tolerance 1e-2
prints "hit: first difference at ⟨1, 0, 0⟩: occurrence 1 comes at t = 1.0009999999999999 in the second"
prints "mode: first difference at ⟨1, 1, 0⟩: change 2"
exits 0 compare "$WORK/a.csv" "$WORK/late.csv" --tolerance 1e-2 --time-tolerance 2e-3
exits 1 compare "$WORK/a.csv" "$WORK/late.csv" --tolerance 1e-2 --time-tolerance hit=2e-3
exits 0 compare "$WORK/a.csv" "$WORK/late.csv" --tolerance 1e-2 --time-tolerance 2e-3 --time-tolerance hit=0.5

# Other rows on the same curve; a row that leaves it; an event more; another mode; a signal more.
csv 0,0,0,1,,a 0.5,0,0,1.5,,a 1,-1,0,2,,a 1,0,0,2,1,a 1,1,0,0,,b 2,0,0,1,,b >"$WORK/more.csv"
exits 0 compare "$WORK/a.csv" "$WORK/more.csv"
exits 0 compare "$WORK/more.csv" "$WORK/a.csv"
csv 0,0,0,1,,a 0.5,0,0,1.6,,a 1,-1,0,2,,a 1,0,0,2,1,a 1,1,0,0,,b 2,0,0,1,,b >"$WORK/off.csv"
exits 1 compare "$WORK/a.csv" "$WORK/off.csv"
prints "⟨0.5, 0, 0⟩"
exits 1 compare "$WORK/off.csv" "$WORK/a.csv"
csv 0,0,0,1,,a 1,-1,0,2,,a 1,0,0,2,1,a 1,1,0,0,,b 2,0,0,1,1,b >"$WORK/twice.csv"
exits 1 compare "$WORK/a.csv" "$WORK/twice.csv"
prints "hit: first difference at ⟨2, 0, 0⟩: only the second has occurrence 2"
csv 0,0,0,1,,a 1,-1,0,2,,a 1,0,0,2,1,a 1,1,0,0,,c 2,0,0,1,,c >"$WORK/mode.csv"
exits 1 compare "$WORK/a.csv" "$WORK/mode.csv"
prints "change 2 is b, and c at t = 1 in the second"
printf 't,p,m,x\n0,0,0,1\n' >"$WORK/few.csv"
exits 1 compare "$WORK/a.csv" "$WORK/few.csv"
prints "hit: only the first has this signal"

# Misuse.
exits 2 compare
exits 2 compare "$WORK/a.csv"
exits 2 compare "$WORK/a.csv" "$WORK/a.csv" "$WORK/a.csv"
exits 2 compare "$WORK/a.csv" "$WORK/a.csv" --signals nothing
says "neither result has a signal \`nothing\`"
exits 2 compare "$WORK/a.csv" "$WORK/a.csv" --tolerance -1
exits 2 compare "$WORK/a.csv" "$WORK/a.csv" --tolerance x=
exits 2 compare "$WORK/a.csv" "$WORK/a.csv" --rtol 1
exits 4 compare "$WORK/a.csv" "$WORK/none.csv"
exits 4 compare "$WORK/a.csv" README.md
