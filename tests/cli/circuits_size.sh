# A ladder of 2,000 stages is compiled and run, where coefficients of all outputs by all inputs would be refused as too
# many (decision 0095); the causality of 20 diodes is printed; an arm of 66 half bridges, whose guards have no code of their own,
# begins in 160 MB (decision 0207), compiling included.
. tests/cli/helpers.bash
set -e -o pipefail
arm=$PWD/bench/circuits.py
cd "$WORK"

ladder() {
    cat << MODEL
import "electrical.kai"
model Ladder {
  u : VoltageSource(u = 1);  g : Ground()
  r : Resistor[i in 1..$1](R = 1);  c : Capacitor[i in 1..$1](C = 1)
  connect u.b, g.a;  connect u.a, r[1].a
  for i in 1..$1 { connect r[i].b, c[i].a;  connect c[i].b, g.a }
  for i in 2..$1 { connect r[i-1].b, r[i].a }
}
experiment e of Ladder { stop = 10;  record c[1].v, c[2].v }
MODEL
}

# The first two stages do not see the end of a ladder that is long enough: 60 stages and 2,000 agree. Diffusion from a
# step at one end reaches a few times sqrt(t) stages.
ladder 60 > short.kai
ladder 2000 > long.kai
"$KAIROS" run short.kai -o short.csv --rtol 1e-9 2> /dev/null
"$KAIROS" run long.kai -o long.csv --rtol 1e-9 2> long.txt
python3 - << 'COMPARE'
import csv
def last(name):
    rows = list(csv.DictReader(open(name)))
    return [float(rows[-1][k]) for k in ("c[1].v [V]", "c[2].v [V]")]
a, b = last("short.csv"), last("long.csv")
assert all(abs(x - y) < 1e-7 for x, y in zip(a, b)), (a, b)
COMPARE

# Twenty diodes: their causality is printed for the sets around the first one, in time linear in the text.
cat > diodes.kai << 'MODEL'
import "electrical.kai"
model Diodes {
  u : VoltageSource(u = 10*sin(2*pi*50*time));  g : Ground()
  d : Diode[i in 1..20]();  r : Resistor[i in 1..20](R = 1);  c : Capacitor[i in 1..20](C = 1e-5)
  connect u.b, g.a
  for i in 1..20 { connect u.a, d[i].a;  connect d[i].b, r[i].a;  connect r[i].b, c[i].a;  connect c[i].b, g.a }
}
experiment e of Diodes { stop = 0.02 }
MODEL
timeout -s KILL 60 "$KAIROS" check diodes.kai --print causality > causality.txt
grep -q "d\[20\]" causality.txt

python3 "$arm" arm 66 > arm.kai
timeout -s KILL 100 "$KAIROS" run arm.kai --stop 2e-5 --memory 160M -o arm.csv 2> arm.txt || fail "$(tail -3 arm.txt)"
echo "1 passed, 0 failed"
