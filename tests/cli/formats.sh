# -o by its ending: every format holds the rows of the CSV, as others read it and as we do; another ending is refused with the list.
. tests/cli/helpers.bash

for example in impulsive-ball cradle ball; do
    for ending in csv npy npz mat h5 vcd; do
        exits 0 run "examples/$example/model.kai" -q -o "$WORK/r.$ending"
        exits 0 compare "$WORK/r.csv" "$WORK/r.$ending" --tolerance 0 --time-tolerance 0
        prints "0 of "
    done
    if [ -x /usr/bin/python3 ] && /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
        /usr/bin/python3 python/tests/formats.py "$WORK/r" >"$out" 2>"$err" || fail "$example: $(cat "$out")"
        prints "columns are the same"
    fi
done

# One reader: the same figure from all of them, but that NPY and VCD know no units.
for ending in csv npy npz mat h5 vcd; do exits 0 plot "$WORK/r.$ending" -o "$WORK/$ending.svg"; done
cmp "$WORK/vcd.svg" "$WORK/npy.svg" || fail "figures differ"
cmp "$WORK/csv.svg" "$WORK/h5.svg" && cmp "$WORK/npz.svg" "$WORK/h5.svg" && cmp "$WORK/npz.svg" "$WORK/mat.svg" || fail "figures differ"
# What a file is its bytes say, not its name.
cp "$WORK/r.mat" "$WORK/renamed.csv"
exits 0 compare "$WORK/renamed.csv" "$WORK/r.npz" -q

# Views, sweeps, and runs that do not reach their end.
exits 0 run "$ball" -q --view unique -o "$WORK/u.csv"
exits 0 run "$ball" -q --view unique -o "$WORK/u.npz"
exits 0 compare "$WORK/u.csv" "$WORK/u.npz" -q
cat >"$WORK/sweep.kai" <<'K'
model A { param a = 1; state x = 1; x' = -a*x }
experiment e of A { stop = 1; sweep a in (1, 2, 3) }
K
for ending in csv npy npz mat h5; do
    exits 0 run "$WORK/sweep.kai" -q -o "$WORK/s.$ending"
    exits 0 compare "$WORK/s.csv" "$WORK/s.$ending"
    prints "all runs together"
done
exits 2 run "$WORK/sweep.kai" -q -o "$WORK/s.vcd"
says "holds one run"
[ ! -e "$WORK/s.vcd" ] || fail "there is a file"

# Endings.
exits 2 run "$ball" -o "$WORK/r.xyz"
says ".csv, .npy, .npz, .mat, .h5 or .vcd, not in .xyz"
one_line "$err"
[ ! -e "$WORK/r.xyz" ] || fail "a file of an unknown ending was written"
exits 0 run "$ball" -q -o "$WORK/plain"
exits 0 compare "$WORK/plain" "$WORK/plain"
exits 0 run "$ball" -q -o "$WORK/R.NPZ"
exits 2 run "$ball" -o "$WORK/r.npz" --checkpoint 1
says "goes on with a CSV"
exits 4 run "$ball" -q -o "$WORK/no/such/folder.npz"
exits 4 run "$ball" -q -o "$WORK/no/such/folder.h5"
# A full disk is said.
if [ -w /dev/full ]; then
    ln -s /dev/full "$WORK/full.npz"
    exits 2 run "$ball" -q -o "$WORK/full.npz"
    says "only CSV is written there"
fi
