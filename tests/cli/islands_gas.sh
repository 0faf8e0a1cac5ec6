# The collisions of a one-dimensional gas with an island for every ball, one by one, against the free flights: equal balls exchange
# their velocities, so the balls are what reflected straight lines look like when sorted. A crossing of two lines is a collision of
# the pair at their rank, a line at a wall is an impact of the first or the last ball.
. tests/cli/helpers.bash

# expected N STOP: time, event; in the order of time
expected()
{
    awk -v N="$1" -v stop="$2" '
    function frac(u) { return u - int(u) }
    function fold(u) { u = u - 2*int(u/2); if (u < 0) u += 2; return u > 1 ? 2 - u : u }
    function at(k, t) { return fold(x[k] + v[k]*t) }
    function rank(i, j, t,    k, n, here) { here = at(i, t); n = 1; for (k = 1; k <= N; k++) if (k != i && k != j && at(k, t) < here) n++; return n }
    function walls(i,    m, t) { for (m = -int(stop) - 2; m <= int(stop) + 2; m++) { t = (m - x[i])/v[i]; if (t > 0 && t < stop) printf "%.12f %s\n", t, m % 2 == 0 ? "bottom" : "top" } }
    function lines(i, j, apart, speed,    m, t) { for (m = -int(stop) - 2; m <= int(stop) + 2; m++) { t = (2*m + apart)/speed; if (t > 0 && t < stop) printf "%.12f touch[%d]\n", t, rank(i, j, t) } }
    BEGIN {
        for (i = 1; i <= N; i++) { x[i] = (i - 0.9 + 0.8*frac(0.754877666*i*i))/N; v[i] = 2*frac(0.569840291*i*i + 0.31*i) - 1 }
        for (i = 1; i <= N; i++) { walls(i); for (j = i + 1; j <= N; j++) { lines(i, j, x[j] - x[i], v[i] - v[j]); lines(i, j, -x[i] - x[j], v[i] + v[j]) } }
    }' | sort -g
}

# compared N STOP: the events of the run
compared()
{
    { sed "s/param N = 10/param N = $1/; s/stop = 2500/stop = $2; islands = auto/; /record/d; /events =/d; /expect/d" bench/gas10.kai; } >"$WORK/gas.kai"
    exits 0 run "$WORK/gas.kai" --quiet
    awk -F, 'NR == 1 { for (i = 4; i <= NF; i++) if ($i ~ /^(touch|bottom|top)/) name[i] = $i }
    NR > 1 && $2 == 0 && $3 == 0 { for (i in name) if ($i != "") printf "%.12f %s\n", $1, name[i] }' "$out" | sort -g >"$WORK/got"
    expected "$1" "$2" >"$WORK/expected"
    paste -d' ' "$WORK/expected" "$WORK/got" | awk -v N="$1" '
    $2 != $4 || $1 - $3 > 1e-9 || $3 - $1 > 1e-9 { print "event " NR ": " $0; bad = 1; exit }
    END { print NR " events of " N " balls"; exit bad || NR < 500 }' || fail "the gas of $1 balls goes another way"
}
compared 10 20
compared 50 0.8
