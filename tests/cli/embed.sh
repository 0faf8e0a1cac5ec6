# The example that embeds the library builds against an installed Kairos and prints what its README shows: every bounce agrees with
# the closed form.
set -eu
grep -q '^KAIROS_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt" && exit 0 # it would have to be built with the sanitizers too
cmake --install "$BUILD" --prefix "$WORK/usr" >/dev/null
export PKG_CONFIG_PATH=$(dirname "$(find "$WORK/usr" -name kairos.pc)")
cp examples/embed/main.c examples/embed/Makefile "$WORK"
make --no-print-directory -C "$WORK" CFLAGS="-O1 -Wall -Wextra -Werror" embed >/dev/null
"$WORK/embed" >"$WORK/output"
! grep WRONG "$WORK/output"
awk '/^```/ { inside = $0 == "```text"; next } inside' examples/embed/README.md >"$WORK/expected"
diff "$WORK/expected" "$WORK/output"
