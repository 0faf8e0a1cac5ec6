# Two sources on one node that are equal now and part at once: an error that names them, not a mean of both (rule B4).
set -u
cat >"$WORK/two.kai" <<'END'
model Two {
  slow : Se(e = 5 + sin(time - 1));  fast : Se(e = 5 + 2*sin(time - 1));  r : R(r = 1);  a : J0;  b : J0
  w : J1 switched { initial mode open : OFF { on time >= 1 -> shut } mode shut : ON {} }
  bond slow -> a
  bond fast -> b
  bond a -> w -> b
  bond b -> r
}
experiment e of Two { stop = 4 }
END
timeout 20 "$KAIROS" run "$WORK/two.kai" -o /dev/null 2>"$WORK/err"
[ $? -eq 3 ] || { echo "exit code is not 3"; cat "$WORK/err"; exit 1; }
grep -q 'sources contradict each other at t = 1 .*slow (line [0-9]*), fast (line [0-9]*)' "$WORK/err" || { cat "$WORK/err"; exit 1; }
