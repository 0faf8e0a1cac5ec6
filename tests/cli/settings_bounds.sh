# min_step and max_iterations (paper 004, section 4.1) end what does not get on; rtol = 0 needs atol.

. tests/cli/helpers.bash
cat >"$WORK/bounds.kai" <<'END'
model Stiff { state x = 0; x' = -1e6*(x - cos(time)) }
experiment free of Stiff { stop = 0.001 }
experiment bounded of Stiff { stop = 0.001; min_step = 1e-4 }
experiment bounded_taylor of Stiff { stop = 0.001; min_step = 1e-4; solver = taylor }
experiment nothing of Stiff { stop = 0.001; rtol = 0 }
experiment reversed of Stiff { stop = 0.001; min_step = 1; max_step = 0.1 }
model Equation { unknown y = 1; equation y^3 == 20 + time }
experiment solved of Equation { stop = 1; expect final(y)^3 ~ 21 within 1e-12 }
experiment unsolved of Equation { stop = 1; max_iterations = 2 }
model Cubic { state x = 2; x' = -x^3 }
experiment rounds of Cubic { stop = 1; solver = backward_euler; step = 0.1 }
experiment few of Cubic { stop = 1; solver = backward_euler; step = 0.1; max_iterations = 2 }
END
exits 0 run "$WORK/bounds.kai" -e free
exits 3 run "$WORK/bounds.kai" -e bounded
grep -qi 'step' "$err" || fail "min_step: no word about the step"
exits 3 run "$WORK/bounds.kai" -e bounded_taylor
exits 1 run "$WORK/bounds.kai" -e nothing
says 'bounds.kai:5:52: error[K070]: with rtol = 0 the absolute error alone is controlled'; says 'atol = 1e-9'
exits 1 run "$WORK/bounds.kai" -e reversed
says 'bounds.kai:6:57: error[K070]: `min_step` 1 is longer than `max_step` 0.1'
exits 0 test "$WORK/bounds.kai" -e solved
exits 3 run "$WORK/bounds.kai" -e unsolved
steps() { "$KAIROS" run "$WORK/bounds.kai" -e "$1" -o "$WORK/steps.csv" 2>&1 | sed -n 's/.* \([0-9]*\) steps.*/\1/p'; }
rounds=$(steps rounds) few=$(steps few)
[ "$rounds" -le 11 ] && [ "$few" -gt "$rounds" ] || fail "max_iterations = 2: $few steps, $rounds without a bound"
