# The page that is kept in studio/dist is made of the sources beside it (`make page` makes it anew), and its packages are pinned.
. tests/cli/helpers.bash
cd studio
digest=$(cat build.mjs package-lock.json $(LC_ALL=C ls src | sed 's|^|src/|') | sha256sum | cut -d' ' -f1)
[ "$digest" = "$(cat dist/sources.sha256)" ] || fail "studio/dist is older than its sources: run make page"
for file in index.html studio.css studio.js licences.txt; do
    [ -s dist/$file ] && [ -s plain/$file ] || fail "the page lacks $file"
done
! grep -E '"(\^|~|>|\*|latest)' package.json || fail "a package is not pinned"
# Nothing comes from elsewhere.
! grep -oE '(src|href)="https?://[^"]*' dist/index.html plain/index.html || fail "the page loads something"
[ "$(gzip -c dist/studio.js | wc -c)" -lt 200000 ] || fail "the script is larger than 200 kB compressed"
