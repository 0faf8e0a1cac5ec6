// Delayed signals where a foreign integrator moves the states. What goes into `delay(u, T)` is known where a step was
// accepted (kaiEval_StepDone) and at instants; between two such points it is the polynomial through their values and
// slopes, of degree 5 with the point before, 3 without. Questions add nothing, so whoever tries a step and goes back
// leaves no trace, and who goes back behind an accepted step takes it away.
//
// Nobody may ask for what is not known yet: after T there is an event time at which nothing happens but that the
// history grows. An importer that never says that a step is over has more of them, and is right too.
#include "base/tolerance.h"
#include "kernel/guard.h"
#include "run/eval.h"

#include <math.h>
#include <string.h>

enum
{
    NODES = 3,
    UNTOLD_PARTS = 16,  // event times in T while nobody says when steps are over
    PAST_PIECES = 256,
    PAST_DEGREE = 3,
};

static bool is_fed(const Delay* d)
{
    return !d->event && !d->queue;
}

bool eval_has_delays(const kaiEval* eval)
{
    for (uint32_t i = 0; i < eval->model->delays_count; i++)
        if (is_fed(&eval->model->delays[i]))
            return true;
    return false;
}

// ---- polynomials
// ----------------------------------------------------------------------------------------------------

typedef struct Node
{
    double at, value, slope;
} Node;

// Newton's form with each node twice, multiplied out: coefficients of the powers of theta.
static void hermite(const Node* nodes, int count, double* c)
{
    double z[2 * NODES], d[2 * NODES];
    int n = 2 * count;
    for (int i = 0; i < n; i++)
    {
        z[i] = nodes[i / 2].at;
        d[i] = nodes[i / 2].value;
    }
    for (int order = 1; order < n; order++)
        for (int i = n - 1; i >= order; i--)
            d[i] = order == 1 && i % 2 == 1 ? nodes[i / 2].slope : (d[i] - d[i - 1]) / (z[i] - z[i - order]);
    memset(c, 0, sizeof *c * (size_t)n);
    c[0] = d[n - 1];
    for (int i = n - 2, degree = 0; i >= 0; i--, degree++)
    {
        for (int k = degree + 1; k > 0; k--)
            c[k] = c[k - 1] - z[i] * c[k];
        c[0] = d[i] - z[i] * c[0];
    }
}

// The point where the last piece began, seen from its end; false: there is none, or it is no neighbour.
static bool node_before(const History* h, double length, Node* node)
{
    if (h->count == 0 || h->order != 0)
        return false;
    const HistoryPiece* p = history_piece(h, h->count - 1);
    double back = h->end - p->start;
    if (!(back > length / DELAY_NEIGHBOUR) || !(back < length * DELAY_NEIGHBOUR))
        return false;
    *node = (Node){-back, history_coefficient(h, p, 0), history_coefficient(h, p, 1)};
    return true;
}

// ---- growing
// --------------------------------------------------------------------------------------------------------

static kaiStatus feed_one(kaiEval* eval, uint32_t index, double t)
{
    Kernel* kernel = &eval->kernel;
    const Delay* d = &eval->model->delays[index];
    History* h = &kernel->histories[index];
    double value = kernel->R[d->flow_value], slope = kernel->R[d->flow_slope], length = t - h->end, c[2 * NODES];
    kaiStatus status = KAI_OK;
    if (length > 0)
    {
        Node nodes[NODES] = {{0, h->left, h->left_slope}, {length, value, slope}};
        int count = node_before(h, length, &nodes[2]) ? 3 : 2;
        hermite(nodes, count, c);
        HistoryPiece piece = {.start = h->end, .degree = (uint16_t)(2 * count - 1), .order = h->order};
        history_forget(h, t - 2 * kernel->R[d->time]);
        status = delay_remember(kernel, h, &piece, c);
        h->order = 0;
        h->end = t;
    }
    else if (length < 0)
        history_cut(h, t);
    h->left = value;
    h->left_slope = slope;
    return status;
}

