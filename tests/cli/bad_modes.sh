# Machines that cannot work get a message with lines, never a hang: no or two initial modes and a transition to nowhere when
# they are checked, a mode that never ends its instant when it runs.
. tests/cli/helpers.bash
put() { cat >"$WORK/m.kai"; }

put <<'END'
model M {
  modes {
    initial mode a { on time > 1 -> b }
    initial mode b { }
  }
}
END
exits 1 check "$WORK/m.kai"
says 'm.kai:4:18: error[K060]'
says 'm.kai:3:18'
exits 1 check tests/wrong/initial_mode.kai
exits 1 check tests/wrong/mode.kai

# There and back without end.
put <<'END'
model M {
  state x = 0
  x' = 1
  modes {
    initial mode a { on x >= 1 -> b }
    mode b { on x >= 1 -> a }
  }
}
experiment e of M { stop = 2 }
END
exits 3 run "$WORK/m.kai" -o "$WORK/out.csv"
says 'chattering'
says 'm.kai:5:22'
[ "$(wc -l <"$WORK/out.csv")" -lt 40 ] || fail "the cycle is not recognised at once"

# To itself, each time with another value: nothing repeats, the bound ends it.
put <<'END'
model M {
  state x = 0
  discrete n = 0
  x' = 1
  modes {
    initial mode a { on x >= 1 -> resume a { n := n + 1 } }
  }
}
experiment e of M { stop = 2; max_microsteps = 100 }
END
exits 3 run "$WORK/m.kai" -o "$WORK/out.csv"
says 'chattering'
says 'no end after 100 tags'
says 'n (line 3)'
