# Two seconds of tools/soak: studio, language server and library side by side, random questions and runs, nothing fails. (Whether
# memory stays flat takes longer: make soak.)
. tests/cli/helpers.bash
ls "$BUILD"/lib/kairos/libkairos-studio.so >/dev/null 2>&1 || exit 0 # without civetweb
[ -x "$BUILD/tests/soak_library" ] || exit 0
KAIROS_SOAK_SHARE=0.5 tools/soak 2 7 >"$out" 2>"$err" || fail "something failed"
grep -q "^0 failures$" "$out" || fail "no verdict"
