// A guard along a step. Its value comes from the states of the dense output and its own code; its polynomial from the
// polynomials of the states and the series of that code (vm/series), so that it is exact where the guard is affine in
// the states and cut off where it is not.
#include "flow/guard_path.h"
#include "base/tolerance.h"

#include "vm/series.h"

#include <math.h>
#include <string.h>

GuardPath guard_path_of_step(Flow* flow, uint32_t guard, uint32_t island)
{
    // The time at theta must be that at which ode_cut ends, to the last digit: one unit earlier may be before the
    // event.
    const Ode* ode = island_ode(flow, island);
    return (GuardPath){flow,
                       guard,
                       &flow->model->guards[guard],
                       ode_step_start(ode),
                       ode_dense_length(ode),
                       flow->kernel->guards[guard].toward,
                       island};
}

GuardPath guard_path_of_window(Flow* flow, uint32_t guard, double from, double until)
{
    return (GuardPath){
        flow, guard, &flow->model->guards[guard], from, until - from, flow->kernel->guards[guard].toward, NO_ISLAND};
}

// States of all that the guard reads, at theta of the window; with slopes those too.
static void load_all(const GuardPath* path, double theta, bool slopes)
{
    Flow* flow = path->flow;
    const Guard* guard = path->guard;
    for (uint32_t i = 0; i < guard->islands.count; i++)
        island_look(flow, flow->model->guard_islands[guard->islands.first + i], path->start, path->length, theta,
                    slopes);
}

// The few states that the guard reads, at theta of the step.
static void load_some(const GuardPath* path, double theta)
{
    Flow* flow = path->flow;
    const kaiModel* model = flow->model;
    const Guard* guard = path->guard;
    const int* slots = model->guard_slots + guard->first_state;
    const int* states = model->guard_states + guard->first_state;
    uint32_t base = flow->islands[path->island].base;
    double* x = base != NO_REG ? kernel_states(flow->kernel) + base : flow->island_x;
    ode_dense_some(island_ode(flow, path->island), theta, slots, (int)guard->state_count, x);
    for (uint32_t i = 0; base == NO_REG && i < guard->state_count; i++)
        kernel_states(flow->kernel)[states[i]] = x[slots[i]];
}

// The same in a window of several islands, and their slopes there.
static void load_few(const GuardPath* path, double theta, bool slopes)
{
    Flow* flow = path->flow;
    const kaiModel* model = flow->model;
    const Guard* guard = path->guard;
    double *x = kernel_states(flow->kernel), *dx = kernel_slopes(flow->kernel), at = 0;
    uint32_t before = NO_ISLAND;
    for (uint32_t i = guard->first_state; i < guard->first_state + guard->state_count; i++)
    {
        uint32_t state = (uint32_t)model->guard_states[i], island = model->state_islands[state];
        if (island != before)
            at = island_window_theta(flow, island, path->start, path->length, theta);
        before = island;
        IslandState* s = &flow->islands[island];
        s->loaded = NAN;
        if (s->terms > 0)
        {
            x[state] = island_value(flow, s, at, state);
            if (slopes)
                dx[state] = island_slope(flow, s, at, state);
        }
        else if (slopes)
            ode_dense_one(island_ode(flow, island), at, model->guard_slots[i], &x[state], &dx[state]);
        else
            x[state] = ode_dense_value(island_ode(flow, island), at, model->guard_slots[i]);
    }
}

void guard_path_load(const GuardPath* path, double theta)
{
    Flow* flow = path->flow;
    bool own = guard_has_code(path->guard);
    flow->kernel->counters.guard_calls++;
    flow->kernel->R[flow->model->reg_time] = guard_path_time(path, theta);
    if (!own)
        load_all(path, theta, true);
    else if (path->island == NO_ISLAND)
        load_few(path, theta, false);
    else
        load_some(path, theta);
}

// Of a guard that copies one state, without its program.
static double direct_value(const GuardPath* path, double theta)
{
    Flow* flow = path->flow;
    uint32_t at = path->guard->first_state;
    double value = ode_dense_value(island_ode(flow, path->island), theta, flow->model->guard_slots[at]);
    flow->kernel->counters.guard_calls++;
    flow->kernel->R[flow->model->reg_time] = guard_path_time(path, theta);
    kernel_states(flow->kernel)[flow->model->guard_states[at]] = flow->kernel->R[path->guard->g] = value;
    return value + flow->kernel->guards[path->index].bias;
}

