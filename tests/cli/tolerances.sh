# Every tolerance of the run has its name and its reason in src/base/tolerance.h: no bare 1e-9 in the rooms of the run.
. tests/cli/helpers.bash

# The default tolerances of a solver are settings; when two times are one is told by rule T6.
grep -nE '[^A-Za-z_0-9][0-9.]*[0-9]e-[0-9]+' src/kernel/*.[ch] src/flow/*.[ch] src/watch/*.[ch] src/run/*.[ch] src/bond/*.[ch] src/num/*.[ch] |
    sed 's,//.*,,' | grep -E '[^A-Za-z_0-9][0-9.]*[0-9]e-[0-9]+' | grep -vE 'rtol = 1e-6, .atol = 1e-9|4e-16|9e-16|2e-15' >"$WORK/bare"
[ ! -s "$WORK/bare" ] || fail "give these a name in src/base/tolerance.h: $(cat "$WORK/bare")"

# Each is used, and has a comment in its paragraph.
for name in $(sed -n 's/^#define \([A-Z_0-9]*\) .*/\1/p' src/base/tolerance.h); do
    grep -rqw "$name" src --include='*.[ch]' --exclude=tolerance.h || grep -qw "[^e] $name" src/base/tolerance.h || fail "nobody uses $name"
done
awk 'BEGIN { RS = "" } /#define [A-Z]/ && !/KAIROS_BASE/ && !/\/\// { print "no reason: " $0; bad = 1 } END { exit bad }' src/base/tolerance.h || fail
