// Ranks: V = Σ c m over monomials m of the state (and 1 for each mode) that no reaction raises, and that one of them
// lowers. Coefficients are guessed from examples and the guess is checked; a counterexample is the next example
// (counterexample-guided synthesis). A rank need not be bounded: to exclude a cycle it is enough that it cannot return.
#include "prove/search.h"

#include <math.h>

static const double RANK_SHARE = 0.3;  // of the time that is left

enum
{
    TRIES_MOST = 24,
    FINENESS = 240,     // coefficients are multiples of its inverse
    REST_MOST = 6,      // steps that may follow without an excluded reaction: memories settle
    PRODUCTS_MOST = 8,  // squares and products of more variables than this are not tried
};

typedef struct Ranking
{
    Search* s;
    Frame *before, *after;
    Formulas steps;  // every step that is not excluded yet
    Formulas monomials[2];
    VEC(const char*) names;
    uint32_t linear;  // the first so many are of degree 1
    uint32_t count;   // in use
    Formula* coefficients;
    VEC(Formula*) samples;  // changes of the monomials
    VEC(bool) lowered;      // whether the target fired
    bool* excluded;         // per reaction
} Ranking;

static void add_monomial(Ranking* r, Formula before, Formula after, const char* name)
{
    Arena* arena = r->s->e->arena;
    vec_push(arena, r->monomials[0], before);
    vec_push(arena, r->monomials[1], after);
    vec_push(arena, r->names, name);
}

static Formula as_number(Logic* l, Formula a)
{
    return logic_is_boolean(l, a) ? logic_if(l, a, l->one, l->zero) : a;
}

static bool is_ranked(const Ranking* r, uint32_t i)
{
    const Slot* slot = &r->s->e->slots.at[i];
    bool value = slot->kind == SLOT_STATE || slot->kind == SLOT_DISCRETE || slot->kind == SLOT_MODE;
    return value && slot->written && slot_group(r->s->e, i) == r->s->group;
}

static void find_monomials(Ranking* r)
{
    Encoder* e = r->s->e;
    Logic* l = e->logic;
    for (uint32_t i = 0; i < e->slots.count; i++)
        if (is_ranked(r, i))
            add_monomial(r, as_number(l, r->before->slots[i]), as_number(l, r->after->slots[i]), e->slots.at[i].name);
    r->linear = r->names.count;
    uint32_t numbers = 0;
    for (uint32_t i = 0; i < e->slots.count; i++)
        numbers += is_ranked(r, i) && !e->slots.at[i].boolean;
    for (uint32_t i = 0; i < e->slots.count && numbers <= PRODUCTS_MOST; i++)
        for (uint32_t k = 0; k <= i; k++)
            if (is_ranked(r, i) && is_ranked(r, k) && !e->slots.at[i].boolean && !e->slots.at[k].boolean)
                add_monomial(r, logic_multiply(l, r->before->slots[i], r->before->slots[k]),
                             logic_multiply(l, r->after->slots[i], r->after->slots[k]),
                             i == k ? arena_printf(e->arena, "%s^2", e->slots.at[i].name)
                                    : arena_printf(e->arena, "%s*%s", e->slots.at[k].name, e->slots.at[i].name));
}

static Formula rank_of(Ranking* r, int side)
{
    Logic* l = r->s->e->logic;
    Formula sum = l->zero;
    for (uint32_t i = 0; i < r->count; i++)
        sum = logic_add(l, sum, logic_multiply(l, r->coefficients[i], r->monomials[side].at[i]));
    return sum;
}

// ---- examples
// --------------------------------------------------------------------------------------------------------

// Guesses need few digits, and the solver's arithmetic on long fractions cannot be interrupted.
static double short_number(double value, double steps)
{
    if (!isfinite(value) || fabs(value) > 1e30 || fabs(value) < 1e-30)
        return 0;
    double unit = pow(10, floor(log10(fabs(value))));
    return round(value / unit * steps) / steps * unit;
}

static void take_sample(Ranking* r, Formula target)
{
    Logic* l = r->s->e->logic;
    Formula* change = arena_array(l->arena, Formula, r->names.count);
    for (uint32_t i = 0; i < r->names.count; i++)
        change[i] = logic_number(
            l, short_number(logic_value(l, logic_subtract(l, r->monomials[1].at[i], r->monomials[0].at[i])), 1e5));
    vec_push(l->arena, r->samples, change);
    vec_push(l->arena, r->lowered, logic_value(l, target) != 0);
}

// Coefficients between -1 and 1 that fit the examples. `margin`: the target is lowered by a part of the whole change.
static bool guess(Ranking* r, double margin)
{
    Logic* l = r->s->e->logic;
    Formulas all = {0};
    Formula* c = arena_array(l->arena, Formula, r->count);
    for (uint32_t i = 0; i < r->count; i++)
    {
        c[i] = logic_variable(l, arena_printf(l->arena, "c%u", i), false);
        vec_push(l->arena, all, logic_at_most(l, c[i], l->one));
        vec_push(l->arena, all, logic_at_most(l, logic_number(l, -1), c[i]));
    }
    for (uint32_t k = 0; k < r->samples.count; k++)
    {
        Formula sum = l->zero, size = l->zero;
        for (uint32_t i = 0; i < r->count; i++)
        {
            Formula d = r->samples.at[k][i];
            sum = logic_add(l, sum, logic_multiply(l, c[i], d));
            size = logic_add(l, size, logic_if(l, logic_less(l, d, l->zero), logic_subtract(l, l->zero, d), d));
        }
        Formula limit = logic_subtract(l, l->zero, logic_multiply(l, logic_number(l, margin), size));
        if (!r->lowered.at[k])
            vec_push(l->arena, all, logic_at_most(l, sum, l->zero));
        else
            vec_push(l->arena, all, margin > 0 ? logic_at_most(l, sum, limit) : logic_less(l, sum, l->zero));
    }
    if (logic_ask(l, &all, 2) != VERDICT_YES)
        return false;
    for (uint32_t i = 0; i < r->count; i++)
        r->coefficients[i] = logic_number(l, round(logic_value(l, c[i]) * FINENESS) / FINENESS);
    return true;
}