static void run_guard(Flow* flow, uint32_t index)
{
    const Guard* guard = &flow->model->guards[index];
    CodeRange range = guard_has_code(guard) ? guard->code : guard->look;
    const uint32_t* code = flow->model->code;
    hot_run(&flow->guard_hots[index], flow->model, flow->kernel->R, code + range.start, code + range.end, &flow->trial);
}

double guard_path_value(const GuardPath* path, double theta)
{
    Flow* flow = path->flow;
    const Guard* guard = path->guard;
    if (theta >= 1)
    {
        if (path->island != NO_ISLAND)
            guard_load_ends(flow, path->island);
        return flow->kernel->guards[path->index].g_end;
    }
    if (flow->guard_direct[path->index] && path->island != NO_ISLAND)
        return direct_value(path, theta);
    guard_path_load(path, theta);
    Slice* slice = flow->guard_slices[path->index];
    if (slice != NULL)
        slice_run(slice, flow->model, flow->kernel->R, &flow->trial);
    else
        run_guard(flow, path->index);
    return guard_value(flow->kernel, guard);
}

double guard_path_slope(const GuardPath* path, double theta)
{
    Flow* flow = path->flow;
    const Guard* guard = path->guard;
    bool own = guard->slope_code.end > guard->slope_code.start;
    flow->kernel->counters.guard_calls++;
    flow->kernel->R[flow->model->reg_time] = guard_path_time(path, theta);
    if (own)
        load_few(path, theta, true);
    else
        load_all(path, theta, true);
    vm_run(flow->model, flow->kernel->R, own ? guard->slope_code : guard->look, &flow->trial);
    return flow->kernel->R[guard->slope];
}

double guard_path_tolerance(const GuardPath* path)
{
    double ulp = CROSSING_ULP * fabs(path->start) / path->length;
    return fabs(path->start) > CROSSING_EARLY * path->length ? smaller(larger(ulp, CROSSING_FINEST), CROSSING_COARSEST)
                                                             : CROSSING_COARSEST;
}

void guard_note_touch(const GuardPath* path, double theta)
{
    GuardState* state = &path->flow->kernel->guards[path->index];
    double at = guard_path_time(path, theta), *last = &path->flow->kernel->touch_times[path->index];
    if (state->touches > 0 && fabs(at - *last) <= TOUCH_SAME * path->length)
        return;  // the same, seen from the next window
    state->touches++;
    *last = at;
    path->flow->kernel->counters.touches++;
}

// ---- series
// ----------------------------------------------------------------------------------------------------------

static uint32_t island_size(const kaiModel* model, const Guard* guard, uint32_t i)
{
    return model->islands[model->guard_islands[guard->islands.first + i]].states.count;
}

// Inputs are the states that the guard's own code reads; where it has none, all of its islands and then their
// derivatives.
static uint32_t input_count(const kaiModel* model, const Guard* guard)
{
    uint32_t count = 0;
    if (guard_has_code(guard))
        return guard->state_count;
    for (uint32_t i = 0; i < guard->islands.count; i++)
        count += island_size(model, guard, i);
    return 2 * count;
}

static void list_inputs(const kaiModel* model, const Guard* guard, uint32_t* regs)
{
    uint32_t at = 0, state = model->reg_first[REG_STATE], half = input_count(model, guard) / 2;
    for (uint32_t i = 0; guard_has_code(guard) && i < guard->state_count; i++)
        regs[i] = state + (uint32_t)model->guard_states[guard->first_state + i];
    for (uint32_t i = 0; !guard_has_code(guard) && i < guard->islands.count; i++)
    {
        const Island* island = &model->islands[model->guard_islands[guard->islands.first + i]];
        for (uint32_t k = 0; k < island->states.count; k++, at++)
        {
            regs[at] = state + model->island_states[island->states.first + k];
            regs[half + at] = model->reg_first[REG_DERIV] + model->island_states[island->states.first + k];
        }
    }
}

