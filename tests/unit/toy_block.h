// A block for tests, handed to a program by a provider of its own: one leaky tank in C, with closed forms.
//
//   x' = -k x + u from 1. Where x falls to 1/2 it is filled up by 1 (one round, then one more that only counts); every
//   `period` its bell rings. Each call can be told to answer something else than KAI_OK from a time on.
#ifndef KAIROS_TESTS_TOY_BLOCK_H
#define KAIROS_TESTS_TOY_BLOCK_H

#include "unit/api_fixture.h"

static inline void assert_near(double got, double wanted, double within)
{
    if (!(fabs(got - wanted) <= within))
        fail_msg("%.17g instead of %.17g", got, wanted);
}

typedef enum ToyCall
{
    TOY_OPEN,
    TOY_BEGIN,
    TOY_SET,
    TOY_RATES,
    TOY_OUTPUTS,
    TOY_INDICATORS,
    TOY_COMMIT,
    TOY_STEP,
    TOY_SAVE,
    TOY_RESTORE,
    TOY_CALLS
} ToyCall;

// What the next instances do. Tests set it before they run.
static struct
{
    ToyCall call;  // that answers `status` from `from` on; KAI_OK: none
    kaiStatus status;
    double from;
    const char* says;      // before it does
    bool wants_instants;   // at the end of each step
    double ends;           // the time at which it ends the run
    int open, held, made;  // instances now; holders; instances ever
} toy;

typedef struct Toy
{
    kaiBlockHost host;
    double k, period, t, x, u, rings, fills, next, last;
    bool second;
} Toy;

static inline kaiStatus toy_answer(Toy* b, ToyCall call)
{
    if (toy.status == KAI_OK || toy.call != call || b->t < toy.from)
        return KAI_OK;
    if (toy.says != NULL)
        b->host.log(b->host.user, true, toy.says);
    return toy.status;
}

static inline kaiStatus toy_open(const kaiBlock* block, const kaiBlockHost* host, void** instance)
{
    (void)block;
    Toy made = {.host = *host, .t = host->start};
    kaiStatus status = toy_answer(&made, TOY_OPEN);
    if (status != KAI_OK)
        return status;
    Toy* b = host->allocator.alloc(host->allocator.user, NULL, 0, sizeof *b);
    if (b == NULL)
        return KAI_ERR_MEMORY;
    *b = made;
    *instance = b;
    toy.open++;
    toy.made++;
    return KAI_OK;
}

static inline void toy_close(void* instance)
{
    Toy* b = instance;
    kaiAllocator a = b->host.allocator;
    toy.open--;
    a.alloc(a.user, b, sizeof *b, 0);
}

static inline kaiStatus toy_begin(void* instance, double t, const double* parameters, const double* inputs,
                                  double* states)
{
    Toy* b = instance;
    b->k = parameters[0];
    b->period = parameters[1];
    b->u = inputs[0];
    b->t = b->last = t;
    b->x = states[0] = isnan(states[0]) ? 1 : states[0];
    b->next = t + b->period;
    return toy_answer(b, TOY_BEGIN);
}

static inline kaiStatus toy_set(void* instance, double t, const double* states, const double* inputs)
{
    Toy* b = instance;
    b->t = t;
    b->x = states[0];
    b->u = inputs[0];
    return toy_answer(b, TOY_SET);
}

static inline kaiStatus toy_rates(void* instance, double* rates)
{
    Toy* b = instance;
    rates[0] = -b->k * b->x + b->u;
    return toy_answer(b, TOY_RATES);
}

static inline kaiStatus toy_outputs(void* instance, double* outputs)
{
    Toy* b = instance;
    outputs[0] = b->rings;
    outputs[1] = 2 * b->x;
    outputs[2] = b->x + b->u;
    outputs[3] = b->fills;
    return toy_answer(b, TOY_OUTPUTS);
}

static inline kaiStatus toy_indicators(void* instance, double* indicators)
{
    Toy* b = instance;
    indicators[0] = b->x - 0.5;
    return toy_answer(b, TOY_INDICATORS);
}

static inline kaiStatus toy_commit(void* instance, double t, const double* inputs, kaiBlockEvents* events,
                                   double* states)
{
    Toy* b = instance;
    b->u = inputs[0];
    b->last = t;
    if (b->second)
        b->fills++;
    else if (b->x <= 0.5)
        b->x += 1;
    b->second = !b->second && b->x >= 1.5 && states[0] <= 0.5;
    if (t >= b->next)
    {
        b->rings++;
        b->next += b->period;
    }
    events->more = b->second;
    events->next = b->next;
    events->end = t >= toy.ends;
    states[0] = b->x;
    return toy_answer(b, TOY_COMMIT);
}

static inline kaiStatus toy_step(void* instance, bool* event)
{
    *event = toy.wants_instants;
    return toy_answer(instance, TOY_STEP);
}

static inline kaiStatus toy_save(void* instance, void* bytes, size_t* size)
{
    Toy* b = instance;
    if (bytes != NULL)
        memcpy(bytes, b, sizeof *b);
    *size = sizeof *b;
    return toy_answer(b, TOY_SAVE);
}

static inline kaiStatus toy_restore(void* instance, const void* bytes, size_t size)
{
    Toy* b = instance;
    kaiBlockHost host = b->host;
    if (size < sizeof *b)
        return KAI_ERR_USAGE;
    memcpy(b, bytes, sizeof *b);
    b->host = host;
    return toy_answer(b, TOY_RESTORE);
}

static inline void toy_hold(const kaiBlock* block, int by)
{
    (void)block;
    toy.held += by;
}

static const uint32_t toy_state_only[] = {0};
static const kaiBlockVariable toy_parameters[] = {{.name = "k", .unit = "1/s", .start = 1},
                                                  {.name = "period", .unit = "s", .start = 0.4}};
static const kaiBlockVariable toy_inputs[] = {{.name = "u", .description = "what \"runs\" in"}};
static const kaiBlockVariable toy_states[] = {{.name = "x", .start = 2}};
static const kaiBlockVariable toy_results[] = {
    {.name = "rings", .discrete = true},
    {.name = "double", .reads = toy_state_only, .read_count = 1, .description = ""},
    {.name = "both"},
    {.name = "fills", .discrete = true, .local = true}};

static inline kaiBlock toy_block(void)
{
    return (kaiBlock){.version = KAI_BLOCK_VERSION,
                      .name = "toy",
                      .parameters = toy_parameters,
                      .inputs = toy_inputs,
                      .outputs = toy_results,
                      .states = toy_states,
                      .parameter_count = 2,
                      .input_count = 1,
                      .output_count = 4,
                      .state_count = 1,
                      .indicator_count = 1,
                      .hold = toy_hold,
                      .open = toy_open,
                      .close = toy_close,
                      .begin = toy_begin,
                      .set = toy_set,
                      .get_rates = toy_rates,
                      .get_outputs = toy_outputs,
                      .get_indicators = toy_indicators,
                      .commit = toy_commit,
                      .save = toy_save,
                      .restore = toy_restore};
}

// The provider: its user is the block.
static inline kaiStatus toy_provide(void* user, const char* path, const char* variant, kaiAllocator allocator,
                                    const kaiBlock** block, kaiError* error)
{
    (void)path, (void)variant, (void)allocator, (void)error;
    *block = user;
    toy.held++;
    return KAI_OK;
}

#endif
