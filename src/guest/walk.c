// `kairos check --allow-external thing.fmu`: the calls of an FMU in the order of the state machine of its standard, in
// a process of its own: instantiation, initialization, event iteration, steps, going back, events, saving and
// restoring, the end.
#include "guest/guest.h"

#include "base/error.h"
#include "kairos/fmi.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum
{
    ROUNDS_MOST = 1000,  // of one event iteration
    STEPS = 10,
};

typedef struct Walk
{
    const kaiBlock* block;
    void* it;
    kaiError* error;
    double t, h, until;                        // until: of the clock of the machine
    double *states, *inputs, *values, *again;  // values: rates, outputs, indicators
    char said[240];
    kaiBlockHost host;
} Walk;

static double clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void hear(void* user, bool error, const char* text)
{
    Walk* w = user;
    if (error)
        snprintf(w->said, sizeof w->said, "%s", text);
}

static bool is_late(void* user)
{
    const Walk* w = user;
    return clock_now() > w->until;
}

static bool must(Walk* w, kaiStatus status, const char* what)
{
    if (status == KAI_OK)
        return true;
    error_set(w->error, KAI_ERR_MODEL, "%s fails at t = %.9g%s%s", what, w->t, w->said[0] != 0 ? ": " : "", w->said);
    return false;
}

static size_t value_count(const kaiBlock* b)
{
    return (size_t)b->state_count + b->output_count + b->indicator_count;
}

static bool get_all(Walk* w, double* values)
{
    const kaiBlock* b = w->block;
    return (b->state_count == 0 || must(w, b->get_rates(w->it, values), "getting the derivatives")) &&
           (b->output_count == 0 || must(w, b->get_outputs(w->it, values + b->state_count), "getting the outputs")) &&
           (b->indicator_count == 0 ||
            must(w, b->get_indicators(w->it, values + b->state_count + b->output_count), "getting the indicators"));
}

static bool iterate(Walk* w)
{
    kaiBlockEvents events = {.more = true};
    for (int round = 0; events.more; round++)
    {
        if (round == ROUNDS_MOST)
            return error_set(w->error, KAI_ERR_MODEL, "its event iteration at t = %.9g has no end", w->t), false;
        events = (kaiBlockEvents){.next = INFINITY};
        if (!must(w, w->block->commit(w->it, w->t, w->inputs, &events, w->states), "the event iteration"))
            return false;
        if (events.next <= w->t && !events.more)
            return error_set(w->error, KAI_ERR_MODEL, "at t = %.9g it wants its next event at %.9g, which is not later",
                             w->t, events.next),
                   false;
        if (events.end)
            return true;
    }
    return true;
}

static bool differ(Walk* w, const char* when)
{
    const kaiBlock* b = w->block;
    for (size_t i = 0; i < value_count(b); i++)
    {
        if (memcmp(&w->values[i], &w->again[i], sizeof(double)) == 0)
            continue;
        bool output = i >= b->state_count && i < (size_t)b->state_count + b->output_count;
        error_set(w->error, KAI_ERR_MODEL, "%s%s is %.17g at t = %.9g %s, and was %.17g",
                  output ? "" : "what belongs to ",
                  output               ? b->outputs[i - b->state_count].name
                  : i < b->state_count ? b->states[i].name
                                       : "an indicator",
                  w->again[i], w->t, when, w->values[i]);
        return true;
    }
    return false;
}

// A step along the derivatives, and back to where it began: nothing remembers that it was ahead.
static bool step(Walk* w)
{
    const kaiBlock* b = w->block;
    bool event = false;
    if (!get_all(w, w->values) || !must(w, b->set(w->it, w->t + w->h, w->states, w->inputs), "setting the time"))
        return false;
    if (!get_all(w, w->again) || !must(w, b->set(w->it, w->t, w->states, w->inputs), "going back in time") ||
        !get_all(w, w->again) || differ(w, "after it was asked about a later time"))
        return false;
    for (uint32_t i = 0; i < b->state_count; i++)
        w->states[i] += w->h * w->values[i];
    w->t += w->h;
    if (!must(w, b->set(w->it, w->t, w->states, w->inputs), "setting the states") || !get_all(w, w->values))
        return false;
    if (b->step_done != NULL && !must(w, b->step_done(w->it, &event), "the end of a step"))
        return false;
    return !event || iterate(w);
}

