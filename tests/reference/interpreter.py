"""The rules of docs/semantics.md once more, slowly and independently of src/: an interpreter of automata in exact arithmetic.

A model is a description (see automata.py): clocks, emitted events, crossings, delays, unions, states with slopes that are
constant between instants, discretes, nested machines. All numbers are fractions, so times and values have no rounding, and
the result is the list of tags that a run must record.
"""
from fractions import Fraction as F


class Endless(Exception):
    """The reactions of an instant do not come to an end: the model is not used."""


class Fragile(Exception):
    """A state that has moved stands on a level exactly where it is read anew (a mode is resumed, a slope turns), or is set to
    the value it has: in which tag the same happens is then decided by rounding."""


class Twice(Exception):
    """A variable is assigned twice at one tag: an error by rule R4."""


class Guard:
    """A level of a state: `up`, `down`, `cross` (an event, rule C2) or `ge`, `le` (a relation, rule C1)."""

    def __init__(self, kind, state, level, mode=None):
        self.kind, self.state, self.level, self.mode = kind, state, level, mode
        self.side = self.last = None  # sign memory of a crossing; g at the tag before
        self.latch = self.before = False  # truth of a relation, now and at the tag before (for edges)

    def is_event(self):
        return self.kind in ("up", "down", "cross")

    def fires(self, before, now):
        if before is None:
            return False
        if self.kind == "up":
            return now > 0 and before <= 0
        if self.kind == "down":
            return now < 0 and before >= 0
        return before * now < 0

    def fresh(self, g):
        return g >= 0 if self.kind == "ge" else g <= 0


def sign(x):
    return (x > 0) - (x < 0)


