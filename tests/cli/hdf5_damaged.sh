# Results in HDF5 with bytes changed, cut off or repeated: each is read, or refused with a sentence; none crashes, hangs or takes the
# machine's memory. 40 of them in `make test`, KAIROS_DAMAGED=300 for more (KAIROS_SEED: which).
. tests/cli/helpers.bash
ls "$BUILD"/lib/kairos/libkairos-hdf5.so >/dev/null 2>&1 || { echo "skipped: there is no HDF5"; exit 0; }
case $BUILD in *asan*) ;; *) ulimit -v 2000000 ;; esac
mkdir -p "$WORK/h" && cd "$WORK/h" || exit 1
echo "model M { state x = 1, v = 0; x' = v; v' = -x; event e = down(x)
  modes { initial mode a { on e -> b } mode b { on e -> a } } }
experiment r of M { stop = 10 }" >m.kai
exits 0 run m.kai -o whole.h5 -q
exits 0 compare whole.h5 whole.h5
python3 - "${KAIROS_DAMAGED:-40}" "${KAIROS_SEED:-1}" <<'E' || fail "no files to try"
import random, sys
whole = open("whole.h5", "rb").read()
chance = random.Random(int(sys.argv[2]))
for number in range(int(sys.argv[1])):
    data = bytearray(whole)
    # Most of the file is values: half of the files are changed only in the first kilobytes, where it says what they are.
    reach = len(data) if chance.random() < 0.5 else min(len(data), 6000)
    for _ in range(chance.choice((1, 2, 8, 40))):
        at = chance.randrange(8, reach)
        kind = chance.randrange(4)
        if kind == 0:
            data[at] = chance.randrange(256)
        elif kind == 1:
            data[at:at + 8] = chance.choice((b"\xff" * 8, b"\0" * 8, b"\xff\xff\xff\x7f\0\0\0\0"))
        elif kind == 2:
            data[at] ^= 1 << chance.randrange(8)
        else:
            other = chance.randrange(reach)
            data[at:at + 16] = data[other:other + 16]
    if chance.random() < 0.15:
        del data[chance.randrange(16, len(data)):]
    open(f"{number}.h5", "wb").write(data[:len(whole)])
E
refused=0
tried=0
for file in [0-9]*.h5; do
    tried=$((tried + 1))
    timeout -s KILL 20 "$KAIROS" compare whole.h5 "$file" >"$out" 2>"$err"
    code=$?
    case $code in
    0 | 1 | 2) ;;
    3 | 4)
        refused=$((refused + 1))
        [ -s "$err" ] || fail "$file (seed ${KAIROS_SEED:-1}): refused without a word"
        ;;
    *) fail "$file (seed ${KAIROS_SEED:-1}): exit $code" ;;
    esac
done
[ $refused -gt 5 ] || fail "only $refused were refused: the changes change nothing"
echo "$refused of $tried refused"
