# `make run` builds the program and its parts, and nothing of the tests; tools that only tests need are not installed for it.
. tests/cli/helpers.bash
command -v ninja >/dev/null || exit 0
ninja -C "$BUILD" -t inputs program >"$out" 2>"$err" || fail "there is no target program"
grep -q 'cli/main.c' "$out" || fail "the program is not in it"
grep -q 'src/diagram/layout.c' "$out" || fail "its parts are not in it"
! grep -E 'tests/|libkairos_part_files' "$out" || fail "make run builds tests"
make -n run | grep -q -- '--target program' || fail "make run does not build that target"
packages=$(sed -n 's/^packages="\(.*\)/\1/p' tools/install-deps)
for tool in cmocka valgrind clang groff; do
    case $packages in *$tool*) fail "make run installs $tool" ;; esac
done
