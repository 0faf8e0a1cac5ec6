# The public headers: whoever reads one needs no other text. Every type and enumerator has a comment in its paragraph or on its
# line, every function one before it or on its line; at least half of the text of each header is documentation, with an example and the rules of lifetime and threads where there are
# handles; every function is in a tests/unit/test_misuse*.c; no header needs another one before it, in C and in C++.
. tests/cli/helpers.bash
bad=0

for header in include/kairos/*.h; do
    # Paragraphs (between blank lines) that declare something and say nothing.
    awk -v file="$header" '
    function close_paragraph() {
        if (declares && !comments) { printf "%s:%d: no comment: %s\n", file, first, text; found = 1 }
        declares = comments = 0
    }
    /^[ \t]*$/ { close_paragraph(); next }
    /^#|extern "C"|^[ \t]*[{}][ \t]*$|typedef struct kai[A-Za-z]* kai[A-Za-z]*;/ { if (!/\/\//) next }
    /\/\// { comments++ }
    /kai[A-Z]|KAI_/ && !/^[ \t]*\/\// { if (!declares) { first = FNR; text = $0 }; declares = 1 }
    END { close_paragraph(); exit found }' "$header" || bad=1
    # A function that stands in its paragraph before the first comment, and has none on its line. (Defaults are said at the cookie.)
    awk -v file="$header" '
    /^[ \t]*$/ || /^#/ || /^[ \t]*}/ { said = 0; next }
    /\/\// { said = 1 }
    !said && /^    [a-z].*kai[A-Za-z]+_?[A-Za-z]*\(/ && !/kaiDefault|typedef/ { printf "%s:%d: no comment before it: %s\n", file, FNR, $0; found = 1 }
    END { exit found }' "$header" || bad=1
    # Letters of comments against letters of all.
    awk -v file="$header" '
    { line = $0; gsub(/[ \t]/, "", line); all += length(line) }
    match($0, /\/\/.*/) { text = substr($0, RSTART); gsub(/[ \t]/, "", text); said += length(text) }
    END { if (file !~ /kairos\.h$/ && 2 * said < all) { printf "%s: only %d %% of it is documentation\n", file, 100 * said / all; exit 1 } }' "$header" || bad=1
    echo "#include \"${header#include/}\"" >"$WORK/alone.c"
    cc -std=c17 -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only "$WORK/alone.c" || { echo "$header needs another header"; bad=1; }
done

for handle in program model sim eval plot prove diagram study result settings error; do
    [ -e include/kairos/$handle.h ] || continue
    for word in 'Lifetime\.' 'Threads\.' '^//     kai'; do
        grep -q "$word" include/kairos/$handle.h || { echo "include/kairos/$handle.h: nothing about $word"; bad=1; }
    done
done

functions=$(cat include/kairos/*.h | grep -v '^ *//' | grep -v 'typedef' | grep -oE '\bkai[A-Z][A-Za-z]*(_[A-Z][A-Za-z]*)?\(' | tr -d '(' | sort -u)
[ "$(echo "$functions" | wc -l)" -ge 80 ] || fail "too few functions found"
for function in $functions; do
    cat tests/unit/test_misuse*.c | grep -q "\b$function(" || { echo "tests/unit/test_misuse*.c do not misuse $function"; bad=1; }
done

# The test sees what is missing.
printf '#include "kairos/base.h"\n\nint kaiNothing_Said(void);\n' >"$WORK/bare.h"
! awk '/kai[A-Z]/ && !/\/\// && !/^#/ { exit 1 }' "$WORK/bare.h" || fail "a bare declaration is not seen"
exit $bad
