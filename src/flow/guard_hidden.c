// What a window of a guard may hide (decision 0248). A guard that is flat to rounding where a window begins has a
// polynomial that says so for ever; the range of its code over the window says how far that can be believed.
#include "base/tolerance.h"
#include "flow/guard_path.h"

#include <math.h>
#include <string.h>

// The program that it is evaluated with.
static const uint32_t* words_of(const GuardPath* path, uint32_t* count)
{
    const kaiModel* model = path->flow->model;
    const Slice* slice = path->flow->guard_slices[path->index];
    CodeRange code = guard_has_code(path->guard) ? path->guard->code : path->guard->look;
    *count = slice != NULL ? slice->count : code.end - code.start;
    return slice != NULL ? slice->words : model->code + code.start;
}

// Asked once.
static bool is_sharp(const GuardPath* path)
{
    uint32_t count;
    const uint32_t* words = words_of(path, &count);
    return hidden_is_sharp(path->flow, words, count, &path->flow->guard_sharp[path->index]);
}

// What it is made from, around a place.
typedef struct Inputs
{
    int degree;
    uint32_t count;
    const uint32_t* registers;
    const double* rows;
} Inputs;

// Whether the guard surely has no zero, or is known by a polynomial or a few samples, where the ranges say that its
// inputs are.
static bool is_plain(const GuardPath* path)
{
    Flow* flow = path->flow;
    uint32_t words;
    const uint32_t* code = words_of(path, &words);
    if (ranges_walk(flow->ranges, code, words) <= HIDDEN_STEP)
        return true;
    VmRange g = ranges_get(flow->ranges, path->guard->g);
    double bias = flow->kernel->guards[path->index].bias;
    return g.low + bias > 0 || g.high + bias < 0;
}

// Within `length` after t.
static bool is_plain_within(const GuardPath* path, const Inputs* inputs, double t, double length)
{
    Flow* flow = path->flow;
    ranges_begin(flow->ranges, flow->kernel->R, &flow->trial, HIDDEN_STEP);
    ranges_set(flow->ranges, flow->model->reg_time, t + 0.5 * length, 0.5 * length, 0);
    for (uint32_t i = 0; i < inputs->count; i++)
        hidden_set_range(flow, inputs->registers[i], inputs->rows + i, inputs->count, inputs->degree, length);
    return is_plain(path);
}

// Not even at one time: no shorter window would tell more.
static bool is_plain_at(const GuardPath* path, const Inputs* inputs, double t, double length)
{
    Flow* flow = path->flow;
    ranges_begin(flow->ranges, flow->kernel->R, &flow->trial, HIDDEN_STEP);
    ranges_set(flow->ranges, flow->model->reg_time, t + HIDDEN_PLACE * length, 0, 0);
    for (uint32_t i = 0; i < inputs->count; i++)
        hidden_set_place(flow, inputs->registers[i], inputs->rows + i, inputs->count, inputs->degree, length);
    return is_plain(path);
}

double guard_path_unhidden(const GuardPath* path, double theta, double end)
{
    double least = guard_path_tolerance(path), part = end - theta, t = guard_path_time(path, theta);
    Inputs inputs;
    if (!is_sharp(path) || hidden_ranges(path->flow) == NULL)
        return end;
    guard_path_load(path, theta);
    inputs.degree = guard_path_inputs(path, theta, &inputs.count, &inputs.registers, &inputs.rows);
    while (part > least && !is_plain_within(path, &inputs, t, part * path->length) &&
           is_plain_at(path, &inputs, t, part * path->length))
        part *= 0.5;
    return part < end - theta ? theta + part : end;
}
