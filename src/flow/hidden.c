// What may be hidden inside a step (decision 0248). An operator that is flat to rounding where a step begins, and where
// it ends, may wake up in between: exp(-100*(t - 5)^2) is 0 but for a moment. No series, no stage and no estimate of an
// error tells of that. The ranges of the states over the step do (vm/range): where they take an argument of such an
// operator over many of its units, the step is divided until each part either cannot matter (what an operator may hide
// there is nothing beside the tolerance) or is short enough to be known by a sample. Samples are compared with the
// polynomial of the step. Where what it has missed adds up to more than it may, the step is not believed from there on.
//
// The check knows no method: it sees the polynomial that the step has left, and f.
#include "base/tolerance.h"
#include "flow/flow.h"
#include "model/code.h"
#include "num/polynomial.h"
#include "vm/tangent.h"

#include <math.h>
#include <string.h>

enum
{
    WALKS_MOST = 2000,  // of one step; then it ends where they have got to
    ROUNDS_MOST = 64,   // trials of one step
    DEPTH_MOST = 60,
    PROBE_EVERY = 4,  // levels of parts
};

typedef struct Look
{
    Flow* flow;
    uint32_t island;
    Ode* ode;
    const Island* of;
    double start, length, shortest, least;  // of a step; of a part that is divided
    int walks;
    double reached, scale;  // where it was not believed any more, as a part of the step; how long a step may be there
} Look;

// ---- ranges

typedef struct Motion
{
    double middle, slope, rest;
} Motion;

// The linear term as it is, the others by their size.
static Motion motion(double value, const double* c, uint32_t stride, int degree, double h)
{
    double half = degree > 0 ? 0.5 * c[0] * h : 0, rest = 0;
    for (int k = degree; k > 1; k--)
        rest = (rest + fabs(c[(uint32_t)(k - 1) * stride])) * h;
    return (Motion){value + half, half, rest * h};
}

void hidden_set_range(Flow* flow, uint32_t reg, const double* c, uint32_t stride, int degree, double h)
{
    Motion m = motion(flow->kernel->R[reg], c, stride, degree, h);
    ranges_set(flow->ranges, reg, m.middle, m.slope, m.rest);
}

void hidden_set_place(Flow* flow, uint32_t reg, const double* c, uint32_t stride, int degree, double h)
{
    double at = HIDDEN_PLACE * h, sum = 0;
    for (int k = degree; k > 0; k--)
        sum = (sum + c[(uint32_t)(k - 1) * stride]) * at;
    ranges_set(flow->ranges, reg, flow->kernel->R[reg] + sum, 0, 0);
}

static Motion motion_of(const Look* k, uint32_t slot)
{
    double c[ODE_ORDER + 1];
    ode_piece(k->ode, (int)slot, c);
    return motion(c[0], c + 1, 1, ode_piece_degree(k->ode), k->length);
}

static void set_whole(const Look* k, uint32_t slot)
{
    Motion m = motion_of(k, slot);
    ranges_set(k->flow->ranges, k->flow->model->reg_first[REG_STATE] + island_state(k->flow, k->island, slot), m.middle,
               m.slope, m.rest);
}

static void begin(const Look* k, double from, double to, double limit)
{
    Kernel* kernel = k->flow->kernel;
    ranges_begin(k->flow->ranges, kernel->R, &kernel->host, limit);
    ranges_set(k->flow->ranges, k->flow->model->reg_time, k->start + 0.5 * (from + to) * k->length,
               0.5 * (to - from) * k->length, 0);
}

static bool is_answered(const Look* k, const Sharp* sharp)
{
    double half = 0.5 * k->length;
    box_set(sharp->box, 0, k->start + half, half, 0);
    for (uint32_t i = 0; i < sharp->count; i++)
    {
        Motion m = motion_of(k, k->flow->sharp_slots[sharp->first + i]);
        box_set(sharp->box, i + 1, m.middle, m.slope, m.rest);
    }
    return box_answers(sharp->box, k->flow, sharp->slice);
}

