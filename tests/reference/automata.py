"""Random automata: nested modes, resets, unions of events, delays, holds; as a description and as Kairos text.

Usage: automata.py KAIROS FOLDER FIRST COUNT. Runs COUNT of them, from seed FIRST on, with `kairos run` and with the
interpreter of the written rules (interpreter.py), and compares every recorded tag: time, p, m, modes, events, values.
"""
import csv
import random
import subprocess
import sys
from fractions import Fraction as F

from interpreter import Endless, Fragile, Guard, Run, Twice


class Thing:
    def __init__(self, **fields):
        self.__dict__.update(fields)


class Mode:
    def __init__(self, machine, index, name):
        self.machine, self.index, self.name = machine, index, name
        self.path = (machine.mode.path + "." if machine.mode else "") + name
        self.transitions, self.locals, self.inner, self.uses_entry = [], {}, [], False


class Machine:
    def __init__(self, name, mode, column):
        self.name, self.mode, self.column, self.modes = name, mode, column, []


def text(x):
    return format(float(x), ".10g")


class Model:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.start, self.stop = F(0), F(self.r.choice(["6.07", "5.93", "7.513"]))
        self.starts, self.rates, self.guards = {}, {}, []
        self.clocks, self.machines, self.whens, self.delays, self.holds, self.signals = [], [], [], [], [], []
        self.unions, self.samples, self.emits, self.modes = {}, {}, [], []
        self.fresh_names = 0
        self.make()

    # ---- what the interpreter asks

    def all_guards(self):
        return self.guards

    def all_modes(self):
        return self.modes

    def hold_named(self, name):
        return next(h for h in self.holds if h.name == name)

    def signal_named(self, name):
        return next(s for s in self.signals if s.name == name)

    # ---- drawing

    def pick(self, *choices):
        return self.r.choice(choices)

    def guard(self, kind, state, level, mode=None):
        g = Guard(kind, state, F(level), mode)
        self.guards.append(g)
        return g

    def discrete(self):
        name = "d%d" % len([n for n in self.starts if n[0] == "d"])
        self.starts[name] = F(0)
        return name

    def level(self):
        return F(self.r.randint(-9, 9)) / 8 + F(self.pick(0, 0, "0.013", "0.037"))

    def expression(self, own):
        others = [n for n in self.starts if n[0] == "d"]
        kind = self.r.randint(0, 5)
        if kind == 0:
            return ("number", self.r.randint(0, 6))
        if kind == 1:
            return ("sum", own, self.r.choice(others))
        if kind == 2 and self.holds:
            return ("hold", self.r.choice(self.holds).name)
        if kind == 3 and self.signals:
            return ("default", self.r.choice(self.signals).name)
        return ("next", own)

    def condition(self):
        names = [n for n in self.starts if n[0] == "d"]
        return (self.r.choice(names), self.r.randint(1, 4)) if self.r.random() < 0.3 else None

    def base_events(self):
        return [c.name for c in self.clocks] + self.emits + [g.name for g in self.guards if g.is_event()] + \
            [d.name for d in self.delays]

    def any_event(self):
        return self.r.choice(self.base_events() + list(self.unions))

    # ---- making

    def make(self):
        r = self.r
        for i in range(r.randint(1, 2)):
            period, first = F(self.pick("0.7", "0.3", "0.5", "1.1", "0.9")), F(self.pick("0", "0.3", "0.7", "0.5"))
            self.clocks.append(Thing(name="c%d" % i, period=period, first=first))
        for name in ("x", "y"):
            self.starts[name] = F(self.pick("0", "0.5", "-0.3"))
            self.rates[name] = []
        for _ in range(2):
            self.discrete()
        self.emits = ["e%d" % i for i in range(3)]
        for i in range(r.randint(1, 3)):
            g = self.guard(self.pick("up", "down", "cross"), self.pick("x", "y"), self.level())
            g.name = "g%d" % i
        self.delays.append(Thing(name="l0", source=self.any_event(), time=F(self.pick("0", "0.3", "0.7", "1.1"))))
        for i in range(r.randint(2, 4)):
            self.unions["u%d" % i] = (self.pick("or", "or", "and", "not"), self.any_event(), self.any_event())
        self.samples["s0"] = ("d0", self.any_event())
        self.holds.append(Thing(name="h0", event="s0", start=F(-1)))
        if r.random() < 0.5:
            self.signals.append(Thing(name="f0", event="s0", otherwise=F(-2)))
        top = self.machine(None, "m", 0)
        self.rates["x"] = [(self.pick("1", "-1", "0.5", "-0.25", "0", "2"), mode) for mode in top.modes]
        self.rates["y"] = [("1", None)]
        self.saw = self.guard("ge", "y", F(self.pick("1.5", "1.313", "2.1")))
        self.whens.append(Thing(mode=None, trigger=self.saw, condition=None,
                                actions=[("set", "y", ("number", F(self.pick("-0.5", "0", "-1.2"))))]))
        for i in range(r.randint(1, 3)):
            own = self.discrete()
            actions = [("set", own, self.expression(own))]
            self.whens.append(Thing(mode=None, trigger=self.any_event(), condition=self.condition(), actions=actions))
        # Of an emitted event one reaction is the source; a chain of them goes over several tags of an instant.
        self.whens.append(Thing(mode=None, trigger=self.pick("c0", "g0"), condition=None, actions=[("emit", "e0")]))
        self.whens.append(Thing(mode=None, trigger=self.pick("e0", "u0"), condition=self.condition(),
                                actions=[("emit", "e1")]))
        if not any(a == ("emit", "e2") for mode in self.modes for t in mode.transitions for a in t.actions):
            self.whens.append(Thing(mode=None, trigger="e1", condition=None, actions=[("emit", "e2")]))
        self.shown_events = self.base_events() + list(self.unions) + list(self.samples)
        self.shown_locals = {n: mode for mode in self.modes for n in mode.locals}
        self.shown_values = [n for n in self.starts if n not in self.shown_locals]

    def machine(self, mode, prefix, depth):
        column = (mode.path + "." if mode else "") + "mode"
        machine = Machine(prefix, mode, column)
        self.machines.append(machine)
        machine.modes = [Mode(machine, i, "%s%d" % (prefix, i)) for i in range(self.r.randint(2, 3))]
        self.modes += machine.modes
        own = self.discrete()
        for m in machine.modes:
            self.fill(machine, m, own, depth)
        return machine

    def fill(self, machine, m, own, depth):
        r = self.r
        timer = "t_" + m.name
        m.locals[timer] = F(self.pick("0", "0.2"))
        self.starts[timer] = m.locals[timer]
        self.rates[timer] = [(self.pick("1", "1", "2"), m)]
        for k in range(r.randint(1, 2)):
            others = [i for i in range(len(machine.modes)) if i != m.index or r.random() < 0.2]
            kind = r.random()
            if k == 0 and kind < 0.5:
                guard = self.guard("ge", timer, F(self.pick("0.5", "0.7", "0.9", "1.3")), m)
            elif kind < 0.65 and depth == 0:
                guard = self.guard(self.pick("ge", "le"), "x", self.level(), m)
            else:
                guard = self.any_event()
            actions = [("set", own, self.expression(own))] if r.random() < 0.6 else []
            if depth == 0 and r.random() < 0.5:
                actions.append(("set", "x", ("number", self.pick("0", "0.25", "-0.5", "1.1"))))
            if depth == 0 and r.random() < 0.3:
                actions.append(("emit", "e2"))
            m.transitions.append(Thing(guard=guard, condition=self.condition(), target=r.choice(others or [0]),
                                       resume=r.random() < 0.2, preempt=depth == 0 and r.random() < 0.15,
                                       actions=actions))
        if r.random() < 0.5:
            mine = self.discrete()
            m.uses_entry = r.random() < 0.5
            trigger = "entry of " + m.path if m.uses_entry else self.any_event()
            self.whens.append(Thing(mode=m, trigger=trigger, condition=None,
                                    actions=[("set", mine, self.expression(mine))]))
        if depth < 2 and r.random() < (0.7 if depth == 0 else 0.3):
            m.inner.append(self.machine(m, m.name + "n", depth + 1))

    # ---- as Kairos text

    def trigger(self, t):
        if isinstance(t, Guard):
            return "%s %s %s" % (t.state, ">=" if t.kind == "ge" else "<=", text(t.level))
        return "entry" if t.startswith("entry of ") else t

    def value(self, e):
        kind, *a = e
        return {"number": lambda: text(a[0]), "next": lambda: "mod(%s + 1, 7)" % a[0],
                "sum": lambda: "mod(%s + %s, 5)" % (a[0], a[1] if len(a) > 1 else "")}.get(kind, lambda: a[0])()

    def actions(self, actions):
        return "{ " + "; ".join("emit " + a[1] if a[0] == "emit" else "%s := %s" % (a[1], self.value(a[2]))
                                for a in actions) + " }"

    def given(self, condition):
        return " if %s >= %d" % condition if condition else ""

    def when_text(self, w, indent):
        return "%swhen %s%s %s\n" % (indent, self.trigger(w.trigger), self.given(w.condition), self.actions(w.actions))

    def machine_text(self, machine, indent):
        out = indent + "modes {\n"
        for m in machine.modes:
            out += "%s  %smode %s {\n" % (indent, "initial " if m.index == 0 else "", m.name)
            inside = indent + "    "
            for name, start in m.locals.items():
                out += "%sstate %s = %s; %s' = %s\n" % (inside, name, text(start), name, self.rates[name][0][0])
            for rate, mode in self.rates["x"]:
                out += "%sx' = %s\n" % (inside, rate) if mode is m else ""
            for t in m.transitions:
                out += "%s%son %s%s -> %s%s %s\n" % (inside, "preempt " if t.preempt else "", self.trigger(t.guard),
                                                     self.given(t.condition), "resume " if t.resume else "",
                                                     machine.modes[t.target].name,
                                                     self.actions(t.actions) if t.actions else "")
            out += "".join(self.when_text(w, inside) for w in self.whens if w.mode is m)
            out += "".join(self.machine_text(inner, inside) for inner in m.inner)
            out += indent + "  }\n"
        return out + indent + "}\n"

    def source(self):
        out = "model M {\n"
        for name, start in self.starts.items():
            if name not in self.shown_locals:
                out += "  %s %s = %s\n" % ("state" if name in self.rates else "discrete", name, text(start))
        out += "  y' = 1\n  event %s\n" % ", ".join(self.emits)
        for c in self.clocks:
            out += "  event %s = clock(%s, %s)\n" % (c.name, text(c.period), text(c.first))
        for g in self.guards:
            out += "  event %s = %s(%s - (%s))\n" % (g.name, g.kind, g.state, text(g.level)) if g.is_event() else ""
        for d in self.delays:
            out += "  event %s = delay(%s, %s)\n" % (d.name, d.source, text(d.time))
        for name, (op, a, b) in self.unions.items():
            out += "  event %s = %s %s %s\n" % (name, a, "and not" if op == "not" else op, b)
        for name, (variable, trigger) in self.samples.items():
            out += "  event %s = sample(%s, %s)\n" % (name, variable, trigger)
        for h in self.holds:
            out += "  signal %s = hold(%s, %s)\n" % (h.name, h.event, text(h.start))
        for s in self.signals:
            out += "  signal %s = default(%s, %s)\n" % (s.name, s.event, text(s.otherwise))
        out += "".join(self.when_text(w, "  ") for w in self.whens if w.mode is None)
        out += self.machine_text(self.machines[0], "  ")
        return out + "}\nexperiment e of M { stop = %s }\n" % text(self.stop)


