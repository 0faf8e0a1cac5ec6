// The solver block of every method: names, memory, restart, cut, snapshot, and the step itself up to where the method
// takes over. See ode.h for the contract and method.h for the layout.
//
// The step size survives restarts: the error control's proposal stays, and after a cut it is bounded by three times the
// moving average of the time between cuts, since a step much longer than the next event is far is work thrown away.
#include "base/tolerance.h"
#include "num/choice.h"
#include "num/control.h"
#include "num/map.h"

OdeOptions ode_default_options(void)
{
    return (OdeOptions){.method = ODE_RK45, .rtol = 1e-6, .atol = 1e-9};
}

_Static_assert(offsetof(Ode, state.t) == ODE_AT_TIME && offsetof(Ode, state.t_start) == ODE_AT_START,
               "ode_time and ode_step_start read there");
// Where pointers have eight bytes, a step of few states reads seven lines of the head.
_Static_assert(sizeof(void*) != 8 ||
                   (offsetof(Ode, state.choice.method) / 64 == offsetof(Ode, state.stats.restarts) / 64 &&
                    offsetof(Ode, n) / 64 == offsetof(Ode, slope_start) / 64 &&
                    offsetof(Ode, dense[ODE_ORDER + 1]) / 64 == offsetof(Ode, stage[2]) / 64),
               "what is used together lies together");

// ------------------------------------------------------------------------------------------------------------- memory

// Room for one vector. Vectors that fill cache lines start on one; small ones are packed, so that all share few lines.
static size_t stride_of(int n)
{
    size_t step = n >= 8 ? 8 : 2;
    return ((size_t)n + step - 1) / step * step;
}

static double* place_vectors(double** table, int count, double* next, size_t stride)
{
    for (int i = 0; i < count; i++, next += stride)
    {
        table[i] = next;
    }
    return next;
}

// What every step uses comes first: the ends, and of taylor what it carries on and its first orders.
static void place_all(Ode* ode, const OdeMethodTable* method, double* next, size_t stride)
{
    double* ends[4];
    bool series = method->terms == ODE_VECTORS;
    int first = method->terms < 3 ? method->terms : 3, carried = series ? 2 : method->stages;
    next = place_vectors(ends, 4, next, stride);
    next = place_vectors(ode->dense + ODE_ORDER + 1, series, next, stride);
    next = place_vectors(ode->stage + 2, series, next, stride);
    next = place_vectors(ode->dense, first, next, stride);
    next = place_vectors(&ode->atol, 1, next, stride);
    next = place_vectors(ode->stage, carried, next, stride);
    next = place_vectors(ode->stage + 3, series ? method->stages - 3 : 0, next, stride);
    next = place_vectors(ode->dense + first, method->terms - first - series, next, stride);
    place_vectors(ode->spare, 3, next, stride);
    ode->x = ends[0];
    ode->x_start = ends[1];
    ode->slope = ends[2];
    ode->slope_start = ends[3];
}

// The block begins with a line of the cache, wherever the allocator's does.
static Ode* create_block(const OdeSystem* system, const OdeMethodTable* method, kaiAllocator allocator)
{
    size_t stride = stride_of(system->n), head = (sizeof(Ode) + 63) / 64 * 64;
    size_t count = 8 + (size_t)method->stages + (size_t)method->terms;
    size_t size = head + 64 + count * stride * sizeof(double);
    void* block = allocator.alloc(allocator.user, NULL, 0, size);
    if (!block)
    {
        return NULL;
    }
    memset(block, 0, size);
    Ode* ode = (Ode*)(((uintptr_t)block + 63) / 64 * 64);
    ode->block = block;
    ode->size = size;
    place_all(ode, method, (double*)((uintptr_t)ode + head), stride);
    return ode;
}

int ode_create_parts(Ode* ode)
{
    const OdeSystem* system = ode->system;
    bool matrix = ode->method->matrix || ode->options.breakpoint != ODE_BREAK_SAME;
    if (ode->n > 0 && matrix && !ode->linear)
    {
        ode->jacobian = ode->jacobian ? ode->jacobian : jacobian_create(system, ode->allocator);
        ode->linear = linear_create(system->n, system->column_start, system->row_index, ode->allocator);
        if (!ode->jacobian || !ode->linear)
        {
            return ODE_ERR_MEMORY;
        }
    }
    return ode->n > 0 && ode->method->create && !ode->cvode ? ode->method->create(ode) : ODE_OK;
}

