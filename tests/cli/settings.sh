# Every setting as an option: values out of range are refused with exit 2 and a sentence that names the setting, values in
# range run; the options come from the help, so that a new setting is tried without a line here.
. tests/cli/helpers.bash
cat >"$WORK/m.kai" <<'END'
model M { state x = 1; x' = -x }
experiment e of M { stop = 0.1; expect final(x) ~ exp(-0.1) within 1e-3 }
END
exits 0 run --help
# words_of OPTION: "first, random or all (default: first)" in its help, without `numeric`, which wants a solver.
words_of()
{
    awk -v option="--$1" '$1 == option { on = 1 } on { text = text " " $0 } on && /\(default/ { exit } END { print text }' "$out" |
        sed 's/.*: \(.*\) (default.*/\1/; s/,//g; s/ or / /; s/numeric//'
}
sed -n 's/^      --\([a-z-]*\) \(TIME\|X\|N\|WORD\)$/\1 \2/p; s/^      --\([a-z-]*\) \(TIME\|X\|N\|WORD\) .*/\1 \2/p' "$out" >"$WORK/settings"
[ "$(wc -l <"$WORK/settings")" -ge 15 ] || fail "the help of run lists no settings"
while read -r option kind <&3; do
    case $option:$kind in
    start:*) wrong="nan inf -inf soon 1[m]" right="-1 0 1/20 10[ms]" ;;
    stop:*) wrong="nan -inf soon -1 1[m]" right="0 0.5 500[ms] 1/2" ;;
    rtol:*) wrong="-1 nan -inf soon 1[mol]/0" right="1e-3 1/8" ;;
    *:TIME | *:X) wrong="0 -1 nan -inf soon 1[mol]/0" right="1e-3 1/8" ;;
    *:N) wrong="-1 0.5 nan inf 1e300 soon" right="7 2^3" ;;
    *:WORD) wrong="nonsense 3" right=$(words_of $option) ;;
    esac
    for value in $wrong; do
        for command in run test; do
            code=0
            "$KAIROS" $command "$WORK/m.kai" --$option "$value" >"$WORK/o" 2>"$WORK/e" || code=$?
            [ $code -eq 2 ] || fail "$command --$option $value: exit $code instead of 2"
            cat "$WORK/o" "$WORK/e" | grep -qF -- "$option" || fail "$command --$option $value: is not named: $(cat "$WORK/e")"
        done
    done
    for value in $right; do
        "$KAIROS" run "$WORK/m.kai" --"$option=$value" >/dev/null 2>"$WORK/e" || fail "--$option=$value: $(cat "$WORK/e")"
    done
done 3<"$WORK/settings"

# The setting arrives: another solver, another end, other tolerances.
exits 0 explain "$WORK/m.kai" --solver rk23 --rtol 1e-5 --atol 1e-6
prints "rk23, rtol 1e-05, atol 1e-06"
exits 0 run "$WORK/m.kai" --stop 250[ms]
says "t = 0.25,"
exits 0 run "$WORK/m.kai" --solver euler --step 1/100
says "10 steps"
exits 0 plot "$WORK/m.kai" --stop 1/2 -q -o "$WORK/x.svg"
exits 3 test "$WORK/m.kai" --solver euler --step 0.05 # 0.9025 instead of 0.9048: closed form of Euler's method
exits 0 test "$WORK/m.kai" --solver euler --step 1e-3

# What can have no effect is said.
exits 0 run "$WORK/m.kai" --max-branches 3
says "\`max_branches\` has no effect"
exits 0 run "$WORK/m.kai" --seed 3
says "\`seed\` has no effect"
exits 0 run "$WORK/m.kai" --balance 1e-9
says "\`balance\` has no effect"
exit 0
