# Cascades of Cockcroft and Walton with 2 to 10 stages and pumps of Dickson with 2 to 8: ideal diodes on bare capacitors of different
# sizes. Every half period the voltages of all capacitors are those of charge conservation and complementarity, solved in
# fractions (tests/reference/charges.py), and a cascade that has come to 2 V per stage stays there.
. tests/cli/helpers.bash
PYTHONPATH=tests/reference PYTHONDONTWRITEBYTECODE=1 python3 - "$KAIROS" "$WORK" <<'END' || fail "voltages differ"
import csv, os, subprocess, sys
from charges import Pump
kairos, work = sys.argv[1:]
HALVES = 30

def name(node):
    return f"n{node}" if isinstance(node, int) else node

def text(pump, sources, capacitors, diodes):
    """The model: a node is a Ground, the a of a source, or a list of ends that are connected."""
    ends, out = {}, ['import "electrical.kai"', f"model {pump} {{", "  gnd : Ground()"]
    ends["gnd"] = ["gnd.a"]
    for source, (first, second) in sources.items():
        if source == "gnd":
            continue
        out.append(f"  {source} : VoltageSource(u = if mod(time, 1) < 0.5 then {first} else {second});  connect {source}.b, gnd.a")
        ends[source] = [f"{source}.a"]
    for i, (a, b, c, v) in enumerate(capacitors):
        out.append(f"  c{i} : Capacitor(C = {c}, v0 = {v})")
        ends.setdefault(a, []).append(f"c{i}.a")
        ends.setdefault(b, []).append(f"c{i}.b")
    for i, (a, b) in enumerate(diodes):
        out.append(f"  d{i} : Diode()")
        ends.setdefault(a, []).append(f"d{i}.a")
        ends.setdefault(b, []).append(f"d{i}.b")
    out += [f"  connect {', '.join(e)}" for e in ends.values() if len(e) > 1]
    voltages = ", ".join(f"c{i}.v" for i in range(len(capacitors)))
    return "\n".join(out) + f"\n}}\nexperiment {pump.lower()} of {pump} {{ stop = {HALVES / 2};  record {voltages} every 0.25 }}\n"

def cascade(stages, full):
    # Nodes 2k: side of the source, 2k + 1: side of the ground, of stage k.
    capacitors, diodes = [], []
    for k in range(stages):
        before = ("u", "gnd") if k == 0 else (2 * k - 2, 2 * k - 1)
        capacitors.append((2 * k, before[0], 1 if full else 1 + k % 3, (1 if k == 0 else 2) if full else 0))
        capacitors.append((2 * k + 1, before[1], 1 if full else 2 - k % 2, 2 if full else 0))
        diodes += [(before[1], 2 * k), (2 * k, 2 * k + 1)]
    return {"gnd": (0, 0), "u": (1, -1)}, capacitors, diodes, 2 * stages

def dickson(stages):
    capacitors = [(k, ("p", "q")[k % 2], 1 + k % 2, 0) for k in range(stages)] + [(stages, "gnd", 3, 0)]
    diodes = [("u" if k == 0 else k - 1, k) for k in range(stages + 1)]
    return {"gnd": (0, 0), "u": (1, 1), "p": (0, 1), "q": (1, 0)}, capacitors, diodes, stages + 1

pumps = {f"Cascade{n}": cascade(n, False) for n in range(2, 11)}
pumps |= {f"Full{n}": cascade(n, True) for n in (2, 5, 10)}
pumps |= {f"Dickson{n}": dickson(n) for n in (2, 3, 4, 8)}
worst = 0
for pump, (sources, capacitors, diodes, nodes) in pumps.items():
    model, table = f"{work}/{pump}.kai", f"{work}/{pump}.csv"
    open(model, "w").write(text(pump, sources, capacitors, diodes))
    ran = subprocess.run([kairos, "run", model, "-o", table], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    middle = {float(r["t"]): r for r in csv.DictReader(open(table))}
    exact = Pump(nodes, capacitors, diodes)
    for half in range(HALVES):
        expected = exact.jump({s: values[half % 2] for s, values in sources.items()}, half % 2)
        row = middle[half / 2 + 0.25]
        for i, v in enumerate(expected):
            off = abs(float(row[f"c{i}.v [V]"]) - v)
            worst = max(worst, off)
            assert off < 1e-9, f"{pump}, half period {half}, c{i}: {row[f'c{i}.v [V]']} for {v}"
    if pump.startswith("Full"):
        stages = len(capacitors) // 2
        assert abs(sum(expected[1::2]) - 2 * stages) < 1e-30 + 1e-12, expected
print(f"{len(pumps)} pumps, worst {worst:.1e}")
END