Ode* ode_create(const OdeSystem* system, const OdeOptions* options, kaiAllocator allocator)
{
    if ((unsigned)options->method >= ODE_METHOD_COUNT ||
        (options->method == ODE_TAYLOR && system->n > 0 && !system->series))
    {
        return NULL;
    }
    const char* trouble;
    const OdeMethodTable* method = method_table(options->method, &trouble);
    Ode* ode = method ? create_block(system, method, allocator) : NULL;
    if (!ode)
    {
        return NULL;
    }
    ode->n = system->n;
    ode->rhs = system->rhs;
    ode->ctx = system->ctx;
    ode->system = system;
    ode->method = method;
    ode->terms = method->terms;
    ode->options = *options;
    ode->allocator = allocator;
    ode->state.scale = ode->state.strict = 1;
    ode->state.stats.worst = -1;
    for (int i = 0; i < ode->n; i++)
    {
        ode->atol[i] = options->atol;
    }
    if (method->fixed && !(ode->options.step > 0))
    {
        ode->options.step = STEP_FIXED;  // a fixed method needs one
    }
    if (options->method == ODE_AUTO)
    {
        choice_create(ode);
    }
    if (ode_create_parts(ode) != ODE_OK)
    {
        ode_destroy(ode);
        return NULL;
    }
    return ode;
}

void ode_destroy(Ode* ode)
{
    if (!ode)
    {
        return;
    }
    choice_destroy(ode);
    if (ode->method->destroy)
    {
        ode->method->destroy(ode);
    }
    jacobian_destroy(ode->jacobian);
    linear_destroy(ode->linear);
    map_free(ode);
    ode->allocator.alloc(ode->allocator.user, ode->block, ode->size, 0);
}

// -------------------------------------------------------------------------------------------------------------- steps

// f at the start of a step: no smaller step can mend what goes wrong here.
int ode_evaluate_start(Ode* ode)
{
    OdeState* s = &ode->state;
    int status = ode->method->begin && ode->n > 0 ? ode->method->begin(ode) : ode_rhs(ode, s->t, ode->x, ode->slope);
    if (status != TRIAL_OK)
    {
        return status == ODE_ERR_SERIES ? status : ODE_ERR_RHS;
    }
    if (!ode_finite(ode->n, ode->slope))
    {
        return ODE_ERR_NAN;
    }
    s->slope_valid = true;
    return ODE_OK;
}

int ode_evaluate(Ode* ode)
{
    return ode->state.slope_valid ? ODE_OK : ode_evaluate_start(ode);
}

static void forget(Ode* ode)
{
    ode->state.jacobian_valid = false;
    if (ode->linear)
    {
        linear_forget(ode->linear);
    }
    if (ode->n > 0 && ode->method->restart)
    {
        ode->method->restart(ode);
    }
}

static void restart_fresh(Ode* ode, double t)
{
    OdeState* s = &ode->state;
    s->next = ode->options.step > 0 ? ode->options.step : 0;
    s->narrow = 0;
    s->fresh = true;
    s->event_time = t;
    s->event_mean = 0;
}

int ode_restart(Ode* ode, double t, const double* x, bool fresh)
{
    OdeState* s = &ode->state;
    if (x != ode->x && ode->n > 0)
    {
        memmove(ode->x, x, sizeof(double) * (size_t)ode->n);
    }
    ode_begin_again(s, t, fresh);
    s->slope_valid = false;
    s->at_breakpoint = ode->options.breakpoint != ODE_BREAK_SAME;
    if (fresh)
    {
        restart_fresh(ode, t);
    }
    if (ode->options.method == ODE_AUTO)
    {
        choice_restart(ode, fresh);
    }
    forget(ode);
    return ode->options.method == ODE_AUTO ? choice_evaluate(ode) : ode_evaluate_start(ode);
}

