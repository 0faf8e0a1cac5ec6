# A syntax error hides no mistake in other models, functions and experiments of the file, nothing follows from it, and a missing
# brace is reported once, first, and where it is missing.
. tests/cli/helpers.bash

# finds NAME PLACE:CODE…: exactly these errors, in this order, in the file $WORK/NAME.kai (from standard input).
finds()
{
    local name=$1
    shift
    cat >"$WORK/$name.kai"
    exits 1 check "$WORK/$name.kai"
    local got=$(sed -n "s|^$WORK/$name.kai:\([0-9:]*\): error\[\(K[0-9]*\)\].*|\1:\2|p" "$err" | paste -sd' ')
    [ "$got" = "$*" ] || fail "$name: found $got instead of $*"
}

finds other_models 3:8:K016 7:8:K020 15:31:K025 17:28:K020 <<'END'
model A {
  state x = 0
  x' = = 1
}
model B {
  state y = 0
  y' = zz
}
model C "uses A, which is broken: what is said about it might follow from that" {
  state z = 0
  z' = 1
  a : A
  signal q = foo(3), p = a.nothing
}
experiment e of B { stop = 1; nosuch = 3 }
experiment f of A { stop = 1; nosuch = 3 }
model D { signal q = twice(rr) }
function twice(x) = 2*x
END
finds functions 1:18:K016 4:26:K020 <<'END'
function f(x) = 2*
function g(x) = f(x)
model Uses { signal q = g(qq) }
model Other { signal q = qq }
END
finds brace_of_mode 6:5:K008 11:8:K020 <<'END'
model A {
  state x = 0
  x' = 1
  modes {
    initial mode a { on x >= 1 -> b
    mode b { }
  }
}
model B {
  state y = 0
  y' = zz
}
END
finds brace_of_when 5:3:K008 9:24:K020 <<'END'
model A {
  state x = 0
  x' = 1
  when x > 1 { x := 0
  state y = 0
  y' = 1
}

model B { signal z = 1*zz }
END
finds brace_of_modes 6:3:K008 8:22:K020 <<'END'
model A {
  modes {
    initial mode a { on time >= 1 -> b }
    mode b { }

  state y = 0; y' = 1
}
model B { signal z = zz }
END
finds brace_of_model 4:1:K008 4:22:K020 <<'END'
model A {
  state x = 0

model B { signal z = zz }
END
finds stray 3:3:K004 6:22:K020 <<'END'
model A {
  state x = 0 }
  x' = 1
}
modle D { state x = 0 }
model B { signal z = zz }
model C { d : D }
END
