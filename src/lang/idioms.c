// See idioms.h.
#include "lang/idioms.h"

#include <stddef.h>
#include <string.h>

typedef struct Idiom
{
    const char *words, *advice;  // words with a blank on both sides
} Idiom;

static const Idiom functions[] = {
    {" ln ", "the natural logarithm is `log(x)`"},
    {" log2 ", "write `log(x)/log(2)`"},
    {" lg ", "the logarithm to base 10 is `log10(x)`, the natural one `log(x)`"},
    {" step heaviside Heaviside unitstep u ", "a step is `if u >= 0 then 1 else 0`; its time is found exactly"},
    {" dirac Dirac impulse ", "an impulse is `delta(event, weight)`"},
    {" sgn signum ", "the sign is `sign(x)`"},
    {" fabs ", "the absolute value is `abs(x)`"},
    {" arcsin ", "write `asin(x)`"},
    {" arccos ", "write `acos(x)`"},
    {" arctan ", "write `atan(x)`"},
    {" arctan2 ", "write `atan2(y, x)`"},
    {" cot ", "write `1/tan(x)`"},
    {" sec ", "write `1/cos(x)`"},
    {" csc ", "write `1/sin(x)`"},
    {" cbrt ", "write `sign(x)*abs(x)^(1/3)`"},
    {" expm1 ", "write `exp(x) - 1`"},
    {" log1p ", "write `log(1 + x)`"},
    {" power ", "write `x^y`"},
    {" sqr ", "write `x^2`"},
    {" square ", "a square is `x^2`; a square wave is in sources.kai"},
    {" rem fmod modulo ", "the remainder is `mod(a, b)`"},
    {" div idiv quotient ", "write `floor(a/b)`"},
    {" integer ", "write `floor(x)`"},
    {" trunc fix ", "write `sign(x)*floor(abs(x))`"},
    {" int ", "write `floor(x)`; an integral is a state: `state q = 0`, `q' = u`"},
    {" integrate integral integ integrator ", "an integral is a state: `state q = 0`, `q' = u`"},
    {" diff ddt deriv derivative ", "a derivative is `der(u)`"},
    {" rand random randn gauss ", "a draw is `uniform(a, b)` or `normal(mean, deviation)`, in an action"},
    {" noise ", "noise is held between draws: NoiseSource of sources.kai"},
    {" clip clamp limit sat saturate saturation ", "write `min(max(u, low), high)`"},
    {" deadzone deadband ", "write `max(u - high, 0) + min(u - low, 0)`"},
    {" hysteresis relay ",
     "write `discrete n = 0` and two reactions, `when up(u - high) { n := 1 }`, `when down(u - low) "
     "{ n := 0 }`"},
    {" switch select ifelse iff IIf where piecewise case ", "a choice is written `if condition then a else b`"},
    {" noEvent ", "write `smooth(u)`: the solver may step over it"},
    {" homotopy ", "write its first argument"},
    {" semiLinear ", "write `if x >= 0 then a*x else b*x`"},
    {" edge ", "becoming true is an event: `when condition { … }`, `event e = condition`"},
    {" rising ", "a crossing upwards is `up(u)`"},
    {" falling ", "a crossing downwards is `down(u)`"},
    {" change changed hasChanged ", "crossings in either direction are `cross(u)`"},
    {" reinit ", "a jump is written `when event { x := value }`"},
    {" terminate stop ", "a run ends with the action `halt \"why\"`"},
    {" initial ", "at the start is `event begin = true`, `when begin { … }`"},
    {" previous last prev ", "the value before is `pre(x)`"},
    {" after ", "a time in a mode: `when entry { t0 := time }`, `on time >= t0 + 3 -> mode`"},
    {" every ", "ticks are `clock(T)`"},
    {" transportDelay deadtime ", "write `delay(u, T)`"},
    {" lag filter lowpass ", "a lag is a state: `state y = 0`, `y' = (u - y)/T`"},
    {" zoh ", "hold a sampled value: `hold(sample(u, clock(T)), 0)`"},
    {" mean avg rms ", "measurements over time are parts of measure.kai"},
    {" tf pid PI PD ", "transfer functions and controllers are parts of control.kai"},
    {" interp1 interp lookup lookup1D interpolate ", "data in a file are read with `table(\"file.csv\", u)`"},
    {" deg2rad radians ", "write the unit: `90[deg]`; or `x*pi/180`"},
    {" rad2deg degrees ", "write `x*180/pi`"},
    {" isnan isinf isfinite ", "a run stops where the first NaN is made, and says where"},
    {" zeros ones linspace range eye ", "an array is `param x[i in 1..N] = …`, with a formula in i or a list"},
    {" length len numel ", "the length of an array is `size(x)`"},
    {" print printf disp display println ", "what is computed stands in the result: `record x` in the experiment"},
    {" active isActive ", "the mode of a machine is asked with `mode == name`"},
};

