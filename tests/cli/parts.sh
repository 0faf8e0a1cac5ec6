# The core needs libc and libm only and shows nothing but its API; a part is opened when something needs it; a part that is missing,
# broken or of another build is a sentence with the remedy, and everything that does not need it works.
. tests/cli/helpers.bash
grep -q '^KAIROS_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt" && sanitized=1 || sanitized=
parts="sundials figures diagrams proofs hdf5"

# ---- what is linked, what is visible
needed() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }
shown() { nm -D --defined-only "$1" | awk '$2 ~ /[A-Z]/ { print $3 }'; }
if [ -z "$sanitized" ]; then
    for file in "$BUILD/kairos" "$BUILD/libkairos.so"; do
        extra=$(needed "$file" | grep -v -E '^(libc|libm)\.so|^ld-linux')
        [ -z "$extra" ] || fail "$file needs $extra"
    done
    stray=$(shown "$BUILD/libkairos.so" | grep -v '^kai[A-Z]')
    [ -z "$stray" ] || fail "libkairos.so shows $stray"
    # Whatever carries the static core shows no more: its other symbols are hidden.
    stray=$(readelf -sW "$BUILD/libkairos.a" | awk '$5 == "GLOBAL" && $6 == "DEFAULT" && $7 != "UND" { print $8 }' | grep -v '^kai[A-Z]')
    [ -z "$stray" ] || fail "libkairos.a shows $stray"
    # No globals: the list of open parts is the only thing that can be written (decision 0040), and for each thread the text of the
    # reason why a run could not be created.
    globals=$(readelf -SW "$BUILD/libkairos.a" | sed -n 's/^ *\[ *[0-9]*\] *//p' |
        awk '$1 ~ /^\.(t?bss|t?data)/ && $1 !~ /rel\.ro/ && $5 !~ /^0*$/ { print $1 }' | grep -v -E '^\.bss\.opened$|^\.tbss\..*why')
    [ -z "$globals" ] || fail "the library has globals: $globals"
fi
# Every function that a public header declares is there; one that is not lacks `#pragma GCC visibility` in its header.
cat include/kairos/*.h | sed 's,//.*,,' | grep -oE '\bkai[A-Z][A-Za-z0-9_]*\(' | tr -d '(' | sort -u >"$WORK/declared"
shown "$BUILD/libkairos.so" | sort >"$WORK/shown"
absent=$(comm -23 "$WORK/declared" "$WORK/shown" | grep -v 'Fn$')
[ -z "$absent" ] || fail "declared in include/kairos, not visible in libkairos.so: $absent"

# ---- an installation of our own, in which parts can be taken away
cmake --install "$BUILD" --prefix "$WORK/usr" >/dev/null
KAIROS=$WORK/usr/bin/kairos
folder=$(dirname "$(find "$WORK/usr" -name libkairos-proofs.so)")
for part in $parts; do
    [ "$(shown "$folder/libkairos-$part.so" | grep -v '^__lsan')" = kairos_part ] || fail "$part shows more than its entry"
done

# A model whose Jacobian is sparse (a star), stiff, with the closed form: the leaves decay with 1/s, the hub sums what they have.
star()
{
    cat <<K
model Star {
  param N = $1
  state h = 0
  state x[i in 1..N] = 1
  for i in 1..N { x[i]' = -x[i] }
  h' = sum(i in 1..N, x[i])
}
experiment e of Star { stop = 1; solver = rosenbrock; rtol = 1e-8; expect final(h) ~ N*(1 - exp(-1)) within 1e-4 }
K
}
star 60 >"$WORK/small.kai"
star 1100 >"$WORK/large.kai"
cat >"$WORK/loop.kai" <<'K'
model Loop { modes { initial mode a { on time >= 1 -> b }; mode b { on time >= 1 -> a } } }
experiment e of Loop { stop = 2 }
K

# opened ARGUMENT…: the parts that kairos opens.
opened() { LD_DEBUG=files "$KAIROS" "$@" 2>&1 >/dev/null | sed -n 's/.*calling init: .*libkairos-\([a-z]*\)\.so.*/\1/p' | sort -u | tr '\n' ' '; }
# works WHAT: all that needs it does; fails CODE WHAT: a sentence about the part, with the remedy.
works()
{
    case $1 in
    core)
        exits 0 run "$ball" -o "$WORK/r.csv"
        exits 0 check lib/electrical.kai
        exits 0 plot "$ball" -o "$WORK/p.svg"
        exits 0 plot "$ball"
        exits 0 test "$ball"
        exits 0 explain "$ball"
        exits 0 run "$ball" --solver trapezoid -o "$WORK/r.csv"
        exits 0 test "$WORK/small.kai"
        ;;
    sundials)
        exits 0 run "$ball" --solver cvode_bdf -o "$WORK/r.csv"
        exits 0 run "$ball" --solver cvode_adams -o "$WORK/r.csv"
        exits 0 test "$WORK/large.kai"
        ;;
    figures) for kind in png pdf; do exits 0 plot "$ball" -o "$WORK/p.$kind"; done ;;
    diagrams) exits 0 graph "$ball" -o "$WORK/g.svg" ;;
    proofs) exits 1 prove "$WORK/loop.kai" ;;
    hdf5) exits 0 run "$ball" -o "$WORK/r.h5" ;;
    esac
}
refused() { exits "$1" "${@:3}"; says "$2"; says "libkairos-$part.so"; says "$remedy"; ! grep -q "K190\|^help" "$err" || fail "more than a sentence"; }
fails()
{
    case $part in
    sundials)
        refused 2 "$1" run "$ball" --solver cvode_bdf -o "$WORK/r.csv"
        refused 2 "$1" run "$ball" --solver cvode_adams -o "$WORK/r.csv"
        refused 2 "$1" run "$WORK/large.kai" -o "$WORK/r.csv"
        ;;
    figures)
        for kind in png pdf; do
            refused 4 "$1" plot "$ball" -o "$WORK/no.$kind"
            [ ! -e "$WORK/no.$kind" ] && [ ! -e "$WORK/no.$kind.part" ] || fail "half a figure is left"
        done
        ;;
    diagrams) refused 4 "$1" graph "$ball" -o "$WORK/no.svg" ;;
    proofs) refused 4 "$1" prove "$WORK/loop.kai" ;;
    hdf5) refused 4 "$1" run "$ball" -o "$WORK/no.h5" ;;
    esac
}

