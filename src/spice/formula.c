// Expressions of SPICE as expressions of Kairos, with their value where it is known.
#include "spice/netlist.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum
{
    DEPTH_MOST = 100,
    ARGUMENTS_MOST = 3,
};

// How tightly a piece of text holds together, so that it gets parentheses where it must.
typedef enum Level
{
    LEVEL_CHOICE,
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_RELATION,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_POWER,
    LEVEL_ATOM,
} Level;

typedef struct Piece
{
    const char* text;
    double value;
    Level level;
    bool truth;  // a Boolean
} Piece;

typedef struct Reader
{
    Circuit* circuit;
    Arena* arena;
    const char *at, *end, *begin;
    Span span;
    bool live, failed;
    int depth;
} Reader;

static Piece read_choice(Reader* r);

static Piece fail(Reader* r, const char* what)
{
    if (!r->failed)
        diag_error(r->circuit->netlist->diags, K_NETLIST_SYNTAX, r->span, "in `%s`: %s", r->begin, what);
    r->failed = true;
    r->at = r->end;
    return (Piece){"0", NAN, LEVEL_ATOM, false};
}

static const char* in_parentheses(Reader* r, const Piece* p, Level least)
{
    return p->level >= least ? p->text : arena_printf(r->arena, "(%s)", p->text);
}

static Piece as_number(Reader* r, Piece p)
{
    if (!p.truth)
        return p;
    return (Piece){arena_printf(r->arena, "if %s then 1 else 0", p.text), p.value, LEVEL_CHOICE, false};
}

static Piece as_truth(Reader* r, Piece p)
{
    if (p.truth)
        return p;
    return (Piece){arena_printf(r->arena, "%s != 0", in_parentheses(r, &p, LEVEL_SUM)), p.value, LEVEL_RELATION, true};
}

static void skip_blanks(Reader* r)
{
    while (r->at < r->end && isspace((unsigned char)*r->at))
        r->at++;
}

static bool accept(Reader* r, const char* sign)
{
    skip_blanks(r);
    size_t length = strlen(sign);
    bool is = (size_t)(r->end - r->at) >= length && strncmp(r->at, sign, length) == 0;
    r->at += is ? length : 0;
    return is;
}

// ---- functions

typedef struct Function
{
    const char* name;
    int arguments;
    const char* text;  // $1, $2, $3 stand for the arguments
    double (*one)(double);
} Function;

static const Function functions[] = {
    {"sin", 1, "sin($1)", sin},
    {"cos", 1, "cos($1)", cos},
    {"tan", 1, "tan($1)", tan},
    {"asin", 1, "asin($1)", asin},
    {"acos", 1, "acos($1)", acos},
    {"atan", 1, "atan($1)", atan},
    {"arctan", 1, "atan($1)", atan},
    {"sinh", 1, "sinh($1)", sinh},
    {"cosh", 1, "cosh($1)", cosh},
    {"tanh", 1, "tanh($1)", tanh},
    {"exp", 1, "exp($1)", exp},
    {"ln", 1, "log($1)", log},
    {"log", 1, "log($1)", log},
    {"log10", 1, "log10($1)", log10},
    {"sqrt", 1, "sqrt($1)", sqrt},
    {"abs", 1, "abs($1)", fabs},
    {"floor", 1, "floor($1)", floor},
    {"ceil", 1, "ceil($1)", ceil},
    {"nint", 1, "round($1)", nearbyint},
    {"int", 1, "(if $1 < 0 then ceil($1) else floor($1))", trunc},
    {"sgn", 1, "sign($1)", NULL},
    {"u", 1, "(if $1 > 0 then 1 else 0)", NULL},
    {"uramp", 1, "max($1, 0)", NULL},
    {"min", 2, "min($1, $2)", NULL},
    {"max", 2, "max($1, $2)", NULL},
    {"pow", 2, "pow($1, $2)", NULL},
    {"atan2", 2, "atan2($1, $2)", NULL},
    {"hypot", 2, "hypot($1, $2)", NULL},
    {"limit", 3, "min(max($1, $2), $3)", NULL},
    {"if", 3, NULL, NULL},
};

static const char* fill_in(Reader* r, const char* pattern, const Piece* arguments)
{
    Writer w = {.arena = r->arena};
    for (const char* p = pattern; *p != 0; p++)
    {
        char one[2] = {*p, 0};
        if (*p != '$')
            writer_put(&w, one);
        else
            writer_put(&w, in_parentheses(r, &arguments[*++p - '1'], LEVEL_SUM));
    }
    return writer_text(&w);
}

