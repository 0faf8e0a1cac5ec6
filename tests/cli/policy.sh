# A stranger's model reads nothing outside its folder and the library's, and runs no code, unless it is allowed to; what it
# names is refused with place and remedy. Folders, devices and FIFOs end in a sentence at once, imports in a circle are one program.
. tests/cli/helpers.bash
mkdir -p "$WORK/mine/below" "$WORK/other"
echo 'model Other { param secret = 7 }' >"$WORK/other/other.kai"
echo 'model Below { param a = 1 }' >"$WORK/mine/below/below.kai"
printf '0,1\n1,2\n' >"$WORK/other/table.csv"
printf '0,1\n1,2\n' >"$WORK/mine/below/table.csv"

# model IMPORT: imports it and has an experiment.
model() { printf 'import "%s"\nmodel M { state x = 0; x'"'"' = 1 }\nexperiment e of M { stop = 1; expect final(x) ~ 1 within 1e-9 }\n' "$1" >"$WORK/mine/m.kai"; }

# What is below, and the library, need no permission; from another folder than the model's neither.
model below/below.kai
exits 0 test "$WORK/mine/m.kai"
(cd "$WORK/mine/below" && "$KAIROS" check ../m.kai) || fail "from another folder"
(cd "$WORK/mine" && "$KAIROS" check m.kai) || fail "from its own folder"
model signals.kai
exits 0 test "$WORK/mine/m.kai"

for outside in ../other/other.kai "$WORK/other/other.kai" below/../../other/other.kai; do
    model "$outside"
    for command in "check" "test" "run -o $WORK/o.csv" "plot -o $WORK/o.svg" "explain" "graph -o $WORK/g.svg" "prove"; do
        exits 1 $command "$WORK/mine/m.kai"
        cat "$err" "$out" | grep -qF "m.kai:1:8: error[K170]: \`$outside\` lies outside" || fail "$command $outside: no K170"
        cat "$err" "$out" | grep -q "help:.*--allow-files" || fail "$command $outside: no remedy"
    done
    exits 0 check --allow-files "$WORK/mine/m.kai"
done

# Symbolic links: out is refused, also through a folder; within is fine.
ln -s ../other/other.kai "$WORK/mine/link.kai"
ln -s ../other "$WORK/mine/linked"
ln -s below/below.kai "$WORK/mine/within.kai"
for link in link.kai linked/other.kai; do
    model $link
    exits 1 check "$WORK/mine/m.kai"
    says "error[K170]"
done
model within.kai
exits 0 check "$WORK/mine/m.kai"
# The file that the user names may be anywhere.
ln -s mine/m.kai "$WORK/m.kai"
mkdir "$WORK/below" && cp "$WORK/mine/within.kai" "$WORK/within.kai"
exits 0 check "$WORK/m.kai"

# Tables.
echo 'model T { signal y = table("../other/table.csv", time) }' >"$WORK/mine/t.kai"
exits 1 check "$WORK/mine/t.kai"
says 't.kai:1:28: error[K170]: `../other/table.csv` lies outside'
exits 0 check --allow-files "$WORK/mine/t.kai"
echo 'model T { signal y = table("below/table.csv", time) }' >"$WORK/mine/t.kai"
exits 0 check "$WORK/mine/t.kai"

# No file at all: a sentence at once, allowed or not.
mkfifo "$WORK/mine/fifo.kai" "$WORK/mine/fifo.csv"
for path in below fifo.kai /dev/zero /dev/tty; do
    model $path
    for allow in "" --allow-files; do
        got=0
        timeout 10 "$KAIROS" check $allow "$WORK/mine/m.kai" >"$out" 2>"$err" || got=$?
        [ $got -eq 1 ] || fail "import of $path $allow: exit code $got"
        says "m.kai:1:8: error["
    done
done
echo 'model T { signal y = table("fifo.csv", time) }' >"$WORK/mine/t.kai"
timeout 10 "$KAIROS" check "$WORK/mine/t.kai" >"$out" 2>"$err" && fail "a FIFO is no table"
says 'it is no regular file'

# A circle is one program.
printf 'import "b.kai"\nmodel A { b : B }\n' >"$WORK/mine/a.kai"
printf 'import "a.kai"\nimport "./b.kai"\nmodel B { param k = 1 }\n' >"$WORK/mine/b.kai"
exits 0 check "$WORK/mine/a.kai"

# C code: not even the library's start-up runs without permission.
cat >"$WORK/mine/code.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void begin(void) { fclose(fopen(getenv("MARK"), "w")); }
double twice(double x) { return 2 * x; }
C
cc -shared -fPIC -o "$WORK/mine/libcode.so" "$WORK/mine/code.c" || fail "no compiler"
printf 'external twice(x) = "code:twice"\nmodel M { state x = 0; x'"'"' = twice(1) }\nexperiment e of M { stop = 1; expect final(x) ~ 2 within 1e-9 }\n' >"$WORK/mine/m.kai"
export MARK=$WORK/mark
for command in check test "run -o $WORK/o.csv" "plot -o $WORK/o.svg" explain; do
    exits 1 $command "$WORK/mine/m.kai"
    cat "$err" "$out" | grep -qF 'm.kai:1:10: error[K171]: `twice` is a C function of `code`' || fail "$command: no K171"
done
[ ! -e "$MARK" ] || fail "code has run that was not allowed"
exits 0 test --allow-external "$WORK/mine/m.kai"
[ -e "$MARK" ] || fail "the test sees nothing"