kaiStatus eval_delay_feed(kaiEval* eval, double t)
{
    kaiStatus status = KAI_OK;
    for (uint32_t i = 0; i < eval->model->delays_count && status == KAI_OK; i++)
        if (is_fed(&eval->model->delays[i]))
            status = feed_one(eval, i, t);
    return status;
}

static bool differ(double a, double b, double part)
{
    return !(fabs(a - b) <= part * fmax(fabs(a), fabs(b)));
}

kaiStatus eval_delay_jumps(kaiEval* eval)
{
    Kernel* kernel = &eval->kernel;
    kaiStatus status = KAI_OK;
    for (uint32_t i = 0; i < eval->model->delays_count && status == KAI_OK; i++)
    {
        const Delay* d = &eval->model->delays[i];
        History* h = &kernel->histories[i];
        if (!is_fed(d))
            continue;
        double value = kernel->R[d->flow_value], slope = kernel->R[d->flow_slope];
        bool jumps = differ(h->left, value, DELAY_JUMP) || differ(h->left_slope, slope, DELAY_KINK);
        h->left = value;
        h->left_slope = slope;
        h->order = jumps ? 1 : h->order == 1 ? 1 : 2;
        h->end = kernel->now.t;
        if (jumps)
            status = delay_jump(kernel, i);
    }
    return status;
}

double eval_delay_next(const kaiEval* eval)
{
    double next = INFINITY, part = eval->told ? 1 : 1. / UNTOLD_PARTS;
    for (uint32_t i = 0; i < eval->model->delays_count; i++)
        if (is_fed(&eval->model->delays[i]))
            next = fmin(next, eval->kernel.histories[i].end + part * eval->kernel.R[eval->model->delays[i].time]);
    return next;
}

// ---- the start
// ------------------------------------------------------------------------------------------------------

static double past_at(Kernel* kernel, const Delay* d, double t)
{
    kernel->R[kernel->model->reg_time] = t;
    vm_run(kernel->model, kernel->R, d->past_code, &kernel->host);
    return kernel->R[d->past];
}

// A cubic through four values.
static void through_four(const double* y, double length, double* c)
{
    double h = length / PAST_DEGREE, a = y[1] - y[0], b = y[2] - 2 * y[1] + y[0], e = y[3] - 3 * y[2] + 3 * y[1] - y[0];
    c[0] = y[0];
    c[1] = (a - b / 2 + e / 3) / h;
    c[2] = (b / 2 - e / 2) / (h * h);
    c[3] = e / (6 * h * h * h);
}

// What went in before the start, as far back as T.
static kaiStatus feed_past(kaiEval* eval, uint32_t index)
{
    Kernel* kernel = &eval->kernel;
    const Delay* d = &eval->model->delays[index];
    History* h = &kernel->pasts[index];
    double until = eval->options.start, length = 1.001 * kernel->R[d->time] / PAST_PIECES, y[PAST_DEGREE + 1], c[4];
    kaiStatus status = KAI_OK;
    history_clear(h);
    for (int i = PAST_PIECES; i > 0 && status == KAI_OK; i--)
    {
        double from = until - i * length;
        for (int k = 0; k <= PAST_DEGREE; k++)
            y[k] = past_at(kernel, d, from + k * length / PAST_DEGREE);
        through_four(y, length, c);
        HistoryPiece piece = {.start = from, .degree = PAST_DEGREE};
        status = delay_remember(kernel, h, &piece, c);
    }
    h->end = until;
    return status;
}

kaiStatus eval_delay_start(kaiEval* eval)
{
    Kernel* kernel = &eval->kernel;
    double held = kernel->R[eval->model->reg_time];
    kaiStatus status = KAI_OK;
    for (uint32_t i = 0; i < eval->model->delays_count && status == KAI_OK; i++)
        if (is_fed(&eval->model->delays[i]) && eval->model->delays[i].past != NO_REG)
            status = feed_past(eval, i);
    kernel->R[eval->model->reg_time] = held;
    return status == KAI_OK ? delay_start(kernel) : status;
}
