# The documented exit codes, each with its sentence.
. tests/cli/helpers.bash
cat >"$WORK/wrong.kai" <<'END'
model M { state x = 1; x' = y }
END
cat >"$WORK/pole.kai" <<'END'
model M { state x = 1; x' = x*x }
experiment e of M { stop = 2; expect final(x) > 0 }
END
cat >"$WORK/miss.kai" <<'END'
model M { state x = 1; x' = 0 }
experiment e of M { stop = 1; expect final(x) ~ 2 within 0.5 }
END
exits 0 run $ball -o "$WORK/ball.csv"
exits 0 check $ball
exits 0 test $ball
exits 0 --help
for code in 0 1 2 3 4; do
    grep -q "^  $code  " "$out" || fail "--help does not explain exit code $code"
done

exits 1 run "$WORK/wrong.kai"
exits 1 check "$WORK/wrong.kai"
exits 1 check $ball "$WORK/wrong.kai" # the worst of all files

exits 2
exits 2 fly
exits 2 run
exits 2 run $ball --fast
exits 2 run $ball --stop soon
exits 2 run $ball $ball

exits 3 run "$WORK/pole.kai" -o "$WORK/pole.csv"
exits 3 test "$WORK/pole.kai"
exits 3 test "$WORK/miss.kai"
exits 3 explain "$WORK/pole.kai"

exits 4 run "$WORK/none.kai"
exits 4 test "$WORK/none"
exits 4 check "$WORK/none.kai"
exits 4 fmt "$WORK/none.kai"
exits 4 run $ball -o "$WORK/none/ball.csv"
if [ -w /dev/full ]; then
    exits 4 run $ball -o /dev/full
    says "the disk is full"
    says "cannot be written"
fi
exit 0

# The same mistake, the same code, whatever the command.
printf 'model M { x = }\n' >"$WORK/wrong.kai"
for command in run check test explain prove; do
    exits 1 $command "$WORK/wrong.kai"
    exits 4 $command "$WORK/there_is_none.kai"
    exits 2 $command $ball -e there_is_none
    exits 2 $command $ball --there-is-none
done
for command in plot graph; do
    exits 1 $command "$WORK/wrong.kai" -o "$WORK/o.svg"
    exits 4 $command "$WORK/there_is_none.kai" -o "$WORK/o.svg"
    exits 2 $command $ball -e there_is_none -o "$WORK/o.svg"
done
