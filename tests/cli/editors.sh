# The grammar of editors knows every word and function of the language, and what they are given is JSON.
. tests/cli/helpers.bash
grammar=editors/vscode/syntaxes/kairos.tmLanguage.json
for file in $grammar editors/vscode/*.json editors/vscode/snippets/*.json; do
    python3 -m json.tool "$file" >/dev/null || fail "$file is not JSON"
done
for word in $(sed -n 's/^WORD([A-Z_]*, "\(.*\)").*/\1/p' src/lang/tokens.def) \
    $(sed -n '/^static const Builtin builtins/,/^};/s/^ *{"\([a-z_0-9]*\)".*/\1/p' src/elab/builtins.c); do
    grep -qE "[(|]$word[)|]" $grammar || fail "$grammar lacks $word"
done