static Piece choose(Reader* r, Piece condition, Piece yes, Piece no)
{
    condition = as_truth(r, condition);
    yes = as_number(r, yes);
    no = as_number(r, no);
    const char* text = arena_printf(r->arena, "if %s then %s else %s", condition.text, yes.text, no.text);
    double value = isnan(condition.value) ? NAN : condition.value != 0 ? yes.value : no.value;
    return (Piece){text, value, LEVEL_CHOICE, false};
}

static double value_of(const Function* f, const Piece* a)
{
    if (f->one != NULL)
        return f->one(a[0].value);
    if (isnan(a[0].value) || (f->arguments > 1 && isnan(a[1].value)))
        return NAN;
    if (strcmp(f->name, "min") == 0)
        return fmin(a[0].value, a[1].value);
    if (strcmp(f->name, "max") == 0)
        return fmax(a[0].value, a[1].value);
    return strcmp(f->name, "pow") == 0 ? pow(a[0].value, a[1].value) : NAN;
}

static Piece call(Reader* r, const char* name)
{
    const Function* f = NULL;
    Piece a[ARGUMENTS_MOST] = {{0}};
    int count = 0;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0)
            f = &functions[i];
    if (f == NULL)
        return fail(r, arena_printf(r->arena, "there is no function `%s`", name));
    do
    {
        if (count == f->arguments)
            return fail(r, arena_printf(r->arena, "`%s` has %d arguments", name, f->arguments));
        a[count++] = read_choice(r);
    } while (accept(r, ","));
    if (count != f->arguments || !accept(r, ")"))
        return fail(r, arena_printf(r->arena, "`%s` has %d arguments", name, f->arguments));
    if (f->text == NULL)
        return choose(r, a[0], a[1], a[2]);
    for (int i = 0; i < count; i++)
        a[i] = as_number(r, a[i]);
    return (Piece){fill_in(r, f->text, a), value_of(f, a), LEVEL_ATOM, false};
}

// ---- names, voltages, currents

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '#' || c == '$' || c == '+' || c == '-';
}

static Sign node_name(Reader* r)
{
    skip_blanks(r);
    const char* start = r->at;
    while (r->at < r->end && is_name(*r->at))
        r->at++;
    size_t length = (size_t)(r->at - start);
    return (Sign){.kind = SIGN_WORD,
                  .text = arena_copy_string(r->arena, start, length),
                  .key = key_of(r->circuit->netlist, start, length),
                  .span = r->span};
}

static Piece voltage(Reader* r)
{
    Sign first = node_name(r), second = {.key = "0"};
    if (accept(r, ","))
        second = node_name(r);
    if (!accept(r, ")"))
        return fail(r, "V(node) or V(node, node) is expected");
    const char* a = is_ground(first.key) ? "0" : circuit_voltage(r->circuit, &first);
    const char* b = is_ground(second.key) ? NULL : circuit_voltage(r->circuit, &second);
    r->failed |= a == NULL || (b == NULL && !is_ground(second.key));
    if (b == NULL)
        return (Piece){a != NULL ? a : "0", NAN, LEVEL_ATOM, false};
    return (Piece){arena_printf(r->arena, "%s - %s", a, b), NAN, LEVEL_SUM, false};
}

static Piece current(Reader* r)
{
    Sign name = node_name(r);
    if (!accept(r, ")"))
        return fail(r, "I(part) is expected");
    const char* text = circuit_current(r->circuit, name.key, r->span);
    r->failed |= text == NULL;
    if (text == NULL)
        return (Piece){"0", NAN, LEVEL_ATOM, false};
    Element* e = circuit_element(r->circuit, name.key);
    if (e->bare == NULL)
    {
        e->bare = circuit_unique(r->circuit, arena_printf(r->arena, "i_%s", name.text));
        circuit_line(r->circuit, arena_printf(r->arena, "signal %s = %s", e->bare, text));
    }
    return (Piece){e->bare, NAN, LEVEL_ATOM, false};
}

static Piece name_piece(Reader* r, const char* key, const char* name)
{
    if (strcmp(key, "pi") == 0)
        return (Piece){"pi", acos(-1), LEVEL_ATOM, false};
    if (r->live && strcmp(key, "time") == 0)
        return (Piece){"time", NAN, LEVEL_ATOM, false};
    Parameter* p = circuit_parameter(r->circuit, key);
    if (p != NULL && p->state == 1)
        return fail(r, arena_printf(r->arena, "`%s` is defined through itself", name));
    if (p == NULL)
        return fail(r, arena_printf(r->arena, "there is no parameter `%s`", name));
    return (Piece){p->name, p->formula.value, LEVEL_ATOM, false};
}

