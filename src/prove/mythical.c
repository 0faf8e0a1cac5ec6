// Loops of the a-posteriori run (rule B3): sets of modes that follow each other without end from one and the same
// state. The run switches all junctions together; if that comes back, it is tried once more switching one at a time,
// and only if that comes back too is it a mythical loop.
#include "prove/search.h"
#include "prove/sets.h"
#include "prove/switching.h"

enum
{
    SETS_MOST = 16,
    STEM_MOST = 3
};

typedef struct Chain
{
    Formulas path;
    VEC(Frame*) frames;
} Chain;

static double patience(const Search* s)
{
    return logic_time_left(s->e->logic) / 4;
}

// Any committed state, and any set that is tried from it.
static void begin(Search* s, Chain* c)
{
    Encoder* e = s->e;
    Frame* base = frame_new(e, 0, false);
    base->loose = true;
    encode_modes(e, base, s->group, &c->path);
    Frame* trial = circuit_trial(e, base, s->group);
    encode_modes(e, trial, s->group, &c->path);
    if (s->region != 0)
        vec_push(e->arena, c->path, encode_condition(e, base, s->region));
    encode_take_side(e, &c->path);
    vec_push(e->arena, c->frames, trial);
}

static void extend(Search* s, Chain* c, bool together)
{
    Encoder* e = s->e;
    Frame* last = c->frames.at[c->frames.count - 1];
    Frame* next = switching_posterior(e, last, s->group, together);
    vec_push(e->arena, c->path, last->active);
    encode_take_side(e, &c->path);
    vec_push(e->arena, c->frames, next);
}

// The last set is one of those before it, from `first` on.
static Formula comes_back(Search* s, const Chain* c, uint32_t from)
{
    Encoder* e = s->e;
    const Frame* last = c->frames.at[c->frames.count - 1];
    Formula back = e->logic->no;
    for (uint32_t i = from; i + 1 < c->frames.count; i++)
        back = logic_or(e->logic, back, switching_same_modes(e, c->frames.at[i], last, s->group));
    return back;
}

static Verdict ask_with(Search* s, Chain* c, Formula more)
{
    vec_push(s->e->arena, c->path, more);
    Verdict verdict = logic_ask(s->e->logic, &c->path, patience(s));
    c->path.count--;
    return verdict;
}

// Sets that follow each other one switch at a time: NO: they end after fewer than *length; YES: they come back.
static Verdict ask_single(Search* s, uint32_t* length)
{
    Chain c = {0};
    begin(s, &c);
    for (*length = 1; *length <= SETS_MOST; ++*length)
    {
        extend(s, &c, false);
        Verdict any = logic_ask(s->e->logic, &c.path, patience(s));
        if (any == VERDICT_NO)
            return VERDICT_NO;
        if (any == VERDICT_YES && ask_with(s, &c, comes_back(s, &c, 0)) == VERDICT_YES)
            return VERDICT_YES;
        if (logic_time_left(s->e->logic) <= 0)
            break;
    }
    return VERDICT_UNKNOWN;
}

// ---- a start that loops
// ----------------------------------------------------------------------------------------------

// How a run may start with it.
typedef struct Start
{
    bool initial;  // in the initial modes
    bool loose;    // with storages that do not fit the modes
    bool later;    // at another time than that of the experiment
} Start;

static void begin_at_start(Search* s, Chain* c, const Start* start)
{
    Encoder* e = s->e;
    Frame* base = frame_new(e, 0, true);
    base->loose = start->loose;
    encode_modes(e, base, s->group, &c->path);
    encode_start(e, base, s->group, &c->path);
    Formula time = logic_number(e->logic, s->start);
    vec_push(e->arena, c->path,
             start->later ? logic_at_most(e->logic, time, e->time) : logic_equal(e->logic, e->time, time));
    if (s->region != 0)
        vec_push(e->arena, c->path, encode_condition(e, base, s->region));
    for (uint32_t m = 0; start->initial && m < e->flat->machines.count; m++)
        vec_push(e->arena, c->path, base->slots[e->machine_slot[m] + e->flat->machines.at[m].initial]);
    vec_push(e->arena, c->frames, switching_prior(e, base, s->group));
    encode_take_side(e, &c->path);
}