static const Idiom names[] = {
    {" t T Time now TIME ", "model time is called `time`"},
    {" dt ", "the solver chooses its step; a sampling period is `clock(T)`"},
    {" e E exp1 ", "Euler's number is `e_`, a power of it `exp(x)`"},
    {" PI Pi ", "did you mean `pi`?"},
    {" Inf infinity Infinity oo ", "did you mean `inf`?"},
    {" nan NaN NA ", "a signal has a value or, if it is an event, is absent; there is no NaN"},
    {" True TRUE ", "did you mean `true`?"},
    {" False FALSE ", "did you mean `false`?"},
    {" exit leave ", "what happens on leaving stands at the transition: `on event -> mode { x := value }`"},
    {" np numpy math Math Modelica ", "names stand in no package: write `pi`, `sin(x)`"},
    {" start startup begin ", "at the start is `event begin = true`, `when begin { … }`"},
    {" eps ", "write the number: the distance of doubles at 1 is `2.220446e-16`"},
};

static const Idiom items[] = {
    {" end endif endwhen endfor fi done ", "a block ends with `}`"},
    {" parameter const constant final ", "did you mean `param`?"},
    {" let ", "did you mean `param` or `signal`?"},
    {" var variable def ", "did you mean `state`, `discrete` or `signal`?"},
    {" reinit ", "a jump is written `when event { x := value }`"},
    {" terminate ", "a run ends with the action `halt \"why\"`: `when condition { halt \"why\" }`"},
    {" invariant constraint require always ", "what must hold is written `assert x < 3 \"why\"`"},
    {" upon whenever ", "a reaction is written `when event { x := value }`"},
    {" while loop ",
     "there are no loops in time: a reaction is `when event { … }`, copies of items are `for i in 1..N { … }`"},
    {" include using use from ", "write `import \"file.kai\"` at the top of the file"},
    {" class block package ", "did you mean `model`?"},
    {" extends inherits ", "a model is used by an instance of it: `name : Model`"},
    {" algorithm equations begin ", "equations stand directly in the model: `y = …`, `x' = …`"},
    {" annotation ", "settings stand in an experiment: `experiment e of Model { stop = 10 }`"},
    {" protected public private ", "all names of an instance can be read from outside: leave it out"},
    {" return ", "a function is one expression: `function f(x) = 2*x`"},
    {" transition ", "a transition stands in the mode that it leaves: `on event -> mode`"},
    {" entry enter onentry ", "what happens on entering is written `when entry { x := value }`"},
    {" exit onexit leave ", "what happens on leaving stands at the transition: `on event -> mode { x := value }`"},
    {" flow potential stream connector ", "effort and flow belong to a port: `port p : electrical`"},
    {" during ", "what holds in a mode stands in it as equations: `x' = …`"},
    {" after ", "a time in a mode: `when entry { t0 := time }`, `on time >= t0 + 3 -> mode`"},
    {" start ", "a start value stands in the declaration, `state x = 3`; a condition at the start is `initial x == 3`"},
    {" print printf disp display println ", "what is computed stands in the result: `record x` in the experiment"},
};

static const char types[] = " Real real REAL double float single Integer integer int Int long short unsigned bool Bool "
                            "Boolean boolean logical String string char auto number ";

bool idiom_lists(const char* words, const char* word)
{
    size_t length = strlen(word);
    for (const char* at = strstr(words, word); at && length > 0; at = strstr(at + 1, word))
        if (at > words && at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

static const char* find(const Idiom* list, size_t count, const char* word)
{
    for (size_t i = 0; i < count; i++)
        if (idiom_lists(list[i].words, word))
            return list[i].advice;
    return NULL;
}

const char* idiom_function(const char* name)
{
    return find(functions, sizeof functions / sizeof *functions, name);
}

const char* idiom_name(const char* name)
{
    return find(names, sizeof names / sizeof *names, name);
}

const char* idiom_item(const char* word)
{
    return find(items, sizeof items / sizeof *items, word);
}

bool idiom_is_type(const char* word)
{
    return idiom_lists(types, word);
}

bool idiom_is_derivative(const char* word)
{
    return idiom_lists(" der ddt diff d D deriv derivative ", word);
}

bool idiom_is_own_function(const char* name)
{
    return idiom_lists(" sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs sign floor ceil round log10 "
                       "down up cross der pre delta clock ",
                       name);
}

bool idiom_is_function(const char* name)
{
    return idiom_is_own_function(name) || idiom_function(name) != NULL;
}
