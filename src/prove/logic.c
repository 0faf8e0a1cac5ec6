// Formulas and questions. Linear ones go to the general solver, which decides them. Products of unknowns go to the
// procedure for polynomials (nlsat): what the general solver does with them cannot be interrupted.
#include "prove/logic.h"

#include "prove/rational.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double logic_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double logic_time_left(const Logic* l)
{
    return l->deadline - logic_clock();
}

// An error of Z3 leaves the question open; its code is looked at after every check.
static void ignore_error(Z3_context z, Z3_error_code code)
{
    (void)z;
    (void)code;
}

void logic_open(Logic* l, Arena* arena, double seconds)
{
    *l = (Logic){.arena = arena};
    map_init(&l->linear, arena);
    Z3_config config = Z3_mk_config();
    l->z = Z3_mk_context(config);
    Z3_del_config(config);
    if (l->z == NULL)
        arena_alloc(arena, SIZE_MAX);  // Z3 found no memory: ends as if the arena had not
    Z3_set_error_handler(l->z, ignore_error);
    l->real = Z3_mk_real_sort(l->z);
    l->boolean = Z3_mk_bool_sort(l->z);
    l->yes = Z3_mk_true(l->z);
    l->no = Z3_mk_false(l->z);
    l->zero = logic_number(l, 0);
    l->one = logic_number(l, 1);
    l->deadline = logic_clock() + seconds;
}

void logic_close(Logic* l)
{
    Z3_del_context(l->z);
    l->z = NULL;
}

// Z3 hands out nothing where it found no memory: ends as if the arena had not.
static Formula made(Logic* l, Z3_ast formula)
{
    if (formula == NULL)
        arena_alloc(l->arena, SIZE_MAX);
    return formula;
}

// ---- formulas
// --------------------------------------------------------------------------------------------------------

// Fractions have no infinity: a number beyond all that a model meets stands for it. What is no number may be any.
Formula logic_number(Logic* l, double value)
{
    if (isnan(value))
        return made(l, Z3_mk_fresh_const(l->z, "any", l->real));
    double finite = isfinite(value) ? value : copysign(LOGIC_ENDLESS, value);
    return made(l, Z3_mk_numeral(l->z, rational_text(l->arena, finite), l->real));
}

Formula logic_variable(Logic* l, const char* name, bool boolean)
{
    return made(l, Z3_mk_const(l->z, Z3_mk_string_symbol(l->z, name), boolean ? l->boolean : l->real));
}

bool logic_is_boolean(const Logic* l, Formula a)
{
    return Z3_get_sort_kind(l->z, Z3_get_sort(l->z, a)) == Z3_BOOL_SORT;
}

bool logic_is_number(Logic* l, Formula a)
{
    return Z3_is_numeral_ast(l->z, a);
}

Formula logic_and(Logic* l, Formula a, Formula b)
{
    if (a == l->no || b == l->no)
        return l->no;
    if (a == l->yes || a == b)
        return b;
    return b == l->yes ? a : made(l, Z3_mk_and(l->z, 2, (Z3_ast[]){a, b}));
}

Formula logic_or(Logic* l, Formula a, Formula b)
{
    if (a == l->yes || b == l->yes)
        return l->yes;
    if (a == l->no || a == b)
        return b;
    return b == l->no ? a : made(l, Z3_mk_or(l->z, 2, (Z3_ast[]){a, b}));
}

Formula logic_not(Logic* l, Formula a)
{
    if (a == l->yes)
        return l->no;
    return a == l->no ? l->yes : made(l, Z3_mk_not(l->z, a));
}

Formula logic_if(Logic* l, Formula condition, Formula a, Formula b)
{
    if (condition == l->yes || a == b)
        return a;
    if (condition == l->no)
        return b;
    if (a == l->yes && b == l->no)
        return condition;
    return made(l, Z3_mk_ite(l->z, condition, a, b));
}

// A relation between numbers is decided here.
static Formula decided(Logic* l, Z3_ast formula, Formula a, Formula b)
{
    Formula relation = made(l, formula);
    return logic_is_number(l, a) && logic_is_number(l, b) ? made(l, Z3_simplify(l->z, relation)) : relation;
}

Formula logic_equal(Logic* l, Formula a, Formula b)
{
    if (a == b)
        return l->yes;
    if (a == l->yes || b == l->yes)
        return a == l->yes ? b : a;
    return decided(l, Z3_mk_eq(l->z, a, b), a, b);
}

Formula logic_less(Logic* l, Formula a, Formula b)
{
    return a == b ? l->no : decided(l, Z3_mk_lt(l->z, a, b), a, b);
}

Formula logic_at_most(Logic* l, Formula a, Formula b)
{
    return a == b ? l->yes : decided(l, Z3_mk_le(l->z, a, b), a, b);
}

Formula logic_add(Logic* l, Formula a, Formula b)
{
    if (a == l->zero || b == l->zero)
        return a == l->zero ? b : a;
    return decided(l, Z3_mk_add(l->z, 2, (Z3_ast[]){a, b}), a, b);
}

Formula logic_subtract(Logic* l, Formula a, Formula b)
{
    if (b == l->zero)
        return a;
    return a == b ? l->zero : decided(l, Z3_mk_sub(l->z, 2, (Z3_ast[]){a, b}), a, b);
}

Formula logic_multiply(Logic* l, Formula a, Formula b)
{
    if (a == l->zero || b == l->zero)
        return l->zero;
    if (a == l->one || b == l->one)
        return a == l->one ? b : a;
    return decided(l, Z3_mk_mul(l->z, 2, (Z3_ast[]){a, b}), a, b);
}

// ---- questions
// -------------------------------------------------------------------------------------------------------