# ---- comparing

def is_busy(rows):
    """Whether anything is to be seen in an instant: an event, or a value that differs from the left limit."""
    return any(v is not None for row in rows for v in row[3].values()) or any(row[4] != rows[0][4] for row in rows)


def instants(rows):
    """Rows of one time together; only instants, and of these those in which something is to be seen."""
    groups = []
    for row in rows:
        if groups and groups[-1][0][0] == row[0]:
            groups[-1].append(row)
        else:
            groups.append([row])
    return [g for g in groups if g[0][1] < 0 and is_busy(g)]


def read(path, model):
    machine_columns = {m.column for m in model.machines}
    rows = []
    with open(path) as file:
        for line in csv.DictReader(file):
            number = lambda name: float(line[name]) if line[name] != "" else None
            events = {n: number(n) for n in model.shown_events}
            names = model.shown_values + [h.name for h in model.holds] + [s.name for s in model.signals]
            shown = {n: number(n) for n in names}
            for name, mode in model.shown_locals.items():
                column = mode.path + "." + name
                shown[name] = number(column if column in line else name)
            for column in machine_columns:
                shown[column] = line[column] or None
            rows.append((float(line["t"]), int(line["p"]), int(line["m"]), events, shown))
    return rows


def same(a, b):
    if a is None or b is None or isinstance(a, str) or isinstance(b, str):
        return a == b
    return abs(float(a) - float(b)) <= 1e-8


