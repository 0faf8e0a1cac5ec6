# Capacitors, ideal diodes and sources that jump, exactly: what conducts when the sources have jumped, and how much charge.
#
# Between the jumps nothing moves. At a jump the diodes pass charges q >= 0 and end with voltages v <= 0, and one of the two is
# zero: v = v0 - M q, a linear complementarity problem whose matrix M = B' L^-1 B (L: capacitances between the nodes, B: the
# diodes) is symmetric and positive definite while no diodes form a loop. Murty's method (switch the first that is wrong, again
# and again) ends at its one solution. All numbers are fractions, rounded to 160 binary places after each jump.
from fractions import Fraction


def solve(a, b):
    """a x = b by Gaussian elimination, b a list of columns."""
    n = len(a)
    rows = [list(a[i]) + [column[i] for column in b] for i in range(n)]
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(n):
            if i != k and rows[i][k] != 0:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [x - factor * y if y != 0 else x for x, y in zip(rows[i], rows[k])]
    return [[rows[i][n + j] / rows[i][i] for i in range(n)] for j in range(len(b))]


class Pump:
    """Nodes are numbers from 0 on or names of sources; capacitors (a, b, C, v), diodes (from, to)."""

    def __init__(self, nodes, capacitors, diodes):
        self.nodes, self.diodes = nodes, diodes
        self.capacitors = [(a, b, Fraction(c)) for a, b, c, _ in capacitors]
        self.v = [Fraction(v) for *_, v in capacitors]
        laplace = [[Fraction(0)] * nodes for _ in range(nodes)]
        for a, b, c in self.capacitors:
            for x in a, b:
                for y in a, b:
                    if isinstance(x, int) and isinstance(y, int):
                        laplace[x][y] += c if x == y else -c
        incidence = [[Fraction((n == a) - (n == b)) for n in range(nodes)] for a, b in diodes]
        unit = [[Fraction(i == j) for i in range(nodes)] for j in range(nodes)]
        self.inverse = solve(laplace, unit)
        moved = [self.respond(row) for row in incidence]
        self.matrix = [[sum(x * y for x, y in zip(row, m) if x != 0) for m in moved] for row in incidence]
        self.moved, self.active = moved, {}

    def respond(self, charge):
        return [sum(self.inverse[k][n] * charge[k] for k in range(self.nodes) if charge[k] != 0) for n in range(self.nodes)]

    def jump(self, sources, phase):
        """The sources have these values from now on; `phase` names the jump, for a first guess of what conducts."""
        charge = [Fraction(0)] * self.nodes
        known = lambda x: Fraction(sources[x]) if not isinstance(x, int) else Fraction(0)
        for (a, b, c), v in zip(self.capacitors, self.v):  # node charges stay: C (pa - pb) summed as before
            stored = c * v - c * (known(a) - known(b))
            if isinstance(a, int):
                charge[a] += stored
            if isinstance(b, int):
                charge[b] -= stored
        potential = self.respond(charge)
        at = lambda x, p: p[x] if isinstance(x, int) else known(x)
        start = [at(a, potential) - at(b, potential) for a, b in self.diodes]
        q = self.complement(start, phase)
        for moved, amount in zip(self.moved, q):
            potential = [p - amount * m for p, m in zip(potential, moved)]
        self.v = [Fraction(round((at(a, potential) - at(b, potential)) * 2**160), 2**160) for a, b, _ in self.capacitors]
        return [float(v) for v in self.v]

    def complement(self, start, phase):
        conducts = list(self.active.get(phase, [v > 0 for v in start]))
        while True:
            on = [i for i, c in enumerate(conducts) if c]
            part = solve([[self.matrix[i][j] for j in on] for i in on], [[start[i] for i in on]])[0] if on else []
            q = [Fraction(0)] * len(start)
            for i, x in zip(on, part):
                q[i] = x
            v = [s - sum(m * x for m, x in zip(row, q) if x != 0) for s, row in zip(start, self.matrix)]
            wrong = [i for i in range(len(start)) if (q[i] < 0 if conducts[i] else v[i] > 0)]
            if not wrong:
                self.active[phase] = conducts
                return q
            conducts[wrong[0]] = not conducts[wrong[0]]
