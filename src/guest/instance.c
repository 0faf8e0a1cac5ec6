// An instance of an FMU as an instance of a block, whatever its version. Model Exchange: between instants it is in
// continuous-time mode; it enters event mode when it is asked to commit, or when an input that may change at events
// only does, and each commit is one round of its event iteration. It leaves event mode when it is set to another time.
// Co-Simulation: a commit brings it from the last communication point to this one, with the inputs that it was given
// there, and gives it those of now.
#include "guest/guest.h"

#include "base/tolerance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void guest_log(GuestInstance* i, bool error, const char* text)
{
    i->said |= error;
    i->host.log(i->host.user, error, text);
}

kaiStatus guest_answer(GuestInstance* i, int status, const char* call)
{
    char text[200];
    static const char* const words[] = {"OK", "Warning", "Discard", "Error", "Fatal", "Pending"};
    if (status <= 1)  // what it warns of, it says through its log
        return i->said = false, KAI_OK;
    if (status == 2)
        return KAI_ERR_LIMIT;
    snprintf(text, sizeof text, "%s answers %s", call, words[status <= 5 ? status : 3]);
    if (!i->said)
        guest_log(i, true, text);
    return KAI_ERR_RUN;
}

// ---- making

static size_t array_room(const kaiBlock* b)
{
    size_t most = b->output_count > b->input_count ? b->output_count : b->input_count;
    most = most > b->state_count ? most : b->state_count;
    return sizeof(double) *
           (b->state_count + 3 * (size_t)b->input_count + 2 * (size_t)b->output_count + most + b->parameter_count + 1);
}

static void close_instance(void* instance)
{
    GuestInstance* i = instance;
    kaiAllocator a = i->host.allocator;
    i->calls->free(i);
    a.alloc(a.user, i->states, array_room(&i->guest->block), 0);
    a.alloc(a.user, i, i->room, 0);
}

static kaiStatus open_instance(const kaiBlock* block, const kaiBlockHost* host, void** instance)
{
    Guest* g = (Guest*)(uintptr_t)block;
    kaiAllocator a = host->allocator;
    char why[400] = "";
    size_t size = 0;
    if (!guest_load(g, why, sizeof why))
        return host->log(host->user, true, why), g->scarce ? KAI_ERR_MEMORY : KAI_ERR_IO;
    GuestInstance* i = g->described.version == 2 ? guest_make_2(a, &size) : guest_make_3(a, &size);
    double* arrays = i != NULL ? a.alloc(a.user, NULL, 0, array_room(block)) : NULL;
    if (arrays == NULL)
    {
        if (i != NULL)
            a.alloc(a.user, i, size, 0);
        return KAI_ERR_MEMORY;
    }
    memset(arrays, 0, array_room(block));
    i->guest = g;
    i->host = *host;
    i->room = size;
    i->states = arrays;
    i->inputs = arrays + block->state_count;
    i->kept = i->inputs + block->input_count;
    i->seen = i->kept + 2 * (size_t)block->input_count;
    i->ticked = i->seen + block->output_count;
    i->scratch = i->ticked + block->output_count;
    kaiStatus status = i->calls->instantiate(i);
    if (status != KAI_OK)
        return close_instance(i), status;
    *instance = i;
    return KAI_OK;
}

static void to_own(const GuestVariable* list, uint32_t count, const double* si, double* own)
{
    for (uint32_t k = 0; k < count; k++)
        own[k] = (si[k] - list[k].offset) / list[k].scale;
}

static void to_si(const GuestVariable* list, uint32_t count, double* values)
{
    for (uint32_t k = 0; k < count; k++)
        values[k] = list[k].scale * values[k] + list[k].offset;
}

static kaiStatus read_states(GuestInstance* i, double* states)
{
    uint32_t count = i->guest->block.state_count;
    if (count == 0)
        return KAI_OK;
    kaiStatus status = i->calls->get_states(i, states, count);
    to_si(i->guest->states, count, states);
    memcpy(i->states, states, sizeof(double) * count);
    return status;
}

