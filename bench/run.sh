#!/bin/bash
# Times `kairos run` against the same workloads written by hand, interleaved, best of several rounds. It reports and never
# fails: times on shared machines are no test.
#
# The hand-written programs time themselves, after their set-up. So the set-up of kairos (start, compile), measured by a run
# that stops at once, is subtracted from its CPU time and shown in a column of its own.
# usage: BENCH_RULER=FOLDER ROUNDS=5 bench/run.sh [BUILD-FOLDER] [WORKLOAD...]
set -uo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
shift || true
kairos=$build/kairos
ruler=${BENCH_RULER:-../shared/bench}
rounds=${ROUNDS:-5}
programs=$build/bench
TIMEFORMAT='%U %S'

# name, unit, units of kairos' run, how often a round repeats it (the clock has milliseconds), program by hand, its arguments
workloads="
ball      event 100000 10 a_ball  dp lossless 100000
gas10     event 111132 3  b_gas   dp 10 100000
gas100    event 21188  5  b_gas   dp 100 20000
gas1000   event 2441   20 b_gas   dp 1000 2000
gas10000  event 30751   1  -       -
boost     event 9981   10 d_boost dp 0.1
boost_bond event 9981  10 d_boost dp 0.1
sigdel    run   1      2  c_sigdel dp 1000000
chain     run   1      1  f_chain dp chain 1000 20
vanderpol run   1      20 e_rodas vdp 1000 2000
"

build_ruler()
{
    local libraries="-lsundials_cvode -lsundials_nvecserial -lsundials_sunlinsoldense -lsundials_sunlinsolband \
        -lsundials_sunlinsolspgmr -lsundials_sunnonlinsolfixedpoint -lsundials_sunmatrixdense -lsundials_sunmatrixband -lm"
    local program
    mkdir -p "$programs"
    for program in a_ball b_gas c_sigdel d_boost f_chain e_rodas; do
        [ "$programs/$program" -nt "$ruler/$program.c" ] && continue
        gcc -O2 -w "$ruler/$program.c" -o "$programs/$program" $libraries || echo "cannot build $program" >&2
    done
}

# cpu_ms TIMES COMMAND...: CPU milliseconds of one call; nothing if a call fails.
cpu_ms()
{
    local times=$1 i
    shift
    { time for ((i = 0; i < times; i++)); do "$@" >/dev/null 2>&1 || echo failed >&3; done; } 2>&1 3>&1 |
        awk -v n="$times" '/failed/ { bad = 1 } NF == 2 { t = $1 + $2 } END { if (!bad) printf "%.4f\n", 1000 * t / n }'
}

# by_hand PROGRAM ARGUMENTS: microseconds per event, or per run where its report has no state events.
by_hand()
{
    local program=$1
    shift
    [ -x "$programs/$program" ] || return 0
    REPS=20 "$programs/$program" "$@" 2>/dev/null | awk '
        match($0, /cpu=[0-9.]+/) { cpu = substr($0, RSTART + 4, RLENGTH - 4) }
        match($0, /sev=[0-9]+/)  { events = substr($0, RSTART + 4, RLENGTH - 4) }
        END { if (cpu != "") printf "%.4f\n", 1e6 * cpu / (events > 0 ? events : 1) }'
}

# keep NAME VALUE: remembers the least value under that name.
declare -A best
keep()
{
    [ -n "$2" ] || return 0
    best[$1]=$(awk -v a="${best[$1]:-}" -v b="$2" 'BEGIN { print a == "" || b + 0 < a + 0 ? b : a }')
}

wanted()
{
    local name=$1 other
    shift
    [ $# -eq 0 ] && return 0
    for other in "$@"; do [ "$other" = "$name" ] && return 0; done
    return 1
}

one_round()
{
    local name unit units times program arguments
    while read -r name unit units times program arguments; do
        [ -n "$name" ] && wanted "$name" "$@" || continue
        keep "$name.hand" "$(by_hand "$program" $arguments </dev/null)"
        keep "$name.total" "$(cpu_ms "$times" "$kairos" run --allow-files "bench/$name.kai" --quiet -o /dev/null </dev/null)"
        keep "$name.setup" "$(cpu_ms "$times" "$kairos" run --allow-files "bench/$name.kai" --quiet --stop 1e-9 -o /dev/null </dev/null)"
    done <<<"$workloads"
}

# Whether the run is also right: `kairos test` on the model, whose expectations are closed forms or published.
verdict()
{
    "$kairos" test --allow-files "bench/$1.kai" >/dev/null 2>&1 </dev/null && echo ok || echo WRONG
}

print_table()
{
    local name unit units times program arguments
    printf '%-10s %-6s %13s %13s %7s %10s  %s\n' workload per "by hand (us)" "kairos (us)" ratio "set-up(ms)" result
    while read -r name unit units times program arguments; do
        [ -n "$name" ] && wanted "$name" "$@" || continue
        awk -v name="$name" -v unit="$unit" -v units="$units" -v hand="${best[$name.hand]:-}" -v total="${best[$name.total]:-}" \
            -v setup="${best[$name.setup]:-}" -v verdict="$(verdict "$name")" 'BEGIN {
            ours = total == "" ? "failed" : sprintf("%.3f", 1000 * (total - setup) / units)
            theirs = hand == "" ? "-" : sprintf("%.3f", hand)
            ratio = total == "" || hand == "" ? "-" : sprintf("%.2f", ours / hand)
            printf "%-10s %-6s %13s %13s %7s %10s  %s\n", name, unit, theirs, ours, ratio, setup == "" ? "-" : setup + 0, verdict }'
    done <<<"$workloads"
}

[ -x "$kairos" ] || { echo "no $kairos: run make first"; exit 0; }
if [ -d "$ruler" ]; then
    build_ruler
else
    echo "no hand-written programs in $ruler (BENCH_RULER): only kairos is timed"
    programs=""
fi
for ((round = 0; round < rounds; round++)); do
    one_round "$@"
done
print_table "$@"
exit 0
