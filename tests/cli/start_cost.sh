# A start costs what the core costs: until main has read its arguments the program takes less than twice the instructions of a C
# program that prints hello (before parts were opened on demand it took 78 times as many). Counted, not timed, where valgrind is.
set -u
case $BUILD in *asan*) exit 0 ;; esac
# Where the program gets libm when it is first called, a run that calls nothing of it never opens it, and one that does has it.
opened() { LD_DEBUG=files "$KAIROS" run "$1" --quiet -o "$WORK/out.csv" 2>&1 | grep -c 'file=libm\.so'; }
if ! readelf -d "$KAIROS" | grep -q 'NEEDED.*libm\.so'; then
    [ "$(opened examples/ball/model.kai)" = 0 ] || { echo "a run of the ball opens libm"; exit 1; }
    echo 'model M { state x = 0; x'"'"' = 1; signal y = sin(x) } experiment e of M { stop = 1; expect final(y) ~ 0.8414709848078965 within 1e-16 }' >"$WORK/sine.kai"
    [ "$(opened "$WORK/sine.kai")" != 0 ] || { echo "sin without libm"; exit 1; }
    "$KAIROS" test "$WORK/sine.kai" >"$WORK/log" 2>&1 || { cat "$WORK/log"; exit 1; }
fi
command -v valgrind >/dev/null || exit 0
echo '#include <stdio.h>
int main(void) { return puts("hello") < 0; }' | cc -O2 -x c - -o "$WORK/hello" || exit 1
counted() { valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 | awk '/Collected/ { print $4 }'; }
hello=$(counted "$WORK/hello") start=$(counted "$KAIROS" --version)
# Programs that valgrind cannot read (clang's debug information, sanitizers) are counted in the other build.
[ -n "$hello" ] && [ -n "$start" ] || exit 0
[ "$start" -lt $((2 * hello)) ] || { echo "kairos --version: $start instructions, hello: $hello"; exit 1; }
