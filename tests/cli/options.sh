# The command line that people know: -h, -V, -q, --, --opt=value, -oFILE, standard input, did-you-mean, help in 80 columns,
# and the same exit code for the same mistake in every command.
. tests/cli/helpers.bash
commands="run resume check test prove plot explain graph fmt"
for command in $commands; do
    exits 0 $command --help
    cp "$out" "$WORK/long"
    exits 0 $command -h
    cmp "$out" "$WORK/long" || fail "$command -h and --help differ"
    exits 0 help $command
    cmp "$out" "$WORK/long" || fail "help $command and $command --help differ"
    LC_ALL=C.UTF-8 awk '{ line = $0; gsub(/[\200-\277]/, "", line); if (length(line) > 80) bad = 1 } END { exit bad }' "$out" ||
        fail "$command --help is wider than 80 columns"
    exits 0 $command -V
    prints "kairos "
    exits 2 $command
    one_line "$err"
    exits 2 $command --no-such-option
    one_line "$err"
    says "$command has no option \`--no-such-option\`"
    exits 2 $command --hepl
    says "did you mean \`--help\`?"
done
exits 0 --help
awk 'length($0) > 90 { bad = 1 } END { exit bad }' "$out" || fail "--help is wide" # … is three bytes
exits 0 -V
exits 2 plott
says "did you mean \`plot\`?"
exits 2 run $ball --rtoll 1
says "did you mean \`--rtol\`?"
exits 2 run $ball --json
says "explain has"
exits 2 run $ball --view
says "--view needs a value"
exits 2 run $ball --quiet=yes
says "takes no value"
for command in run explain plot "check --print flat" "prove" "graph -o $WORK/g.svg"; do
    exits 2 $command $ball -e nothing
    exits 2 ${command%% *} $ball --frob
    exits 4 $command "$WORK/none.kai"
done
for command in run explain plot prove graph; do
    exits 2 $command $ball --model Nothing ${command/#graph/-o$WORK/g.svg} 2>/dev/null || true
done
exits 2 run $ball --model Nothing
exits 2 graph $ball --model Nothing -o "$WORK/g.svg"
for command in run explain plot test; do
    exits 2 $command $ball --set nothing=1
    exits 2 $command $ball --set y=1[s]
    exits 2 $command $ball --set y
done

# Ways to write an option.
exits 0 run $ball -q -o "$WORK/a.csv"
[ ! -s "$err" ] || fail "-q is not quiet"
exits 0 run "-o$WORK/b.csv" --quiet $ball
exits 0 run -qo "$WORK/c.csv" -- $ball
exits 0 run --output="$WORK/d.csv" --experiment=bounce $ball
for file in b c d; do
    cmp "$WORK/a.csv" "$WORK/$file.csv" || fail "$file.csv differs"
done
cp $ball "$WORK/-x.kai"
(cd "$WORK" && "$KAIROS" check -- -x.kai) || fail "a file after -- that begins with -"

# Standard input.
for command in "run -q -" "check -" "test -" "explain -" "plot -q -" "prove -" "graph -o $WORK/stdin.svg -" "check --print flat -"; do
    "$KAIROS" $command <$ball >"$out" 2>"$err" || fail "$command from standard input"
done
"$KAIROS" run - -q <$ball >"$WORK/e.csv" && cmp "$WORK/a.csv" "$WORK/e.csv" || fail "run - differs from the file"
"$KAIROS" test - <examples/cradle/model.kai | grep -q '^[1-9][0-9]* passed, 0 failed$' || fail "test - runs nothing"
echo 'model M { x = }' | "$KAIROS" check - 2>"$err" && fail "a wrong model on standard input"
says "<stdin>:1:"

# --set with expressions and units.
exits 0 run $ball -q --set y=50[cm]
sed -n 2p "$out" | grep -q '^0,0,0,0.5,' || fail "50[cm]"
exits 0 run $ball -q --set y=1/2
sed -n 2p "$out" | grep -q '^0,0,0,0.5,' || fail "1/2"
exits 0 run $ball -q --set mode=sitting
sed -n 2p "$out" | grep -q ',sitting$' || fail "mode=sitting"
cat >"$WORK/swept.kai" <<'END'
model M { param a = 1, N = 2; state x = 1; x' = -a*x*N }
experiment e of M { stop = 1; sweep a from 1 to 3 by 1 }
END
exits 0 run -q "$WORK/swept.kai" --set a=3/2
[ "$(cut -d, -f1,2 <"$out" | sort -u | wc -l)" -eq 2 ] || fail "a swept parameter that is set is swept"
sed -n 2p "$out" | grep -q '^0,1.5,\|^1,1.5,' || fail "the value that was set is not in the result: $(sed -n 2p "$out")"

# --list.
exits 0 run $ball --list
prints "bounce of Ball"
grep -q '^  g  *param  *9.81  *\[m/s^2\]  *gravity$' "$out" || fail "--list: g"
grep -q '^  mode  *mode  *falling$' "$out" || fail "--list: mode"
exits 0 check --list $ball
exits 0 run $ball --list --set g=1/4
grep -q '^  g  *param  *0.25  *\[m/s^2\]' "$out" || fail "--list: g that was set"
exit 0
