# same.py RESULT IMPORTED WITHIN [jumps]: the last rows of a model and of its FMU agree, by names that are made identifiers as
# docs/language.md says; with `jumps` also when and how often states jumped. At least one variable must be there to compare.
import sys

from rows import identifier, load, number


def jumps(rows):
    return [(float(r[0]), int(r[1])) for r in rows if int(r[1]) >= 1 and int(r[2]) == 0]


titles, rows = load(sys.argv[1])
other_titles, other_rows = load(sys.argv[2])
within = float(sys.argv[3])
seen = 0
for i, title in enumerate(titles[3:], 3):
    if identifier(title) not in other_titles:
        continue
    a, b = number(rows[-1][i]), number(other_rows[-1][other_titles.index(identifier(title))])
    if a is None or b is None:
        continue
    seen += 1
    if abs(a - b) > within * max(1, abs(a)):
        sys.exit(f"{title} is {b} instead of {a}")
if not seen:
    sys.exit("there is nothing to compare")
if "jumps" in sys.argv:
    a, b = jumps(rows), jumps(other_rows)
    if [p for _, p in a] != [p for _, p in b]:
        sys.exit(f"{len(b)} jumps instead of {len(a)}, or others")
    if any(abs(x - y) > 1e-7 for (x, _), (y, _) in zip(a, b)):
        sys.exit("jumps at other times")
