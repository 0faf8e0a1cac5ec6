# The cost of a reaction does not grow with the number of modes that are not active: the same run with 10 and with
# 300 modes takes the same number of instructions, set-up subtracted. Needs valgrind; without it there is nothing to measure.
set -u
command -v valgrind >/dev/null || { echo "no valgrind: not measured"; exit 0; }
case $BUILD in *asan*) echo "instrumented build: not measured"; exit 0 ;; esac

# model N: a clock that ticks in mode m0, beside N - 1 modes with guards and reactions of their own
model()
{
    echo "model M { discrete n = 0; state x = 0; x' = 1"
    echo "  event tick = clock(0.001, 0.001)"
    echo "  when tick { n := n + 1 }"
    echo "  modes { initial mode m0 { on time > 2000 -> m1 }"
    for i in $(seq 1 $(($1 - 1))); do
        echo "    mode m$i { on time > 1000 + $i -> m0; when x > 10 + $i { n := $i } }"
    done
    echo "  } }"
    echo "experiment e of M { stop = 10; record n every 100 }"
}

# instructions N STOP
instructions()
{
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$KAIROS" run "$WORK/modes$1.kai" --stop "$2" -o /dev/null --quiet 2>&1 |
        awk '/Collected/ { print $4 }'
}

for n in 10 300; do model $n >"$WORK/modes$n.kai"; done
[ -n "$(instructions 10 1)" ] || { echo "valgrind cannot run this build: not measured"; exit 0; }
few=$(($(instructions 10 2) - $(instructions 10 1)))
many=$(($(instructions 300 2) - $(instructions 300 1)))
echo "1,000 instants: $few instructions with 10 modes, $many with 300"
[ "$few" -gt 100000 ] && [ "$many" -le $((few + 100000)) ]  # the agenda is five levels deeper