static double weighted_norm(const Ode* ode, const double* v, const double* w)
{
    double sum = 0;
    for (int i = 0; i < ode->n; i++)
    {
        double e = (v[i] - (w ? w[i] : 0)) / (ode->atol[i] + ode->options.rtol * fabs(ode->x[i]));
        sum += e * e;
    }
    return sqrt(sum / ode->n);
}

// The buffers of a trial step are free here. Where nothing can be learnt (f = 0, or f fails there) the guess is small.
int control_first(Ode* ode, double limit, double order)
{
    OdeState* s = &ode->state;
    double* x = ode->x_start;
    double span = limit - s->t;
    double size = weighted_norm(ode, ode->x, NULL), speed = weighted_norm(ode, ode->slope, NULL);
    double h = size < STEP_FLAT || speed < STEP_FLAT ? STEP_BLIND : 0.01 * size / speed;
    h = ode_larger(h, ode_shortest(ode));  // a state near 0 says little about time: no guess is too short to be tried
    h = h < span ? h : span;
    for (int i = 0; i < ode->n; i++)
    {
        x[i] = ode->x[i] + h * ode->slope[i];
    }
    int status = ode_rhs(ode, s->t + h, x, ode->slope_start);
    if (status < 0)
    {
        return status;
    }
    double bend = weighted_norm(ode, ode->slope_start, ode->slope) / h;
    if (status != TRIAL_OK || !isfinite(bend))
    {
        s->next = ode_larger(STEP_RETREAT * h, ode_shortest(ode));
        return ODE_OK;
    }
    double most = ode_larger(bend, speed);
    double better =
        most <= STEP_STRAIGHT ? ode_larger(STEP_BLIND, h * STEP_RETREAT) : pow(0.01 / most, 1 / (order + 1));
    s->next = 100 * h < better ? 100 * h : better;
    return ODE_OK;
}

static int largest_share(const Ode* ode)
{
    const double* share = ode->stage[0];
    int worst = 0;
    for (int i = 1; i < ode->n && share[worst] == share[worst]; i++)
    {
        if (!(fabs(share[i]) <= fabs(share[worst])))
        {
            worst = i;
        }
    }
    return worst;
}

// The state in which a trial ended, where each that has a slope and stands has gone a little on. False: none stands.
static bool nudge(const Ode* ode, double* x)
{
    const double little = 0x1p-44;
    bool stands = false;
    for (int i = 0; i < ode->n; i++)
    {
        bool lost = ode->slope[i] != 0 && ode->x_start[i] == ode->x[i];
        x[i] = ode->x_start[i] + (lost ? copysign(little * ode->x[i], ode->slope[i]) : 0);
        stands |= lost;
    }
    return stands;
}

bool control_stands(Ode* ode, double t_end)
{
    double *x = ode->spare[0], *f = ode->spare[1];
    if (!nudge(ode, x))
    {
        return false;
    }
    int status = ode_rhs(ode, t_end, x, f);
    return status == TRIAL_SHRINK || (status == TRIAL_OK && !ode_finite(ode->n, f));
}

void control_blame(Ode* ode)
{
    ode->state.stats.worst = largest_share(ode);
}

int ode_limiting(Ode* ode)
{
    if (ode->n == 0 || ode->method->fixed)
    {
        return -1;
    }
    if (ode->method->shares)
    {
        ode->method->shares(ode);
    }
    int worst = largest_share(ode);
    return ode->stage[0][worst] != 0 ? worst : -1;
}

// A system without continuous states: nothing stands in the way of the longest step.
static int step_empty(Ode* ode, double limit)
{
    OdeState* s = &ode->state;
    bool last;
    double h = control_length(ode, limit, ode->method->fixed ? ode->options.step : limit - s->t, &last);
    s->trial = h;
    ode_accept(ode, h, last ? limit : s->t + h, FORM_POINT);
    return ODE_OK;
}

