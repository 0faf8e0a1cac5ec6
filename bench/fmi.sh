#!/bin/bash
# What FMUs cost (tests/fmi/cost.c), beside `kairos run` of the same experiment.
# usage: bench/fmi.sh BUILD [MODEL…]
set -eu
cd "$(dirname "$0")/.."
build=$1
shift
[ $# -gt 0 ] || set -- examples/ball/model.kai bench/ball.kai examples/cradle/model.kai examples/sigma-delta/model.kai
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '%-32s %4s %12s %22s %16s %16s %6s\n' model fmi 'instance ms' 'rates+indicators us' 'run ms' 'Co-Simulation ms' ratio
for model in "$@"; do
    best=$(for _ in 1 2 3 4 5 6 7; do "$build/kairos" run "$model" -o "$work/x.csv" 2>&1 >/dev/null | sed -n 's/.* \([0-9.e-]*\) s$/\1/p'; done | sort -g | head -1)
    for version in 2 3; do
        "$build/kairos" export "$model" --fmi $version -o "$work/x.fmu"
        rm -rf "$work/x"
        python3 -m zipfile -e "$work/x.fmu" "$work/x"
        "$build/tests/fmi_cost" "$work/x" | awk -v model="$model" -v version=$version -v run="$best" '
            { v[$1] = $2 }
            END { printf "%-32s %4d %12.3f %22.3f %16.3f %16.3f %6.2f\n", model, version, v["instance_ms"], v["rates_us"], 1000*run,
                         v["cosimulation_ms"], v["cosimulation_ms"]/(1000*run) }'
    done
done