// Start values of states that the model gives.
static kaiStatus give_start(GuestInstance* i, const double* states)
{
    const Guest* g = i->guest;
    kaiStatus status = KAI_OK;
    char text[200];
    for (uint32_t k = 0; k < g->block.state_count && status == KAI_OK; k++)
    {
        if (isnan(states[k]))
            continue;
        double value = (states[k] - g->states[k].offset) / g->states[k].scale;
        snprintf(text, sizeof text, "the start value of %.100s cannot be given: the FMU calculates it",
                 g->block.states[k].name);
        if (!g->states[k].settable)
            return guest_log(i, true, text), KAI_ERR_USAGE;
        status = i->calls->set(i, &g->states[k], 1, &value);
    }
    return status;
}

// Events that a step has raised: the next call may take them back. One that is counted was there if its count grew, a
// clock if it ticks, once a round however often it is asked.
static kaiStatus see_ticks(GuestInstance* i)
{
    const Guest* g = i->guest;
    kaiStatus status = KAI_OK;
    for (uint32_t k = 0; k < g->block.output_count && status == KAI_OK; k++)
    {
        uint32_t count = g->block.outputs[k].count;
        double there = 0;
        if (!g->outputs[k].event)
            continue;
        status = i->calls->get(i, &g->outputs[count > 0 ? count - 1 : k], 1, &there);
        if (there > i->seen[k])
            i->ticked[k] = 1;
        i->seen[k] = count > 0 || there > i->seen[k] ? there : i->seen[k];
    }
    return status;
}

static void begin_ticks(GuestInstance* i)
{
    for (uint32_t k = 0; k < i->guest->block.output_count; k++)
        if (i->guest->outputs[k].event && i->guest->block.outputs[k].count == 0)
            i->seen[k] = 0;
}

static kaiStatus begin(void* instance, double t, const double* parameters, const double* inputs, double* states)
{
    GuestInstance* i = instance;
    const kaiBlock* b = &i->guest->block;
    uint32_t own = b->parameter_count - (i->guest->exchange ? 0 : 1);
    if (!i->guest->exchange)
        i->step = parameters[own];
    if (!i->guest->exchange && !(i->step > 0 && isfinite(i->step)))
        return guest_log(i, true, "communication_step is not above 0"), KAI_ERR_USAGE;
    double* p = i->scratch;
    to_own(i->guest->parameters, own, parameters, p);
    memcpy(i->inputs, inputs, sizeof(double) * b->input_count);
    double* u = p + own;  // there is room for the longest of each
    to_own(i->guest->inputs, b->input_count, inputs, u);
    i->time = i->from = t;
    kaiStatus status = give_start(i, states);
    if (status == KAI_OK)
        status = i->calls->initialize(i, t, p, u);
    i->mode = i->guest->exchange || i->guest->event_mode ? MODE_EVENT : MODE_STEP;
    memset(i->ticked, 0, sizeof(double) * b->output_count);
    if (status == KAI_OK && !i->guest->exchange)  // what it raised in its initialization is told at the first tag
        status = see_ticks(i);
    return status == KAI_OK ? read_states(i, states) : status;
}

// ---- where it is

static kaiStatus give_input(GuestInstance* i, uint32_t k, const double* inputs)
{
    const GuestVariable* v = &i->guest->inputs[k];
    double value = (inputs[k] - v->offset) / v->scale;
    i->inputs[k] = inputs[k];
    return i->calls->set(i, v, 1, &value);
}

// Inputs that have changed; discrete ones only in event mode. Numbers come before what tells that they are there.
static kaiStatus give_inputs(GuestInstance* i, const double* inputs, bool discrete)
{
    const Guest* g = i->guest;
    kaiStatus status = KAI_OK;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t k = 0; k < g->block.input_count && status == KAI_OK; k++)
        {
            bool tells = g->inputs[k].type == GUEST_BOOLEAN || g->inputs[k].type == GUEST_CLOCK;
            bool same = memcmp(&i->inputs[k], &inputs[k], sizeof(double)) == 0;
            bool event = g->inputs[k].event || g->inputs[k].part;
            if (!same && !event && tells == (pass == 1) && (discrete || !g->inputs[k].discrete))
                status = give_input(i, k, inputs);
        }
    return status;
}

