# A reaction cycle that revisits a state (rule R5): the cycle with its places and values, and whether m or p is endless.
. tests/cli/helpers.bash
cat >"$WORK/m.kai" <<'END'
model Discrete {
  discrete a = false
  when a { a := false }
  when not a { a := true }
}
model State {
  state x = 0
  x' = 0
  choose {
    when x < 0.5 { x := 1 }
    when x > 0.5 { x := 0 }
  }
}
model Once {
  state x = 0
  discrete a = false, ready = false
  x' = 0
  when x < 0.5 { x := 1 }
  when x > 0.5 { ready := true }
  when ready and a { a := false }
  when ready and not a { a := true }
}
model Signal { signal y = 1 - pre(y, 0) }
model Modes {
  modes {
    initial mode left { on true -> right }
    mode right { on true -> left }
  }
}
experiment discrete_ of Discrete { stop = 1 }
experiment state_ of State { stop = 1 }
experiment once of Once { stop = 1 }
experiment signal_ of Signal { stop = 1 }
experiment modes_ of Modes { stop = 1 }
experiment chance of State { stop = 1; choice = random }
END
cycle() { exits 3 run "$WORK/m.kai" -e "$1" -o "$WORK/o.csv"; says 'chattering Zeno at t = 0'; says 'every 2 tags'; }

cycle discrete_
says 'the microsteps are endless'
says 'a = 0 fires'; says 'a = 1 fires'; says 'm.kai:3:3'; says 'm.kai:4:3'
[ "$(wc -l <"$WORK/o.csv")" -lt 20 ] || fail "not recognised at once"
cycle state_
says 'the pinnacles are endless'
says 'x = 0 fires'; says 'x = 1 fires'; says 'm.kai:10:5'; says 'm.kai:11:5'
cycle once    # a state changed before the cycle, not in it
says 'the microsteps are endless'
cycle signal_
says 'y = 0'; says 'y = 1'
cycle modes_
says 'm.kai:26:25'; says 'm.kai:27:18'
exits 3 run "$WORK/m.kai" -e chance -o "$WORK/o.csv"
exit 0
