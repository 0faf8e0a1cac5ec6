# An installation works wherever it is moved to: the program with all its parts and models, and programs that know only
# pkg-config, with the shared and with the static library. The models of the source tree are not in its way.
. tests/cli/helpers.bash
grep -q '^KAIROS_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt" && exit 0 # its users would need the sanitizers too
cmake --install "$BUILD" --prefix "$WORK/first" >/dev/null
mkdir "$WORK/away"
mv "$WORK/first" "$WORK/away/usr"
KAIROS=$WORK/away/usr/bin/kairos
models=$WORK/away/usr/share/kairos/lib
[ -f "$WORK/away/usr/share/man/man1/kairos.1" ] || [ -f "$WORK/away/usr/man/man1/kairos.1" ] || fail "no manual page"

# ---- the program
mkdir "$WORK/elsewhere"
cat >"$WORK/elsewhere/m.kai" <<'K'
import "moved.kai"
import "signals.kai"
model M { n: Moved; c: Clock(period = 1[s]); state x = 0; x' = 1 }
experiment e of M { stop = 2.5; expect final(n.here) ~ 42 within 0; expect count(c.y) ~ 3 within 0 }
K
echo 'model Moved { signal here = 42 }' >"$models/moved.kai" # in this installation, and in no source tree
exits 0 --version
exits 0 test "$WORK/elsewhere/m.kai"
prints "2 passed, 0 failed"
exits 0 plot "$ball" -o "$WORK/x.png"
exits 0 plot "$ball" -o "$WORK/x.pdf"
exits 0 graph "$ball" -o "$WORK/g.svg"
exits 0 run "$ball" --solver cvode_bdf -o "$WORK/x.csv"
exits 0 prove examples/ball-cspec/model.kai
# By a link, through PATH, from another folder.
ln -s "$KAIROS" "$WORK/link"
(cd "$WORK/elsewhere" && "$WORK/link" test m.kai && PATH=$WORK/away/usr/bin:$PATH kairos test m.kai) >/dev/null || fail "not by a link or PATH"
# Without its models it says where it looked, and does not fall back on the sources.
mv "$models" "$WORK/hidden"
if [ ! -d "$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' "$BUILD/CMakeCache.txt")/share/kairos" ]; then
    exits 1 check "$WORK/elsewhere/m.kai"
    says 'cannot read `signals.kai`'
fi
mv "$WORK/hidden" "$models"

# ---- programs that embed it
cat >"$WORK/use.c" <<'C'
#include <kairos/kairos.h>
#include <stdio.h>
int main(int argc, char** argv)
{
    kaiModel* model = NULL;
    kaiError failure;
    if (argc < 3 || puts(kaiVersion()) < 0 || kaiModel_Load(argv[1], "e", &model, &failure) != KAI_OK)
        return 9;
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.solver = argv[2];
    kaiSim* sim = kaiSim_Create(model, &options, &failure);
    return sim == NULL || kaiSim_Run(sim) < 0;
}
C
export PKG_CONFIG_PATH=$(dirname "$(find "$WORK/away/usr" -name kairos.pc)")
cc "$WORK/use.c" -o "$WORK/use" $(pkg-config --cflags --libs kairos) || fail "no program with pkg-config"
readelf -d "$WORK/use" | grep -q 'NEEDED.*libkairos\.so' || fail "not linked with the shared library"
# The shared library finds models and parts from where it lies itself.
"$WORK/use" "$WORK/elsewhere/m.kai" cvode_bdf >/dev/null || fail "the shared library does not find what belongs to it"
static=$(pkg-config --variable=libdir kairos)/libkairos.a
cc "$WORK/use.c" -o "$WORK/away/usr/bin/use" $(pkg-config --cflags kairos) "$static" -lm || fail "no program with the static library"
"$WORK/away/usr/bin/use" "$WORK/elsewhere/m.kai" cvode_bdf >/dev/null || fail "a static program in bin does not find what belongs to it"

# CMake finds it too, where it was moved to, shared and static.
mkdir "$WORK/project"
cp "$WORK/use.c" "$WORK/project"
cat >"$WORK/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.20)
project(use C)
find_package(kairos 0.1 REQUIRED)
add_executable(use use.c)
target_link_libraries(use kairos::kairos)
add_executable(static use.c)
target_link_libraries(static kairos::static)
END
cmake -S "$WORK/project" -B "$WORK/project/b" -DCMAKE_PREFIX_PATH="$WORK/away/usr" >"$WORK/said" 2>&1 &&
    cmake --build "$WORK/project/b" >>"$WORK/said" 2>&1 || { cat "$WORK/said"; fail "find_package(kairos) is no use"; }
"$WORK/project/b/use" "$WORK/elsewhere/m.kai" auto >/dev/null || fail "a program that CMake made does not run"
[ -x "$WORK/project/b/static" ] || fail "no static program with CMake"