// What only some steps need: f after a cut, the breakpoint method, the first step size.
static int begin_step(Ode* ode, double limit, bool* taken)
{
    OdeState* s = &ode->state;
    int status = ode_evaluate(ode);
    if (status == ODE_OK && s->next <= 0 && !ode->method->fixed && !ode->method->plans)
    {
        status = control_first(ode, limit, ode->method->order);
    }
    if (status == ODE_OK && s->at_breakpoint)
    {
        status = ode_breakpoint_step(ode, limit, taken);
    }
    return status;
}

int ode_method_step(Ode* ode, double limit)
{
    OdeState* s = &ode->state;
    if (!s->slope_valid || (s->next <= 0 && !ode->method->plans) || s->at_breakpoint)
    {
        bool taken = false;
        int status = begin_step(ode, limit, &taken);
        if (status != ODE_OK || taken)
        {
            return status;
        }
    }
    return ode->method->first_looked && !s->looked ? first_step(ode, limit) : ode->method->step(ode, limit);
}

int ode_step(Ode* ode, double limit)
{
    if (!(limit > ode->state.t))
    {
        return ODE_ERR_STEP;
    }
    if (ode->n == 0)
    {
        return step_empty(ode, limit);
    }
    return ode->options.method == ODE_AUTO ? choice_step(ode, limit) : ode_method_step(ode, limit);
}

int ode_impulse_step(Ode* ode, double h, double t_end)
{
    double ignored = 0;
    int status = ode->n > 0 ? ode_riemann_trial(ode, h, t_end, &ignored) : TRIAL_OK;
    if (status != TRIAL_OK)
    {
        return status < 0 ? status : ode_failure(status);
    }
    ode->state.trial = h;
    ode_accept(ode, h, t_end, FORM_POINT);
    return ODE_OK;
}

int ode_jacobian(Ode* ode, double t, const double* x, const double* fx, double h, bool time)
{
    const OdeOptions* options = &ode->options;
    OdeStats* stats = &ode->state.stats;
    double typical = options->rtol > 0 && options->atol < options->rtol ? options->atol / options->rtol : 1;
    int status = jacobian_evaluate(ode->jacobian, t, x, fx, typical, h, time, &stats->rhs_calls);
    stats->jacobian_calls++;
    if (status == 0)
    {
        return TRIAL_OK;
    }
    stats->rhs_status = status;
    return status > 0 ? TRIAL_SHRINK : ODE_ERR_RHS;
}

// ------------------------------------------------------------------------------------------------------- what is asked

double ode_time_low(const Ode* ode)
{
    return ode->method == &ode_taylor ? ode->state.t_low : 0;
}

int64_t ode_step_count(const Ode* ode)
{
    return ode->state.stats.steps;
}

void ode_fetch(const Ode* ode)
{
    const char *head = (const char*)ode, *vectors = head + (sizeof *ode + 63) / 64 * 64;
    __builtin_prefetch(head);
    __builtin_prefetch(head + 64);
    __builtin_prefetch(&ode->state.stats);
    __builtin_prefetch(&ode->n);
    __builtin_prefetch(&ode->options);
    __builtin_prefetch(&ode->dense[0]);
    __builtin_prefetch(&ode->stage[0]);
    __builtin_prefetch(vectors);
    __builtin_prefetch(vectors + 64);
}

double ode_dense_length(const Ode* ode)
{
    return ode->state.scale * ode->state.h;
}

double ode_step_length(const Ode* ode)
{
    return ode->state.trial;
}

const double* ode_state(const Ode* ode)
{
    return ode->x;
}

const double* ode_slope(const Ode* ode)
{
    return ode->slope;
}

const double* ode_start_state(const Ode* ode)
{
    return ode->state.form == FORM_POINT ? ode->x : ode->x_start;
}

const double* ode_start_slope(const Ode* ode)
{
    return ode->state.form == FORM_POINT ? ode->slope : ode->slope_start;
}

OdeStats ode_stats(const Ode* ode)
{
    return ode->state.stats;
}

void ode_set_unit(Ode* ode, int state, double unit)
{
    ode->atol[state] = ode->options.atol * unit;
}

double ode_tolerance(const Ode* ode, int state)
{
    return ode->atol[state];
}

double ode_allowance(const Ode* ode, int state)
{
    return ode_scale(ode, state, ode->x_start[state], ode->x[state]);
}