// ---- one rank
// --------------------------------------------------------------------------------------------------------

// Whether the guess holds for every step; if not, where it fails is the next example.
static Verdict refute_guess(Ranking* r, Formula target)
{
    Logic* l = r->s->e->logic;
    Formula before = rank_of(r, 0), after = rank_of(r, 1);
    Formula bad = logic_or(l, logic_less(l, before, after), logic_and(l, target, logic_at_most(l, before, after)));
    vec_push(l->arena, r->steps, bad);
    double left = logic_time_left(l) / 4;
    Verdict verdict = logic_ask(l, &r->steps, left < 3 ? left : 3);
    r->steps.count--;
    return verdict;
}

static bool find_rank(Ranking* r, Formula target, uint32_t count)
{
    Logic* l = r->s->e->logic;
    r->count = count;
    r->samples.count = r->lowered.count = 0;
    for (int i = 0; i < TRIES_MOST && logic_time_left(l) > 0; i++)
    {
        if (!guess(r, 0.05) && !guess(r, 0))
            return false;
        Verdict verdict = refute_guess(r, target);
        if (verdict == VERDICT_NO)
            return true;
        if (verdict == VERDICT_UNKNOWN)
            return false;
        take_sample(r, target);
    }
    return false;
}

static void say_rank(Ranking* r)
{
    Search* s = r->s;
    Logic* l = s->e->logic;
    const char* text = "";
    double most = 0;
    for (uint32_t i = 0; i < r->count; i++)
        most = fmax(most, fabs(logic_value(l, r->coefficients[i])));
    if (most == 0)  // the reaction can never fire
        return;
    for (uint32_t i = 0; i < r->count; i++)
    {
        double c = logic_value(l, r->coefficients[i]) / most;
        if (c != 0)
            text = arena_printf(l->arena, "%s%s%.6g %s", text, text[0] != 0 ? " + " : "", c, r->names.at[i]);
    }
    s->ranks =
        arena_printf(l->arena, "%s%s%s", s->ranks != NULL ? s->ranks : "", s->ranks != NULL ? "; then " : "", text);
}

// A rank that excludes one of the reactions that are left.
static bool exclude_one(Ranking* r, int degree)
{
    Encoder* e = r->s->e;
    for (uint32_t k = 0; k < e->reactions.count; k++)
    {
        Formula fires = r->before->fires[k];
        if (fires == NULL || fires == e->logic->no || r->excluded[k])
            continue;
        if (!find_rank(r, fires, degree == 1 ? r->linear : r->names.count))
            continue;
        say_rank(r);
        vec_push(e->arena, r->steps, logic_not(e->logic, fires));
        r->excluded[k] = true;
        return true;
    }
    return false;
}

// Whether sequences without the excluded reactions end after a few steps.
static Verdict goes_on(Ranking* r)
{
    Encoder* e = r->s->e;
    Formulas path = {0};
    Frame* f = frame_new(e, 0, false);
    encode_modes(e, f, r->s->group, &path);
    Verdict verdict = VERDICT_YES;
    for (int n = 0; n < REST_MOST && verdict == VERDICT_YES; n++)
    {
        Frame* next = encode_step(e, f, r->s->group, &path);
        vec_push(e->arena, path, f->active);
        for (uint32_t k = 0; k < e->reactions.count; k++)
            if (r->excluded[k])
                vec_push(e->arena, path, logic_not(e->logic, f->fires[k]));
        verdict = logic_ask(e->logic, &path, 2);
        f = next;
    }
    return verdict;
}

static Ranking open_ranking(Search* s)
{
    Ranking r = {.s = s};
    r.before = frame_new(s->e, 0, false);
    encode_modes(s->e, r.before, s->group, &r.steps);
    r.after = encode_step(s->e, r.before, s->group, &r.steps);
    vec_push(s->e->arena, r.steps, r.before->active);
    find_monomials(&r);
    r.coefficients = arena_array(s->e->arena, Formula, r.names.count + 1);
    r.excluded = arena_array(s->e->arena, bool, s->e->reactions.count + 1);
    return r;
}

bool rank_excludes(Search* s, int degree)
{
    Logic* l = s->e->logic;
    double deadline = l->deadline;
    l->deadline = logic_clock() + logic_time_left(l) * RANK_SHARE;
    Ranking r = open_ranking(s);
    bool excluded = false;
    while (!excluded && r.names.count > 0 && (exclude_one(&r, 1) || (degree > 1 && exclude_one(&r, 2))))
        excluded = goes_on(&r) == VERDICT_NO;
    l->deadline = deadline;
    if (!excluded)
        s->ranks = NULL;
    return excluded;
}