for what in core $parts; do works "$what"; done
if [ -z "$sanitized" ]; then
    [ -z "$(opened run "$ball" -o "$WORK/r.csv")" ] || fail "a plain run opens parts"
    [ -z "$(opened plot "$ball" -o "$WORK/p.svg")" ] || fail "an SVG opens parts"
    [ "$(opened run "$ball" --solver cvode_bdf -o "$WORK/r.csv")" = "sundials " ] || fail "CVODE opens other parts"
    [ "$(opened graph "$ball" -o "$WORK/g.png")" = "diagrams figures " ] || fail "a diagram as PNG opens other parts"
fi

cc -shared -fPIC -o "$WORK/other.so" -x c - <<'C'
static const struct { unsigned long size; const char* stamp; } other = {24, "0.0.1 of another day"};
const void* kairos_part(void) { return &other; }
C
cc -shared -fPIC -o "$WORK/empty.so" -x c - <<'C'
int nothing;
C
for part in $parts; do
    file=$folder/libkairos-$part.so
    mv "$file" "$WORK/kept"
    remedy="built after apt install lib"
    fails "is missing"
    for what in core $parts; do [ "$what" = "$part" ] || works "$what"; done
    echo "no library" >"$file"
    remedy="apt install lib"
    fails "cannot be opened"
    cp "$WORK/other.so" "$file"
    remedy="install all of Kairos again"
    fails "another build"
    cp "$WORK/empty.so" "$file"
    fails "another build"
    mv "$WORK/kept" "$file"
    works "$part"
done

# ---- too little memory to open a part: a sentence, no crash
# Fontconfig writes down which fonts there are, also when it had no memory to look: not for the whole machine.
cat >"$WORK/fonts.conf" <<CONF
<?xml version="1.0"?>
<fontconfig><dir>/usr/share/fonts</dir><cachedir>$WORK/fonts</cachedir></fontconfig>
CONF
export FONTCONFIG_FILE=$WORK/fonts.conf
limited() { (ulimit -v "$1"; shift; exec "$KAIROS" "$@") >"$out" 2>"$err"; }
starved=
for memory in 4000 5000 6000 8000 12000 16000 18000 20000 24000; do
    [ -z "$sanitized" ] && limited $memory run "$ball" -o "$WORK/r.csv" || continue # a plain run needs less
    for call in "run $ball --solver cvode_bdf -o $WORK/r.csv" "plot $ball -o $WORK/p.png" "graph $ball -o $WORK/g.svg" "prove $WORK/loop.kai"; do
        code=0
        limited $memory $call || code=$?
        [ $code -le 4 ] || fail "$call crashes with $memory KB: $code"
        ! grep -q "out of memory: libkairos-" "$err" || starved=1
    done
done
[ -n "$sanitized$starved" ] || fail "no part was too large"

# ---- the static core alone, in somebody's program, far from any part
[ -n "$sanitized" ] && exit 0
cat >"$WORK/alone.c" <<'C'
#include <kairos/kairos.h>
#include <stdio.h>
int main(int argc, char** argv)
{
    kaiModel* model = NULL;
    kaiError failure;
    if (argc < 3 || kaiModel_Load(argv[1], "bounce", &model, &failure) != KAI_OK)
        return 9;
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.solver = argv[2];
    kaiSim* sim = kaiSim_Create(model, &options, &failure);
    int status = sim != NULL ? kaiSim_Run(sim) : failure.status;
    puts(sim != NULL ? "it ran" : failure.message);
    kaiSim_Free(sim);
    kaiModel_Free(model);
    return status < 0;
}
C
mkdir -p "$WORK/far/away"
cc -Iinclude "$WORK/alone.c" "$BUILD/libkairos.a" -lm -o "$WORK/far/away/alone" || fail "the static core does not link with libm alone"
"$WORK/far/away/alone" "$ball" rk45 | grep -q "it ran" || fail "the core does not run alone"
if [ ! -d "$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' "$BUILD/CMakeCache.txt")/lib/kairos" ]; then
    "$WORK/far/away/alone" "$ball" cvode_bdf | grep -q "the part for CVODE .* is missing" || fail "the lonely core does not say what it lacks"
fi
