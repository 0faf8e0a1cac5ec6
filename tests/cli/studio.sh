# The server of the studio: its answers; a missing word, another origin, paths that lead out, 1 GB, 200 at once, a run without an end.
. tests/cli/helpers.bash
[ -e "$BUILD"/lib*/kairos/libkairos-studio.so ] || ls "$BUILD"/lib/*/kairos/libkairos-studio.so >/dev/null 2>&1 || {
    # Without civetweb the command says what is missing.
    mkdir -p "$WORK/folder"
    exits 4 studio "$WORK/folder" --no-browser
    says libcivetweb-dev
    exit 0
}
(cd tests/service && PYTHONDONTWRITEBYTECODE=1 python3 studio.py "$KAIROS" "$WORK") >"$out" 2>"$err" || fail "the client is not content"
exits 4 studio "$WORK/nowhere"
says "no file or folder"
exits 2 studio "$WORK" --port 70000
exits 2 studio "$WORK" "$WORK"
