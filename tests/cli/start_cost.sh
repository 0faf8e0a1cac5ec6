# A start costs what the core costs: until main has read its arguments the program takes less than twice the instructions of a C
# program that prints hello (before parts were opened on demand it took 78 times as many). Counted, not timed, where valgrind is.
set -u
case $BUILD in *asan*) exit 0 ;; esac
command -v valgrind >/dev/null || exit 0
echo '#include <stdio.h>
int main(void) { return puts("hello") < 0; }' | cc -O2 -x c - -o "$WORK/hello" || exit 1
counted() { valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 | awk '/Collected/ { print $4 }'; }
hello=$(counted "$WORK/hello") start=$(counted "$KAIROS" --version)
# Programs that valgrind cannot read (clang's debug information, sanitizers) are counted in the other build.
[ -n "$hello" ] && [ -n "$start" ] || exit 0
[ "$start" -lt $((2 * hello)) ] || { echo "kairos --version: $start instructions, hello: $hello"; exit 1; }
# The run of a ball draws its parabolas by their coefficients: 13.4 hellos, 15.2 where each point is loaded.
run=$(counted "$KAIROS" run examples/ball/model.kai --quiet)
[ "$run" -lt $((143 * hello / 10)) ] || { echo "the ball: $run instructions, hello: $hello"; exit 1; }
# A model that names no file is not asked where the folders are that it may read.
command -v strace >/dev/null && strace -o "$WORK/calls" "$KAIROS" run examples/ball/model.kai --quiet >/dev/null 2>&1 || exit 0
links=$(grep -c '^readlink' "$WORK/calls")
[ "$links" -le 2 ] || { echo "the ball: $links links are read"; exit 1; }