static Piece read_name(Reader* r)
{
    const char* start = r->at;
    while (r->at < r->end && (isalnum((unsigned char)*r->at) || *r->at == '_'))
        r->at++;
    size_t length = (size_t)(r->at - start);
    const char* key = key_of(r->circuit->netlist, start, length);
    if (!accept(r, "("))
        return name_piece(r, key, arena_copy_string(r->arena, start, length));
    if (r->live && strcmp(key, "v") == 0)
        return voltage(r);
    return r->live && strcmp(key, "i") == 0 ? current(r) : call(r, key);
}

// ---- operators

// Two letters that are read as units by people and as factors by some programs.
static void warn_about_letter(Reader* r, size_t used)
{
    Diags* diags = r->circuit->netlist->diags;
    char last = r->at[used - 1];
    bool alone = used > 1 && (isdigit((unsigned char)r->at[used - 2]) || r->at[used - 2] == '.');
    const char* number = arena_copy_string(r->arena, r->at, used);
    if (alone && (last == 'f' || last == 'F'))
    {
        Diag* d =
            diag_warning(diags, K_NETLIST_IDEAL, r->span, "`%s` has the factor femto, 1e-15, as in SPICE", number);
        diag_help(diags, d, "for farads leave the letter away");
    }
    if (alone && (last == 'a' || last == 'A'))
    {
        Diag* d = diag_warning(diags, K_NETLIST_IDEAL, r->span,
                               "`%s` is read in amperes; ngspice has the factor atto, 1e-18", number);
        diag_help(diags, d, "leave the letter away");
    }
}

static Piece read_atom(Reader* r)
{
    Formula number;
    size_t used;
    skip_blanks(r);
    if (accept(r, "("))
    {
        Piece inner = read_choice(r);
        return accept(r, ")") ? inner : fail(r, "`)` is missing");
    }
    if (r->at < r->end && (isalpha((unsigned char)*r->at) || *r->at == '_'))
        return read_name(r);
    if (!number_read(r->arena, r->at, (size_t)(r->end - r->at), &used, &number))
        return fail(r, r->at < r->end ? arena_printf(r->arena, "`%s` is no number of SPICE", r->at)
                                      : "something is missing at the end");
    warn_about_letter(r, used);
    r->at += used;
    return (Piece){number.text, number.value, LEVEL_ATOM, false};
}

static Piece read_factor(Reader* r)
{
    if (++r->depth > DEPTH_MOST)
        return fail(r, "it is nested too deeply");
    Piece result;
    if (accept(r, "-"))
    {
        Piece inner = as_number(r, read_factor(r));
        result = (Piece){arena_printf(r->arena, "-%s", in_parentheses(r, &inner, LEVEL_POWER)), -inner.value,
                         LEVEL_PRODUCT, false};
    }
    else if (accept(r, "+"))
        result = read_factor(r);
    else if (accept(r, "!"))
    {
        Piece inner = as_truth(r, read_factor(r));
        result = (Piece){arena_printf(r->arena, "not (%s)", inner.text), isnan(inner.value) ? NAN : inner.value == 0,
                         LEVEL_AND, true};
    }
    else
    {
        result = read_atom(r);
        if (accept(r, "**") || accept(r, "^"))
        {
            Piece base = as_number(r, result), power = as_number(r, read_factor(r));
            result = (Piece){arena_printf(r->arena, "%s^%s", in_parentheses(r, &base, LEVEL_ATOM),
                                          in_parentheses(r, &power, LEVEL_ATOM)),
                             pow(base.value, power.value), LEVEL_POWER, false};
        }
    }
    r->depth--;
    return result;
}

static Piece binary(Reader* r, Piece a, Piece b, const char* sign, double value, Level level)
{
    a = as_number(r, a);
    b = as_number(r, b);
    const char* text =
        arena_printf(r->arena, "%s%s%s", in_parentheses(r, &a, level), sign, in_parentheses(r, &b, (Level)(level + 1)));
    return (Piece){text, value, level, level == LEVEL_RELATION};
}

static Piece read_product(Reader* r)
{
    Piece a = read_factor(r);
    while (!r->failed)
    {
        if (accept(r, "*"))
        {
            Piece b = read_factor(r);
            a = binary(r, a, b, "*", a.value * b.value, LEVEL_PRODUCT);
        }
        else if (accept(r, "/"))
        {
            Piece b = read_factor(r);
            a = binary(r, a, b, "/", a.value / b.value, LEVEL_PRODUCT);
        }
        else
            break;
    }
    return a;
}

