#!/bin/bash
# From start to exit: `kairos run` of the ball beside a C program that prints hello; times in turn, and instructions where there is
# valgrind. It reports and never fails.
# usage: ROUNDS=500 bench/start.sh [BUILD-FOLDER]
set -uo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O2 -D_GNU_SOURCE bench/start.c -o "$work/start" || exit 0
echo '#include <stdio.h>
int main(void) { return puts("hello") < 0; }' | gcc -O2 -x c - -o "$work/hello" || exit 0
run=("$build/kairos" run examples/ball/model.kai --quiet)
"$work/start" "${ROUNDS:-500}" "$work/hello" -- "$build/kairos" --version -- "${run[@]}" -- "${run[@]}" -o "$work/ball.csv"
command -v valgrind >/dev/null || exit 0
count() { valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null | sed -n 's/.*refs: *//p'; }
echo "instructions: hello $(count "$work/hello"), kairos --version $(count "$build/kairos" --version), kairos run $(count "${run[@]}")"