static bool copy(Walk* w)
{
    const kaiBlock* b = w->block;
    kaiAllocator a = kaiDefaultAllocator();
    size_t size = 0;
    if (b->fixed != NULL || !get_all(w, w->values))
        return b->fixed != NULL;
    if (!must(w, b->save(w->it, NULL, &size), "saving the state"))
        return false;
    char* bytes = a.alloc(a.user, NULL, 0, size + 1);
    bool fine = bytes != NULL && must(w, b->save(w->it, bytes, &size), "saving the state") && iterate(w) &&
                must(w, b->restore(w->it, bytes, size), "restoring the state") && get_all(w, w->again) &&
                !differ(w, "after its state was restored");
    a.alloc(a.user, bytes, size + 1, 0);
    return fine;
}

static bool go(Walk* w)
{
    const kaiBlock* b = w->block;
    if (!iterate(w))
        return false;
    for (int i = 0; i < STEPS; i++)
    {
        if (b->state_count + b->indicator_count > 0 ? !step(w) : (w->t += w->h, !iterate(w)))
            return false;
        if (i == STEPS / 2 && (!iterate(w) || !copy(w)))
            return false;
    }
    return iterate(w);
}

static kaiStatus walk(Walk* w)
{
    const kaiBlock* b = w->block;
    kaiAllocator a = kaiDefaultAllocator();
    size_t count = b->parameter_count + b->state_count + b->input_count + 2 * value_count(b) + 1;
    double* room = a.alloc(a.user, NULL, 0, sizeof(double) * count);
    if (room == NULL)
        return error_memory(w->error);
    memset(room, 0, sizeof(double) * count);
    w->states = room + b->parameter_count;
    w->inputs = w->states + b->state_count;
    w->values = w->inputs + b->input_count;
    w->again = w->values + value_count(b);
    for (uint32_t i = 0; i < b->parameter_count; i++)
        room[i] = b->parameters[i].start;
    for (uint32_t i = 0; i < b->state_count; i++)
        w->states[i] = NAN;
    for (uint32_t i = 0; i < b->input_count; i++)
        w->inputs[i] = b->inputs[i].start;
    w->t = isfinite(b->usual.start) ? b->usual.start : 0;
    double span = isfinite(b->usual.stop) ? b->usual.stop - w->t : 1;
    w->h = b->state_count + b->indicator_count > 0 ? 1e-6 * span : b->parameters[b->parameter_count - 1].start;
    bool opened = must(w, b->open(b, &w->host, &w->it), "instantiation");
    bool fine = opened && must(w, b->begin(w->it, w->t, room, w->inputs, w->states), "initialization") && go(w);
    if (opened)
        b->close(w->it);
    a.alloc(a.user, room, sizeof(double) * count, 0);
    return fine ? KAI_OK : KAI_ERR_MODEL;
}

static kaiStatus walk_one(const char* path, const char* variant, double until, bool* steps_too, kaiError* error)
{
    const kaiBlock* block = NULL;
    kaiStatus status = guest_open(path, variant, true, kaiDefaultAllocator(), &block, error);
    if (status != KAI_OK)
        return status;
    const Guest* g = (const Guest*)(const void*)block;
    *steps_too = g->exchange && g->described.cosimulation != NULL;
    Walk w = {.block = block, .error = error, .until = until};
    w.host = (kaiBlockHost){.user = &w,
                            .instance = block->name,
                            .start = isfinite(block->usual.start) ? block->usual.start : 0,
                            .stop = isfinite(block->usual.stop) ? block->usual.stop : INFINITY,
                            .tolerance = isfinite(block->usual.tolerance) ? block->usual.tolerance : 1e-6,
                            .allocator = kaiDefaultAllocator(),
                            .log = hear,
                            .interrupted = is_late};
    status = walk(&w);
    block->hold(block, -1);
    return status;
}

kaiStatus kaiFmu_Walk(const char* path, double seconds, kaiError* error)
{
    kaiError own;
    bool steps_too = false, unused;
    error = error != NULL ? error : &own;
    error_clear(error);
    if (path == NULL || !(seconds > 0))
        return error_set(error, KAI_ERR_USAGE, "there is no path, or no time");
    double until = clock_now() + seconds;
    kaiStatus status = walk_one(path, "", until, &steps_too, error);
    return status == KAI_OK && steps_too ? walk_one(path, "cs", until, &unused, error) : status;
}