static Piece read_sum(Reader* r)
{
    Piece a = read_product(r);
    while (!r->failed)
    {
        if (accept(r, "+"))
        {
            Piece b = read_product(r);
            a = binary(r, a, b, " + ", a.value + b.value, LEVEL_SUM);
        }
        else if (accept(r, "-"))
        {
            Piece b = read_product(r);
            a = binary(r, a, b, " - ", a.value - b.value, LEVEL_SUM);
        }
        else
            break;
    }
    return a;
}

static double relate(int sign, double a, double b)
{
    if (isnan(a) || isnan(b))
        return NAN;
    const bool results[] = {a <= b, a >= b, a == b, a != b, a<b, a> b};
    return results[sign];
}

static Piece read_relation(Reader* r)
{
    static const char* const signs[] = {"<=", ">=", "==", "!=", "<", ">"};
    static const char* const texts[] = {" <= ", " >= ", " == ", " != ", " < ", " > "};
    Piece a = read_sum(r);
    for (int i = 0; i < 6; i++)
        if (accept(r, signs[i]))
        {
            Piece b = read_sum(r);
            return binary(r, a, b, texts[i], relate(i, a.value, b.value), LEVEL_RELATION);
        }
    return a;
}

static Piece logical(Reader* r, Piece a, Piece b, const char* sign, double value, Level level)
{
    a = as_truth(r, a);
    b = as_truth(r, b);
    const char* text = arena_printf(r->arena, "%s %s %s", in_parentheses(r, &a, level), sign,
                                    in_parentheses(r, &b, (Level)(level + 1)));
    return (Piece){text, isnan(a.value) || isnan(b.value) ? NAN : value, level, true};
}

static Piece read_and(Reader* r)
{
    Piece a = read_relation(r);
    while (!r->failed && (accept(r, "&&") || accept(r, "&")))
    {
        Piece b = read_relation(r);
        a = logical(r, a, b, "and", a.value != 0 && b.value != 0, LEVEL_AND);
    }
    return a;
}

static Piece read_or(Reader* r)
{
    Piece a = read_and(r);
    while (!r->failed && (accept(r, "||") || accept(r, "|")))
    {
        Piece b = read_and(r);
        a = logical(r, a, b, "or", a.value != 0 || b.value != 0, LEVEL_OR);
    }
    return a;
}

static Piece read_choice(Reader* r)
{
    if (++r->depth > DEPTH_MOST)
        return fail(r, "it is nested too deeply");
    Piece result = read_or(r);
    if (accept(r, "?"))
    {
        Piece yes = read_choice(r);
        if (!accept(r, ":"))
            return fail(r, "`:` is missing behind `?`");
        Piece no = read_choice(r);
        yes.text = in_parentheses(r, &yes, LEVEL_OR);
        result = choose(r, result, yes, no);
    }
    r->depth--;
    return result;
}

// ---- from outside

bool formula_read(Circuit* circuit, const char* raw, Span span, bool live, Formula* formula)
{
    Reader r = {.circuit = circuit,
                .arena = circuit->netlist->arena,
                .at = raw,
                .begin = raw,
                .end = raw + strlen(raw),
                .span = span,
                .live = live};
    Piece p = as_number(&r, read_choice(&r));
    skip_blanks(&r);
    if (!r.failed && r.at < r.end)
        fail(&r, arena_printf(r.arena, "`%s` does not belong here", r.at));
    circuit->netlist->live |= live;
    *formula = (Formula){p.text, p.value};
    return !r.failed;
}

static bool is_atom(const char* text)
{
    size_t i = 0;
    for (; text[i] != 0; i++)
        if (!isalnum((unsigned char)text[i]) && strchr("_.", text[i]) == NULL &&
            !(text[i] == '-' && i > 0 && text[i - 1] == 'e' && isdigit((unsigned char)text[0])))
            return false;
    return i > 0;
}

const char* formula_factor(Arena* arena, const Formula* formula)
{
    return is_atom(formula->text) ? formula->text : arena_printf(arena, "(%s)", formula->text);
}

bool formula_value(Circuit* circuit, Cursor* cursor, const char* what, Formula* formula)
{
    const Sign* sign = cursor_take(cursor);
    if (sign->kind != SIGN_WORD && sign->kind != SIGN_FORMULA)
    {
        diag_error(circuit->netlist->diags, K_NETLIST_SYNTAX, sign->span, "%s is missing here", what);
        return false;
    }
    return formula_read(circuit, sign->text, sign->span, false, formula);
}
