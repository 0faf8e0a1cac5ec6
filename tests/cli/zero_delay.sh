# A cycle of discrete blocks that none can answer first: the run stops with the path, at the first tag that needs it.
. tests/cli/helpers.bash
cat >"$WORK/m.kai" <<'K'
import "filters.kai"
model M {
  event tick = clock(1, 1)
  f : FIR(taps = [0.5])
  f.u = default(f.y, tick)
}
experiment e of M { stop = 3 }
K
exits 3 run "$WORK/m.kai" -o "$WORK/m.csv"
says "f.u"
says "f.y"
says "needs"
