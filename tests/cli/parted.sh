# Storages that are joined, share and are parted at one instant: a warning that names them (paper 002, "The Nature and Effects
# of Discontinuities"). Joined for good: none.
set -eu
model() {
    cat <<END
model Part {
  c1 : C(c = 1, e0 = 10); c2 : C(c = 2)
  a : J0; b : J0
  w : J1 switched { initial mode open : OFF { on time >= 1 and c1.e > 5 -> shut }
                    mode shut : ON { on c1.e < $1 -> open } }
  bond a -> c1; bond b -> c2; bond a -> w -> b
}
experiment e of Part { stop = 2 }
END
}
model 5 >"$WORK/parted.kai"
model 1 >"$WORK/joined.kai"
"$KAIROS" run "$WORK/parted.kai" -o "$WORK/out.csv" 2>"$WORK/err"
grep -q 'parted.kai:2:3: warning: c1 shared what it stores' "$WORK/err"
"$KAIROS" run "$WORK/joined.kai" -o "$WORK/out.csv" 2>"$WORK/err"
! grep warning "$WORK/err" || exit 1
# A collision law is a source: no warning.
"$KAIROS" run examples/cradle/model.kai -e table3 -o "$WORK/out.csv" 2>"$WORK/err"
! grep warning "$WORK/err" || exit 1