// How many of its units an operator goes through at most, by the part of the program that such operators need, on the
// whole step.
static double measure(const Look* k)
{
    const Flow* flow = k->flow;
    const Sharp* sharp = &flow->sharp[k->island];
    const CodeRange code = k->of->deriv;
    if (sharp->box != NULL && is_answered(k, sharp))
        return 0;
    begin(k, 0, 1, HIDDEN_STEP);
    for (uint32_t i = 0; i < sharp->count; i++)
        set_whole(k, flow->sharp_slots[sharp->first + i]);
    return sharp->slice != NULL
               ? ranges_measure(flow->ranges, sharp->slice->words, sharp->slice->count, flow->sharp_unread)
               : ranges_walk(flow->ranges, flow->model->code + code.start, code.end - code.start);
}

// A state on a part of the step: its polynomial around the middle, as large as its terms can be.
static void set_part(const Look* k, uint32_t slot, double middle, double half)
{
    uint32_t reg = k->flow->model->reg_first[REG_STATE] + island_state(k->flow, k->island, slot);
    double c[ODE_ORDER + 1];
    int degree = ode_piece_degree(k->ode);
    ode_piece(k->ode, (int)slot, c);
    polynomial_shift(c, degree, middle, c);
    ranges_set(k->flow->ranges, reg, c[0], degree > 0 ? c[1] * half : 0,
               degree > 1 ? polynomial_bound(c, degree, half, 2) : 0);
}

// All of f on a part of the step; operators hide what they do if they go through more than `limit` units.
static void walk_part(const Look* k, double from, double to, double limit)
{
    const CodeRange code = k->of->deriv;
    begin(k, from, to, limit);
    for (uint32_t i = 0; i < k->of->states.count; i++)
        set_part(k, i, 0.5 * (from + to) * k->length, 0.5 * (to - from) * k->length);
    ranges_walk(k->flow->ranges, k->flow->model->code + code.start, code.end - code.start);
}

static double hidden_of(const Look* k, uint32_t slot)
{
    uint32_t reg = k->flow->model->reg_first[REG_DERIV] + island_state(k->flow, k->island, slot);
    return ranges_get(k->flow->ranges, reg).hidden;
}

// Whatever is hidden in this part, no state would notice.
static bool is_nothing(const Look* k, double length)
{
    for (uint32_t i = 0; i < k->of->states.count; i++)
        if (!(hidden_of(k, i) * length <= HIDDEN_NOTHING * ode_allowance(k->ode, (int)i)))
            return false;
    return true;
}

// Whether dividing the part would narrow what is hidden: at one time nothing moves, and what has no bounds even there
// (the difference of two infinities, the angle of a wave that time does not resolve) has none in a part either. What is
// hidden beside it still counts. Asked now and then on the way down, for all that lies below.
static bool can_narrow(const Look* k, double from, double to, int depth)
{
    double place = from + HIDDEN_PLACE * (to - from), length = (to - from) * k->length, *whole = k->flow->island_dx;
    bool any = false;
    if (depth % PROBE_EVERY != 0)
        return true;
    for (uint32_t i = 0; i < k->of->states.count; i++)
        whole[i] = hidden_of(k, i);
    walk_part(k, place, place, HIDDEN_PART);
    for (uint32_t i = 0; i < k->of->states.count && !any; i++)
        any = (whole[i] - hidden_of(k, i)) * length > HIDDEN_NOTHING * ode_allowance(k->ode, (int)i);
    return any;
}

// ---- samples

// So that the next question finds zeros.
static void clear_bounds(const Look* k, double* bounds)
{
    const kaiModel* model = k->flow->model;
    const CodeRange code = k->of->deriv;
    CodeItem item;
    for (uint32_t at = code.start; at < code.end && code_item(model->code, at, code.end, &item); at += item.words)
        for (uint32_t i = 0; i < item.reg_count; i++)
            bounds[model->code[item.first_reg + i]] = 0;
    for (uint32_t i = 0; i < k->of->states.count; i++)
        bounds[model->reg_first[REG_STATE] + island_state(k->flow, k->island, i)] = 0;
}

// What f has not got from anything hidden but from its states, which are known to their tolerance, and from rounding:
// beside a pole, or where stiff equations hold it, that is much. f has just been evaluated; what it may be off by is
// taken from the difference.
static void allow_for_states(const Look* k, double* difference)
{
    Flow* flow = k->flow;
    const kaiModel* model = flow->model;
    double* bounds = rounding_bounds(flow);
    if (bounds == NULL)
        return;
    for (uint32_t i = 0; i < k->of->states.count; i++)
        bounds[model->reg_first[REG_STATE] + island_state(flow, k->island, i)] = ode_allowance(k->ode, (int)i);
    bool known = vm_rounding(model, flow->kernel->R, k->of->deriv, &flow->trial, bounds);
    for (uint32_t i = 0; i < k->of->states.count; i++)
    {
        double off = bounds[model->reg_first[REG_DERIV] + island_state(flow, k->island, i)];
        if (known && isfinite(off))
            difference[i] = larger(difference[i] - off, 0);
    }
    clear_bounds(k, bounds);
}