double ode_shortest_step(const Ode* ode)
{
    return ode_shortest(ode);
}

void ode_set_max_step(Ode* ode, double max_step)
{
    ode->state.caution = max_step;
}

double ode_next_step(const Ode* ode)
{
    bool last;
    double fixed = ode->options.step;
    double next = ode->state.next;
    next = ode->method->fixed && !(next > 0 && next < fixed) ? fixed : next;
    return control_length(ode, INFINITY, next, &last);
}

// -------------------------------------------------------------------------------------------------------- cut,
// snapshot

void ode_leave(Ode* ode, double theta)
{
    OdeState* s = &ode->state;
    if (theta < 1 && s->t != s->t_start)
    {
        ode_end_at(s, theta);
    }
    ode_note_event(ode);
}

// What belongs to the end of the whole step goes.
static void forget_end(Ode* ode)
{
    forget(ode);
    if (ode->method == &ode_taylor)  // what its sum had lost
    {
        memset(ode->dense[ODE_ORDER + 1], 0, sizeof(double) * (size_t)ode->n);
    }
    ode->state.carries = false;
}

void ode_cut(Ode* ode, double theta)
{
    OdeState* s = &ode->state;
    if (theta >= 1 || s->t == s->t_start)
    {
        ode_note_event(ode);
        return;
    }
    if (ode->n > 0)
    {
        // Once its coefficients are made the dense output does not need the end of the step: overwrite it in place.
        ode_dense(ode, theta, ode->x, ode->slope);
        forget_end(ode);
    }
    ode_end_at(s, theta);
    ode_note_event(ode);
}

void ode_retreat(Ode* ode, double theta, double next)
{
    OdeState* s = &ode->state;
    if (theta > 0)
    {
        ode_dense(ode, theta, ode->x, ode->slope);
        ode_end_at(s, theta);
    }
    else
    {
        memcpy(ode->x, ode->x_start, sizeof(double) * (size_t)ode->n);
        s->t = s->t_start;
        s->t_low = s->t_start_low;
        s->h = 0;
        s->scale = 1;
        s->form = FORM_POINT;
        s->dense_ready = true;
        s->slope_valid = s->expanded = false;
    }
    forget_end(ode);
    s->stats.rejected++;
    s->next = s->narrow = s->caution = next;
}

void ode_asked(Ode* ode)
{
    ode->state.expanded = false;
}

static int saved_vectors(const Ode* ode)
{
    return 4 + ode->terms;
}

static double* saved_vector(const Ode* ode, int index)
{
    double* ends[4] = {ode->x, ode->x_start, ode->slope, ode->slope_start};
    return index < 4 ? ends[index] : ode->dense[index - 4];
}

size_t ode_save_size(const Ode* ode)
{
    return sizeof(OdeState) + (size_t)saved_vectors(ode) * (size_t)ode->n * sizeof(double);
}

// The dense output is made first: then the stages of the method need not be saved.
void ode_save(Ode* ode, void* block)
{
    size_t bytes = sizeof(double) * (size_t)ode->n;
    char* to = block;
    if (!ode->state.dense_ready && ode->n > 0)
    {
        double at_end[1];
        ode_dense_some(ode, 1, NULL, 0, at_end);
    }
    forget(ode);
    memcpy(to, &ode->state, sizeof(OdeState));
    to += sizeof(OdeState);
    for (int i = 0; i < saved_vectors(ode) && bytes > 0; i++, to += bytes)
    {
        memcpy(to, saved_vector(ode, i), bytes);
    }
}

int ode_load(Ode* ode, const void* block)
{
    size_t bytes = sizeof(double) * (size_t)ode->n;
    const char* from = block;
    memcpy(&ode->state, from, sizeof(OdeState));
    from += sizeof(OdeState);
    for (int i = 0; i < saved_vectors(ode) && bytes > 0; i++, from += bytes)
    {
        memcpy(saved_vector(ode, i), from, bytes);
    }
    int status = ode->options.method == ODE_AUTO ? choice_load(ode) : ODE_OK;
    forget(ode);
    return status;
}
