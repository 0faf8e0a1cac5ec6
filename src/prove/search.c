// The search: sequences of reactions, one longer than the other, until none is left or one comes back.
#include "prove/search.h"

#include "elab/constant.h"
#include "prove/switching.h"

#include <math.h>

enum
{
    LENGTH_MOST = 24,
    POINTS_MOST = 20,
    LENGTH_RANK = 3,     // before longer sequences are tried, a rank is looked for,
    LENGTH_SQUARES = 8,  // and one with squares and products before still longer ones
};

static double patience(const Search* s)
{
    return logic_time_left(s->e->logic) / 3;
}

static void restrict_sides(Search* s, const Frame* f)
{
    Encoder* e = s->e;
    Logic* l = e->logic;
    for (uint32_t i = 0; i < e->slots.count; i++)
    {
        if (e->slots.at[i].kind != SLOT_SIDE || slot_group(e, i) != s->group)
            continue;
        Formula any = l->no;
        for (int k = -1; k <= 2; k++)
            any = logic_or(l, any, logic_equal(l, f->slots[i], logic_number(l, k)));
        vec_push(e->arena, s->path, any);
    }
}

static void begin(Search* s)
{
    Encoder* e = s->e;
    Frame* first = frame_new(e, 0, false);
    vec_push(e->arena, s->frames, first);
    encode_modes(e, first, s->group, &s->path);
    restrict_sides(s, first);
    if (s->region != 0)
        vec_push(e->arena, s->path, encode_condition(e, first, s->region));
    encode_take_side(e, &s->path);
}

static void extend(Search* s)
{
    Frame* last = s->frames.at[s->frames.count - 1];
    Frame* next = encode_step(s->e, last, s->group, &s->path);
    vec_push(s->e->arena, s->path, last->active);
    vec_push(s->e->arena, s->frames, next);
}

// The sequence comes back to a tag before: to its first one, or, where that is tied to a region, to any.
static Verdict ask_cycle(Search* s, uint32_t length)
{
    Encoder* e = s->e;
    Formula back = e->logic->no;
    for (uint32_t i = 0; i < length && (i == 0 || s->region != 0); i++)
        back = logic_or(e->logic, back, encode_same(e, s->frames.at[i], s->frames.at[length], s->group));
    vec_push(e->arena, s->path, back);
    Verdict verdict = logic_ask(e->logic, &s->path, patience(s));
    s->path.count--;
    return verdict;
}

static Answer unknown(Search* s)
{
    s->reason = s->e->logic->reason != NULL ? s->e->logic->reason : "no end of the sequences was found";
    return s->answer = ANSWER_UNKNOWN;
}

static Answer proved(Search* s, uint32_t longest)
{
    s->longest = longest;
    return s->answer = ANSWER_PROVED;
}

Answer search_decide(Search* s)
{
    bool open = false;
    if (switching_in_group(s->e, s->group))
    {
        Verdict loop = mythical_loop(s);
        if (loop == VERDICT_YES)
            return s->answer = ANSWER_REFUTED;
        if (loop == VERDICT_UNKNOWN)
            return unknown(s);
    }
    uint32_t hard = s->e->logic->hard;
    begin(s);
    for (uint32_t n = 1; n <= LENGTH_MOST; n++)
    {
        extend(s);
        Verdict any = logic_ask(s->e->logic, &s->path, patience(s));
        if (any == VERDICT_NO)
            return open ? unknown(s) : proved(s, n - 1);
        Verdict back = ask_cycle(s, n);
        if (back == VERDICT_YES)
        {
            s->witness.length = n;
            return s->answer = ANSWER_REFUTED;
        }
        open |= back == VERDICT_UNKNOWN;
        bool products = s->e->logic->hard > hard;  // long sequences of them are hopeless
        if (n == LENGTH_RANK && rank_excludes(s, products ? 2 : 1))
            return proved(s, 0);
        if (n == LENGTH_SQUARES && !products && rank_excludes(s, 2))
            return proved(s, 0);
        if (logic_time_left(s->e->logic) <= 0)
            break;
    }
    return unknown(s);
}

// Values that the witness gives to functions which formulas cannot say are compared with the true ones. Those that are
// wrong become known points. True: the witness stands.
static bool learn_points(Search* s)
{
    Encoder* e = s->e;
    bool right = true;
    for (uint32_t i = 0; i < e->calls.count; i++)
    {
        const VagueCall* call = &e->calls.at[i];
        double argument[3] = {logic_value(e->logic, call->argument)}, value;
        if (!constant_folds((NodeOp)call->op) || !constant_apply((NodeOp)call->op, argument, &value))
            continue;
        if (fabs(value - logic_value(e->logic, call->value)) <= 1e-12 * (1 + fabs(value)))
            continue;
        right = false;
        vec_push(e->arena, e->points, (VaguePoint){call->op, argument[0], value});
    }
    return right;
}

void search_group(Search* s)
{
    const Search fresh = *s;
    for (int round = 0; round < POINTS_MOST; round++)
    {
        *s = fresh;
        s->e->calls.count = 0;
        if (search_decide(s) != ANSWER_REFUTED || s->witness.mythical)
            return;
        witness_from_cycle(s, s->witness.length);
        witness_from_start(s, s->witness.length);
        if (learn_points(s))
            return;
    }
}