static bool misses(const Look* k, const double* difference, double length)
{
    bool much = false;
    for (uint32_t i = 0; i < k->of->states.count && !much; i++)
        much = !(k->flow->missed[i] + difference[i] * length <= HIDDEN_MISSED * ode_allowance(k->ode, (int)i));
    return much;
}

// f in the middle of a part, and what its polynomial has missed there if that holds for all of it. False: too much.
static bool sample(Look* k, double from, double to)
{
    Flow* flow = k->flow;
    const IslandSystem* own = &flow->island_systems[k->island];
    double theta = 0.5 * (from + to), length = (to - from) * k->length, *x = flow->island_x, *f = flow->island_start;
    ode_dense(k->ode, theta, x, flow->island_dx);
    ode_asked(k->ode);
    if (own->system.rhs((void*)(uintptr_t)own, k->start + theta * k->length, x, f) != 0)
        return true;  // it has no value there: that is not for us to say
    for (uint32_t i = 0; i < k->of->states.count; i++)
    {
        if (!isfinite(f[i]))
            return true;
        f[i] = fabs(f[i] - flow->island_dx[i]);
    }
    if (misses(k, f, length))
        allow_for_states(k, f);
    if (misses(k, f, length))
        return false;
    for (uint32_t i = 0; i < k->of->states.count; i++)
        flow->missed[i] += f[i] * length;
    return true;
}

static bool stop_at(Look* k, double from, double length)
{
    k->reached = from;
    k->scale = length * k->length;
    return false;
}

// From left to right, so that the first place is found at which the step cannot be believed. True: there is none.
static bool examine(Look* k, double from, double to, int depth)
{
    double middle = 0.5 * (from + to), length = (to - from) * k->length;
    if (k->walks > WALKS_MOST)
        return stop_at(k, from, from > 0 ? from : 0.25);
    k->walks++;
    walk_part(k, from, to, depth > 0 ? HIDDEN_PART : HIDDEN_STEP);
    bool hides = !is_nothing(k, length);
    if (hides && depth < DEPTH_MOST && length > k->least && can_narrow(k, from, to, depth))
        return examine(k, from, middle, depth + 1) && examine(k, middle, to, depth + 1);
    if (!hides && depth == 0)
        return true;
    if (!hides)
        walk_part(k, from, to, 0);                // are they at rest, or known by a sample?
    bool rests = hides || is_nothing(k, length);  // what still hides has no place in t, or any
    return rests || sample(k, from, to) || stop_at(k, from, to - from);
}

// ---- steps

static bool is_believed(Look* k)
{
    Flow* flow = k->flow;
    k->start = ode_step_start(k->ode);
    k->length = ode_dense_length(k->ode);
    k->shortest = ode_shortest_step(k->ode);
    k->least = larger(4 * k->shortest, HIDDEN_LEAST * k->length);
    k->walks = 0;
    if (!(k->length > 4 * k->shortest) || measure(k) <= HIDDEN_STEP)
        return true;
    memset(flow->missed, 0, sizeof *flow->missed * k->of->states.count);
    flow->islands[k->island].loaded = NAN;
    return examine(k, 0, 1, 0);
}

static bool is_checked(const Flow* flow, uint32_t island)
{
    return flow->sharp[island].any && !ode_method_is_fixed(ode_method(island_ode(flow, island))) &&
           !kernel_numeric(flow->kernel);
}

// By itself, so that islands without such operators do not pay for its room.
__attribute__((noinline)) static int step_and_look(Flow* flow, uint32_t island, double limit)
{
    Look k = {.flow = flow, .island = island, .ode = island_ode(flow, island), .of = &flow->model->islands[island]};
    int failed = ode_step(k.ode, limit);
    for (int round = 0; failed == ODE_OK; round++)
    {
        ode_set_max_step(k.ode, 0);
        if (round == ROUNDS_MOST || !is_checked(flow, island) || is_believed(&k))
            return ODE_OK;
        bool some = k.reached * k.length >= k.shortest;
        ode_retreat(k.ode, some ? k.reached : 0, larger(k.scale, k.shortest));
        if (some)
            return ODE_OK;
        failed = ode_step(k.ode, limit);
    }
    return failed;
}

