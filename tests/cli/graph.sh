# kairos graph: figures of every example in every format, valid and with what they should show; in a clean environment, without
# the program `dot` and without a configuration of Graphviz; wrong calls in one sentence each.
. tests/cli/helpers.bash
shows() { grep -qF -- "$1" "$WORK/figure.svg" || fail "the figure does not show: $1"; }

for model in examples/*/model.kai; do
    exits 0 graph "$model" -o "$WORK/figure.svg"
    xmllint --noout "$WORK/figure.svg" || fail "$model: not valid XML"
done
[ ! -e "$WORK/figure.svg.part" ] || fail "a .part file stayed"

exits 0 graph $ball -o "$WORK/figure.svg"
for text in 'Ball' '∫ y' "falling: y' = v" '= down(y)' 'when hit' 'v := -e*v'; do shows ">$text<"; done
grep -q 'stroke-dasharray' "$WORK/figure.svg" || fail "events are not dashed"
exits 0 graph $ball --kind modes -o "$WORK/figure.svg"
for text in falling sitting 'hit if abs(v) &lt; v_rest' '/ y := 0'; do shows ">$text<"; done
if grep -q 'stroke-dasharray' "$WORK/figure.svg"; then fail "the only transition is dashed"; fi
exits 0 graph examples/friction/model.kai -e fig29_as_published --kind modes -o "$WORK/figure.svg"
[ "$(grep -c 'stroke-dasharray' "$WORK/figure.svg")" -eq 1 ] || fail "Fig. 29 of paper 000 has one dashed transition"
exits 0 graph examples/modal-ball/model.kai --kind modes -o "$WORK/figure.svg"
shows '>H<' # Fig. 25: the bounce is a history transition
exits 0 graph examples/billiard/model.kai -o "$WORK/figure.svg"
shows '>choose<'

# Another format is another file; the same file twice is the same bytes.
exits 0 graph $ball -o "$WORK/figure.png"
[ "$(head -c 4 "$WORK/figure.png" | tail -c 3)" = PNG ] || fail "no PNG"
exits 0 graph $ball -o "$WORK/figure.pdf"
[ "$(head -c 5 "$WORK/figure.pdf")" = %PDF- ] || fail "no PDF"
exits 0 graph $ball -o "$WORK/a.svg"
env -i GVBINDIR=/nonexistent "$KAIROS" graph $ball -o "$WORK/b.svg" || fail "it needs an environment"
cmp "$WORK/a.svg" "$WORK/b.svg" || fail "two figures of one model differ"

# Depth: what is folded and what is not.
exits 0 graph examples/two-balls/model.kai -o "$WORK/figure.svg"
if grep -q '>∫ x<' "$WORK/figure.svg"; then fail "depth 1 shows the inside of an instance"; fi
exits 0 graph examples/two-balls/model.kai --depth 2 -o "$WORK/figure.svg"
[ "$(grep -c '>∫ x<' "$WORK/figure.svg")" -eq 2 ] || fail "depth 2 does not show it"
exits 0 graph lib/collisions.kai --model Mass -o "$WORK/figure.svg"
shows '>∫ v<'

# A bond graph is what is drawn of a model that has one. Green: ON, red: OFF.
exits 0 graph examples/cradle/model.kai -o "$WORK/figure.svg"
for text in 'I : m1' 'Sf : bounce' '0 : F12' 'stuck ON' 'apart OFF' derivative; do shows ">$text<"; done
exits 0 graph examples/cradle/model.kai --mode F12=slip --mode F13=contact -o "$WORK/figure.svg"
for text in 'slip OFF' 'contact ON'; do shows ">$text<"; done
exits 0 graph examples/cradle/model.kai --kind modes -o "$WORK/figure.svg"
for text in 'stuck : ON' 'area(F12.e) &lt; Fth'; do shows ">$text<"; done
exits 0 graph examples/cradle/model.kai --kind blocks -o "$WORK/figure.svg"
for text in 'bond graph' "x1' = v1.f"; do shows ">$text<"; done
exits 2 graph examples/cradle/model.kai --mode F12=glued -o "$WORK/x.svg"
says "its modes are stuck, slip"
exits 2 graph examples/cradle/model.kai --mode F99=slip -o "$WORK/x.svg"
says "Cradle has F13, F12"

# Arrows cross no more than they must: of several layouts the one with the fewest crossings is drawn.
cat >"$WORK/crossings.py" <<'END'
import re, sys
def path(d):
    n = [float(v) for v in re.findall(r"-?[\d.]+", d)]
    p, out = list(zip(n[::2], n[1::2])), []
    for i in range(0, len(p) - 3, 3):
        for k in range(9):
            t, s = k/8, 1 - k/8
            out.append(tuple(s**3*p[i][j] + 3*s*s*t*p[i + 1][j] + 3*s*t*t*p[i + 2][j] + t**3*p[i + 3][j] for j in (0, 1)))
    return out
def side(a, b, c): return (b[0] - a[0])*(c[1] - a[1]) - (b[1] - a[1])*(c[0] - a[0])
paths = [path(d) for d in re.findall(r'<path d="(M[^"Z]*)"[^>]*fill="none"', open(sys.argv[1]).read())]
print(len(paths), sum(side(a, b, c)*side(a, b, d) < 0 and side(c, d, a)*side(c, d, b) < 0 for i, one in enumerate(paths)
      for two in paths[:i] for a, b in zip(one, one[1:]) for c, d in zip(two, two[1:])))
END
exits 0 graph examples/newtons-cradle/model.kai -o "$WORK/figure.svg"
read -r arrows crossings <<<"$(python3 "$WORK/crossings.py" "$WORK/figure.svg")"
[ "$arrows" -ge 15 ] && [ "$crossings" -le 1 ] || fail "Newton's cradle: $arrows arrows, $crossings crossings"

# Large models fold: 60 cells of three elements each are 60 boxes, unless a depth is given.
cat >"$WORK/large.kai" <<'END'
model Cell { port a : electrical, b : electrical; s : J1; r : R(r = 1); n : J0; c : C(c = 1); bond a -> s -> n -> b; bond s -> r; bond n -> c }
model Line { x : Cell[i in 1..60]; v : Se(e = 1); l : J0; bond v -> l; bond l -> x[1].a; for i in 1..59 { bond x[i].b -> x[i + 1].a } z : R(r = 1); bond x[60].b -> z }
experiment e of Line { stop = 1 }
END
exits 0 graph "$WORK/large.kai" -o "$WORK/figure.svg"
shows '>Cell<'
! grep -q '>R : r<' "$WORK/figure.svg" || fail "60 cells are unfolded"
exits 0 graph "$WORK/large.kai" --depth 2 -o "$WORK/figure.svg"
[ "$(grep -c '>R : r<' "$WORK/figure.svg")" -eq 60 ] || fail "a depth that is given counts"

# A model of parts is drawn as its schematic, with names and values; its bond graph if that is asked for.
exits 0 graph examples/boost/model.kai -o "$WORK/figure.svg"
for text in 'source' '12 V' 'l' '1 mH' 'k' 'd' '100 µF' '20 Ω'; do shows ">$text<"; done
if grep -qE '>(1 : |I : )' "$WORK/figure.svg"; then fail "the bond graph instead"; fi
exits 0 graph examples/boost/model.kai --kind bonds -o "$WORK/figure.svg"
shows '>I : l<'
exits 0 graph examples/motor-stop/model.kai --kind schematic -o "$WORK/figure.svg"
shows '>M<'
exits 2 graph $ball --kind schematic -o "$WORK/x.svg"
says "has no parts with ports to draw"

exits 2 graph $ball
one_line "$err"
says "graph needs -o FIGURE.svg, .png or .pdf"
exits 2 graph -o "$WORK/x.svg"
says "graph needs a file"
exits 2 graph $ball -o "$WORK/x.gif"
one_line "$err"
says ".svg, .png or .pdf"
exits 2 graph $ball -o "$WORK/x.svg" --kind tree
one_line "$err"
says "blocks, modes, bonds or schematic"
exits 2 graph $ball -o "$WORK/x.svg" --depth deep
one_line "$err"
exits 2 graph $ball -o "$WORK/x.svg" -e fly
says "has the experiment bounce"
exits 2 graph examples/vanderpol/model.kai -o "$WORK/x.svg" --kind modes
says "has no modes to draw"
exits 2 graph $ball -o "$WORK/x.svg" --kind bonds
says "has no bonds to draw"
{
    echo 'model Many {'
    for i in $(seq 401); do echo "state x$i = 0; x$i' = 1"; done
    echo '}'
} >"$WORK/many.kai"
exits 2 graph "$WORK/many.kai" -o "$WORK/x.svg"
says "more than 400 boxes"
exits 1 graph tests/wrong/name.kai -o "$WORK/x.svg"
exits 4 graph "$WORK/none.kai" -o "$WORK/x.svg"
one_line "$err"
exits 4 graph $ball -o "$WORK/none/x.svg"
one_line "$err"
says "cannot be written"
[ ! -e "$WORK/x.svg" ] || fail "a call that failed left a figure"
# A schematic without a rail below ends where its parts end.
printf 'import "rotational.kai"\nmodel D { m : Torque(tau = 1); j : Inertia(J = 1); connect m.a, j.a }\n' >"$WORK/shaft.kai"
"$KAIROS" graph "$WORK/shaft.kai" --kind schematic -o "$WORK/shaft.svg"
height=$(sed -n 's/.*<svg[^>]* height="\([0-9]*\).*/\1/p' "$WORK/shaft.svg")
[ "$height" -lt 260 ] || { echo "a sheet of $height below two boxes"; exit 1; }
