# What a newcomer writes, and the sentence that answers it: mistakes of reading, of running, and of the call. Each message
# has to be the first, and where it says so the only one.
. tests/cli/helpers.bash

# answers TEXT COUNT WORDS…: `kairos check` of the text reports COUNT errors, and says all of the words.
answers()
{
    printf '%s\n' "$1" >"$WORK/m.kai"
    local count=$2
    shift 2
    exits 1 check "$WORK/m.kai"
    [ "$(grep -c 'error\[' "$err")" -eq "$count" ] || fail "not $count errors: $(cat "$WORK/m.kai")"
    for words in "$@"; do
        says "$words"
    done
    ! grep -q 'see the grammar' "$err" || fail "a file that is not installed"
}
in_model() { printf 'model M { state x = 1; discrete n = 0\n  x%s = -x\n  %s\n}' "'" "$1"; }

# units
answers "$(in_model 'param g (m/s^2) = 9.81')" 1 'a unit stands in brackets, `g [m/s^2]`'
answers "$(in_model 'param L = 5 mH')" 1 'a unit stands in brackets, `5[mH]`'
answers "$(in_model 'param L = 5mH')" 1 'a unit is written `5[mH]`'
answers "$(in_model 'param L [foo] = 5')" 1 'there is no unit `foo`'
answers "$(in_model 'param L [qwertz] = 5')" 1 'units are written `[m/s^2]`'
answers "$(in_model 'param L [J/kg K] = 5')" 1 'write `[J/(kg*K)]` or `[J/kg*K]`'
answers "$(in_model 'param R = 1k, C = 10u')" 2 'write `1e3`' 'write `10e-6`'

# functions and names of other languages
answers "$(in_model 'signal a = ln(x)')" 1 'the natural logarithm is `log(x)`'
answers "$(in_model 'signal a = step(time - 1)')" 1 'a step is `if u >= 0 then 1 else 0`'
answers "$(in_model 'signal a = sin(t)')" 1 'model time is called `time`'
answers "$(in_model 'signal a = integrate(x)')" 1 'an integral is a state'
answers "$(in_model 'signal a = exp')" 1 '`exp` is a function: write `exp(…)`'
answers "$(in_model 'signal a = sin x')" 1 'a function has parentheses: `sin(x)`'
answers "$(in_model 'signal a = x > 0 ? 1 : 2')" 1 'if condition then a else b'
answers "$(in_model 'signal a = 1 if x > 0 else 0')" 1 'if condition then a else b'
answers "$(in_model 'when x < 0.5 { n++ }')" 1 'write `n := n + 1`'
answers "$(in_model 'when x < 0.5 then
    n := 1;
  end when;')" 1 'a `when` has braces' 'when event { x := value }'
answers "$(in_model 'on up(x) { n := n + 1 }')" 1 'what changes no mode is written `when event { … }`'
answers "$(in_model 'signal a = 1 % what it is for')" 1 'write `//` instead of `%`'
answers "$(in_model 'signal a = 5 % 2')" 1 'mod(a, b)'
answers 'model M “a text” { state x = 1; x'"'"' = -x }' 1 'straight quotes'
answers "$(in_model 'dy/dt = x')" 1 "a derivative is defined with \`y' = …\`"
answers "$(in_model 'invariant: x < 3')" 1 'what must hold is written `assert x < 3'
answers "$(in_model 'param p = [for i in 1..3: i^2]')" 1 'param p[i in 1..3] = i^2'
answers "$(in_model 'param p = [i^2 for i in 1..3]')" 1 'param p[i in 1..3] = i^2'
answers "$(in_model 'param p = [1, 2]; signal a = sum(p)')" 1 'sum(i in 1..size(x), x[i])'
answers "$(in_model 'param N = 3; signal b [N] = 0; signal a = b[1]')" 1 'an array is declared with a range: `b[i in 1..3]`'
answers "$(in_model "n' = 1")" 1 'declare it `state` to integrate it'
answers 'modle M { state x = 1; x'"'"' = -x }
experimnt e of M { stop = 1 }' 2 'did you mean `model`?' 'did you mean `experiment`?'
answers 'import "electrical"
model M { r : Resistor }' 1 'did you mean `import "electrical.kai"`?'
answers 'model M {
  state x = 1
  x'"'"' = -x
experiment e of M { stop = 1 }' 1 '`}` is missing before this'

