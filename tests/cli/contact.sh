# Contact that holds (rule C5): a reaction brings a guard to rest on its level and the field leads through it again. The
# run stops with both derivatives, at the place of the guard, and nothing is drawn below the floor. Closed forms: a fall
# from 1 m takes sqrt(2/g) and ends with -sqrt(2 g).
. tests/cli/helpers.bash
cat >"$WORK/m.kai" <<'END2'
model Fall { param e = 0, h = 1
  state y = h, v = 0
  y' = v
  v' = -9.81
  event hit = down(y)
  when hit { v := -e*v }
}
model Relation { state y = 1, v = 0
  y' = v
  v' = -9.81
  when y <= 0 { v := 0 }
}
model Level { state y = 1, v = 0
  modes { initial mode fall { y' = v; v' = -9.81; on y <= 0 -> fall { v := 0 } } }
}
model Falling { state y = 1, v = 0
  modes { initial mode fall { y' = v; v' = -9.81; on y <= 0 and v < 0 -> fall { v := 0 } } }
}
model Crossing { state y = 1, v = 0
  modes { initial mode fall { y' = v; v' = -9.81; on down(y) -> fall { v := 0 } } }
}
model Moving "a floor that goes up and down" { state y = 1, v = 0
  y' = v; v' = -9.81
  signal f = 0.1*sin(time)
  when down(y - f) { v := 0.1*cos(time) }
}
model Pushed "two balls, the left one pushed" { param e = 0, x0 = 1
  state x1 = 0, v1 = 0, x2 = x0, v2 = 0
  x1' = v1; v1' = 1; x2' = v2; v2' = 0
  when up(x1 - x2) { v1 := (v1 + v2 + e*(v2 - v1))/2; v2 := (v1 + v2 + e*(v1 - v2))/2 }
}
model Spring { state y = 1, v = 0
  y' = v; v' = -4*(y + 1)
  when down(y) { v := 0 }
}
model Impulse { state y = 1, v = 0
  y' = v; v' = -9.81 + delta(hit, -pre(v))
  event hit = down(y)
}
model Ramp "a force that grows from 0: the third derivative leads" { state y = 0, v = 0
  y' = v; v' = -time
  when down(y) { v := -v/2 }
}
model Emitted "the reaction comes a tag later" { state y = 1, v = 0
  event stopped
  y' = v; v' = -9.81
  when down(y) { emit stopped }
  when stopped { v := 0 }
}
experiment fall of Fall { stop = 2 }
experiment lies of Fall(h = 0) { stop = 2 }
experiment lies_elastic of Fall(h = 0, e = 0.5) { stop = 2 }
experiment relation of Relation { stop = 2 }
experiment level of Level { stop = 2 }
experiment falling of Falling { stop = 2 }
experiment crossing of Crossing { stop = 2 }
experiment moving of Moving { stop = 2 }
experiment pushed of Pushed { stop = 2 }
experiment touching of Pushed(x0 = 0) { stop = 2 }
experiment touching_elastic of Pushed(x0 = 0, e = 1) { stop = 2 }
experiment spring of Spring { stop = 2 }
experiment impulse of Impulse { stop = 2 }
experiment ramp of Ramp { stop = 2 }
experiment emitted of Emitted { stop = 2 }
model Stack "a block on the floor, and another one that falls on it: two reactions that know nothing of each other" {
  state y1 = 0.5, v1 = 0, y2 = 1.5, v2 = 0
  y1' = v1; v1' = -9.81; y2' = v2; v2' = -9.81
  when down(y1) { v1 := 0 }
  when down(y2 - y1 - 0.5) { v1 := (v1 + v2)/2; v2 := (v1 + v2)/2 }
}
model Tank "the level is put back, and rises again" { state y = 0; y' = 1; when up(y - 1) { y := 1 } }
experiment stack of Stack { stop = 3; zeno = continue }
experiment tank of Tank { stop = 3 }
experiment off of Fall { stop = 2; zeno = off }
END2
# holds EXPERIMENT TIME GUARD WORDS…
holds()
{
    local name=$1 time=$2 guard=$3
    shift 3
    exits 3 run "$WORK/m.kai" -e "$name" -o "$WORK/o.csv"
    says "contact at t = $time"
    says "rests on the level of $guard and is pushed against it"
    for word in "$@"; do says "$word"; done
    awk -F, '/^[0-9]/ && $4 < -1e-12 { exit 1 }' "$WORK/o.csv" || fail "$name: below the floor"
}
holds fall 0.45152364098573 'down(y)' 'm.kai:5:15' 'it was -4.42945' 'the second is -9.81' 'help: add a mode for the contact'
holds lies 0 'down(y)' 'the second is -9.81'
holds lies_elastic 0 'down(y)'
holds relation 0.45152364098573 'y <= 0'
holds level 0.45152364098573 'y <= 0' 'chattering Zeno'
holds falling 0.45152364098573 'y <= 0'
holds crossing 0.45152364098573 'down(y)'
holds moving 0.44176606350 'down(y - f)'
holds pushed 1.414213562373 'up(x1 - x2)' 'assigns v1, v2' 'it was 1.41421' 'the second is 1,'
holds touching 0 'up(x1 - x2)'
holds touching_elastic 0 'up(x1 - x2)'
holds spring 0.52359877 'down(y)' 'it was -3.4641' 'the second is -4'
holds impulse 0.45152364098573 'down(y)'
holds ramp 0 'down(y)' 'the third is -1'
holds emitted 0.45152364098573 'down(y)'
holds tank 1 'up(y - 1)' 'leaves the guard on its level'
exits 3 run "$WORK/m.kai" -e stack -o "$WORK/o.csv"
says 'what rests on the level of down(y1) is driven through it'
awk -F, '/^[0-9]/ && $4 < -1e-12 { exit 1 }' "$WORK/o.csv" || fail "stack: below the floor"
exits 0 run "$WORK/m.kai" -e off -o "$WORK/o.csv"    # and then the ball falls on
exit 0
