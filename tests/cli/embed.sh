# The example that embeds the library builds against an installed Kairos and prints what its README shows: every bounce agrees with
# the closed form.
set -eu
grep -q '^KAIROS_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt" && exit 0 # it would have to be built with the sanitizers too
cmake --install "$BUILD" --prefix "$WORK/usr" >/dev/null
export PKG_CONFIG_PATH=$(dirname "$(find "$WORK/usr" -name kairos.pc)")
cp examples/embed/main.c examples/embed/Makefile "$WORK"
make --no-print-directory -C "$WORK" CFLAGS="-O1 -Wall -Wextra -Werror" embed >/dev/null
"$WORK/embed" >"$WORK/output"
! grep WRONG "$WORK/output" || exit 1
awk '/^```/ { inside = $0 == "```text"; next } inside' examples/embed/README.md >"$WORK/expected"
diff "$WORK/expected" "$WORK/output"

# And the loop around a controller in C, beside its plant.
mkdir "$WORK/loop"
cp examples/hardware-loop/main.c examples/hardware-loop/plant.kai examples/hardware-loop/Makefile "$WORK/loop"
make --no-print-directory -C "$WORK/loop" CFLAGS="-O1 -Wall -Wextra -Werror" loop >/dev/null
(cd "$WORK/loop" && LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH") ./loop) >"$WORK/output"
awk '/^```/ { inside = $0 == "```text"; next } inside' examples/hardware-loop/README.md >"$WORK/expected"
diff "$WORK/expected" "$WORK/output"