// Events that are there at this tag: the payload first. Once a round.
static kaiStatus give_events(GuestInstance* i, const double* inputs)
{
    const kaiBlock* b = &i->guest->block;
    kaiStatus status = KAI_OK;
    for (uint32_t k = 0; k < b->input_count && status == KAI_OK; k++)
    {
        const GuestVariable* v = &i->guest->inputs[k];
        uint32_t payload = b->inputs[k].payload;
        double there = 1;
        if (!v->event || inputs[k] == 0 || i->inputs[k] != 0)
            continue;
        if (payload > 0)
            status = give_input(i, payload - 1, inputs);
        if (status == KAI_OK)
            status = i->calls->set(i, v, 1, &there);
        i->inputs[k] = 1;
    }
    return status;
}

// A Boolean that stands for an event is taken back when the round is over, so that the next one is another event.
static kaiStatus end_events(GuestInstance* i, bool undone)
{
    const kaiBlock* b = &i->guest->block;
    kaiStatus status = KAI_OK;
    for (uint32_t k = 0; k < b->input_count && status == KAI_OK; k++)
    {
        const GuestVariable* v = &i->guest->inputs[k];
        double gone = 0;
        if (!v->event || i->inputs[k] == 0)
            continue;
        i->inputs[k] = 0;
        if (v->type == GUEST_BOOLEAN && !undone)
            status = i->calls->set(i, v, 1, &gone);
    }
    return status;
}

static bool has_stepped(const GuestInstance* i, const double* inputs)
{
    const Guest* g = i->guest;
    for (uint32_t k = 0; k < g->block.input_count; k++)
        if (g->inputs[k].discrete && !g->inputs[k].event && !g->inputs[k].part &&
            memcmp(&i->inputs[k], &inputs[k], sizeof(double)) != 0)
            return true;
    return false;
}

static kaiStatus move(GuestInstance* i, double t, const double* states)
{
    uint32_t count = i->guest->block.state_count;
    bool stays = t == i->time && (count == 0 || memcmp(i->states, states, sizeof(double) * count) == 0);
    kaiStatus status = KAI_OK;
    if (stays)
        return KAI_OK;
    if (i->mode == MODE_EVENT)
        status = i->calls->enter_continuous(i);
    i->mode = MODE_CONTINUOUS;
    if (status == KAI_OK)
        status = i->calls->set_time(i, i->time = t);
    if (status == KAI_OK && count > 0)
    {
        memcpy(i->states, states, sizeof(double) * count);
        to_own(i->guest->states, count, states, i->scratch);
        status = i->calls->set_states(i, i->scratch, count);
    }
    return status;
}

static kaiStatus set(void* instance, double t, const double* states, const double* inputs)
{
    GuestInstance* i = instance;
    if (!i->guest->exchange)  // its outputs change at commits only
        return KAI_OK;
    kaiStatus status = move(i, t, states);
    if (status == KAI_OK && i->mode == MODE_CONTINUOUS && has_stepped(i, inputs))
    {
        status = i->calls->enter_event(i);
        i->mode = MODE_EVENT;
    }
    return status == KAI_OK ? give_inputs(i, inputs, i->mode == MODE_EVENT) : status;
}

// ---- values

static kaiStatus get_rates(void* instance, double* rates)
{
    GuestInstance* i = instance;
    uint32_t count = i->guest->block.state_count;
    kaiStatus status = i->calls->get_rates(i, rates, count);
    for (uint32_t k = 0; k < count; k++)
        rates[k] *= i->guest->states[k].scale;
    return status;
}

// The units of the known and of each state are its own.
static kaiStatus get_slopes(void* instance, uint32_t known, double* slopes)
{
    GuestInstance* i = instance;
    const Guest* g = i->guest;
    uint32_t count = g->block.state_count;
    const GuestVariable* v = known < count ? &g->states[known] : &g->inputs[known - count];
    kaiStatus status = i->calls->get_slopes(i, v, slopes, count);
    for (uint32_t k = 0; k < count; k++)
        slopes[k] *= g->states[k].scale / v->scale;
    return status;
}

// Those that show after the round of a tag, or the others. Clocks are asked once a round: they may count as seen then.
static kaiStatus get_some(GuestInstance* i, bool after, double* outputs)
{
    const Guest* g = i->guest;
    kaiStatus status = KAI_OK;
    for (uint32_t k = 0; k < g->block.output_count && status == KAI_OK; k++)
    {
        if (g->outputs[k].after != after)
            continue;
        status = i->calls->get(i, &g->outputs[k], 1, &outputs[k]);
        to_si(&g->outputs[k], 1, &outputs[k]);
        if (g->outputs[k].event && outputs[k] != 0 && g->exchange)
            i->ticked[k] = 1;
    }
    return status;
}

