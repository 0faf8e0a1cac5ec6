# Long models compile in memory for what they hold, without recursion: 100,000 parameters that follow from each other, written
# in either order, 100,000 signals, 10,000 modes in one machine. Each was a crash or took gigabytes.
set -u

# compiles NAME KILOBYTES: runs in so much address space.
compiles()
{
    local room=$2
    case $BUILD in *asan*) room=unlimited ;; esac # the sanitizers map more than that
    (ulimit -v "$room" && "$KAIROS" run --quiet "$WORK/$1.kai" -o "$WORK/$1.csv") || { echo "$1: failed in $2 kB"; exit 1; }
}

awk 'BEGIN {
    n = 100000
    print "model M {"
    for (i = n - 1; i > 0; i--) printf "  param p%d = p%d + 1\n", i, i - 1
    printf "  param p0 = 1\n  state x = 0\n  x'"'"' = p%d\n}\n", n - 1
    print "experiment e of M { stop = 1; record x; expect final(x) ~ 100000 within 1e-6 }"
}' >"$WORK/backwards.kai"
sed -e '/param/!d' "$WORK/backwards.kai" | tac >"$WORK/params"
{
    echo "model M {"
    cat "$WORK/params"
    sed -n '/state x/,$p' "$WORK/backwards.kai"
} >"$WORK/forwards.kai"
awk 'BEGIN {
    n = 100000
    print "model M {\n  state x = 0\n  x'"'"' = 1"
    for (i = n - 1; i > 0; i--) printf "  signal s%d = s%d + 1\n", i, i - 1
    printf "  signal s0 = x\n}\nexperiment e of M { stop = 1; record x; expect final(s%d) ~ %d within 1e-6 }\n", n - 1, n
}' >"$WORK/signals.kai"
awk 'BEGIN {
    n = 10000
    print "model M {\n  state x = 0\n  discrete k = 0\n  x'"'"' = 1\n  modes {"
    for (i = 0; i < n; i++) printf "    %smode m%d { on x > %g -> m%d { k := %d } }\n", i == 0 ? "initial " : "", i, i / 8 + 0.125, (i + 1) % n, i + 1
    print "  }\n}\nexperiment e of M { stop = 1.9; record x; expect final(k) == 15 }"
}' >"$WORK/modes.kai"

compiles backwards 900000
compiles forwards 900000
compiles signals 900000
compiles modes 500000
"$KAIROS" test "$WORK/backwards.kai" "$WORK/forwards.kai" "$WORK/signals.kai" "$WORK/modes.kai" >"$WORK/out" 2>&1 ||
    { cat "$WORK/out"; exit 1; }
grep -q '^4 passed, 0 failed$' "$WORK/out" || { cat "$WORK/out"; exit 1; }
