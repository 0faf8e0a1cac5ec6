# The web site of the documents (make docs), without its figures: every document is a page, no link leads nowhere, nothing comes from
# outside, code stays code, the search knows the sections.
. tests/cli/helpers.bash
command -v python3 >/dev/null || { echo "python3 is missing"; exit 1; }
tools/make-docs --no-figures "$KAIROS" "$WORK/site" >"$out" 2>"$err" || fail "tools/make-docs"
for page in index tutorial language reference semantics architecture reliability gallery/index gallery/ball lib/electrical.kai \
    api/sim.h decisions/index house/plot; do
    [ -s "$WORK/site/$page.html" ] || fail "no page $page.html"
done
count=$(ls docs/decisions/*.md | wc -l)
[ "$(ls "$WORK"/site/decisions/*.html | wc -l)" -ge "$count" ] || fail "not every decision has its page"
! grep -rhoE '<(script|link|img)[^>]*(src|href)="https?:[^"]*"' "$WORK/site" || fail "a page loads something from outside"
grep -q '<meta name="viewport"' "$WORK/site/index.html" || fail "not for phones"
# Markdown: a heading with its anchor, a model with its words marked, a table, a link to another page.
grep -q '<h2 id="try-it">Try it</h2>' "$WORK/site/index.html" || fail "no heading"
grep -q '<span class="k">model</span> Ball' "$WORK/site/index.html" || fail "models are not marked"
grep -q '<th>option</th>' "$WORK/site/language.html" || fail "no table"
grep -q 'href="tutorial.html"' "$WORK/site/index.html" || fail "no link to another page"
! grep -rlE '^(```|\|---)' "$WORK/site" --include='*.html' | grep . || fail "Markdown is left on a page"
grep -q '"The Kairos language", "Impulses", "language.html#impulses"' "$WORK/site/search-index.js" || fail "the search does not know a section"

# A link that leads nowhere is told.
mkdir -p "$WORK/top/tools"
cp -r README.md docs examples lib include src bench cli "$WORK/top/" && cp -r tools/docs tools/make-docs "$WORK/top/tools/"
echo "[nowhere](docs/nowhere.md)" >>"$WORK/top/README.md"
! "$WORK/top/tools/make-docs" --no-figures "$KAIROS" "$WORK/top/site" >"$out" 2>"$err" || fail "a link that leads nowhere is not told"
says "README.md: nothing for the link docs/nowhere.md"
