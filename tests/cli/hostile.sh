# Texts that want more than there is: each ends in a sentence within 1 GB and 10 s, and never by a signal. The default of
# --memory is a quarter of the machine; here it is given, so that the sentence comes from the program and not from the system.
# KAIROS_HOSTILE=name runs one of them, KAIROS_HOSTILE=all each, and prints what it said, how long it took and how much memory
# it had.
. tests/cli/helpers.bash
shopt -s lastpipe # `… | runs` counts in this shell

room="ulimit -v 1000000"
seconds=10
case $BUILD in *asan*) room=true seconds=60 ;; esac # the sanitizers map more than that, and take longer
only=${KAIROS_HOSTILE:-}
count=0

# ends NAME CODES TEXT ARGUMENT…: kairos with these arguments exits with one of the codes (as 0|3) and says TEXT (a regular expression).
ends()
{
    local name=$1 codes=$2 text=$3 got=0
    shift 3
    [ -z "$only" ] || [ "$only" = all ] || [ "$only" = "$name" ] || return 0
    count=$((count + 1))
    (
        $room
        [ -z "$only" ] || exec /usr/bin/time -f '%e s, %M kB' -o "$WORK/time" timeout -s KILL 60 "$KAIROS" "$@"
        exec timeout -s KILL $seconds "$KAIROS" "$@"
    ) >"$out" 2>"$err" </dev/null || got=$?
    [ -z "$only" ] || { echo "$name: exit $got, $(tail -1 "$WORK/time"): $(head -1 "$err" | cut -c1-150)"; }
    [[ "|$codes|" == *"|$got|"* ]] || { echo "$name: exit code $got instead of $codes"; head -c 600 "$err"; failed=1; return 0; }
    [ -z "$text" ] || cat "$err" "$out" | grep -qE -- "$text" || { echo "$name: it does not say: $text"; head -c 600 "$err"; failed=1; }
}
failed=0

# runs NAME CODES TEXT: the model on standard input as a file, run.
runs()
{
    cat >"$WORK/$1.kai"
    ends "$1" "$2" "$3" run --memory 400M --time 2 "$WORK/$1.kai" -o "$WORK/$1.csv"
    rm -f "$WORK/$1".*
}

limit="more than 400 MB of memory|more than 2 s"
large="larger than the compiler takes"