class Run:
    def __init__(self, model):
        self.m = model
        self.t = F(model.start)
        self.values = {name: F(v) for name, v in model.starts.items()}  # states and discretes
        self.modes = {machine.name: 0 for machine in model.machines}
        self.flags = {}  # events that are present at the tag in work: name -> value
        self.queue = []  # (time, order, delay)
        self.order = 0
        self.holds = {h.name: F(h.start) for h in model.holds}
        self.ticks = {c.name: 0 for c in model.clocks}
        self.rows = []
        self.guards = model.all_guards()
        self.moved = set()  # states that have flowed since they were set

    # ---- who is active

    def is_active(self, mode):
        while mode is not None:
            if self.modes[mode.machine.name] != mode.index:
                return False
            mode = mode.machine.mode
        return True

    def active_guards(self):
        return [g for g in self.guards if self.is_active(g.mode)]

    def slope(self, state):
        for rate, mode in self.m.rates[state]:
            if self.is_active(mode):
                return F(rate)
        return F(0)  # a state of a mode that is not active

    def g(self, guard):
        return self.values[guard.state] - guard.level

    # ---- values of a tag

    def truth(self, guard):
        if not self.is_active(guard.mode):
            return False
        g = self.g(guard)
        if g == 0 and guard.last is None:
            raise Fragile()
        return guard.latch if g == guard.last else guard.fresh(g)

    def event(self, name):
        """The value of an event, or None where it is absent (rule E1)."""
        union = self.m.unions.get(name)
        if union is not None:
            op, a, b = union
            a, b = self.event(a), self.event(b)
            if op == "or":
                return a if a is not None else b
            if op == "and":
                return a if b is not None else None
            return a if b is None else None  # and not
        sample = self.m.samples.get(name)
        if sample is not None:
            variable, trigger = sample
            return self.values[variable] if self.event(trigger) is not None else None
        return self.flags.get(name)

    def hold(self, hold):
        value = self.event(hold.event)
        return self.holds[hold.name] if value is None else value

    def signal(self, signal):
        value = self.event(signal.event)
        return F(signal.otherwise) if value is None else value

    def evaluate(self, expression):
        kind, *args = expression
        if kind == "number":
            return F(args[0])
        if kind == "next":
            return (self.values[args[0]] + 1) % 7
        if kind == "sum":
            return (self.values[args[0]] + self.values[args[1]]) % 5
        if kind == "hold":
            return self.hold(self.m.hold_named(args[0]))
        return self.signal(self.m.signal_named(args[0]))

    def holds_if(self, condition):
        return condition is None or self.values[condition[0]] >= condition[1]

    def triggered(self, trigger):
        if isinstance(trigger, Guard):
            return self.truth(trigger) and not trigger.before
        return self.event(trigger) is not None

    # ---- rows (rule T4)

    def snapshot(self, left):
        # Between events they are absent, and what falls back on their absence falls back.
        flags, self.flags = self.flags, {} if left else self.flags
        events = {name: self.event(name) for name in self.m.shown_events}
        shown = {name: self.values[name] for name in self.m.shown_values}
        for name, mode in self.m.shown_locals.items():
            shown[name] = self.values[name] if self.is_active(mode) else None
        for hold in self.m.holds:
            shown[hold.name] = self.hold(hold)
        for s in self.m.signals:
            shown[s.name] = self.signal(s)
        for machine in self.m.machines:
            active = machine.mode is None or self.is_active(machine.mode)
            shown[machine.column] = machine.modes[self.modes[machine.name]].name if active else None
        self.flags = flags
        return events, shown

    def record(self, p, m):
        events, shown = self.snapshot(p < 0)
        changed = any(v is not None for v in events.values()) or shown != self.last_shown
        self.last_shown = shown
        if m == 0 or changed:
            self.rows.append((self.t, p, m, events, shown))

    # ---- the commit (rules R4, M1-M3)

    def enabled(self, mode, only_preempt):
        for preempt in (True, False):
            for t in mode.transitions:
                if t.preempt == preempt and (preempt or not only_preempt) and self.guard_holds(t.guard) and \
                        self.holds_if(t.condition):
                    return t
        return None

    def guard_holds(self, guard):
        return self.truth(guard) if isinstance(guard, Guard) else self.event(guard) is not None

    def left_around(self, mode, only_preempt):
        while mode is not None:
            if self.enabled(mode, only_preempt) is not None:
                return True
            mode = mode.machine.mode
        return False

    def assign(self, staged, name, value, reset):
        if name in staged and not staged[name][1]:
            raise Twice(name)
        staged[name] = (value, reset)

    def act(self, actions, staged, emitted):
        for action in actions:
            if action[0] == "emit":
                if action[1] in emitted:
                    raise Twice(action[1])
                emitted.add(action[1])
            else:
                self.assign(staged, action[1], self.evaluate(action[2]), False)

    def enter(self, mode, resume, staged, modes, entered):
        entered.append(mode)
        if not resume:
            for name, start in mode.locals.items():
                self.assign(staged, name, F(start), True)
        for machine in mode.inner:
            if not resume:
                modes[machine.name] = 0
            index = self.modes[machine.name] if resume else 0
            self.enter(machine.modes[index], resume, staged, modes, entered)

    def commit(self):
        """Whether a state, and whether anything else has changed."""
        staged, modes, entered, emitted, left = {}, {}, [], set(), []
        for when in self.m.whens:
            if self.is_active(when.mode) and not self.left_around(when.mode, True) and self.triggered(when.trigger) \
                    and self.holds_if(when.condition):
                self.act(when.actions, staged, emitted)
        other = False
        for machine in self.m.machines:
            if not self.is_active(machine.mode) or self.left_around(machine.mode, False):
                continue
            mode = machine.modes[self.modes[machine.name]]
            t = self.enabled(mode, False)
            if t is None:
                continue
            other = True
            target = machine.modes[t.target]
            self.enter(target, t.resume, staged, modes, entered)
            self.act(t.actions, staged, emitted)
            if target is not mode or not t.resume:
                left.append(mode)
            modes[machine.name] = t.target
        coming = self.remember()
        other |= bool(coming) or bool(emitted) or (bool(self.flags) and bool(self.m.signals))
        for delay in self.m.delays:
            if self.event(delay.source) is not None and delay.time == 0:
                coming[delay.name], other = F(1), True
            elif self.event(delay.source) is not None:
                self.queue.append((self.t + delay.time, self.order, delay.name))
                self.order += 1
        self.flags = {**coming, **{name: F(1) for name in emitted}}
        for guard in self.guards:
            if guard.mode is not None and any(self.is_inside(guard.mode, mode) for mode in left):
                guard.side = guard.last = None
                guard.latch = guard.before = False
        for mode in entered:
            if mode.uses_entry:
                self.flags["entry of " + mode.path] = F(1)
                other = True
        if any(n in self.moved and self.values[n] == v for n, (v, _) in staged.items()):
            raise Fragile()
        self.moved -= set(staged)
        state = any(self.values[n] != v for n, (v, _) in staged.items() if n in self.m.rates)
        other |= any(self.values[n] != v for n, (v, _) in staged.items() if n not in self.m.rates)
        self.values.update({n: v for n, (v, _) in staged.items()})
        self.modes.update(modes)
        return state, other

    @staticmethod
    def is_inside(mode, outer):
        while mode is not None and mode is not outer:
            mode = mode.machine.mode
        return mode is outer

    def remember(self):
        """What a tag leaves behind: held values, edges, jumps across levels (at a tag after the first, rule C2)."""
        coming = {}
        self.holds = {h.name: self.hold(h) for h in self.m.holds}
        for guard in self.active_guards():
            g = self.g(guard)
            if guard.is_event():
                if guard.side is not None and g != guard.last and guard.fires(guard.side, sign(g)):
                    coming[guard.name] = F(1)
                if guard.side is None or g != guard.last:
                    guard.side = sign(g)
            else:
                guard.latch = guard.before = self.truth(guard)
            guard.last = g
        return coming

    def leave_levels(self):
        """Guards that stand on their level and move off it (rule C2, decision 0009). True: another tag."""
        leaving = False
        for guard in self.active_guards():
            to = sign(self.slope(guard.state))
            if self.g(guard) != 0 or to == 0:
                continue
            if guard.state in self.moved and (guard.fires(guard.side, to) if guard.is_event()
                                              else guard.latch != guard.fresh(to)):
                raise Fragile()
            if guard.is_event():
                if guard.fires(guard.side, to):
                    self.flags[guard.name] = F(1)
                    leaving = True
                guard.side = to
            elif guard.latch != guard.fresh(to):
                guard.latch = not guard.latch
                leaving = True
        return leaving

    # ---- instants (rules T2, T3)

    def react(self, p, m):
        for _ in range(60):
            self.record(p, m)
            state, other = self.commit()
            if not state and not other and not self.leave_levels():
                return p, m
            p, m = (p + 1, 0) if state else (p, m + 1)
        raise Endless()

    def take_due(self):
        taken, rest = set(), []
        for entry in sorted(self.queue):
            if entry[0] <= self.t and entry[2] not in taken:
                taken.add(entry[2])
                self.flags[entry[2]] = F(1)
            else:
                rest.append(entry)
        self.queue = rest
        return bool(taken)

    def instant(self, located, start):
        self.flags = {}
        events, self.last_shown = self.snapshot(True)
        self.rows.append((self.t, -1, 0, events, self.last_shown))
        for guard in self.active_guards():
            g = self.g(guard)
            guard.last = g
            if guard.is_event() and (start or g != 0):
                guard.side = sign(g)
            elif start and not guard.is_event():
                guard.latch = guard.fresh(g)
            if not guard.is_event() and not start:
                guard.before = guard.latch
        for guard in located:
            if guard.is_event():
                self.flags[guard.name] = F(1)
                guard.side = sign(self.slope(guard.state))
            else:
                guard.latch = not guard.latch
        for clock in self.m.clocks:
            if clock.first + self.ticks[clock.name] * clock.period == self.t:
                self.flags[clock.name] = F(1)
                self.ticks[clock.name] += 1
        if start:
            for mode in self.m.all_modes():
                if mode.uses_entry and self.is_active(mode):
                    self.flags["entry of " + mode.path] = F(1)
        self.take_due()
        p, m = self.react(0, 0)
        for _ in range(60):  # several of one delay at one time come at several tags
            if not self.take_due():
                return
            p, m = self.react(p, m + 1)
        raise Endless()

    def due_of(self, guard):
        g, slope = self.g(guard), self.slope(guard.state)
        if slope == 0 or g * slope >= 0:
            return None
        if guard.is_event():
            useful = guard.fires(sign(g), sign(slope))
        else:
            useful = guard.latch != guard.fresh(sign(slope))
        return self.t - g / slope if useful else None

    def run(self):
        self.last_shown = None
        for clock in self.m.clocks:
            while clock.first + self.ticks[clock.name] * clock.period < self.t:
                self.ticks[clock.name] += 1
        self.instant([], True)
        while True:
            due = {guard: self.due_of(guard) for guard in self.active_guards()}
            times = [t for t in due.values() if t is not None] + [entry[0] for entry in self.queue]
            times += [c.first + self.ticks[c.name] * c.period for c in self.m.clocks]
            if not times or min(times) > self.m.stop:
                return self.rows
            t = min(times)
            for state in self.m.rates:
                self.values[state] += self.slope(state) * (t - self.t)
                self.moved |= {state} if self.slope(state) != 0 else set()
            self.t = t
            self.instant([guard for guard, at in due.items() if at == t], False)
