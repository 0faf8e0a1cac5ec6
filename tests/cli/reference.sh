# docs/reference.md has everything that the program knows: words, functions, settings with their words, codes, commands, options and
# exit codes. The program is asked where it can be, otherwise the tables in the sources are read.
. tests/cli/helpers.bash
page=docs/reference.md
bad=0

# quoted PAGE: what stands in backquotes outside the models, one piece a line; a list may be broken over lines.
quoted() { awk '/^```/ { inside = !inside; next } !inside' "$1" | tr '\n' ' ' | grep -o '`[^`]*`' >"$WORK/quoted"; }

# has WHAT WORD…: each of them stands in backquotes, as a whole word.
has()
{
    local what=$1 word
    shift
    [ $# -gt 0 ] || { echo "no $what found in the sources"; bad=1; }
    for word in "$@"; do
        grep -qE -- "(^|[^A-Za-z0-9_-])$word([^A-Za-z0-9_-]|$)" "$WORK/quoted" || { echo "$page lacks the $what \`$word\`"; bad=1; }
    done
}

quoted $page
has word $(sed -n 's/^WORD([A-Z_]*, "\(.*\)").*/\1/p' src/lang/tokens.def)
has function $(sed -n '/^static const Builtin builtins/,/^};/s/^ *{"\([a-z_0-9]*\)".*/\1/p' src/elab/builtins.c)
has name $(sed -n 's/^static const char\* const name_list\[\] = {\(.*\)};/\1/p' src/elab/builtins.c | tr -d '",')
has setting $(sed -n 's/^\(NUMBER\|COUNT\|WORD\|MODEL_WORD\|CONDITION\)(\([a-z_]*\),.*/\2/p' src/settings/settings.def)
has "word of a setting" $(sed -n '/^#define [A-Z]*_\(METHODS\|WORDS\)(X)/,/^$/p' src/num/ode.h src/num/root.h src/settings/settings.h |
    sed -n 's/.*X([A-Z_0-9]*, "\([a-z_0-9]*\)".*/\1/p')
tools/make-reference --check || bad=1

exits 0 --help
commands=$(sed -n 's/^  kairos \([a-z]*\).*/\1/p' "$out")
for command in $commands; do
    grep -qF "\`kairos $command " $page || { echo "$page lacks the command $command"; bad=1; }
    exits 0 "$command" --help
    has "option of $command" $(grep -oE -- '(^|[ [])--?[a-z][a-z-]*' "$out" | tr -d ' [' | sort -u || true) --help
done
[ "$(echo "$commands" | wc -w)" -ge 5 ] || { echo "no commands in --help"; bad=1; }
for code in 0 1 2 3 4; do
    grep -q "^| $code | " $page || { echo "$page lacks the exit code $code"; bad=1; }
done

# The test sees what is missing.
sed 's/hypot//g' $page >"$WORK/short.md"
quoted "$WORK/short.md"
(bad=0; has function hypot >/dev/null; [ $bad -eq 1 ]) || { echo "a missing function is not seen"; bad=1; }
exit $bad
