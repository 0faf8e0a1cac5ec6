# The gallery has a figure of every experiment that has a `plot` line, and of every line of `figures`; all are valid.
. tests/cli/helpers.bash
tools/gallery "$KAIROS" "$WORK/gallery" >"$out" 2>"$err" || fail "tools/gallery"
missing=0
for model in examples/*/model.kai; do
    example=$(basename "$(dirname "$model")")
    names=$(awk '/^experiment / { e = $2 } /^}/ { e = "" } e != "" && /(^|[ ;{])plot / { print e }' "$model" | sort -u)
    [ -f "examples/$example/figures" ] && names="$names $(cut -d'|' -f1 "examples/$example/figures")"
    for name in $names; do
        [ -s "$WORK/gallery/$example-$name.svg" ] || { echo "no figure: $example $name"; missing=1; }
        grep -q "src=\"$example-$name.svg\"" "$WORK/gallery/$example.html" || { echo "not on its page: $example $name"; missing=1; }
    done
    [ -z "$names" ] || grep -q "href=\"$example.html\"" "$WORK/gallery/index.html" || { echo "not in the index: $example"; missing=1; }
done
[ $missing -eq 0 ] || exit 1
xmllint --noout "$WORK"/gallery/*.svg 2>"$err" || fail "a figure is no valid XML"
# The figures of the papers that are reproduced so far.
for figure in "000, Fig. 3" "000, Fig. 7" "000, Fig. 9(a)" "000, Fig. 9(b)" "000, Fig. 12(a)" "000, Fig. 12(b)" "000, Fig. 14(a)" \
    "000, Fig. 14(b)" "000, Figs. 15 and 16" "000, Fig. 17" "000, Figs. 19 and 20" "000, Fig. 21" "000, Fig. 24" "000, Fig. 29" \
    "001, Table 1" "001, Table 2" "001, Table 3" "001, Fig. 8(a)" "001, Fig. 8(b)" "001, Fig. 8(c)" "000, Fig. 34" "000, Fig. 36" "000, Fig. 41" "003, Fig. 4" "004, Fig. 14" "004, Fig. 24" \
    "000, Figs. 1 and 2" "000, Fig. 5" "000, Fig. 6" "000, Fig. 10" "000, Fig. 13" "000, Fig. 18" "000, Figs. 22 and 23" "000, Fig. 25" \
    "000, Fig. 26" "000, Fig. 30" "000, Fig. 33" "000, Fig. 36 (model)" "000, Fig. 37" "000, Fig. 38" "001, Fig. 2" "001, Fig. 3" \
    "001, Figs. 4 and 5" "001, Fig. 6" "001, Fig. 7" "002, Fig. 1" "002, Fig. 2" "002, Fig. 3" "002, Fig. 4" "002, Fig. 5" "002, Fig. 6" \
    "002, Fig. 8" "002, Fig. 13" "003, Fig. 1" "004, Figs. 4 and 12" "004, Fig. 16" "004, Fig. 17" "004, Fig. 23" \
    "002, Fig. 7" "002, Figs. 9 and 10" "002, Fig. 11" "002, Fig. 12" "002, Fig. 14"; do
    grep -qF "<b>Paper $figure.</b>" "$WORK"/gallery/*.html || fail "no figure for paper $figure"
done
