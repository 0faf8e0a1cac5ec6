# kairos plot: bad input is one sentence, with a way out, and leaves no file.
. tests/cli/helpers.bash
exits 0 run $ball -o "$WORK/ball.csv" --quiet
# wrong CODE TEXT ARGUMENT…
wrong()
{
    local code=$1 text=$2
    shift 2
    exits "$code" plot "$@"
    one_line "$err"
    says "$text"
    [ ! -e "$WORK/f.svg" ] && [ ! -e "$WORK/f.svg.part" ] || fail "a file is left: plot $*"
}
head -c 1000 "$WORK/ball.csv" >"$WORK/cut.csv"
wrong 4 "the result is cut off in the middle of this row" "$WORK/cut.csv" -o "$WORK/f.svg"
wrong 2 'there is no signal `yy`; did you mean `y`?' "$WORK/ball.csv" --signals yy -o "$WORK/f.svg"
wrong 2 'there is no signal `yy`; did you mean `y`?' $ball --signals yy -o "$WORK/f.svg"
wrong 2 'there is no signal `something`; there are `y`, `v`, `hit`, `mode`' "$WORK/ball.csv" --signals something -o "$WORK/f.svg"
wrong 2 '`g` is a parameter' $ball --signals g -o "$WORK/f.svg"
wrong 2 "nothing to draw from t = 7 to t = 8: the rows go from t = 0 to t = 5" "$WORK/ball.csv" --from 7 --to 8 -o "$WORK/f.svg"
wrong 2 "nothing to draw from t = 7 to t = 8" $ball --from 7 --to 8 -o "$WORK/f.svg"
wrong 2 "--from 3 is behind --to 2" $ball --from 3 --to 2 -o "$WORK/f.svg"
wrong 4 "cannot be written: the folder it should be in does not exist" $ball -o "$WORK/none/f.svg"
wrong 2 "a figure is a file that ends in .svg, .png, .pdf or .html" $ball -o "$WORK/f.jpg"
head -1 "$WORK/ball.csv" >"$WORK/empty.csv"
wrong 2 "there are no rows to draw" "$WORK/empty.csv" -o "$WORK/f.svg"
wrong 4 "has no t,p,m" README.md -o "$WORK/f.svg"
wrong 4 "cannot be read" "$WORK/none.csv" -o "$WORK/f.svg"
wrong 2 "--size 12: it must read WIDTHxHEIGHT" $ball --size 12 -o "$WORK/f.svg"
wrong 2 "--signals must read a,b,c" $ball --signals a,,b -o "$WORK/f.svg"
wrong 2 "--against needs --signals" $ball --against y -o "$WORK/f.svg"
wrong 2 "--instant x: it must be a number" $ball --instant x
cat >"$WORK/flow.kai" <<'END'
model M { state x = 1; x' = -x }
experiment e of M { stop = 1 }
END
wrong 2 "there is no instant from t = 0 to t = 1" "$WORK/flow.kai" --instant 0.5
# A run that was stopped says so, and is drawn.
sed '$s/.*/# stopped at t = 4 before the end: interrupted/' "$WORK/ball.csv" >"$WORK/stopped.csv"
exits 0 plot "$WORK/stopped.csv" -o "$WORK/f.svg" --signals y
says "stopped at t = 4 before the end"