// Where many guards share one program, what this one needs of it. False: no memory.
static bool make_slice(Flow* flow, uint32_t index)
{
    const kaiModel* model = flow->model;
    const Guard* guard = &model->guards[index];
    kaiAllocator a = flow->kernel->options->allocator;
    if (guard_has_code(guard) || flow->guard_slices[index] != NULL || !slice_is_possible(model, guard->look))
        return true;
    uint8_t* needed = a.alloc(a.user, NULL, 0, model->reg_count);
    if (needed == NULL)
        return false;
    memset(needed, 0, model->reg_count);
    needed[guard->g] = 1;
    flow->guard_slices[index] = slice_make(model, guard->look, NULL, needed, a);
    a.alloc(a.user, needed, model->reg_count, 0);
    return flow->guard_slices[index] != NULL;
}

static Series* make_series(Flow* flow, uint32_t index)
{
    const Guard* guard = &flow->model->guards[index];
    uint32_t count = input_count(flow->model, guard);
    if (!make_slice(flow, index))
        return NULL;
    list_inputs(flow->model, guard, flow->piece_registers);
    SeriesSpec spec = {.range = guard_has_code(guard) ? guard->code : guard->look,
                       .slice = flow->guard_slices[index],
                       .inputs = flow->piece_registers,
                       .outputs = &guard->g,
                       .input_count = count,
                       .output_count = 1};
    return series_create(flow->series_space, &spec);
}

// Room for the polynomials of `piece_capacity` registers: zeros, which stay, coefficients order by order, one
// polynomial.
static size_t pieces_size(const Flow* flow)
{
    return sizeof(double) * ((size_t)flow->piece_capacity * (GUARD_TERMS + 1) + GUARD_TERMS);
}

static bool is_searched(const Guard* guard)
{
    return guard->searched && !guard->time_only;
}

static size_t terms_size(const Flow* flow)
{
    return sizeof(GuardTerm) * flow->guard_term_first[flow->model->guards_count];
}

// Which guards are sums of states; first how many terms there are, then the terms.
static bool list_affine(Flow* flow)
{
    const kaiModel* model = flow->model;
    kaiAllocator a = flow->kernel->options->allocator;
    uint32_t count;
    for (int pass = 0; pass < 2; pass++)
    {
        for (uint32_t i = 0; i < model->guards_count; i++)
        {
            const Guard* guard = &model->guards[i];
            GuardTerm* terms = pass > 0 ? flow->guard_terms + flow->guard_term_first[i] : NULL;
            flow->guard_affine[i] =
                guard_affine_read(model, guard, flow->guard_factors + guard->first_state, terms, &count);
            flow->guard_term_first[i + 1] = flow->guard_term_first[i] + count;
        }
        if (pass > 0 || terms_size(flow) == 0)
            return true;
        flow->guard_terms = a.alloc(a.user, NULL, 0, terms_size(flow));
        if (flow->guard_terms == NULL)
            return false;
    }
    return true;
}

bool guard_paths_create(Flow* flow)
{
    const kaiModel* model = flow->model;
    kaiAllocator a = flow->kernel->options->allocator;
    uint32_t count, searched = 0;
    for (uint32_t i = 0; i < model->guards_count; i++)
        if (is_searched(&model->guards[i]))
        {
            count = input_count(model, &model->guards[i]);
            flow->piece_capacity = count > flow->piece_capacity ? count : flow->piece_capacity;
            searched++;
        }
    if (searched == 0)
        return true;
    if (flow->series_space == NULL)
        flow->series_space = series_space_create(model, a);
    flow->pieces = a.alloc(a.user, NULL, 0, pieces_size(flow));
    flow->piece_registers = a.alloc(a.user, NULL, 0, sizeof(uint32_t) * (flow->piece_capacity + 1));
    if (flow->series_space == NULL || flow->pieces == NULL || flow->piece_registers == NULL)
        return false;
    memset(flow->pieces, 0, pieces_size(flow));
    for (uint32_t i = 0; i < model->guards_count; i++)
        flow->guard_direct[i] = guard_is_direct(model, &model->guards[i]);
    return list_affine(flow);
}

Series* guard_series(Flow* flow, uint32_t guard)
{
    if (flow->guard_series[guard] == NULL && is_searched(&flow->model->guards[guard]))
        flow->guard_series[guard] = make_series(flow, guard);
    return flow->guard_series[guard];
}

