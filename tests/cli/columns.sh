# The columns of a circuit: what its parts declare, and modes; the efforts and flows inside them on demand. And every CSV
# of the examples has the same columns for the csv and numpy modules of Python, whether its run ended or not.
. tests/cli/helpers.bash

cat >"$WORK/c.kai" <<'END'
import "electrical.kai"
model Charge { u : VoltageSource(u = 5); r : Resistor(R = 100); c : Capacitor(C = 1e-3); g : Ground
  connect u.a, r.a
  connect r.b, c.a
  connect u.b, c.b, g.a }
experiment e of Charge { stop = 1 }
experiment f of Charge { stop = 1; record all }
experiment g of Charge { stop = 1; record r.r.f }
END
exits 0 run "$WORK/c.kai" -e e -q
[ "$(head -1 "$out")" = "t,p,m,u.u [V],u.v [V],u.i [A],r.v [V],r.i [A],c.v [V],c.i [A]" ] || fail "header: $(head -1 "$out")"
exits 0 run "$WORK/c.kai" -e f -q
head -1 "$out" | grep -qF ',r.r.e [V],' || fail "record all: $(head -1 "$out")"
exits 0 run "$WORK/c.kai" -e g -q
head -1 "$out" | grep -qF 't,p,m,r.r.f [A]' || fail "by name: $(head -1 "$out")"
exits 0 run "$WORK/c.kai" --list
grep -q 'r\.r\.e' "$out" && fail "--list shows what is inside parts"

# A closed switch between two capacitors: the impulse of the current shows in the signal of the part.
cat >"$WORK/s.kai" <<'END'
import "electrical.kai"
model Two { a : Capacitor(C = 1, v0 = 1); b : Capacitor(C = 1); k : Switch; g : Ground
  k.closed = time >= 0.5
  connect a.a, k.a
  connect k.b, b.a
  connect a.b, b.b, g.a }
experiment e of Two { stop = 1; record k.i }
END
exits 0 run "$WORK/s.kai" -q
awk -F, 'NR == 1 && $5 != "k.i.impulse [A*s]" { bad = 1 } NR > 1 && $5 != "" { n++; if (($5 - 0.5)^2 > 1e-18) bad = 1 }
    END { exit bad || n != 1 }' "$out" || fail "half a coulomb flows: $(cat "$out")"

# A step on a capacitor takes C Δu from its source, 2*4, with no switch in the model, and a step on an inductor L Δi; behind a
# resistor nothing jumps, and there is no column that could say so.
cat >"$WORK/j.kai" <<'END'
import "electrical.kai"
model Step { u : VoltageSource(u = if time >= 1 then 5 else 1); c : Capacitor(C = 2, v0 = 1); g : Ground
  connect u.a, c.a; connect u.b, c.b, g.a }
experiment step of Step { stop = 2; record c.i }
model Driven { u : CurrentSource(j = if time >= 1 then 5 else 1); l : Inductor(L = 2, i0 = 1); g : Ground
  connect u.a, l.a; connect u.b, l.b, g.a }
experiment driven of Driven { stop = 2; record l.v }
model Behind { u : VoltageSource(u = if time >= 1 then 5 else 1); r : Resistor(R = 1); c : Capacitor(C = 2, v0 = 1); g : Ground
  connect u.a, r.a; connect r.b, c.a; connect u.b, c.b, g.a }
experiment behind of Behind { stop = 2; record c.i }
END
for case in step:c.i.impulse driven:l.v.impulse; do
    exits 0 run "$WORK/j.kai" -e "${case%:*}" -q
    awk -F, -v name="${case#*:}" 'NR == 1 && index($5, name) != 1 { bad = 1 } NR > 1 && $5 != "" { n++; if (($5 - 8)^2 > 1e-18) bad = 1 }
        END { exit bad || n != 1 }' "$out" || fail "8 of ${case#*:}: $(cat "$out")"
done
exits 0 run "$WORK/j.kai" -e behind -q
grep -q impulse "$out" && fail "an impulse behind a resistor"

# A failed run: rows for every reader, the reason beside them; the next whole run takes it away.
printf 'model M { state x = 1; x'"'"' = 1; signal y = 1/(2 - x); assert x < 1.5 "too far, \\"really\\"" }\nexperiment e of M { stop = 1 }\n' >"$WORK/f.kai"
exits 3 run "$WORK/f.kai" -o "$WORK/f.csv" -q
grep -q '^stopped at t = 0.5 before the end: ' "$WORK/f.csv.status" || fail "status: $(cat "$WORK/f.csv.status")"
exits 0 plot "$WORK/f.csv" -o "$WORK/f.svg"
says "stopped at t = 0.5"

python=
for candidate in python3 /usr/bin/python3; do
    [ -n "$python" ] || ! $candidate -c 'import numpy' 2>/dev/null || python=$candidate
done
[ -n "$python" ] || { echo "not read back: there is no Python with numpy (python3-numpy)"; exit 0; }
mkdir "$WORK/all"
for model in examples/*/model.kai; do
    name=$(basename "$(dirname "$model")")
    timeout 20 "$KAIROS" run "$model" --allow-files --stop 0.02 -q -o "$WORK/all/$name.csv" >/dev/null 2>&1
done
$python - "$WORK"/all/*.csv "$WORK/f.csv" <<'END' || fail "read differently"
import csv, sys, numpy
read = 0
for name in sys.argv[1:]:
    with open(name, newline="") as file:
        rows = list(csv.reader(file))
    header, rows = rows[0], rows[1:]
    if any(len(row) != len(header) for row in rows) or len(set(header)) != len(header):
        sys.exit(f"{name}: rows of other lengths, or a name twice: {header}")
    table = numpy.genfromtxt(name, delimiter=",", skip_header=1, dtype=float, ndmin=2)
    if table.shape != (len(rows), len(header)):
        sys.exit(f"{name}: numpy has {table.shape}, csv {len(rows)} x {len(header)}")
    for i, row in enumerate(rows):
        for k, field in enumerate(row):
            try:
                value = float(field)
            except ValueError:
                continue
            if value == value and value != table[i, k]:
                sys.exit(f"{name}: row {i}, {header[k]}: {field} and {table[i, k]}")
    read += 1
    try:
        import pandas
    except ImportError:
        continue
    if list(pandas.read_csv(name).columns) != header or len(pandas.read_csv(name)) != len(rows):
        sys.exit(f"{name}: pandas has other columns or rows")
if read < 20:
    sys.exit(f"only {read} results")
END
