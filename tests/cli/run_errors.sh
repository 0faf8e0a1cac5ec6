# A run that fails says when and where, exits with 3, and leaves a file that says that it is not whole (section 9).
set -u
bad=0
# fails WORD TEXT: the model in TEXT fails with a message that has WORD in it.
fails()
{
    printf '%s\n' "$2" >"$WORK/m.kai"
    timeout 20 "$KAIROS" run "$WORK/m.kai" -o "$WORK/o.csv" >"$WORK/out" 2>&1
    got=$?
    if [ $got -ne 3 ] || ! grep -qE "$1" "$WORK/out"; then
        echo "exit $got, or no '$1' in: $(head -c 300 "$WORK/out")"
        printf '%s\n' "$2"
        bad=1
    elif ! grep -q '^stopped at' "$WORK/o.csv.status"; then
        echo "the file looks whole: $1"
        bad=1
    fi
}
fails 'too fast.*' 'model M { state x = 0; x'"'"' = 1; assert x < 0.5 "too fast" }
experiment e of M { stop = 1 }'
fails 'm.kai:1:' 'model M { state x = 1; x'"'"' = -1; signal r = sqrt(x - 0.5) }
experiment e of M { stop = 2 }' # the first NaN stops the run and names its operator
fails 'm.kai:3' 'model M { discrete n = 0; event t = clock(1, 1)
  when t { n := 1 }
  when t { n := 2 }
}
experiment e of M { stop = 2 }' # R4: two assignments to one variable in one commit
fails 'Zeno' 'model M { state y = 1, v = 0; y'"'"' = v; v'"'"' = -9.81; event hit = down(y); when hit { v := -0.8*v } }
experiment e of M { stop = 5 }' # C4
fails 'chattering' 'model M { discrete n = 0; when n >= 0 { n := -1 }
when n < 0 { n := 1 } }
experiment e of M { stop = 1 }' # R5
fails 'm.kai:1:.*`log.x. > 3` has no value at t = 1.5: log.-0.5.' 'model M { state x = 1; x'"'"' = -1; discrete n = 0; when log(x) > 3 { n := n + 1 } }
experiment e of M { stop = 3; max_step = 0.5 }' # a guard that nothing keeps legal decides nothing
fails 'initial' 'model M { state x; x'"'"' = 0; initial x^2 == -1 }
experiment e of M { stop = 1 }'
coils()
{
    printf 'model M { param k = 1; l : I(i = %s); a : J1; b : J1; r : R(r = 1); u : Se(e = 1)\nbond a -> l; bond b -> l; bond u -> a; bond b -> r }\nexperiment e of M { stop = 1 }' "$1"
}
fails 'm.kai:1:24:.*not symmetric: row 1, column 2 is 1,' "$(coils '[[2, 1], [1.5, 2]]')"
fails 'm.kai:1:24:.*singular' "$(coils '[[4e-3, k*2e-6], [2e-6, 1e-9]]')" # a coupling of 1 at SI values
fails 'm.kai:1:24:.*singular' "$(coils '[[2, 0], [0, 0]]')"
fails 'm.kai:1:24:.*is inf' "$(coils '[[2, 0], [0, 1/(k - 1)]]')"
exit $bad