static void take_witness(Search* s, Chain* c, bool initial)
{
    Encoder* e = s->e;
    witness_simplify(s, &c->path, c->frames.at[0]->base);
    Witness w = {.at_start = true, .initial = initial, .first = true, .mythical = true};
    uint32_t count = c->frames.count, from = 0;
    witness_take(s, (const Frame* const*)c->frames.at, count, &w);
    for (uint32_t i = count - 1; i-- > 0;)
        if (logic_value(e->logic, switching_same_modes(e, c->frames.at[i], c->frames.at[count - 1], s->group)) != 0)
            from = i;
    w.stem = from;
    w.length = count - 1 - from;
    w.base = arena_array(e->arena, double, e->slots.count + 1);
    for (uint32_t i = 0; i < e->slots.count; i++)
        w.base[i] = logic_value(e->logic, c->frames.at[0]->base->slots[i]);
    s->witness = w;
}

// Together and one at a time from the same start, both coming back.
static bool try_start(Search* s, uint32_t together, uint32_t single, const Start* start)
{
    Encoder* e = s->e;
    Chain c = {0};
    begin_at_start(s, &c, start);
    Chain alone = {.frames = {0}};
    vec_push(e->arena, alone.frames, c.frames.at[0]);
    if (switching_many(e, s->group))
    {
        Frame* first = circuit_copy(e, c.frames.at[0]);
        alone.frames.at[0] = first;
        for (uint32_t i = 0; i < single; i++)
            extend(s, &alone, false);
        vec_push(e->arena, alone.path, comes_back(s, &alone, 0));
    }
    for (uint32_t i = 0; i < together; i++)
        extend(s, &c, true);
    vec_push(e->arena, c.path, comes_back(s, &c, 0));
    for (uint32_t i = 0; i < alone.path.count; i++)
        vec_push(e->arena, c.path, alone.path.at[i]);
    if (logic_ask(e->logic, &c.path, patience(s)) != VERDICT_YES)
        return false;
    take_witness(s, &c, start->initial);
    return true;
}

static bool find_start(Search* s, uint32_t length, uint32_t single)
{
    for (int k = 0; k < 8; k++)
    {
        Start start = {.initial = (k & 1) == 0, .loose = (k & 2) != 0, .later = (k & 4) != 0};
        for (uint32_t n = length; n <= length + STEM_MOST; n++)
            for (uint32_t m = single; m <= single + STEM_MOST && (m == single || switching_many(s->e, s->group)); m++)
                if (try_start(s, n, m, &start))
                    return true;
    }
    return false;
}

// ---- the answer for the a-posteriori run
// -------------------------------------------------------------------------------

static Verdict judge_loop(Search* s, uint32_t length)
{
    uint32_t single = length;
    Verdict alone = switching_many(s->e, s->group) ? ask_single(s, &single) : VERDICT_YES;
    if (alone == VERDICT_NO)
    {
        s->e->inner = ANY_REST;
        return VERDICT_NO;
    }
    if (alone == VERDICT_UNKNOWN)
        return VERDICT_UNKNOWN;
    s->witness = (Witness){.length = length, .mythical = true};
    if (s->quick || find_start(s, length, single))
        return VERDICT_YES;
    s->e->inner = ANY_REST;
    return VERDICT_UNKNOWN;
}

// NO: every run ends, in at most e->inner sets after the first (or any that rests). YES: a loop, in s->witness.
Verdict mythical_loop(Search* s)
{
    SetsResult sets;
    Verdict by_sets = sets_fit(s) ? sets_search(s, &sets) : VERDICT_UNKNOWN;
    if (by_sets == VERDICT_NO)
    {
        s->e->inner = sets.fallback ? ANY_REST : sets.longest;
        return VERDICT_NO;
    }
    Chain c = {0};
    begin(s, &c);
    for (uint32_t n = 1; n <= SETS_MOST; n++)
    {
        extend(s, &c, true);
        Verdict any = logic_ask(s->e->logic, &c.path, patience(s));
        if (any == VERDICT_NO)
        {
            s->e->inner = n - 1;
            return VERDICT_NO;
        }
        if (ask_with(s, &c, comes_back(s, &c, 0)) == VERDICT_YES)
            return judge_loop(s, n);
        if (logic_time_left(s->e->logic) <= 0)
            break;
    }
    return VERDICT_UNKNOWN;
}