# ---- what is instantiated
runs instances "1|3" "$large|$limit" <<'E'
model A { state x = 0; x' = 1 }
model M { a : A[i in 1..1000000000] }
experiment e of M { stop = 1 }
E
runs states "1|3" "$large|$limit" <<'E'
model M { state x[i in 1..1000000000] = 0; for i in 1..1000000000 { x[i]' = 1 } }
experiment e of M { stop = 1 }
E
runs empty_for "1|3" "$large|$limit" <<'E'
model M { state x = 0; x' = 1; for i in 1..1000000000000 { } }
experiment e of M { stop = 1 }
E
runs nested_for "1|3" "$large|$limit" <<'E'
model M { state x = 0; x' = 1; for i in 1..100000 { for j in 1..100000 { if i < 0 { signal s = 1 } } } }
experiment e of M { stop = 1 }
E
runs fold "1|3" "$large|$limit" <<'E'
model M { state x = 0; x' = sum(i in 1..1000000000, x) }
experiment e of M { stop = 1 }
E
runs folds "1|3" "$large|$limit" <<'E'
model M { state x = 0; x' = sum(i in 1..10000, sum(j in 1..10000, sum(k in 1..10000, i*j*k*x))) }
experiment e of M { stop = 1 }
E
runs constant_fold "1|3" "$large|$limit" <<'E'
model M { param p = sum(i in 1..100000000000, i); state x = 0; x' = p }
experiment e of M { stop = 1 }
E
awk 'BEGIN { print "model M0 { state x = 0; x'"'"' = 1 }"
    for (i = 1; i < 20000; i++) printf "model M%d { m : M%d }\n", i, i - 1
    print "experiment e of M19999 { stop = 1 }" }' | runs inside "1|3" "$limit|deep"
awk 'BEGIN { print "model M0 { state x = 0; x'"'"' = 1 }"
    for (i = 1; i < 40; i++) printf "model M%d { a : M%d; b : M%d }\n", i, i - 1, i - 1
    print "experiment e of M39 { stop = 1 }" }' | runs doubled_models "1|3" "$large|$limit"
runs itself 1 'inside itself|contains itself' <<'E'
model M { m : M; state x = 0; x' = 1 }
experiment e of M { stop = 1 }
E
awk 'BEGIN { printf "model M { param p0 = [1, 2]\n"
    for (i = 1; i < 40; i++) printf "param p%d[i in 1..2*size(p%d)] = 1\n", i, i - 1
    print "state x = 0; x'"'"' = 1 }\nexperiment e of M { stop = 1 }" }' | runs doubled_arrays "1|3" "$limit|error"
awk 'BEGIN { printf "function f0(x) = x + x\n"
    for (i = 1; i < 60; i++) printf "function f%d(x) = f%d(f%d(x)) + f%d(x)\n", i, i - 1, i - 1, i - 1
    print "model M { state x = 0; x'"'"' = f59(x) }\nexperiment e of M { stop = 1 }" }' | runs doubled_functions "1|3" "$limit|error"
runs recursion 1 'itself' <<'E'
function f(x) = f(x) + 1
model M { state x = 0; x' = f(x) }
experiment e of M { stop = 1 }
E

# ---- long texts
awk 'BEGIN { print "model M { param p0 = 1"
    for (i = 1; i < 100000; i++) printf "param p%d = p%d + 1\n", i, i - 1
    print "state x = 0; x'"'"' = p99999 }\nexperiment e of M { stop = 1 }" }' | runs parameters "0|3" "steps|$limit"
awk 'BEGIN { print "model M { state x = 0; x'"'"' = 1; modes {"
    for (i = 0; i < 100000; i++) printf "%s mode m%d { on x > %d -> m%d }\n", i == 0 ? "initial" : "", i, i, (i + 1) % 100000
    print "} }\nexperiment e of M { stop = 1; record x }" }' | runs modes "0|3" "steps|$limit"
awk 'BEGIN { printf "model M { param p [m"; for (i = 0; i < 100000; i++) printf "*m"; print "] = 1; state x = 0; x'"'"' = 1 }\nexperiment e of M { stop = 1 }" }' |
    runs unit "0|1|3" "error|steps|$limit"
awk 'BEGIN { printf "model M { param p [m"; for (i = 0; i < 100000; i++) printf "^3"; print "] = 1; state x = 0; x'"'"' = 1 }\nexperiment e of M { stop = 1 }" }' |
    runs unit_powers "0|1|3" "error|steps|$limit"
awk 'BEGIN { printf "model M { state x = 0; x'"'"' = "; for (i = 0; i < 300000; i++) printf "("; printf "x"; for (i = 0; i < 300000; i++) printf ")"; print " }\nexperiment e of M { stop = 1 }" }' |
    runs parentheses "0|1|3" "error|steps"
awk 'BEGIN { printf "model M { state x = 0; x'"'"' = "; for (i = 0; i < 300000; i++) printf "x+"; print "1 }\nexperiment e of M { stop = 1 }" }' | runs sum "0|1|3" "error|steps|$limit"
awk 'BEGIN { printf "model M { state x = 0; x'"'"' = "; for (i = 0; i < 300000; i++) printf "2^"; print "1 }\nexperiment e of M { stop = 1 }" }' | runs powers "0|1|3" "error|steps|$limit"
awk 'BEGIN { printf "model M { state x = 0; x'"'"' = "; for (i = 0; i < 300000; i++) printf "-"; print "1 }\nexperiment e of M { stop = 1 }" }' | runs minuses "0|1|3" "error|steps|$limit"
awk 'BEGIN { printf "model M { state x = 0; x'"'"' = "; for (i = 0; i < 100000; i++) printf "if x > %d then 1 else ", i; print "1 }\nexperiment e of M { stop = 1 }" }' | runs ifs "0|1|3" "error|steps|$limit"
awk 'BEGIN { printf "model M { state x = 0; x'"'"' = 1; "; for (i = 0; i < 100000; i++) printf "modes { initial mode m { "; for (i = 0; i < 100000; i++) printf "} }"; print " }\nexperiment e of M { stop = 1 }" }' | runs deep_modes "0|1|3" "error|steps|$limit"
awk 'BEGIN { printf "model M { state x = 0; x'"'"' = 1; "; for (i = 0; i < 200000; i++) printf "if true { "; for (i = 0; i < 200000; i++) printf "}"; print " }\nexperiment e of M { stop = 1 }" }' | runs deep_blocks "0|1|3" "error|steps|$limit"
awk 'BEGIN { for (i = 0; i < 2000000; i++) printf "{"; }' | runs braces 1 error
awk 'BEGIN { for (i = 0; i < 200000; i++) print "model 1 {"; }' | runs errors 1 "error"
awk 'BEGIN { printf "model M { state "; for (i = 0; i < 5000000; i++) printf "x"; print " = 0 }" }' | runs name "0|1|3" "error|warning|steps"
head -c 20000000 /dev/zero | runs zeros 1 error
awk 'BEGIN { printf "//"; for (i = 0; i < 3000000; i++) printf "\033[31m"; }' | runs comment "0|1|2" "kairos:|error"
awk 'BEGIN { printf "model M { state x = 0; x'"'"' = 1; signal y = \""; for (i = 0; i < 3000000; i++) printf "%%s%%n"; print "\" }" }' | runs text "0|1" "error|steps"
awk 'BEGIN { print "model M { state x = 0; x'"'"' = 1;"
    for (i = 0; i < 3000; i++) printf "signal s%d = if x > 0.5 then s%d else s%d\n", i, (i * 7 + 1) % 3000, (i * 13 + 5) % 3000
    print "}\nexperiment e of M { stop = 1 }" }' | runs knot "0|1|3" "error|steps|$limit"
awk 'BEGIN { print "model M { state x = 0; x'"'"' = 1; signal s0 = x"
    for (i = 1; i < 60; i++) printf "signal s%d = s%d*s%d\n", i, i - 1, i - 1
    print "signal d = der(der(der(s59))) }\nexperiment e of M { stop = 0.1; record x }" }' | runs derivatives "0|1|3" "error|steps|$limit"
awk 'BEGIN { print "model M { state x = 1; event e = clock(0.1); signal s0 = delta(e, 1)"
    for (i = 1; i < 200; i++) printf "signal s%d = der(s%d)\n", i, i - 1
    print "x'"'"' = s199 }\nexperiment e of M { stop = 1; record x }" }' | runs impulses "0|1|3" "error|steps|$limit"

# ---- runs without end
runs record 3 "$limit" <<'E'
model M { state x = 0; x' = 1 }
experiment e of M { stop = 1; record x every 1e-300 }
E
runs clock 3 "$limit" <<'E'
model M { state x = 0; x' = 1; discrete n = 0; when clock(1e-15) { n := n + 1 } }
experiment e of M { stop = 1 }
E
runs clock_at_once 3 "$limit" <<'E'
model M { state x = 0; x' = 1; discrete n = 0; when clock(1e-300) { n := n + 1 } }
experiment e of M { stop = 1 }
E
runs clock_stands 3 "clock with period 1e-20 are closer together than time can resolve, at t = 1" <<'E'
model M { state x = 0; x' = 1; discrete n = 0; when clock(1e-20, 1) { n := n + 1 } }
experiment e of M { stop = 2 }
E
runs clock_of_no_one 3 "clock with period 3e-16 are closer together than time can resolve, at t = 1" <<'E'
model M { state x = 0; x' = 1; modes { initial mode a { on x > 10 -> b } mode b { event e = clock(3e-16, 1) } } }
experiment e of M { stop = 2 }
E
runs delay_stands 3 "chattering Zeno at t = 1.* no end after 10000 tags" <<'E'
model M { state x = 0; x' = 1; event e, d = delay(e, 1e-20); discrete n = 0; when x > 1 { emit e(1) } when d { n := n + 1; emit e(1) } }
experiment e of M { stop = 2 }
E
runs endless 3 "$limit" <<'E'
model M { state x = 0; x' = 1; discrete n = 0; event e; when x > 0.5 { emit e(1) } when e { n := n + 1; emit e(1) } }
experiment e of M { stop = 1; max_microsteps = 4294967295 }
E
runs events "0|3" "instants|$limit" <<'E'
model M { state x = 0; x' = 1; event e, late = delay(e, 0.5); discrete n = 0, k = 0
  when x > 0.1 { emit e(1) }
  when e if n < 1000000 { n := n + 1; emit e(n) }
  when late { k := k + 1 } }
experiment e of M { stop = 1; record x; max_microsteps = 4294967295 }
E
awk 'BEGIN { print "model M { state x = 0; x'"'"' = 1; discrete n = 0"
    for (i = 0; i < 20; i++) printf "discrete d%d = 0\nchoose { when x > %g { d%d := 1; n := 2*n } when x > %g { d%d := 2; n := n + 1 } }\n", i, 0.01*i, i, 0.01*i, i
    print "}\nexperiment e of M { stop = 1; choice = all; max_branches = 9007199254740992; max_choices = 9007199254740992 }" }' | runs choices 3 "$limit"
runs stop 3 "$limit" <<'E'
model M { state x = 1; x' = sin(1e6*time) + x }
experiment e of M { stop = inf; max_step = 1e-9 }
E
runs delays 3 "$limit|too fast to be followed" <<'E'
model M { state x = 1; x' = -delay(x, 1e6); signal y = delay(sin(1e5*time), 1e6) }
experiment e of M { stop = 1e9; max_step = 1e-4; record x every 1e9 }
E
runs queue 3 "$limit" <<'E'
model M { state x = 1; x' = 0; event put = clock(1e-7), take = clock(1e9), q = queue(put, take) }
experiment e of M { stop = 1e9; record x every 1e9 }
E
runs stiff "1|3" "$large|$limit" <<'E'
model M { state x[i in 1..3000] = 1; for i in 1..3000 { x[i]' = -1e9*x[i] + sum(j in 1..3000, x[j]) } }
experiment e of M { stop = 1; record x[1]; solver = rosenbrock }
E
runs sweep 1 "more than a million runs" <<'E'
model M { param a = 1, b = 1, c = 1; state x = 0; x' = a }
experiment e of M { stop = 1; sweep a from 0 to 1 by 1e-9; sweep b from 0 to 1 by 1e-9; sweep c from 0 to 1 by 1e-9 }
E

# ---- units, distributions, figures, foreign parts
runs exponents 1 "the exponent of a unit is a whole number up to 99" <<'E'
model M { param p [m^999999999999] = 1; state x = 0; x' = p }
experiment e of M { stop = 1 }
E
awk 'BEGIN { printf "model M { param p [m"; for (i = 0; i < 50000; i++) printf "*m^%d", i % 97 - 48; print "] = 1; state x = 0; x'"'"' = 1 }\nexperiment e of M { stop = 1 }" }' |
    runs unit_many "0|1|3" ""
cat >"$WORK/drawn.kai" <<'E'
model M { param a ~ normal(0, 1e308), b ~ lognormal(1e300, 1e3); state x = a; x' = b }
experiment e of M { stop = 1 }
E
ends drawn 0 "10 runs" study --runs 10 "$WORK/drawn.kai" -o "$WORK/drawn.csv"
runs distributions 1 "no distribution of .c." <<'E'
model M { param c ~ triangular(3, 1, 2), d ~ uniform(5, -5), f ~ exponential(0), g ~ normal(0/0, inf); state x = c; x' = d }
experiment e of M { stop = 1 }
E
awk 'BEGIN { print "model M {"; for (i = 0; i < 3000; i++) printf "param a%d ~ normal(0, 1)\n", i; print "state x = 0; x'"'"' = a1 }\nexperiment e of M { stop = 1 }" }' >"$WORK/factors.kai"
ends factors 2 "at most 16 factors" study --runs 10 --design sobol "$WORK/factors.kai" -o "$WORK/factors.csv"
cat >"$WORK/phase.kai" <<'E'
model M { state x = 0, y = 0; x' = 1e7*cos(1e7*time); y' = -1e7*sin(1e7*time) }
experiment e of M { stop = 100; plot y against x }
model L { state x = 1e308, z = 1e-320; x' = -1e308; z' = 0 }
experiment large of L { stop = 1; plot z against x; plot x against x }
E
for ending in svg html; do
    ends "phase.$ending" 3 "more than 0.5 s.* it has come to t = " plot -e e --memory 400M --time 0.5 "$WORK/phase.kai" -o "$WORK/phase.$ending"
    [ -n "$only" ] || [ -s "$WORK/phase.$ending" ] || { echo "phase.$ending: not drawn as far as it came"; failed=1; }
done
ends large 0 "" plot -e large "$WORK/phase.kai" -o "$WORK/large.svg"
awk 'BEGIN { print "model M { state x = 0; x'"'"' = 1"; for (i = 0; i < 2000; i++) printf "signal s%d = x*%d\n", i, i
    print "}\nexperiment e of M { stop = 1"; for (i = 0; i < 1999; i++) printf "plot s%d against s%d\n", i, i + 1; print "}" }' >"$WORK/panels.kai"
ends panels "0|3" "" plot --memory 400M --time 5 "$WORK/panels.kai" -o "$WORK/panels.html"
runs record_all 3 "$limit" <<'E'
model A { state x[i in 1..1000] = 0; for i in 1..1000 { x[i]' = i } }
model M { a : A[i in 1..20] }
experiment e of M { stop = 1; record all every 1e-9 }
E
cat >"$WORK/words.kai" <<'E'
model M "</script><script>alert(1)</script>" { state x = 0; x' = 1; when x > 0.5 { halt "</script><img src=x onerror=alert(1)>" } }
experiment e of M { stop = 1 }
E
ends words 0 "" plot "$WORK/words.kai" -o "$WORK/words.html"
[ -n "$only" ] || ! grep -q "<script>alert\|<img src=x" "$WORK/words.html" || { echo "words: a text of the model is code of the page"; failed=1; }
mkfifo "$WORK/fifo.ssp"
ln -s /dev/zero "$WORK/zero.ssp"
for name in fifo zero; do ends "$name.ssp" 4 "it is no regular file" check "$WORK/$name.ssp"; done
mkdir "$WORK/dir.fmu"
mkfifo "$WORK/fifo.fmu"
printf 'PK\005\006aaaaaaaaaaaaaaaaaa' >"$WORK/damaged.fmu"
for path in dir.fmu fifo.fmu damaged.fmu /dev/zero; do
    printf 'fmu F = "%s"\nmodel M { f : F }\nexperiment e of M { stop = 1 }\n' "$path" >"$WORK/fmu.kai"
    ends "fmu of $path" 1 "cannot read|is damaged" run --allow-external --allow-files "$WORK/fmu.kai" -o "$WORK/fmu.csv"
done

# ---- files
mkdir "$WORK/dir.kai"
mkfifo "$WORK/fifo.kai"
ends folder 4 "folder|directory" check "$WORK/dir.kai"
for path in dir.kai fifo.kai /dev/zero; do
    echo "import \"$path\"" >"$WORK/import.kai"
    ends "import of $path" 1 "regular file|outside|directory" check "$WORK/import.kai"
done
ends "device" "1|3|4" "kairos: |error" check --memory 100M --time 5 /dev/zero
awk -v work="$WORK" 'BEGIN { for (i = 0; i < 5000; i++) { f = work "/i" i ".kai"; printf "import \"i%d.kai\"\nmodel I%d { }\n", (i + 1) % 5000, i > f; close(f) } }'
ends circle 0 "" check --memory 400M --time 20 "$WORK/i0.kai"
rm -f "$WORK"/i*.kai
[ -n "$only" ] || [ $count -ge 60 ] || fail "only $count models"
[ $failed -eq 0 ] || exit 1