int hidden_step(Flow* flow, uint32_t island, double limit)
{
    return flow->sharp[island].any ? step_and_look(flow, island, limit) : ode_step(flow->island_odes[island], limit);
}

// ---- making

// The part of the program that sharp operators need, and the states that it reads. False: no memory.
static bool slice_sharp(Flow* flow, uint32_t island, uint8_t* marks)
{
    const kaiModel* model = flow->model;
    const Island* of = &model->islands[island];
    Sharp* sharp = &flow->sharp[island];
    kaiAllocator a = flow->kernel->options->allocator;
    bool possible = slice_is_possible(model, of->deriv);
    sharp->first = of->states.first;
    for (uint32_t i = of->deriv.start; possible && i < of->deriv.end; i++)  // registers among them
        if (model->code[i] < model->reg_count)
            flow->sharp_unread[model->code[i]] |= marks[model->code[i]];
    if (possible && (sharp->slice = slice_make(model, of->deriv, NULL, marks, a)) == NULL)
        return false;
    if (possible)
        ranges_mark_unread(model, sharp->slice->words, sharp->slice->count, flow->sharp_unread);
    for (uint32_t i = 0; i < of->states.count; i++)
        if (!possible || marks[model->reg_first[REG_STATE] + model->island_states[of->states.first + i]] != 0)
            flow->sharp_slots[sharp->first + sharp->count++] = i;
    return true;
}

// A number per register, twice, all 0. NULL: no memory.
static uint8_t* marks_create(Flow* flow)
{
    kaiAllocator a = flow->kernel->options->allocator;
    size_t bytes = 2 * (size_t)flow->model->reg_count;
    uint8_t* marks = a.alloc(a.user, NULL, 0, bytes);
    if (marks != NULL)
        memset(marks, 0, bytes);
    flow->no_memory |= marks == NULL;
    return marks;
}

static void marks_free(Flow* flow, uint8_t* marks)
{
    kaiAllocator a = flow->kernel->options->allocator;
    if (marks != NULL)
        a.alloc(a.user, marks, 2 * (size_t)flow->model->reg_count, 0);
}

enum
{
    SHARP_NO = 1,
    SHARP_YES = 2,
};

bool hidden_is_sharp(Flow* flow, const uint32_t* words, uint32_t count, uint8_t* answer)
{
    if (*answer == 0)
    {
        uint8_t* marks = marks_create(flow);
        *answer = marks != NULL && ranges_mark_sharp(flow->model, words, count, marks) ? SHARP_YES : SHARP_NO;
        marks_free(flow, marks);
    }
    return *answer == SHARP_YES;
}

bool hidden_create(Flow* flow)
{
    const kaiModel* model = flow->model;
    uint8_t* marks = marks_create(flow);
    bool ok = marks != NULL;
    for (uint32_t i = 0; ok && i < model->islands_count; i++)
    {
        const CodeRange code = model->islands[i].deriv;
        if (model->islands[i].states.count == 0)
            continue;
        flow->sharp[i].any = ranges_mark_sharp(model, model->code + code.start, code.end - code.start, marks);
        if (!flow->sharp[i].any)
            continue;
        ok = slice_sharp(flow, i, marks) && hidden_ranges(flow) != NULL;
        ranges_clear_marks(model, model->code + code.start, code.end - code.start, marks);
        ok = ok && box_create(flow, i, marks);
    }
    marks_free(flow, marks);
    return ok;
}

VmRanges* hidden_ranges(Flow* flow)
{
    if (flow->ranges == NULL)
        flow->ranges = ranges_create(flow->model, flow->kernel->options->allocator);
    flow->no_memory |= flow->ranges == NULL;
    return flow->ranges;
}

void hidden_free(Flow* flow)
{
    kaiAllocator a = flow->kernel->options->allocator;
    for (uint32_t i = 0; flow->sharp != NULL && i < flow->model->islands_count; i++)
    {
        slice_free(flow->sharp[i].slice, a);
        box_free(flow->sharp[i].box, a);
    }
    ranges_free(flow->ranges);
}