// Events are told by get_reaction.
static kaiStatus get_outputs(void* instance, double* outputs)
{
    GuestInstance* i = instance;
    const Guest* g = i->guest;
    uint32_t count = g->block.output_count;
    kaiStatus status = KAI_OK;
    for (uint32_t from = 0, to; from < count && status == KAI_OK; from = to)
    {
        outputs[from] = 0;
        for (to = from; to < count && !g->outputs[to].event; to++)
            ;
        if (to > from)
            status = i->calls->get(i, g->outputs + from, to - from, outputs + from);
        to = to > from ? to : from + 1;
    }
    to_si(g->outputs, count, outputs);
    return status;
}

static kaiStatus get_indicators(void* instance, double* indicators)
{
    GuestInstance* i = instance;
    return i->calls->get_indicators(i, indicators, i->guest->block.indicator_count);
}

// ---- commits

static kaiStatus begin_round(GuestInstance* i, const double* inputs)
{
    kaiStatus status = KAI_OK;
    if (i->mode != MODE_EVENT)
        status = i->calls->enter_event(i);
    i->mode = MODE_EVENT;
    return status == KAI_OK ? give_inputs(i, inputs, true) : status;
}

static kaiStatus commit_exchange(GuestInstance* i, const double* inputs, kaiBlockEvents* events, double* states)
{
    bool changed = i->ahead && i->ahead_changed;
    kaiStatus status = i->ahead ? KAI_OK : begin_round(i, inputs);
    if (status == KAI_OK && !i->ahead)
        status = give_events(i, inputs);
    if (i->ahead)
        *events = i->ahead_events;
    else if (status == KAI_OK)
        status = i->calls->update(i, events, &changed);
    i->ahead = false;
    if (status == KAI_OK)
        status = end_events(i, false);
    events->end |= i->end;
    return status == KAI_OK && changed ? read_states(i, states) : status;
}

// An FMU of Kairos shows events and what it calculates for a tag after the round: it goes there and comes back. Without
// inputs there is nothing that the commit could know better, and it stays.
static kaiStatus foresee(GuestInstance* i, const double* inputs, double* outputs)
{
    kaiBlockEvents events;
    bool changed;
    if (i->guest->block.input_count == 0)
    {
        kaiStatus done = i->calls->update(i, &i->ahead_events, &i->ahead_changed);
        i->ahead = true;
        return done == KAI_OK ? get_some(i, true, outputs) : done;
    }
    kaiStatus status = i->calls->keep(i);
    if (status != KAI_OK)
        return status;
    status = give_events(i, inputs);
    if (status == KAI_OK)
        status = i->calls->update(i, &events, &changed);
    if (status == KAI_OK)
        status = get_some(i, true, outputs);
    end_events(i, true);
    kaiStatus back = i->calls->take_back(i);
    return status == KAI_OK ? back : status;
}

static void tell_ticks(GuestInstance* i, double* outputs)
{
    for (uint32_t k = 0; k < i->guest->block.output_count; k++)
        if (i->guest->outputs[k].event)
            outputs[k] = i->ticked[k];
}

// One round of its events where it stands. *done: none is left. What ticks because of the inputs of this round does so
// before the update.
static kaiStatus settle(GuestInstance* i, kaiBlockEvents* events, bool* done)
{
    bool changed;
    kaiBlockEvents said = {.next = INFINITY};
    kaiStatus status = i->guest->own ? KAI_OK : see_ticks(i);
    if (status == KAI_OK)
        status = i->calls->update(i, &said, &changed);
    begin_ticks(i);
    events->end |= said.end;
    *done = !said.more;
    if (status == KAI_OK)
        status = see_ticks(i);
    if (status == KAI_OK && !said.more)
    {
        status = i->calls->enter_step(i);
        i->mode = MODE_STEP;
    }
    return status;
}

static kaiStatus stop_for_event(GuestInstance* i)
{
    kaiStatus status = i->calls->enter_event(i);
    i->mode = MODE_EVENT;
    return status == KAI_OK ? see_ticks(i) : status;
}

