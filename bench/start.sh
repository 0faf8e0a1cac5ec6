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
int main(void) { return puts("hello") < 0; }' | gcc -O2 -x c - -o "$work/linked" || exit 0
# Both as they are installed, by a copy: the system keeps a file that a linker has written here and there in smaller pieces.
mkdir "$work/bin" && ln -s "$(realpath "$build/share")" "$work/share" && cp "$work/linked" "$work/hello" && cp "$build/kairos" "$work/bin/" || exit 0
kairos=$work/bin/kairos
run=("$kairos" run examples/ball/model.kai --quiet)
"$work/start" "${ROUNDS:-500}" "$work/hello" -- "$kairos" --version -- "${run[@]}" -- "${run[@]}" -o "$work/ball.csv"
command -v valgrind >/dev/null || exit 0
count() { valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null | sed -n 's/.*refs: *//p'; }
echo "instructions: hello $(count "$work/hello"), kairos --version $(count "$kairos" --version), kairos run $(count "${run[@]}")"
