// See idioms.h.
#include "lang/idioms.h"

#include <stddef.h>
#include <string.h>

typedef struct Idiom
{
    const char *word, *advice;
} Idiom;

static const Idiom functions[] = {
    {"ln", "the natural logarithm is `log(x)`"},
    {"log2", "write `log(x)/log(2)`"},
    {"step", "a step is `if u >= 0 then 1 else 0`; its time is found exactly"},
    {"heaviside", "a step is `if u >= 0 then 1 else 0`; its time is found exactly"},
    {"unitstep", "a step is `if u >= 0 then 1 else 0`; its time is found exactly"},
    {"u", "a step is `if u >= 0 then 1 else 0`; its time is found exactly"},
    {"dirac", "an impulse is `delta(event, weight)`"},
    {"impulse", "an impulse is `delta(event, weight)`"},
    {"sgn", "the sign is `sign(x)`"},
    {"signum", "the sign is `sign(x)`"},
    {"fabs", "the absolute value is `abs(x)`"},
    {"arcsin", "write `asin(x)`"},
    {"arccos", "write `acos(x)`"},
    {"arctan", "write `atan(x)`"},
    {"arctan2", "write `atan2(y, x)`"},
    {"power", "write `x^y`"},
    {"sqr", "write `x^2`"},
    {"square", "a square is `x^2`; a square wave is in sources.kai"},
    {"rem", "the remainder is `mod(a, b)`"},
    {"fmod", "the remainder is `mod(a, b)`"},
    {"modulo", "the remainder is `mod(a, b)`"},
    {"int", "write `floor(x)`; an integral is a state: `state q = 0`, `q' = u`"},
    {"integrate", "an integral is a state: `state q = 0`, `q' = u`"},
    {"integral", "an integral is a state: `state q = 0`, `q' = u`"},
    {"integ", "an integral is a state: `state q = 0`, `q' = u`"},
    {"diff", "a derivative is `der(u)`"},
    {"ddt", "a derivative is `der(u)`"},
    {"rand", "a draw is `uniform(a, b)` or `normal(mean, deviation)`, in an action"},
    {"random", "a draw is `uniform(a, b)` or `normal(mean, deviation)`, in an action"},
    {"clip", "write `min(max(u, low), high)`"},
    {"clamp", "write `min(max(u, low), high)`"},
    {"limit", "write `min(max(u, low), high)`"},
    {"sat", "write `min(max(u, low), high)`"},
    {"saturate", "write `min(max(u, low), high)`"},
    {"saturation", "write `min(max(u, low), high)`"},
    {"noEvent", "write `smooth(u)`: the solver may step over it"},
    {"edge", "becoming true is an event: `when condition { … }`, `event e = condition`"},
    {"rising", "a crossing upwards is `up(u)`"},
    {"falling", "a crossing downwards is `down(u)`"},
    {"change", "crossings in either direction are `cross(u)`"},
    {"reinit", "a jump is written `when event { x := value }`"},
    {"terminate", "a run ends with the action `halt \"why\"`"},
    {"zoh", "hold a sampled value: `hold(sample(u, clock(T)), 0)`"},
    {"mean", "measurements over time are parts of measure.kai"},
    {"avg", "measurements over time are parts of measure.kai"},
    {"rms", "measurements over time are parts of measure.kai"},
    {"tf", "transfer functions are parts of control.kai"},
};

static const Idiom names[] = {
    {"t", "model time is called `time`"},
    {"T", "model time is called `time`"},
    {"Time", "model time is called `time`"},
    {"now", "model time is called `time`"},
    {"e", "Euler's number is `e_`, a power of it `exp(x)`"},
    {"PI", "did you mean `pi`?"},
    {"Inf", "did you mean `inf`?"},
    {"infinity", "did you mean `inf`?"},
    {"oo", "did you mean `inf`?"},
    {"True", "did you mean `true`?"},
    {"TRUE", "did you mean `true`?"},
    {"False", "did you mean `false`?"},
    {"FALSE", "did you mean `false`?"},
};

static const Idiom items[] = {
    {"end", "a block ends with `}`"},
    {"endif", "a block ends with `}`"},
    {"der", "a derivative is defined with `x' = …`"},
    {"parameter", "did you mean `param`?"},
    {"const", "did you mean `param`?"},
    {"constant", "did you mean `param`?"},
    {"let", "did you mean `param` or `signal`?"},
    {"var", "did you mean `state`, `discrete` or `signal`?"},
    {"Real", "did you mean `state`, `discrete` or `signal`?"},
    {"real", "did you mean `state`, `discrete` or `signal`?"},
    {"double", "did you mean `state`, `discrete` or `signal`?"},
    {"float", "did you mean `state`, `discrete` or `signal`?"},
    {"Integer", "did you mean `discrete`?"},
    {"int", "did you mean `discrete`?"},
    {"bool", "did you mean `discrete` or `signal`?"},
    {"Boolean", "did you mean `discrete` or `signal`?"},
    {"variable", "did you mean `state`, `discrete` or `signal`?"},
    {"reinit", "a jump is written `when event { x := value }`"},
    {"invariant", "what must hold is written `assert x < 3 \"why\"`"},
    {"constraint", "what must hold is written `assert x < 3 \"why\"`"},
    {"require", "what must hold is written `assert x < 3 \"why\"`"},
    {"always", "what must hold is written `assert x < 3 \"why\"`"},
    {"upon", "a reaction is written `when event { x := value }`"},
    {"include", "write `import \"file.kai\"` at the top of the file"},
    {"class", "did you mean `model`?"},
    {"block", "did you mean `model`?"},
    {"algorithm", "equations stand directly in the model: `y = …`, `x' = …`"},
    {"equations", "equations stand directly in the model: `y = …`, `x' = …`"},
};

static const char* find(const Idiom* list, size_t count, const char* word)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].word, word) == 0)
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

bool idiom_is_function(const char* name)
{
    static const char* const own[] = {"sin",  "cos", "tan",   "asin", "acos", "atan",  "sinh", "cosh",  "tanh",
                                      "exp",  "log", "sqrt",  "abs",  "sign", "floor", "ceil", "round", "log10",
                                      "down", "up",  "cross", "der",  "pre",  "delta", "clock"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i], name) == 0)
            return true;
    return idiom_function(name) != NULL;
}
