# tags.py RESULT IMPORTED WITHIN tags|times|counts: an FMU against the model that it was made of, by names that are made
# identifiers as docs/language.md says. Every event of the model is there at the same tags with the same payloads (`tags`: t within
# 1e-7, p and m exactly; `times`: t alone; `counts`: as often, by its count), and values at the end agree.
import re
import sys

from rows import identifier, load, number


def near(a, b):
    return a == b or abs(a - b) <= within * max(1, abs(a))


def ticks(rows, i):
    return [(float(r[0]), int(r[1]), int(r[2]), number(r[i])) for r in rows if r[i] != "" and int(r[1]) >= 0]


def compare_event(title, mine, theirs):
    shown = lambda list: " ".join(f"({t:.9g}, {p}, {m}) {v}" for t, p, m, v in list[:5])
    if how == "times":
        mine = sorted({t for t, _, _, _ in mine})
        theirs = sorted({t for t, _, _, _ in theirs})
        if len(mine) != len(theirs) or any(abs(a - b) > 1e-7 * max(1, abs(a)) for a, b in zip(mine, theirs)):
            sys.exit(f"{title} is there {len(theirs)} times instead of {len(mine)}, or at others")
        return
    if len(mine) != len(theirs):
        sys.exit(f"{title} is there {len(theirs)} times instead of {len(mine)}: {shown(theirs)} instead of {shown(mine)}")
    for a, b in zip(mine, theirs):
        if abs(a[0] - b[0]) > 1e-7 * max(1, abs(a[0])) or a[1:3] != b[1:3] or not near(a[3] or 0, b[3] or 0):
            sys.exit(f"{title} is there at {shown([b])} instead of {shown([a])}")


titles, rows = load(sys.argv[1])
other_titles, other_rows = load(sys.argv[2])
within, how = float(sys.argv[3]), sys.argv[4]
columns = {title: i for i, title in enumerate(other_titles)}
values = events = 0
for i, title in enumerate(titles[3:], 3):
    name = identifier(title)
    if name not in columns:  # FMI 3.0 has m[2].x as an element of m.x
        name = identifier(re.sub(r"\[\d+\]", "", title) + "".join(re.findall(r"\[\d+\]", title)))
    if name not in columns:
        continue
    if name + "_count" in columns:
        events += 1
        mine = ticks(rows, i)
        if how != "counts":
            compare_event(title, mine, ticks(other_rows, columns[name]))
        count = number(other_rows[-1][columns[name + "_count"]])
        if count != len(mine):
            sys.exit(f"{title} is counted {count} times instead of {len(mine)}")
        continue
    a, b = number(rows[-1][i]), number(other_rows[-1][columns[name]])
    if a is None or b is None:
        continue
    values += 1
    if not near(a, b):
        sys.exit(f"{title} is {b} instead of {a}")
if values + events == 0:
    sys.exit("there is nothing to compare")