def difference(expected, got):
    """The first tag at which the two differ, in words; None if they agree."""
    for e, g in zip(expected, got):
        if not same(e[0][0], g[0][0]):
            return "an instant at %.12g, expected at %.12g" % (g[0][0], e[0][0])
        for a, b in zip(e, g):
            where = "at %.12g, %d, %d" % (float(a[0]), a[1], a[2])
            if a[1:3] != b[1:3]:
                return "%s: the tag %d, %d instead" % (where, b[1], b[2])
            for kind in (3, 4):
                for name in a[kind]:
                    if not same(a[kind][name], b[kind][name]):
                        return "%s: %s is %s, expected %s" % (where, name, b[kind][name], a[kind][name])
        if len(e) != len(g):
            return "at %.12g: %d tags, expected %d" % (float(e[0][0]), len(g), len(e))
    if len(expected) != len(got):
        rest = (expected + got)[min(len(expected), len(got))] if len(expected) > len(got) else got[len(expected)]
        return "%d instants, expected %d; one of them at %.12g" % (len(got), len(expected), float(rest[0][0]))
    return None


def compare(kairos, folder, seed):
    """None: this seed makes no model that runs to its end. Otherwise what is different, '' if nothing is."""
    model = Model(seed)
    try:
        expected = Run(model).run()
    except (Endless, Fragile, Twice):
        return None
    source, result = "%s/%d.kai" % (folder, seed), "%s/%d.csv" % (folder, seed)
    with open(source, "w") as file:
        file.write(model.source())
    run = subprocess.run([kairos, "run", source, "-o", result], capture_output=True, text=True, timeout=60)
    if run.returncode != 0:
        return "exit code %d: %s" % (run.returncode, run.stderr.strip()[:400])
    rows = read(result, model)
    for before, after in zip(rows, rows[1:]):
        if not before[:3] < after[:3]:
            return "the tag %.17g, %d, %d follows %.17g, %d, %d" % (after[:3] + before[:3])
    return difference(instants(expected), instants(rows)) or ""


def main():
    kairos, folder, seed, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    tried = wrong = 0
    while tried < count:
        found = compare(kairos, folder, seed)
        if found is not None:
            tried += 1
        if found:
            wrong += 1
            print("seed %d: %s" % (seed, found))
        seed += 1
    print("%d automata, %d differ" % (tried, wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
