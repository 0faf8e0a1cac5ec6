# The same seed gives the same file, another seed another one, and two instances draw from streams of their own.
set -u
cat >"$WORK/m.kai" <<'END'
model Die { discrete n = 0; when clock(1) { n := uniform(0, 1) } }
model Two { a : Die; b : Die }
experiment one of Two { stop = 20; seed = 7; expect final(a.n) != final(b.n) }
experiment other of Two { stop = 20; seed = 8; expect final(a.n) != final(b.n) }
END
"$KAIROS" test "$WORK/m.kai" || exit 1
for run in 1 2; do "$KAIROS" run "$WORK/m.kai" -e one -o "$WORK/one$run.csv" --quiet || exit 1; done
"$KAIROS" run "$WORK/m.kai" -e other -o "$WORK/other.csv" --quiet || exit 1
cmp "$WORK/one1.csv" "$WORK/one2.csv" || exit 1
! cmp -s "$WORK/one1.csv" "$WORK/other.csv"
