# The manual page has every command and option of --help and no others, is installed, and no formatter complains about it.
. tests/cli/helpers.bash
page=docs/kairos.1
words() { grep -oE -- '(^|[^A-Za-z0-9-])--?[a-z][a-z-]*' | sed 's/^[^-]*//' | sort -u; }
grep -v '^\.\\"' $page | sed 's/\\-/-/g; s/\\f[BIR]//g' >"$WORK/plain"
words <"$WORK/plain" >"$WORK/in_page"

exits 0 --help
commands=$(sed -n 's/^  kairos \([a-z]*\).*/\1/p' "$out")
printf '%s\n' --help --version --completions >"$WORK/options"
for command in $commands; do
    grep -qx "\.B kairos $command" "$WORK/plain" || fail "$page has no synopsis of $command"
    grep -qx "\.B $command" "$WORK/plain" || fail "$page does not say what $command does"
    exits 0 "$command" --help
    words <"$out" >>"$WORK/options"
done
sort -u "$WORK/options" >"$WORK/in_help"
[ "$(wc -l <"$WORK/in_help")" -ge 10 ] || fail "--help has no options: $(cat "$WORK/in_help")"
diff "$WORK/in_help" "$WORK/in_page" || fail "the options of --help (<) and of $page (>) differ"
for option in $(grep -v -e --version "$WORK/in_help"); do
    grep -A1 -x '\.TP' "$WORK/plain" | grep -qE -- "^\.(B|BI|BR) (.* )?$option( |\$)" || fail "$page does not explain $option"
done

if command -v groff >/dev/null; then
    said=$(groff -man -Tutf8 -ww -rLL=100n $page 2>&1 >/dev/null)
    [ -z "$said" ] || fail "groff: $said"
fi
if command -v mandoc >/dev/null; then
    said=$(mandoc -Tlint -Wwarning $page 2>&1)
    [ -z "$said" ] || fail "mandoc: $said"
fi
grep -q 'kairos\.1' cmake/Install.cmake || fail "the page is not installed"
