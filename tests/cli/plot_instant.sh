# The instant view: tags, values, what fired and where. The numbers are those of paper 000, sections 3.1 and 7.2.
. tests/cli/helpers.bash
# The flyback diode at t = 3: closed and reverse biased, the command, open and reverse biased (mythical, v absent), open and
# forward biased with v = -0.7 and h = 1 - exp(-3) = 0.950213; exp(-3) = 0.0497871.
exits 0 plot examples/flyback-diode/model.kai --instant 3 --signals open,source.mode,load.mode,v,h
squeeze() { sed 's/  */ /g; s/^ //; s/ $//' "$out"; }
expect_row() { squeeze | grep -qxF -- "$1" || { squeeze; fail "no row: $1"; }; }
expect_row "⟨-1, 0⟩ · closed reverse_biased 0.0497871 0"
expect_row "⟨0, 0⟩ 1* closed reverse_biased 0.0497871 0"
expect_row "⟨0, 1⟩ ·* opened* reverse_biased ·* 0"
expect_row "⟨0, 2⟩ · opened forward_biased* −0.7* 0.950213*"
expect_row "⟨0, 0⟩ crossing up(time - 3)"
expect_row "⟨0, 0⟩ transition -> opened"
expect_row "⟨0, 1⟩ transition -> forward_biased"
prints "on not present(w) and i > 0 -> forward_biased"
prints "t = 3: 4 tags"
# Newton's cradle: the momentum goes from ball to ball, one tag each.
exits 0 plot examples/newtons-cradle/model.kai --instant 0.9 --signals 'ball[1].p,ball[2].p,ball[3].p,ball[4].p,ball[5].p'
expect_row "⟨0, 0⟩ 1 0 0 0 0"
expect_row "⟨1, 0⟩ 0* 1* 0 0 0"
expect_row "⟨2, 0⟩ 0 0* 1* 0 0"
expect_row "⟨3, 0⟩ 0 0 0* 1* 0"
expect_row "⟨4, 0⟩ 0 0 0 0* 1*"
expect_row "⟨3, 0⟩ when sets ball[4].v, ball[5].v"
line=$(grep -n 'when ball\[i\].x' examples/newtons-cradle/model.kai | cut -d: -f1)
prints "model.kai:$line "
# Tables 1, 2 and 3 of paper 001, row by row with their tags.
table()
{
    exits 0 plot examples/cradle/model.kai -e "$1" --instant 1.05 --signals F12.mode,F13.mode,m1.p,m2.p,m3.p
    squeeze | tr -d '*' | grep '^⟨.*\(apart\|contact\)' | grep -v transition | grep -v crossing >"$WORK/rows"
    printf '%s\n' "$2" | diff - "$WORK/rows" || fail "$1"
}
table table1 '⟨-1, 0⟩ stuck apart 0.95 0.95 0
⟨0, 0⟩ stuck contact 0.38 0.38 1.14
⟨1, 0⟩ stuck apart 0.38 0.38 1.14'
table table2 '⟨-1, 0⟩ stuck apart 0.95 0.95 0
⟨0, 0⟩ stuck contact 0.38 0.38 1.14
⟨0, 1⟩ slip contact 0.095 0.95 0.855
⟨1, 0⟩ slip apart 0.095 0.95 0.855'
table table3 '⟨-1, 0⟩ stuck apart 0.95 0.95 0
⟨0, 0⟩ stuck contact 0.38 0.38 1.14
⟨0, 1⟩ slip contact 0.095 0.95 0.855
⟨1, 0⟩ slip apart 0.095 0.95 0.855
⟨1, 1⟩ stuck apart 0.5225 0.5225 0.855
⟨2, 0⟩ stuck apart 0.5225 0.5225 0.855'
prints "transition  F12.mode -> slip"
prints "on area(F12.e) < Fth -> slip"
# All instants: the ball has 30, the start (nothing changes there) is not one of them.
exits 0 plot $ball --instants
[ "$(grep -c '^t = ' "$out")" -eq 29 ] || fail "$(grep -c '^t = ' "$out") instants"
# As a figure, from a model and from a result; text stays text.
exits 0 plot examples/flyback-diode/model.kai --instant 3 -o "$WORK/i.svg"
xmllint --noout "$WORK/i.svg" 2>"$err" || fail "no valid XML"
for text in "⟨0, 1⟩" "forward_biased" "on open -&gt; opened" "transition -&gt; opened   model.kai:11"; do
    grep -qF ">$text</text>" "$WORK/i.svg" || fail "the figure has no text: $text"
done
exits 0 run examples/flyback-diode/model.kai -o "$WORK/f.csv" --quiet
exits 0 plot "$WORK/f.csv" --instant 3 --signals v,h
expect_row "⟨0, 2⟩ −0.7* 0.950213*"
exits 2 plot $ball --instants -o "$WORK/all.svg"
says "narrow it with --from and --to"
exits 0 plot $ball --instants --from 4 -o "$WORK/all.png"