// From where it is to t. What it stops at on the way is settled there.
static kaiStatus advance(GuestInstance* i, double t, kaiBlockEvents* events)
{
    kaiStatus status = KAI_OK;
    while (status == KAI_OK && i->time < t && !events->end)
    {
        bool event = false, done = false;
        double reached = t;
        status = i->calls->do_step(i, i->time, t - i->time, &reached, &event, &events->end);
        if (status == KAI_OK && reached <= i->time && !event && !events->end)
            return guest_log(i, true, "DoStep does not get ahead"), KAI_ERR_RUN;
        i->time = reached < t ? reached : t;
        if (status == KAI_OK)
            status = event ? stop_for_event(i) : see_ticks(i);
        if (!event)
            continue;
        while (status == KAI_OK && !done && i->time < t)  // those of t are rounds of their own
            status = settle(i, events, &done);
    }
    return status;
}

// Where it would stop on the way to its next communication point: it goes there and comes back. Only what has event
// mode stops, and only what can be copied comes back. What it stops at as soon as it starts is of this instant still.
static kaiStatus look_ahead(GuestInstance* i, kaiBlockEvents* events)
{
    bool event = false, end = false;
    double reached = events->next;
    if (!i->guest->event_mode || i->guest->block.fixed != NULL || i->mode != MODE_STEP || !(events->next > i->time))
        return KAI_OK;
    kaiStatus status = i->calls->keep(i);
    if (status == KAI_OK)
        status = i->calls->do_step(i, i->time, events->next - i->time, &reached, &event, &end);
    bool stops = status == KAI_OK && event && reached > i->time && reached < events->next;
    if (stops && reached - i->time <= FMU_AT_ONCE * fabs(reached))
    {
        i->time = reached;
        events->more = true;
        status = stop_for_event(i);
    }
    else if (status == KAI_OK)
        status = i->calls->take_back(i);
    if (stops && !events->more)
        events->next = reached;
    return status;
}

static bool is_point(const GuestInstance* i, double t)
{
    return t >= i->from + i->ticks * i->step - FMU_SAME_TIME * i->step;
}

// To t, if that is a point for it.
static kaiStatus arrive(GuestInstance* i, double t, kaiBlockEvents* events)
{
    if (i->mode == MODE_STEP && t > i->time && (is_point(i, t) || i->guest->varies))
        return advance(i, t, events);
    return KAI_OK;
}

// Events that come where it cannot take them wait for its next point, the last payload of each.
static kaiStatus give_point(GuestInstance* i, double t, const double* inputs)
{
    const Guest* g = i->guest;
    uint32_t count = g->block.input_count;
    bool here = is_point(i, t) || g->varies || t <= i->time, any = false;
    double* now = i->scratch;
    memcpy(now, inputs, sizeof(double) * count);
    for (uint32_t k = 0; k < count; k++)
    {
        uint32_t payload = g->block.inputs[k].payload;
        if (!g->inputs[k].event)
            continue;
        if (inputs[k] == 0 && i->kept[k] != 0 && payload > 0)
            now[payload - 1] = i->kept[count + payload - 1];
        now[k] = inputs[k] != 0 || i->kept[k] != 0;
        any |= now[k] != 0;
        i->kept[k] = here ? 0 : now[k];
        if (payload > 0)
            i->kept[count + payload - 1] = now[payload - 1];
    }
    kaiStatus status = here ? give_inputs(i, now, true) : KAI_OK;
    if (status == KAI_OK && here && any && g->event_mode && i->mode == MODE_STEP)
    {
        status = i->calls->enter_event(i);
        i->mode = MODE_EVENT;
    }
    return status == KAI_OK && here ? give_events(i, now) : status;
}

static bool has_ticked(const GuestInstance* i)
{
    for (uint32_t k = 0; k < i->guest->block.output_count; k++)
        if (i->ticked[k] != 0)
            return true;
    return false;
}

static kaiStatus commit_step(GuestInstance* i, double t, const double* inputs, kaiBlockEvents* events)
{
    kaiStatus status = arrive(i, t, events);
    if (status == KAI_OK)
        status = give_point(i, t, inputs);
    memset(i->ticked, 0, sizeof(double) * i->guest->block.output_count);
    if (status == KAI_OK && i->mode == MODE_EVENT)
    {
        bool done = false;
        status = settle(i, events, &done);
        events->more = !done || has_ticked(i);
    }
    if (status == KAI_OK)
        status = end_events(i, false);
    while (i->from + i->ticks * i->step <= t + FMU_SAME_TIME * i->step)
        i->ticks++;
    events->next = i->from + i->ticks * i->step;
    events->end |= i->end;
    return status == KAI_OK && !events->end ? look_ahead(i, events) : status;
}

