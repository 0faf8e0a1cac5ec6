# FMUs with their sources: compiled from what the description names alone (SourceFiles of 2.0, buildDescription.xml of 3.0) they give the binary
# anew, which runs to the same bits. Compiling takes a while: version 3.0 in one build, both with FMI_EXAMPLES=all.
. tests/cli/fmi.bash
# named NAME VERSION: the files of the description, one a line.
named()
{
    if [ "$2" = 2 ]; then
        sed -n '/<ModelExchange/,/<\/ModelExchange/s/.*<File name="\([^"]*\)".*/\1/p' "$WORK/$1/modelDescription.xml"
    else
        sed -n 's/.*<SourceFile name="\([^"]*\)".*/\1/p' "$WORK/$1/sources/buildDescription.xml"
    fi
}
# compiled NAME VERSION
compiled()
{
    local folder=$WORK/$1 platform=$([ "$2" = 2 ] && echo linux64 || echo x86_64-linux)
    drive "$1" me
    cp "$out" "$WORK/before"
    rm "$folder/binaries/$platform/"*.so
    (cd "$folder/sources" && named "$1" "$2" | xargs -P2 -n8 cc -std=c17 -O0 -fPIC -fvisibility=hidden -ffp-contract=off -c) || fail "compiling $2"
    cc -shared -Wl,--no-undefined -o "$folder/binaries/$platform/Ball.so" "$folder"/sources/*.o -lm || fail "linking $2"
    drive "$1" me
    cmp "$WORK/before" "$out" || fail "$2: another result"
}
for version in 2 3; do
    fmu $ball ball$version --fmi $version --sources
    exits 0 check "$WORK/ball$version.fmu"
    (cd "$WORK/ball$version/sources" && ls ./*.c | sed 's,^\./,,' | sort) >"$WORK/there"
    named ball$version $version | sort | diff - "$WORK/there" || fail "$version: other files than the description names"
    [ "$(wc -l <"$WORK/there")" -gt 150 ] || fail "only $(wc -l <"$WORK/there") files"
    # The sanitizers keep the names of sources for their reports.
    grep -q '^KAIROS_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt" || ! grep -rlF "$PWD" "$WORK/ball$version" || fail "a path of this machine"
    ! grep -hE '^#include "[^"]*/' "$WORK/ball$version/sources/"* || fail "an include path is needed"
done
[ ! -e "$WORK/ball3/sources/fmu_fmi2.c" ] && [ ! -e "$WORK/ball2/sources/fmu_fmi3.c" ] || fail "sources of both versions"
grep -q '^KAIROS_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt" && exit 0
grep -q '^CMAKE_C_COMPILER:.*clang' "$BUILD/CMakeCache.txt" && exit 0
compiled ball3 3
[ -z "${FMI_EXAMPLES:-}" ] || compiled ball2 2