void guard_paths_free(Flow* flow)
{
    kaiAllocator a = flow->kernel->options->allocator;
    for (uint32_t i = 0; flow->guard_series != NULL && i < flow->model->guards_count; i++)
        series_free(flow->guard_series[i]);
    for (uint32_t i = 0; flow->guard_slices != NULL && i < flow->model->guards_count; i++)
        slice_free(flow->guard_slices[i], a);
    if (flow->guard_terms != NULL)
        a.alloc(a.user, flow->guard_terms, terms_size(flow), 0);
    if (flow->pieces != NULL)
        a.alloc(a.user, flow->pieces, pieces_size(flow), 0);
    if (flow->piece_registers != NULL)
        a.alloc(a.user, flow->piece_registers, sizeof(uint32_t) * (flow->piece_capacity + 1), 0);
    if (flow->guard_kept != NULL)
        a.alloc(a.user, flow->guard_kept, guard_kept_size(flow), 0);
    if (flow->guard_errors != NULL)
        a.alloc(a.user, flow->guard_errors, sizeof(double) * flow->model->reg_count, 0);
}

// ---- polynomials
// -----------------------------------------------------------------------------------------------------

// The polynomial of one state around theta. Its degree.
static int state_piece(const GuardPath* path, uint32_t state, double theta, double* c)
{
    const kaiModel* model = path->flow->model;
    Ode* ode = island_ode(path->flow, model->state_islands[state]);
    int degree = ode_piece_degree(ode);
    ode_piece(ode, (int)model->state_slots[state], c);
    double by = theta * path->length;
    if (path->island == NO_ISLAND)
        by += path->start - ode_step_start(ode);
    if (by != 0)
        polynomial_shift(c, degree, by, c);
    return degree;
}

// Coefficients of all inputs, order by order: rows[k * count + i]. The highest degree.
static int load_pieces(const GuardPath* path, double* rows, double theta)
{
    Flow* flow = path->flow;
    const Guard* guard = path->guard;
    const kaiModel* model = flow->model;
    uint32_t count = input_count(model, guard), half = guard_has_code(guard) ? count : count / 2, most = 0;
    double* c = rows + (size_t)count * GUARD_TERMS;
    const uint32_t* regs = flow->piece_registers;
    list_inputs(model, guard, flow->piece_registers);
    for (uint32_t i = 0; i < half; i++)
    {
        uint32_t degree = (uint32_t)state_piece(path, regs[i] - model->reg_first[REG_STATE], theta, c);
        for (uint32_t k = most + 1; k <= degree; k++)
            memset(rows + (size_t)k * count, 0, sizeof(double) * count);
        most = degree > most ? degree : most;
        for (uint32_t k = 1; k <= most; k++)
            rows[k * count + i] = k <= degree ? c[k] : 0;
        for (uint32_t k = 1; half < count && k <= most; k++)
            rows[k * count + half + i] = k < degree ? (k + 1) * c[k + 1] : 0;
    }
    return (int)most;
}

// A polynomial of `degree` in the states is known to end. One of time and states is taken to have ended when three
// terms in a row do not count; the search compares its end with the guard.
static bool has_ended(const GuardPolynomial* p, int k, int inputs, double reach)
{
    return k >= inputs + 3 && polynomial_has_ended(p->c, k, reach, SERIES_ENDED);
}

// c[0] is known where the guard was armed, or where the last step ended.
static double first_value(const GuardPath* path, double theta)
{
    const GuardState* state = &path->flow->kernel->guards[path->index];
    if (theta == 0 && state->from == path->start)
        return state->g;
    guard_path_load(path, theta);
    vm_run(path->flow->model, path->flow->kernel->R, path->guard->code, &path->flow->trial);
    return guard_value(path->flow->kernel, path->guard);
}

// From the start of the step of an island: its coefficients as they are. False: they are not of that form.
static bool add_states(const GuardPath* path, GuardPolynomial* p)
{
    const Flow* flow = path->flow;
    Ode* ode = island_ode(flow, path->island);
    for (uint32_t i = path->guard->first_state; i < path->guard->first_state + path->guard->state_count; i++)
    {
        p->degree = ode_piece_add(ode, flow->model->guard_slots[i], flow->guard_factors[i], p->degree, p->c);
        if (p->degree < 0)
            return false;
    }
    return true;
}

