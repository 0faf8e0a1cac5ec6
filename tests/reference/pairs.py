"""Models in which a clock ticks at the time at which something else happens, for pairs of decimals (rule T6).

What is expected follows from exact decimals: the tick and the other events are present at one tag, once.
Usage: pairs.py SEED COUNT SETTINGS [MOST], prints a file with an experiment for each pair.
"""
import random
import sys
from decimal import Decimal as D

PERIODS = "0.1 0.2 0.3 0.6 0.7 0.9 1.1 1.3 0.01 0.07 0.13 2.3 0.003 17.9 0.37".split()

MODEL = """model P{i} "first {first}, period {T}, tick {n} at {c}" {{
  event tick = clock({T}, {first}), slow = clock({slow}, {c})
  event hit = up(time - {c}), rel = time >= {c}, late = delay(clock(inf, {start}), {d})
  state x = 0, y = {y0}
  x' = 1
  y' = {k}
  event reach = up(x - {d}), line = {way}(y - {y_end}), lev = x >= {d}
  event half = up(x - {half}), half_line = {way}(y - {y_half})
  discrete together = 0, entered = 0, met = 0
  when tick and hit and rel and slow and late and reach and line and lev {{ together := together + 1 }}
  when half and half_line {{ met := met + 1 }}
  modes {{
    initial mode a {{ on tick if time >= {before} -> b }}
    mode b {{ when up(time - {c}) {{ entered := entered + 1 }}; when time >= {c} {{ entered := entered + 10 }} }}
  }}
}}
experiment e{i} of P{i} {{
  start = {start}; stop = {stop}; {settings}
  expect count(tick) == {ticks}; expect count(hit) == 1; expect count(rel) == 1; expect count(lev) == 1
  expect count(reach) == 1; expect count(line) == 1; expect final(entered) == 11
{together}}}
"""


def text(number):
    return format(number.normalize(), "f")


def pair(i, settings, most):
    pick = random.choice
    T = D(pick(PERIODS)) * pick([1, 1, 1, D("0.1"), 10, D("0.001")])
    n = random.randint(1, most)
    first = pick([D(0), D(0), T * random.randint(1, 9) / pick([1, 2, 5]), -T * random.randint(1, 9)])
    c = first + T * n
    start = min(c, pick([D(0), D(0), c - T * random.randint(0, 3), c - T / 4]))
    stop = c if random.random() < 0.5 and c > start else c + T / 2
    k, y0 = D(pick(["0.3", "0.7", "1.7", "2.9", "-1.3", "12.1"])), D(pick(["0.1", "-0.3", "5.7", "100.3", "0"]))
    d = c - start
    ticks = sum(1 for q in range(n + 2) if start <= first + q * T <= stop)
    at_start = "  expect final(together) == 1; expect final(met) == 1\n" if d > 0 else ""
    numbers = dict(T=T, first=first, c=c, start=start, stop=stop, slow=T * 3, d=d, k=k, y0=y0, y_end=y0 + k * d,
                   half=d / 2, y_half=y0 + k * d / 2, before=c - T / 2)
    return MODEL.format(i=i, n=n, way="up" if k > 0 else "down", ticks=ticks, settings=settings, together=at_start,
                        **{name: text(value) for name, value in numbers.items()})


random.seed(int(sys.argv[1]))
for i in range(int(sys.argv[2])):
    print(pair(i, sys.argv[3], int(sys.argv[4]) if len(sys.argv) > 4 else 40), end="")
