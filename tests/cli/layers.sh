# tools/check-layers accepts this repository and its build, and finds each kind of violation, by #include and by link.
set -u
tools/check-layers . "$BUILD" || exit 1

# refuses FILE LINE: a file with this #include line must be reported, with its name.
refuses()
{
    rm -rf "$WORK/top"
    mkdir -p "$WORK/top/$(dirname "$1")" "$WORK/top/src/base"
    printf '%s\n' "$2" >"$WORK/top/$1"
    if out=$(tools/check-layers "$WORK/top"); then
        echo "accepted $2 in $1"
        exit 1
    fi
    case $out in
    "$1:1: "*) ;;
    *) echo "no place: $out"; exit 1 ;;
    esac
}

accepts()
{
    rm -rf "$WORK/top"
    mkdir -p "$WORK/top/$(dirname "$1")"
    printf '%s\n' "$2" >"$WORK/top/$1"
    tools/check-layers "$WORK/top" || { echo "refused $2 in $1"; exit 1; }
}

refuses src/base/x.c '#include "lang/ast.h"'
refuses src/lang/x.c '#include "elab/flat.h"'
refuses src/elab/x.h '#include "model/model.h"'
refuses src/emit/x.c '#include "vm/vm.h"'
refuses src/kernel/x.c '#  include "emit/code.h"'
refuses src/num/x.c '#include "model/model.h"'
refuses src/num/x.c '#include <kairos/model.h>'
refuses src/num/x.c '#include "vm/vm.h"'
refuses src/model/x.c '#include "kernel/sim.h"'
refuses src/lang/x.c '#include "../base/arena.h"'
refuses src/attic/x.c '#include "base/arena.h"'
refuses cli/run.c '#include "kernel/sim.h"'
refuses include/kairos/x.h '#include "base/arena.h"'
accepts src/emit/x.c '#include "model/model.h"'
refuses src/kernel/x.c '#include "num/ode.h"'
refuses src/kernel/x.c '#include "flow/flow.h"'
refuses src/flow/x.c '#include "watch/record.h"'
accepts src/flow/x.c '#include "num/ode.h"'
accepts src/api/x.c '#include "elab/elaborate.h"'
accepts cli/run.c '#include "kairos/kairos.h"'
accepts cli/run.c '#include <stdio.h>'

# links CODE ROOM CALL [ROOM FUNCTION]: an object of ROOM that calls CALL, which FUNCTION of the other room defines.
object()
{
    mkdir -p "$WORK/top/$(dirname "$1")" "$WORK/build/CMakeFiles/kairos_core.dir/$(dirname "$1")"
    printf '%s\n' "$2" >"$WORK/top/$1"
    cc -c "$WORK/top/$1" -o "$WORK/build/CMakeFiles/kairos_core.dir/$1.o"
}
links()
{
    rm -rf "$WORK/top" "$WORK/build"
    object "$2" "void $3(void); void user(void) { $3(); }"
    object "$4" "void $3(void) { }"
    out=$(tools/check-layers "$WORK/top" "$WORK/build")
    [ $? -eq "$1" ] || { echo "$2 calls $3 of $4: $out"; exit 1; }
    [ "$1" -eq 0 ] && return
    case $out in
    "$2: $3: "*) ;;
    *) echo "no place: $out"; exit 1 ;;
    esac
}
links 1 src/base/a.c parse src/lang/b.c
links 1 src/num/a.c run src/vm/b.c
links 1 src/model/a.c run src/kernel/b.c
links 1 src/emit/a.c run src/vm/b.c
links 1 src/plot/a.c kaiNumber_Write src/api/b.c
links 1 src/run/a.c kaiModel_Load src/api/b.c
links 1 src/kernel/a.c flow_step src/flow/b.c
links 0 src/watch/a.c flow_step src/flow/b.c
links 1 cli/a.c arena_alloc src/base/b.c
links 0 cli/a.c kaiVersion src/base/b.c
links 0 src/lang/a.c arena_alloc src/base/b.c
links 0 src/api/a.c elaborate src/elab/b.c
# The object of a source that is gone does not count.
links 1 src/base/a.c parse src/lang/b.c
rm "$WORK/top/src/base/a.c"
tools/check-layers "$WORK/top" "$WORK/build" || { echo "counts an object without a source"; exit 1; }

# A cycle in the table is found.
mkdir -p "$WORK/copy/src/base" "$WORK/copy/src/lang" "$WORK/copy/tools"
cp tools/check-layers "$WORK/copy/tools"
sed 's/^base:/base: lang/' src/layers >"$WORK/copy/src/layers"
out=$("$WORK/copy/tools/check-layers") && { echo "accepts a cycle"; exit 1; }
case $out in
*"base is part of a cycle"*) ;;
*) echo "does not name the cycle: $out"; exit 1 ;;
esac