static kaiStatus commit(void* instance, double t, const double* inputs, kaiBlockEvents* events, double* states)
{
    GuestInstance* i = instance;
    if (!i->guest->exchange)
        return commit_step(i, t, inputs, events);
    kaiStatus status = commit_exchange(i, inputs, events, states);
    memset(i->ticked, 0, sizeof(double) * i->guest->block.output_count);
    return status;
}

static kaiStatus get_reaction(void* instance, double t, const double* inputs, double* outputs)
{
    GuestInstance* i = instance;
    const Guest* g = i->guest;
    kaiBlockEvents events = {0};
    kaiStatus status = g->exchange ? begin_round(i, inputs) : arrive(i, t, &events);
    i->end |= events.end;
    if (status == KAI_OK && g->exchange && g->own)
    {
        memset(i->ticked, 0, sizeof(double) * g->block.output_count);
        status = get_some(i, false, outputs);
        return status == KAI_OK ? foresee(i, inputs, outputs) : status;
    }
    if (status == KAI_OK && g->exchange)
        status = give_events(i, inputs);
    if (status == KAI_OK)
        status = get_some(i, false, outputs);
    if (status == KAI_OK)
        status = get_some(i, true, outputs);
    tell_ticks(i, outputs);
    return status;
}

static kaiStatus step_done(void* instance, bool* event)
{
    GuestInstance* i = instance;
    if (!i->guest->told || i->mode != MODE_CONTINUOUS)
        return KAI_OK;
    bool end = false;
    kaiStatus status = i->calls->step_done(i, event, &end);
    *event |= end;
    i->end |= end;
    return status;
}

// ---- copies

typedef struct SavedInstance
{
    double time, from, step, ticks;
    int32_t mode, end;
} SavedInstance;

static size_t own_size(const GuestInstance* i)
{
    const kaiBlock* b = &i->guest->block;
    return sizeof(SavedInstance) + sizeof(double) * (b->state_count + 3 * (size_t)b->input_count + b->output_count);
}

static kaiStatus save(void* instance, void* bytes, size_t* size)
{
    GuestInstance* i = instance;
    SavedInstance s = {i->time, i->from, i->step, i->ticks, (int32_t)i->mode, i->end};
    char* at = bytes;
    size_t rest = bytes != NULL ? *size - own_size(i) : 0;
    if (bytes != NULL)
    {
        memcpy(at, &s, sizeof s);
        memcpy(at + sizeof s, i->states, own_size(i) - sizeof s);
    }
    kaiStatus status = i->calls->save(i, bytes != NULL ? at + own_size(i) : NULL, &rest);
    *size = own_size(i) + rest;
    return status;
}

static kaiStatus restore(void* instance, const void* bytes, size_t size)
{
    GuestInstance* i = instance;
    SavedInstance s;
    if (size < own_size(i))
        return KAI_ERR_USAGE;
    memcpy(&s, bytes, sizeof s);
    memcpy(i->states, (const char*)bytes + sizeof s, own_size(i) - sizeof s);
    i->time = s.time;
    i->from = s.from;
    i->step = s.step;
    i->ticks = s.ticks;
    i->mode = (GuestMode)s.mode;
    i->end = s.end != 0;
    return i->calls->restore(i, (const char*)bytes + own_size(i), size - own_size(i));
}

void guest_functions(Guest* g)
{
    kaiBlock* b = &g->block;
    b->open = open_instance;
    b->close = close_instance;
    b->begin = begin;
    b->set = set;
    b->get_rates = get_rates;
    b->get_slopes = g->slopes ? get_slopes : NULL;
    b->get_outputs = get_outputs;
    b->get_indicators = get_indicators;
    b->commit = commit;
    b->get_reaction = g->reacts ? get_reaction : NULL;
    b->step_done = g->exchange && g->told ? step_done : NULL;
    b->save = save;
    b->restore = restore;
}
