# The language server, driven by a client: diagnostics, completion, hover, definition, references, rename, outline, layout, actions,
# and what is not a message of the protocol.
. tests/cli/helpers.bash
(cd tests/service && PYTHONDONTWRITEBYTECODE=1 python3 lsp.py "$KAIROS" "$WORK") >"$out" 2>"$err" || fail "the client is not content"
printf 'GET / HTTP/1.1\r\n\r\n' | "$KAIROS" lsp >"$out" 2>"$err"
[ $? -eq 4 ] || fail "something else than the protocol is not refused"
says "no message of the Language Server Protocol"
printf 'Content-Length: 99999999999\r\n\r\n{}' | "$KAIROS" lsp >"$out" 2>"$err"
[ $? -eq 4 ] || fail "a message of 100 GB is not refused"
exits 2 lsp model.kai
says "takes no file"