static void affine_polynomial(const GuardPath* path, double theta, GuardPolynomial* p)
{
    const Flow* flow = path->flow;
    const Guard* guard = path->guard;
    double c[GUARD_TERMS];
    p->degree = 0;
    p->exact = true;
    p->ended = false;
    p->until = INFINITY;
    p->c[0] = first_value(path, theta);
    if (theta == 0 && path->island != NO_ISLAND && add_states(path, p))
        return;
    p->degree = 0;
    for (uint32_t i = 0; i < guard->state_count; i++)
    {
        double factor = flow->guard_factors[guard->first_state + i];
        int degree = state_piece(path, (uint32_t)flow->model->guard_states[guard->first_state + i], theta, c);
        for (; p->degree < degree; p->degree++)
            p->c[p->degree + 1] = 0;
        for (int k = 1; k <= degree; k++)
            p->c[k] += factor * c[k];
    }
}

// How far a state can get from where it starts, in the step that is searched.
static double reach_of(const GuardPath* path, uint32_t state)
{
    Flow* flow = path->flow;
    double c[GUARD_TERMS];
    if (flow->reach_numbers[state] != flow->search_number)
    {
        int degree = state_piece(path, state, 0, c);
        flow->reach_numbers[state] = flow->search_number;
        flow->reaches[state] = polynomial_bound(c, degree, path->length, 1);
    }
    return flow->reaches[state];
}

bool guard_path_far(const GuardPath* path)
{
    const Flow* flow = path->flow;
    const Guard* guard = path->guard;
    const GuardState* state = &flow->kernel->guards[path->index];
    if (!flow->guard_affine[path->index] || state->from != path->start || is_past(flow->kernel, guard, state->g))
        return false;
    double sum = 0;
    for (uint32_t i = 0; i < guard->state_count; i++)
        sum += fabs(flow->guard_factors[guard->first_state + i]) *
               reach_of(path, (uint32_t)flow->model->guard_states[guard->first_state + i]);
    return fabs(state->g) * (1 - GUARD_FAR) > sum;
}

bool guard_path_polynomial(const GuardPath* path, double theta, double reach, bool all, GuardPolynomial* p)
{
    enum
    {
        ORDERS = 20  // of a guard that goes on: more cost more than they reach
    };
    Flow* flow = path->flow;
    const Guard* guard = path->guard;
    uint32_t failed, count = input_count(flow->model, guard);
    if (flow->guard_affine[path->index])
    {
        affine_polynomial(path, theta, p);
        return true;
    }
    Series* series = guard_series(flow, path->index);
    flow->no_memory |= series == NULL;
    if (series == NULL)
        return false;
    guard_path_load(path, theta);
    flow->kernel->series_until = INFINITY;
    SeriesStatus status = series_begin(series, flow->kernel->R, &flow->kernel->host, &failed);
    flow->no_memory |= status == SERIES_MEMORY;
    if (status != SERIES_OK)
        return false;
    double* rows = flow->pieces + flow->piece_capacity;
    int inputs = load_pieces(path, rows, theta), last = guard->curved ? ORDERS : inputs;
    last = last < inputs ? inputs : last > 0 ? last : 1;
    last = last > GUARD_TERMS - 1 ? GUARD_TERMS - 1 : last;
    p->c[0] = guard_value(flow->kernel, guard);
    p->degree = 0;
    p->exact = !guard->curved || isinf(p->c[0]);
    p->ended = false;
    p->until = flow->kernel->series_until;
    if (isinf(p->c[0]))
        return true;  // the neighbour that is not there: no motion brings it back
    for (int k = 1; k <= last; k++)
    {
        series_order(series, k, k <= inputs ? rows + (size_t)k * count : flow->pieces, &p->c[k]);
        p->degree = k;
        if (!isfinite(p->c[k]))
            return false;
        p->ended = !all && guard->curved && has_ended(p, k, inputs, reach);
        if (p->ended)
            break;
    }
    return isfinite(p->c[0]);
}

int guard_path_inputs(const GuardPath* path, double theta, uint32_t* count, const uint32_t** registers,
                      const double** rows)
{
    Flow* flow = path->flow;
    double* first = flow->pieces + flow->piece_capacity;
    int degree = load_pieces(path, first, theta);
    *count = input_count(flow->model, path->guard);
    *registers = flow->piece_registers;
    *rows = first + *count;
    return degree;
}
