# tools/check-layers accepts this repository and finds each kind of violation.
set -u
tools/check-layers || exit 1

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