# Habits of other languages, each with its answer: Modelica
answers "$(in_model 'der(x) = -x')" 1 "a derivative is defined with \`x' = …\`"
answers "$(in_model 'd(x)/dt = -x')" 1 "a derivative is defined with \`x' = …\`"
answers "$(in_model 'input Real u = 3')" 1 'leave it out: `input u`'
answers "$(in_model 'discrete Integer k = 3')" 1 'leave it out: `discrete k`'
answers "$(in_model 'parameter Real g = 9.81;')" 1 'write `param g = …`'
answers "$(in_model 'Real y(start = 1);')" 1 'write `state y = 0` for what has a derivative'
answers "$(in_model 'Resistor R1(R = 100);')" 1 'an instance is written `R1 : Resistor`'
answers "$(in_model 'connect(a, b);')" 1 'without parentheses: `connect a.p, b.n`'
answers "$(in_model 'extends Base;')" 1 'by an instance of it: `name : Model`'
answers "$(in_model 'annotation(experiment(StopTime = 10));')" 1 'settings stand in an experiment'
answers "$(in_model 'protected
  signal a = 1')" 1 'leave it out'
answers 'model M { state x = 1
equation
  der(x) = -x;
}' 2 '`equation` is no heading' "a derivative is defined with \`x' = …\`"
answers "$(in_model 'initial equation
    x = 1;')" 1 'write one `initial x == 1` for each'
answers "$(in_model 'initial { x = 1 }')" 1 'write one `initial x == 1` for each'
answers "$(in_model 'signal a = if x > 1 then 1 elseif x > 0 then 2 else 3')" 1 'write `else if`'
answers "$(in_model 'signal a = if x > 1 then 1 else 3 end if;')" 1 'ends by itself'
answers "$(in_model 'assert(x > 0, "why")')" 1 'follows without a comma'
answers "$(in_model 'assert x > 0, "why"')" 1 'follows without a comma'
answers "$(in_model 'signal a = Modelica.Math.sin(x)')" 1 'functions stand in no package' 'write `sin(…)`'
answers "$(in_model 'if x > 0.5 { signal a = 1 }')" 1 '`if` between items chooses them before the run'
answers "$(in_model 'function f(u) = 2*u')" 1 '`function` cannot stand inside a block' 'move it out'
answers "$(in_model 'model Inner { state z = 1; z'"'"' = -z }')" 1 '`model` cannot stand inside a block'
answers "$(in_model 'terminate("done")')" 1 'a run ends with the action `halt "why"`'
# MATLAB, Python, C
answers "$(in_model 'param v = {1, 2, 3}')" 1 'a list is written `[1, 2, 3]`'
answers "$(in_model 'param v = (1, 2, 3)')" 1 'a list is written `[1, 2, 3]`'
answers "$(in_model 'param v[i in 1..3] = [1 2 3]')" 1 'commas stand between elements'
answers "$(in_model 'param v = 1,5')" 1 'a decimal point is a point'
answers "$(in_model 'signal a = x.^2')" 1 '`.^` is not an operator here' 'write `^`'
answers "$(in_model 'signal a = ~(x > 2)')" 1 '`not` negates a condition'
answers "$(in_model "param name = 'text'")" 1 'a text stands in double quotes'
answers "$(in_model 'signal a = np.sin(x)')" 1 'write `sin(…)`'
answers "$(in_model 'signal a = math.pi')" 1 'names stand in no package: write `pi`'
answers "$(in_model 'signal a = x mod 2')" 1 'the remainder is `mod(a, b)`'
answers "$(in_model 'signal a = n(1)')" 1 'an element of `n` is `n[i]`, a product `n*(…)`'
answers "$(in_model 'signal a = x_dot')" 1 "the derivative of \`x\` is \`x'\`"
answers "$(in_model 'dxdt = -x')" 1 "the derivative of \`x\` is \`x'\`"
answers "$(in_model 'K = 3')" 1 'declare it, `signal K = …` or `param K = …`; there is `x`, `n`'
answers "$(in_model 'int i = 3;')" 1 '`discrete i = 0` for what only actions change'
answers "$(in_model 'print(x)')" 1 '`record x` in the experiment'
answers "$(in_model 'signal a = 1.')" 1 'a digit follows the point: `1.0`'
answers "$(in_model 'signal a = 1e-3f')" 1 'write `1e-3`'
answers "$(in_model 'signal a = 0x10')" 1 'numbers are written in decimal'
answers "$(in_model 'signal a = 1_000')" 1 'digits stand together'
answers "$(in_model 'signal a = 1e0.5')" 1 'an exponent is a whole number'
answers "$(in_model 'signal a = 2j')" 1 'there are no complex numbers'
answers "$(in_model 'param a = 1, param b = 2')" 1 '`param` stands once'
answers "$(in_model 'param k [-] = 3')" 1 'a plain number has no unit at all'
answers "$(in_model 'state v init 3')" 1 'a start value stands behind `=`'
answers "$(in_model 'signal a: Real = 3')" 1 'a declaration has no type'
# letters
answers "$(in_model 'signal ω = 2*x')" 1 'in ASCII it is `omega`'
answers "$(in_model 'signal a = 2π*x')" 1 'a product is `2*pi`'
answers "$(in_model 'signal a = √x')" 1 'in ASCII it is `sqrt(x)`'
answers "$(in_model 'signal a = x₁²')" 1 'in ASCII it is `x1^2`'
answers "$(in_model 'signal größe = 3')" 1 'in ASCII it is `groesse`'
answers "$(in_model 'signal 速度 = 3')" 1 'spell it in ASCII, for example `omega`'
# Stateflow
answers "$(in_model 'modes { initial mode a { on x < 0.5 -> b / n := 1 } mode b { } }')" 1 'on event -> mode { x := value }'
answers "$(in_model 'modes { initial mode a { entry: n := 1 } }')" 1 'written `when entry { x := value }`'
answers "$(in_model 'modes { initial mode a { exit: n := 1 } }')" 1 'what happens on leaving'
answers "$(in_model 'modes { initial mode a { on after(3[s]) -> b } mode b { } }')" 1 'on time >= t0 + 3 -> mode'
# units of other systems
answers "$(in_model 'param p = 5[psi]')" 1 'is 6.894757293168[kPa]'
answers "$(in_model 'param p = 5[in]')" 1 'an inch is 25.4[mm]'
answers "$(in_model 'param p = 5[sec]')" 1 'write `[s]`'
answers "$(in_model 'param p = 5[dB]')" 1 'a ratio has no unit'
# a factor whose unit is missing
answers "model M { state x [m] = 1; x' = -x }" 1 'one in 1/s is missing, as `2[1/s]`'
# the library without its import
answers "$(in_model 'r : Resistor(R = 100)')" 1 'it is in the library: `import "electrical.kai"`'
answers "$(in_model 'm : Mass(m = 1)')" 1 '`import "collisions.kai"`, or `import "translational.kai"`'
answers "$(in_model 'signal a = ramp(time, 0, 1, 2, 3)')" 1 'it is in the library: `import "sources.kai"`'
for file in lib/*.kai; do
    sed -n -E 's/^(model|function) +([A-Za-z0-9_]+).*/\2/p' "$file" | while read -r name; do
        sed -n "/\"$(basename "$file")\"/,/)/p" src/elab/library.def | grep -q " $name[ \"]\|\"$name " ||
            fail "src/elab/library.def does not have $name of $file"
    done || exit 1
done

# A mistake inside a part: the instance in the user's file first, then the part.
printf 'model Amp { input u; output y\n  y = missing*u }\n' >"$WORK/part.kai"
answers 'import "part.kai"
model M {
  a : Amp(u = 3)
}' 1 'm.kai:3:3: error' 'part.kai:2:7: note: here, in the part'
answers 'import "electrical.kai"
model M { u : VoltageSource(u = 5); r : Resistor(R = 100); g : Ground
  connect u.a, r.a
  connect u.b, g.a }' 1 'port `r.b` is not connected' 'm.kai:2:37: error'
answers 'import "electrical.kai"
model M { u : VoltageSource(u = 5); g : Ground
  connect u.a, u.b, g.a }' 1 'm.kai:2:11: error' '5 V short-circuited'

# ends TEXT WORDS…: the run fails, and its message has the source line and says the words.
ends()
{
    printf '%s\n' "$1" >"$WORK/m.kai"
    shift
    exits 3 run "$WORK/m.kai" -o "$WORK/o.csv" -q
    for words in "$@"; do
        says "$words"
    done
    grep -q '^ *[0-9]* | ' "$err" || fail "no source line"
}
for solver in auto rk45 rosenbrock; do
    ends "model M { state x = 1, y = 0; x' = -1
  y' = log(x) }
experiment e of M { stop = 2; solver = $solver }" 'm.kai:2:8' 'the derivative of y has no value beyond t = 1: log(-'
    ends "model M { state x = 1; x' = x^2 }
experiment e of M { stop = 2; solver = $solver }" 'x grows without bound: at t = 1 it is'
done
ends "model M { state x = 1; x' = x }
experiment e of M { stop = 1000 }" 'x grows without bound'
ends "model M { state x = 1; x' = 1; assert x < 1.5 \"too far\" }
experiment e of M { stop = 1 }" 'too far' '^^^^^^'
printf 'model Root { input u; output y\n  y = sqrt(u)\n  state s = 0\n  s%s = y }\n' "'" >"$WORK/part.kai"
ends 'import "part.kai"
model M {
  a : Root(u = 1 - time)
}
experiment e of M { stop = 2 }' 'm.kai:3:3: error' 'part.kai:2:7: note: here, in the part'

# No ground: said, and why.
printf 'import "electrical.kai"\nmodel M { u : VoltageSource(u = 1); r : Resistor(R = 100)\n  connect u.a, r.a\n  connect u.b, r.b }\nexperiment e of M { stop = 1 }\n' >"$WORK/m.kai"
exits 0 run "$WORK/m.kai" -q
says 'connect a Ground to one of the terminals'

# The call.
exits 2 plot $ball --size 10x10
says 'is too small: at least 20x8'
exits 2 plot $ball --size ten
says 'it must read WIDTHxHEIGHT'
# A run that fails inside an analysis shows its line, as any run does.
cat >"$WORK/inside.kai" <<'END'
model M { param a = 1; state x = 0; x' = a
  assert x < 0.5 "too far" }
experiment e of M { stop = 2 }
END
exits 3 sensitivity "$WORK/inside.kai" --by a
says "inside.kai:2:3: error: assertion failed at t = 0.5"
says "    2 |   assert x < 0.5"
# Parameters where settings stand: where they go is said.
printf "model M { param a = 1; state x = 0; x' = a }\nexperiment e of M { stop = 1; a = 3 }\n" >"$WORK/m.kai"
exits 1 run "$WORK/m.kai" -q
says 'the model has `a`: write `experiment … of Model(a = …)`'
printf "model M { param a = 1; state x = 0; x' = a }\nexperiment e of M { stop = 1; set a = 3 }\n" >"$WORK/m.kai"
exits 1 run "$WORK/m.kai" -q
says 'parameters are given where the model is named'

# Calls that name what is not there, or are no call: what there is, and how it is written.
exits 2 plot $ball --signals nope
says 'there is no signal `nope`; there are `'
exits 2 sensitivity $ball --by q
says '; there are `g`'
exits 2 export $ball -o "$WORK/x.csv"
says 'an FMU ends in .fmu, a system of FMUs in .ssp'
[ ! -e "$WORK/x.csv" ] || fail "an FMU of another name"
exits 2 $ball
says "as \`kairos run $ball\`"
exits 2 version
says 'kairos --version'
exits 2 run $ball --stop '5 s'
says 'a unit stands in brackets, `5[s]`'
exits 2 run $ball --set g='3[kg]'
says 'write it in m/s^2'
exits 4 resume "$WORK/none.csv"
says 'was called with --checkpoint'
# UTF-16, as editors of Windows write it: one message, not one a line.
printf '\377\376m\0o\0d\0e\0l\0\n\0x\0\n\0' >"$WORK/wide.kai"
exits 1 check "$WORK/wide.kai"
says 'this text is in UTF-16'
[ "$(grep -c 'error\[' "$err")" -eq 1 ] || fail "more than one message about one encoding"

