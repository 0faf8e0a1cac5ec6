#!/bin/bash
# Studies: runs per second in one thread against one process per run, and what a run of a study costs beside itself.
#   bench/study.sh [BUILD [RUNS]]
# The model is the ball that falls until its fifth bounce. What a run costs beside itself is the time of a study of a model that does
# nothing but end: drawing its value, setting the sim back, the row, its text, the statistics.
set -eu
build=$(cd "${1:-build}" && pwd)
runs=${2:-50000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/ball.kai" <<'END'
model Ball {
  param h ~ lognormal(1, 0.2)
  state y = h, v = 0
  event hit = down(y)
  discrete n = 0
  y' = v;  v' = -9.81
  when hit { v := -0.8*v; n := n + 1 }
  when n >= 5 { halt }
}
experiment drop of Ball { stop = 10; expect time_of(hit, 5) ~ 2.6 within 10 }
END
cat >"$work/nothing.kai" <<'END'
model Nothing { param h ~ lognormal(1, 0.2); discrete n = 0; when time >= 0.5 { n := 1; halt } }
experiment e of Nothing { stop = 1; expect h ~ 1 within 10 }
END
# CPU time in µs, user and system, of this command; CPU time so that a busy machine does not matter.
cpu() { # shellcheck disable=SC2086
    perl -e 'my ($u0, $s0) = (times)[2, 3]; system(@ARGV) == 0 or exit 1; my ($u, $s) = (times)[2, 3]; printf "%d\n", 1e6*($u - $u0 + $s - $s0)' "$@"; }
study() { cpu sh -c "'$build/kairos' study '$work/$1.kai' --runs $2 --threads 1 -q -o '$work/$1.csv' >'$work/out'"; }
first=$(study ball 1)
all=$(study ball "$runs")
empty_first=$(study nothing 1)
empty=$(study nothing "$runs")
processes=100
one=$(cpu sh -c "for i in \$(seq $processes); do '$build/kairos' run '$work/ball.kai' --set h=1 -q -o '$work/run.csv'; done")
awk -v first="$first" -v all="$all" -v ef="$empty_first" -v empty="$empty" -v one="$one" -v n="$runs" -v p="$processes" 'BEGIN {
    run = (all - first)/(n - 1); beside = (empty - ef)/(n - 1); process = one/p
    printf "study: %.1f µs a run, %.0f runs/s in one thread; one process per run: %.0f µs; %.0f times as many (at least 50)\n",
        run, 1e6/run, process, process/run
    printf "study: %.1f µs beside the run itself (at most 50)\n", beside }'