static void set_seconds(Logic* l, Z3_solver solver, double seconds)
{
    double left = logic_time_left(l);
    seconds = seconds < left ? seconds : left;
    Z3_params params = Z3_mk_params(l->z);
    Z3_params_inc_ref(l->z, params);
    unsigned milliseconds = seconds > 0.001 ? (unsigned)(1000 * seconds) : 1;
    Z3_params_set_uint(l->z, params, Z3_mk_string_symbol(l->z, "timeout"), milliseconds);
    Z3_solver_set_params(l->z, solver, params);
    Z3_params_dec_ref(l->z, params);
}

static Verdict answer(Logic* l, Z3_solver solver)
{
    Z3_lbool found = Z3_solver_check(l->z, solver);
    if (found == Z3_L_TRUE)
    {
        l->model = Z3_solver_get_model(l->z, solver);
        Z3_model_inc_ref(l->z, l->model);
    }
    else if (found == Z3_L_UNDEF)
        l->reason = arena_printf(l->arena, "%s", Z3_solver_get_reason_unknown(l->z, solver));
    return found == Z3_L_TRUE ? VERDICT_YES : found == Z3_L_FALSE ? VERDICT_NO : VERDICT_UNKNOWN;
}

static Verdict check(Logic* l, Z3_solver solver, const Formulas* all, double seconds)
{
    Z3_solver_inc_ref(l->z, solver);
    set_seconds(l, solver, seconds);
    for (uint32_t i = 0; i < all->count; i++)
        Z3_solver_assert(l->z, solver, all->at[i]);
    Verdict verdict = answer(l, solver);
    Z3_solver_dec_ref(l->z, solver);
    return verdict;
}

static bool is_product(Logic* l, Z3_app app)
{
    Z3_decl_kind kind = Z3_get_decl_kind(l->z, Z3_get_app_decl(l->z, app));
    unsigned count = Z3_get_app_num_args(l->z, app), unknowns = 0;
    if (kind != Z3_OP_MUL && kind != Z3_OP_DIV && kind != Z3_OP_POWER)
        return false;
    for (unsigned i = 0; i < count; i++)
        unknowns += !logic_is_number(l, Z3_get_app_arg(l->z, app, i));
    return unknowns > 1;
}

// Looks at each term once in the life of the context. (Z3's own probe takes `if` for a product.)
static bool term_is_linear(Logic* l, Formula a)
{
    uint32_t known;
    unsigned id = Z3_get_ast_id(l->z, a);
    if (map_get(&l->linear, id, &known))
        return known != 0;
    bool linear = true;
    if (Z3_get_ast_kind(l->z, a) == Z3_APP_AST)
    {
        Z3_app app = Z3_to_app(l->z, a);
        linear = !is_product(l, app);
        for (unsigned i = 0; i < Z3_get_app_num_args(l->z, app) && linear; i++)
            linear = term_is_linear(l, Z3_get_app_arg(l->z, app, i));
    }
    map_set(&l->linear, id, linear);
    return linear;
}

bool logic_linear(Logic* l, const Formulas* all)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (!term_is_linear(l, all->at[i]))
            return false;
    return true;
}

Verdict logic_ask(Logic* l, const Formulas* all, double seconds)
{
    l->questions++;
    if (logic_time_left(l) <= 0)
    {
        l->reason = "timeout";
        return VERDICT_UNKNOWN;
    }
    if (logic_linear(l, all))
        return check(l, Z3_mk_simple_solver(l->z), all, seconds);
    l->hard++;
    return check(l, Z3_mk_solver_for_logic(l->z, Z3_mk_string_symbol(l->z, "QF_NRA")), all, seconds);
}

// ---- sessions
// --------------------------------------------------------------------------------------------------------

LogicSession logic_session_open(Logic* l)
{
    LogicSession s = {l, Z3_mk_simple_solver(l->z)};
    Z3_solver_inc_ref(l->z, s.solver);
    return s;
}

void logic_session_close(LogicSession* s)
{
    Z3_solver_dec_ref(s->logic->z, s->solver);
}

void logic_session_push(LogicSession* s)
{
    Z3_solver_push(s->logic->z, s->solver);
}

void logic_session_pop(LogicSession* s)
{
    Z3_solver_pop(s->logic->z, s->solver, 1);
}

void logic_session_add(LogicSession* s, Formula a)
{
    Z3_solver_assert(s->logic->z, s->solver, a);
}

Verdict logic_session_ask(LogicSession* s, double seconds)
{
    Logic* l = s->logic;
    l->questions++;
    if (logic_time_left(l) <= 0)
    {
        l->reason = "timeout";
        return VERDICT_UNKNOWN;
    }
    set_seconds(l, s->solver, seconds);
    return answer(l, s->solver);
}

double logic_value(Logic* l, Formula a)
{
    Z3_ast value = NULL;
    if (!Z3_model_eval(l->z, l->model, a, true, &value) || value == NULL)
        return 0;
    if (logic_is_boolean(l, value))
        return Z3_get_bool_value(l->z, value) == Z3_L_TRUE;
    double numerator = 0, denominator = 1;
    if (Z3_is_algebraic_number(l->z, value))
        return strtod(Z3_get_numeral_decimal_string(l->z, value, 20), NULL);
    const char* text = Z3_get_numeral_string(l->z, value);
    numerator = strtod(text, NULL);
    const char* slash = strchr(text, '/');
    if (slash != NULL)
        denominator = strtod(slash + 1, NULL);
    double quotient = numerator / denominator;
    return isnan(quotient) ? strtod(Z3_get_numeral_decimal_string(l->z, value, 20), NULL)
                           : quotient;  // both beyond doubles
}
