# T4, T5: the three views of one run: full has every tag, limits the left and right limit, unique one row per t.
set -eu
cat >"$WORK/m.kai" <<'END'
model M {
  state x = 0
  discrete n = 0, k = 0
  x' = 0
  when clock(1, 1) if n == 0 { n := 1; x := 10 }
  when n == 1 { k := 5 }
}
experiment e of M { stop = 1.5; record x, n, k }
END
check()
{
    "$KAIROS" run "$WORK/m.kai" --view "$1" --quiet -o "$WORK/$1.csv"
    grep '^1,' "$WORK/$1.csv" >"$WORK/got"
    printf '%s\n' "$2" | diff - "$WORK/got" || { echo "view $1"; exit 1; }
}
check full '1,-1,0,0,0,0
1,0,0,0,0,0
1,1,0,10,1,0
1,1,1,10,1,5'
check limits '1,-1,0,0,0,0
1,1,1,10,1,5'
check unique '1,1,1,10,1,5'
[ "$(head -1 "$WORK/full.csv")" = t,p,m,x,n,k ]