# A condition has no smallest value.
printf 'model M { param k = 1; state x = 0; x%s = k - x }\nexperiment e of M { stop = 5; expect max(x) < 2 }\n' "'" >"$WORK/best.kai"
exits 2 optimize "$WORK/best.kai" --by k --low 0.1 --high 1
says 'the first `expect` is a condition'
exits 0 optimize "$WORK/best.kai" --by k --low 0.1 --high 1 --measure 'max(x)'

# What is not declared: as what it would be; settings in a model; choices without their halves; names that are none.
answers "$(in_model "y' = x")" 1 'declare it, `state y = 0`'
answers "$(in_model 'when x < 0.5 { y := 3 }')" 1 'declare it, `discrete y = 0`'
answers "$(in_model 'when x < 0.5 { emit off }')" 1 'declare it, `event off`'
answers "$(in_model 'stop = 5')" 1 'settings stand in an experiment, `experiment e of Model { stop = … }`'
answers "$(in_model 'signal a = if x > 0 then 1')" 1 'a choice has both'
answers "$(in_model 'signal a = if x > 0 1 else 2')" 1 'a choice is written `if condition then a else b`'
answers "$(in_model 'when initial { n := 1 }')" 1 'at the start is `event begin = true`'
answers "$(in_model 'when every 0.1 { n := 1 }')" 1 'ticks are `clock(T)`'
answers "$(in_model 'when x < 0.5, x > 2 { n := 1 }')" 1 'written `when a or b { … }`'
answers "$(in_model 'when x < 0.5 { n := 1, x := 2 }')" 1 'one ends with `;` or the line'
answers "$(in_model 'param my-name = 4')" 1 'letters, digits and `_`'
answers "$(in_model 'event e = clock(0)')" 1 'are `clock(0.1)`'
