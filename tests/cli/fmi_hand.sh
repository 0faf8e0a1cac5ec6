# An FMU written by hand against the standard, in models and alone: states that are reset in several rounds, time events, indicators by z > 0
# and z <= 0, units that are not SI, names that are no identifiers, what it says when it refuses; and in a process of its own what crashes,
# ends and hangs. Values are closed forms (tests/fmi/hand.c).
. tests/cli/fmi.bash
hand
exits 0 check "$WORK/hand.fmu"
cat >"$WORK/rig.kai" <<'K'
fmu Hand = "hand.fmu"
model Rig {
  h : Hand(k = 0.25); still : Hand(k = 1)
  h.u = 2000            // m/s, 2 km/s for the FMU
  discrete seen = 0
  when h.ticks > 2.5 { seen := time }
}
experiment e of Rig {
  stop = 4.5
  expect at(0.5, h.a_x_1) ~ 0.5 within 1e-9
  expect left(1, h.a_x_1) ~ 1 within 1e-9
  expect at(1, 1, h.a_x_1) ~ 1 within 1e-9
  expect at(1, 2, h.a_x_1) ~ 11 within 1e-9 "the first round is a tag"
  expect at(1, 3, h.a_x_1) ~ 31 within 1e-9 "and the second another one"
  expect at(1.4, h.a_x_1) ~ 31.4 within 1e-9
  expect at(1.7, h.a_x_1) ~ 31.1 within 1e-8 "x passed 31.5 at 1.5"
  expect at(1.9, h.a_x_1) ~ 31 within 1e-8 "and came down to 31 at 1.75"
  expect at(2.5, h.a_x_1) ~ 61 within 1e-8
  expect final(h.a_x_1) ~ 121 within 1e-8
  expect final(h.ticks) == 4
  expect final(seen) ~ 3 within 1e-12
  expect final(h.y) ~ 8000*(1 - exp(-0.25*4.5)) within 1e-4
  expect final(still.y) ~ 0 within 0
  expect final(still.a_x_1) ~ 121 within 1e-8
}
K
exits 1 test "$WORK/rig.kai"
prints "K171"
exits 0 test --allow-external "$WORK/rig.kai"
exits 0 test --allow-external --isolate "$WORK/rig.kai"
exits 0 check --allow-external "$WORK/rig.kai"

# Alone, with parameters and inputs; its experiment says where to stop.
printf 't,u\n0,1000\n2,0\n' >"$WORK/u.csv"
exits 0 run "$WORK/hand.fmu" --set k=0 --input "$WORK/u.csv" -o "$WORK/alone.csv"
tail -1 "$WORK/alone.csv" | awk -F, '{ exit !($1 == 4 && $5 == 121 && $6 > 1999.9999 && $6 < 2000.0001 && $7 == 4) }' || fail "$(tail -1 "$WORK/alone.csv")"
exits 1 run "$WORK/hand.fmu" --fmi-type cs
says "neither Model Exchange nor Co-Simulation"

# Units are checked where the model uses it.
printf 'fmu Hand = "hand.fmu"\nmodel M { h : Hand; state v [V] = 0; v'"'"' = h.y }\nexperiment e of M { stop = 1 }\n' >"$WORK/units.kai"
exits 1 check --allow-external "$WORK/units.kai"
says "error[K041]"

# It cannot save its state, and that is said where it is asked for; a fresh run needs no state.
exits 0 run "$WORK/hand.fmu" --checkpoint 1 -o "$WORK/alone.csv"
says "by_hand cannot be saved: its FMU cannot get and set its state"

# What it warns of is told with the instance.
HAND_WARN=1 exits 0 run --allow-external "$WORK/rig.kai" -o /dev/null
says "says: it is late"

# Its calls in the order of the standard.
exits 0 check --allow-external "$WORK/hand.fmu"
HAND_DRIFT=1 exits 1 check --allow-external "$WORK/hand.fmu"
says "after it was asked about a later time"
HAND_CRASH=0 exits 1 check --allow-external "$WORK/hand.fmu"
says "crashed in"

# What goes wrong inside is a sentence with the instance, the time and the call.
HAND_CRASH=2.5 exits 3 run --isolate --allow-external "$WORK/rig.kai" -o /dev/null
says "block h fails"
says "crashed in"
says "Segmentation fault"
HAND_EXIT=2.5 exits 3 run --isolate "$WORK/hand.fmu" -o /dev/null
says "its process ended in"
says "exit code 7"
HAND_HANG=2.5 exits 3 run --isolate --time 1 "$WORK/hand.fmu" -o /dev/null
says "has not answered in"
sed -i 's/guid="{hand}"/guid="{other}"/' "$WORK/hand/modelDescription.xml"
(cd "$WORK/hand" && rm ../hand.fmu && python3 -m zipfile -c ../hand.fmu modelDescription.xml binaries)
exits 3 run "$WORK/hand.fmu"
says "wrong GUID"
[ -z "$(ls -d "$WORK"/kairos-fmu-* 2>/dev/null)" ] || fail "what was unpacked is left"
