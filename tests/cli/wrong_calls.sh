# A wrong call is answered with a sentence that says what would be right.
. tests/cli/helpers.bash
exits 2 run $ball -e fly
says "there is no experiment \`fly\`"
says "has the experiment bounce"
exits 2 run $ball -e bounc
says "did you mean \`bounce\`?"

exits 2 run $ball --set v_res=1
says "K028"
says "did you mean \`v_rest\`?"
exits 2 run $ball --set g
says "name=value"
exits 2 run $ball --set g=heavy
says "must be a number"

exits 2 run $ball --solver rk4
one_line "$err"
for solver in rk45 rk23 rosenbrock euler riemann backward_euler trapezoid cvode_adams cvode_bdf taylor; do
    says $solver
done
exits 2 run $ball --view half
says "full, limits or unique"

exits 4 run "$WORK/none.kai"
one_line "$err"
says "none.kai cannot be read"
exits 4 run examples
one_line "$err"
says "examples cannot be read"
exits 4 run $ball -o "$WORK/none/ball.csv"
one_line "$err"
says "the folder it should be in does not exist"
exits 4 run $ball -o "$WORK"
one_line "$err"
says "it is a folder"

# The nearest of all commands, not the first with the same letter.
for pair in plott:plot rnu:run chekc:check explian:explain tset:test grahp:graph; do
    exits 2 "${pair%:*}"
    says "did you mean \`${pair#*:}\`?"
done
