#!/bin/bash
# Ten netlists by ngspice (with Ron and diodes near the ideal) and by `kairos import` and `run` (ideal): how far apart they are, and how
# long each takes. It reports and never fails; without ngspice (Debian: apt-get install ngspice) it says so.
# usage: bench/spice.sh [BUILD-FOLDER] [NAME...]
set -uo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
shift || true
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v ngspice >/dev/null || { echo "ngspice is not installed: nothing to compare"; exit 0; }
names=("$@")
[ ${#names[@]} -gt 0 ] || for f in bench/spice/*.cir; do names+=("$(basename "$f" .cir)"); done
TIMEFORMAT='%U'

# Rows "time value" of both; Kairos is interpolated at the times of ngspice, and the largest difference is set in relation to the
# largest value.
compare()
{
    awk 'NR == FNR { n++; t[n] = $1; v[n] = $2; next }
    { while (k + 1 < n && t[k + 1] <= $1) k++
      if (k < 1) next
      d = t[k + 1] - t[k]; x = d > 0 ? v[k] + (v[k + 1] - v[k])*($1 - t[k])/d : v[k]
      e = x - $2; if (e < 0) e = -e; if (e > worst) { worst = e; at = $1 }
      a = $2 < 0 ? -$2 : $2; if (a > size) size = a; rows++ }
    END { printf "%.1e %g %d", worst/size, at, rows }' "$1" "$2"
}

printf '%-12s %12s %12s %10s %10s %8s\n' circuit difference "at t" ngspice kairos ratio
for name in "${names[@]}"; do
    netlist=bench/spice/$name.cir
    { time ngspice -b "$netlist" >"$work/spice.out" 2>/dev/null; } 2>"$work/spice.time"
    awk '$1 ~ /^[0-9]+$/ && NF == 3 { print $2, $3 }' "$work/spice.out" >"$work/spice.rows"
    "$build/kairos" import "$netlist" -o "$work/m.kai" 2>/dev/null || { echo "$name: not imported"; continue; }
    { time "$build/kairos" run "$work/m.kai" -q -o "$work/m.csv" 2>"$work/err"; } 2>"$work/kairos.time"
    awk -F, 'NR > 1 && $1 !~ /^#/ { print $1, $4 }' "$work/m.csv" >"$work/kairos.rows"
    read -r worst at rows <<<"$(compare "$work/kairos.rows" "$work/spice.rows")"
    [ "${rows:-0}" -gt 10 ] || { echo "$name: no rows to compare: $(head -1 "$work/err")"; continue; }
    a=$(cat "$work/spice.time") b=$(cat "$work/kairos.time")
    printf '%-12s %12s %12s %9ss %9ss %8s\n' "$name" "$worst" "$at" "$a" "$b" "$(awk "BEGIN { printf \"%.1f\", $a/($b > 0 ? $b : 0.001) }")"
done
