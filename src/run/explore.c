// choice = all (rule N1; paper 000, section 5.3: the set of right answers must be well defined). Every order in which
// the alternatives of `choose` can be taken, depth first.
//
// A run with choice = all asks here at every choice point. It follows the decisions below script_count and takes the
// first alternative beyond them. At the end of a branch the last decision that has an alternative left is advanced, and
// the run goes on from the snapshot before the step (from one instant to the next) in which it was made. So branches
// come in the order of the text and of nothing else.
//
// Orders commute more often than not, so what was reached before is remembered (explore_table.c): the state at every
// choice point and at the end of every instant with a choice. An order that comes to a remembered place at the same
// time ends there, for what follows is known. A place on the present path is not such an end: to come back to it is a
// cycle, and the rules for endless instants (R5) judge it. Branches that reach the end of the run are compared once
// more, by the values that outcomes show.
//
// Rows: the first branch gives its rows while it is explored. Every later one is known to be an outcome only at its
// end, and is run again from the start with its decisions fixed.
#include "kernel/blocks.h"
#include "run/explore_table.h"

#include <stdarg.h>
#include <stdio.h>

// A step in which decisions were made.
typedef struct Frame
{
    kaiSnapshot* before;
    uint32_t first;  // its first decision
} Frame;

typedef struct OpenEntry
{
    uint32_t entry;
    uint32_t depth;  // decisions that lead to it
} OpenEntry;

struct Explorer
{
    kaiSim* sim;
    const kaiExploreEvents* events;
    kaiExploration* result;
    kaiRowFn* row;
    kaiSnapshot* root;
    Frame* frames;
    uint32_t frame_count, frame_capacity;
    OpenEntry* open;  // places on the present path
    uint32_t open_count, open_capacity;
    PlaceTable places, ends;
};

// Room for one more element of a growing array. NULL: out of memory, and the array stays.
static void* grown(kaiAllocator a, void* array, uint32_t count, uint32_t* capacity, size_t size)
{
    if (count < *capacity)
        return array;
    uint32_t wanted = *capacity > 0 ? 2 * *capacity : 16;
    void* made = a.alloc(a.user, array, *capacity * size, wanted * size);
    if (made != NULL)
        *capacity = wanted;
    return made;
}

// ---- choosing
// --------------------------------------------------------------------------------------------------------

// Remembers where the run is, or ends it there because another order was there before.
static kaiStatus visit(Explorer* x, PlaceKind kind)
{
    kaiSim* sim = x->sim;
    kaiAllocator a = sim->options.allocator;
    OpenEntry* open = grown(a, x->open, x->open_count, &x->open_capacity, sizeof *open);
    if (open == NULL)
        return KAI_ERR_MEMORY;
    x->open = open;
    uint32_t entry = table_find(&x->places, sim, kind);
    for (uint32_t i = 0; i < x->open_count && entry != NO_ENTRY; i++)
        if (open[i].entry == entry)
            return KAI_OK;  // a cycle
    sim->explore.merged = entry != NO_ENTRY;
    x->result->merged += sim->explore.merged;
    if (sim->explore.merged)
        return KAI_OK;
    if ((entry = table_add(&x->places)) == NO_ENTRY)
        return KAI_ERR_MEMORY;
    open[x->open_count++] = (OpenEntry){entry, sim->explore.decision_count};
    return KAI_OK;
}

static kaiStatus meet_choice(kaiSim* sim, bool fresh)
{
    if (sim->explore.explorer == NULL)
        return KAI_OK;
    kaiStatus status = fresh ? visit(sim->explore.explorer, PLACE_CHOICE) : KAI_OK;
    if (status == KAI_OK && !sim->explore.merged)
        sim->explore.explorer->result->choices++;
    return sim->explore.merged ? KAI_INTERRUPTED : status;
}

kaiStatus explore_decide(kaiSim* sim, bool fresh, uint32_t enabled, uint32_t* rank)
{
    uint32_t k = sim->explore.decision_count;
    Decision* d = grown(sim->options.allocator, sim->explore.decisions, k, &sim->explore.decision_capacity, sizeof *d);
    if (d == NULL)
        return KAI_ERR_MEMORY;
    sim->explore.decisions = d;
    kaiStatus status = k >= sim->explore.script_count ? meet_choice(sim, fresh) : KAI_OK;
    if (status != KAI_OK)
        return status;
    uint32_t taken = k < sim->explore.script_count && d[k].taken < enabled ? d[k].taken : 0;
    d[k] = (Decision){.tag = sim->kernel.now, .taken = taken, .enabled = enabled};
    sim->explore.decision_count = k + 1;
    *rank = taken;
    return KAI_OK;
}

kaiStatus kaiSim_Follow(kaiSim* sim, const int* taken, int count)
{
    if (sim == NULL || count < 0 || (taken == NULL && count > 0))
        return KAI_ERR_USAGE;
    if (sim->flow.started || sim->kernel.policy != CHOICE_ALL || count < 0)
        return KAI_ERR_USAGE;
    for (uint32_t i = 0; i < (uint32_t)count; i++)
    {
        Decision* d =
            grown(sim->options.allocator, sim->explore.decisions, i, &sim->explore.decision_capacity, sizeof *d);
        if (d == NULL)
            return KAI_ERR_MEMORY;
        sim->explore.decisions = d;
        d[i] = (Decision){.taken = taken[i] > 0 ? (uint32_t)taken[i] : 0};
    }
    sim->explore.script_count = (uint32_t)count;
    return KAI_OK;
}

// ---- bounds
// ----------------------------------------------------------------------------------------------------------

static kaiStatus fail_bound(Explorer* x, const char* setting, uint64_t bound, const char* what)
{
    kaiSim* sim = x->sim;
    char help[200];
    const Decision* last =
        sim->explore.decision_count > 0 ? &sim->explore.decisions[sim->explore.decision_count - 1] : NULL;
    snprintf(help, sizeof help, "set a larger %s, shorten the run, or let choice = random draw some of the orders",
             setting);
    return kernel_fail(
        &sim->kernel, last != NULL ? sim->kernel.model->reactions[last->reaction].place : 0, help,
        "choice = all: there are more than %llu %s (%s); %lld outcomes are complete, %lld orders merged, "
        "the last choice was made here at t = %.17g",
        (unsigned long long)bound, what, setting, (long long)x->result->outcomes, (long long)x->result->merged,
        last != NULL ? last->tag.t : sim->kernel.now.t);
}

// ---- down and back
// ---------------------------------------------------------------------------------------------------

static kaiStatus keep_frame(Explorer* x, kaiSnapshot* before, uint32_t first)
{
    Frame* frames = grown(x->sim->options.allocator, x->frames, x->frame_count, &x->frame_capacity, sizeof *frames);
    if (frames == NULL)
    {
        kaiSnapshot_Free(before);
        return KAI_ERR_MEMORY;
    }
    x->frames = frames;
    frames[x->frame_count++] = (Frame){before, first};
    return KAI_OK;
}

// One step. The snapshot before it is kept if it chose.
static kaiStatus step(Explorer* x, bool* chose)
{
    kaiSim* sim = x->sim;
    uint32_t first = sim->explore.decision_count;
    kaiSnapshot* before = snapshot_save(sim, sim->options.allocator);
    if (before == NULL)
        return KAI_ERR_MEMORY;
    kaiStatus status = kaiSim_Step(sim);
    *chose = sim->explore.decision_count > first;
    if (!*chose)
        kaiSnapshot_Free(before);
    else if (keep_frame(x, before, first) != KAI_OK)
        return KAI_ERR_MEMORY;
    return status;
}

// To the end of the branch (KAI_END, KAI_ERR_RUN), or to where it is merged (KAI_OK). Anything else stops.
static kaiStatus descend(Explorer* x)
{
    const kaiSimOptions* o = &x->sim->options;
    for (;;)
    {
        bool chose = false;
        kaiStatus status = step(x, &chose);
        if (status == KAI_INSTANT && chose && !x->sim->explore.merged)
        {
            kaiStatus remembered = visit(x, PLACE_END);
            status = remembered != KAI_OK ? remembered : status;
        }
        if (x->sim->explore.merged)
            return KAI_OK;
        if (status != KAI_INSTANT || (uint64_t)x->result->choices > o->max_choices)
            return status;
    }
}

// The last decision that has an alternative left; decision_count: none.
static uint32_t last_open_decision(const kaiSim* sim)
{
    for (uint32_t k = sim->explore.decision_count; k-- > 0;)
        if (sim->explore.decisions[k].taken + 1 < sim->explore.decisions[k].enabled)
            return k;
    return sim->explore.decision_count;
}

// Back to the step of that decision, which takes its next alternative. KAI_END: there is none.
static kaiStatus go_back(Explorer* x)
{
    kaiSim* sim = x->sim;
    uint32_t k = last_open_decision(sim);
    if (k == sim->explore.decision_count)
        return KAI_END;
    sim->explore.decisions[k].taken++;
    sim->explore.script_count = k + 1;
    while (x->open_count > 0 && x->open[x->open_count - 1].depth > k)
        x->open_count--;
    while (x->frames[x->frame_count - 1].first > k)
        kaiSnapshot_Free(x->frames[--x->frame_count].before);
    kaiSnapshot* before = x->frames[--x->frame_count].before;
    kaiStatus status = kaiSim_Restore(sim, before);
    kaiSnapshot_Free(before);
    return status;
}

// ---- outcomes
// --------------------------------------------------------------------------------------------------------

static kaiStatus begin_branch(Explorer* x)
{
    const kaiExploreEvents* e = x->events;
    return e->begin != NULL ? e->begin(e->user, (int)x->result->outcomes + 1) : KAI_OK;
}

// The whole branch once more, with its rows. Snapshots are taken as before: solvers with a memory forget it then.
static kaiStatus repeat_branch(Explorer* x)
{
    kaiSim* sim = x->sim;
    kaiStatus status;
    sim->explore.script_count = sim->explore.decision_count;
    if (kaiSim_Restore(sim, x->root) != KAI_OK)
        return KAI_ERR_MEMORY;
    sim->options.row = x->row;
    do
    {
        kaiSnapshot* before = snapshot_save(sim, sim->options.allocator);
        status = before != NULL ? kaiSim_Step(sim) : KAI_ERR_MEMORY;
        kaiSnapshot_Free(before);
    } while (status == KAI_INSTANT);
    sim->options.row = NULL;
    return status;
}

static bool ends_branch(kaiStatus status)
{
    return status == KAI_END || status == KAI_ERR_RUN;
}

// A branch has come to its end. KAI_OK: go on with the next one.
static kaiStatus end_branch(Explorer* x, kaiStatus ended)
{
    kaiSim* sim = x->sim;
    const kaiExploreEvents* e = x->events;
    if (table_find(&x->ends, sim, PLACE_OUTCOME) != NO_ENTRY)
        return x->result->merged++, KAI_OK;
    if ((uint64_t)x->result->outcomes >= sim->options.max_branches)
        return fail_bound(x, "max_branches", sim->options.max_branches, "outcomes");
    if (table_add(&x->ends) == NO_ENTRY)
        return KAI_ERR_MEMORY;
    bool first = x->result->outcomes == 0;
    kaiStatus status = first ? KAI_OK : begin_branch(x);
    if (status == KAI_OK && !first && x->row != NULL)
        ended = repeat_branch(x);
    if (status != KAI_OK || !ends_branch(ended))
        return status != KAI_OK ? status : ended;
    sim->options.row = NULL;
    x->result->outcomes++;
    x->result->failed += ended < 0;
    return e->end != NULL ? e->end(e->user, sim, (int)x->result->outcomes, ended) : KAI_OK;
}

static kaiStatus explore(Explorer* x)
{
    kaiStatus status = begin_branch(x);
    while (status == KAI_OK)
    {
        kaiStatus ended = descend(x);
        if ((uint64_t)x->result->choices > x->sim->options.max_choices && ended >= 0)
            return fail_bound(x, "max_choices", x->sim->options.max_choices, "choice points");
        if (ended != KAI_OK && !ends_branch(ended))
            return ended;
        if (ended != KAI_OK)
            status = end_branch(x, ended);
        if (status == KAI_OK)
            status = go_back(x);
    }
    return status;
}

static void release(Explorer* x)
{
    kaiAllocator a = x->sim->options.allocator;
    while (x->frame_count > 0)
        kaiSnapshot_Free(x->frames[--x->frame_count].before);
    kaiSnapshot_Free(x->root);
    if (x->frames != NULL)
        a.alloc(a.user, x->frames, sizeof *x->frames * x->frame_capacity, 0);
    if (x->open != NULL)
        a.alloc(a.user, x->open, sizeof *x->open * x->open_capacity, 0);
    table_free(&x->places);
    table_free(&x->ends);
    x->sim->explore.explorer = NULL;
}

kaiStatus kaiSim_Explore(const kaiModel* model, kaiSim* sim, const kaiExploreEvents* events, kaiExploration* result)
{
    if (model == NULL || sim == NULL || sim->model != model || events == NULL || result == NULL)
        return KAI_ERR_USAGE;
    *result = (kaiExploration){0};
    if (sim->flow.started || sim->kernel.policy != CHOICE_ALL)
        return KAI_ERR_USAGE;
    Text why = {0};
    if (blocks_fixed(&sim->kernel, true, &why))
        return kernel_fail(&sim->kernel, 0, "choice = first follows one order",
                           "choice = all goes back in time, and %s", why.at);
    Explorer x = {.sim = sim, .events = events, .result = result, .row = sim->options.row};
    table_open(&x.places, sim);
    table_open(&x.ends, sim);
    sim->explore.explorer = &x;
    x.root = snapshot_save(sim, sim->options.allocator);
    kaiStatus status = x.root != NULL ? explore(&x) : KAI_ERR_MEMORY;
    if (status == KAI_ERR_MEMORY && sim->budget.end != BUDGET_LASTS)
        status = kernel_stop(&sim->kernel);
    else if (status == KAI_ERR_MEMORY)
        sim->kernel.failure = (kaiError){.status = status, .tag = sim->kernel.now, .message = "out of memory"};
    release(&x);
    sim->flow.ended = true;
    return status;
}

// ---- as people read it
// -----------------------------------------------------------------------------------------------

__attribute__((format(printf, 4, 5))) static size_t add_text(char* text, size_t size, size_t length, const char* format,
                                                             ...)
{
    if (length + 1 >= size)
        return length;
    va_list args;
    va_start(args, format);
    int added = vsnprintf(text + length, size - length, format, args);
    va_end(args);
    size_t end = length + (added > 0 ? (size_t)added : 0);
    return end < size ? end : size - 1;
}

bool kaiSim_Decision(const kaiSim* sim, int index, kaiDecision* decision)
{
    if (sim == NULL || decision == NULL)
        return false;
    if (index < 0 || (uint32_t)index >= sim->explore.decision_count)
        return false;
    const Decision* d = &sim->explore.decisions[index];
    *decision = (kaiDecision){.tag = d->tag, .taken = (int)d->taken, .enabled = (int)d->enabled};
    decision->place = model_place(sim->kernel.model, sim->kernel.model->reactions[d->reaction].place);
    fired_describe(sim->kernel.model, d->reaction, decision->text, sizeof decision->text);
    return true;
}

void kaiSim_OrderText(const kaiSim* sim, char* text, size_t size)
{
    if (sim == NULL || text == NULL || size == 0)
        return;
    enum
    {
        SHOWN = 8
    };
    kaiDecision d;
    double t = 0;
    size_t length = 0;
    snprintf(text, size, "no choice");
    for (int i = 0; i < SHOWN && kaiSim_Decision(sim, i, &d); i++)
    {
        if (i == 0 || d.tag.t != t)
            length = add_text(text, size, length, "%sat t = %.9g: ", i > 0 ? "; " : "", t = d.tag.t);
        else
            length = add_text(text, size, length, ", then ");
        length = add_text(text, size, length, "line %d (%s)", d.place.line, d.text);
    }
    if (sim->explore.decision_count > SHOWN)
        add_text(text, size, length, ", and %u choices more", sim->explore.decision_count - SHOWN);
}

static size_t add_value(const kaiSim* sim, const ModelVar* var, char* text, size_t size, size_t length)
{
    const kaiModel* model = sim->kernel.model;
    const char* between = length > 0 ? ", " : "";
    const char* name = model_string(model, var->name);
    double value = sim->kernel.R[var->reg];
    if (var->kind == MODEL_MODE)
    {
        const Machine* machine = &model->machines[var->machine];
        return add_text(text, size, length, "%s%s = %s", between, name,
                        model_string(model, model->modes[machine->first_mode + (uint32_t)value].name));
    }
    return add_text(text, size, length, "%s%s = %.9g%s", between, name, var_shown(var, value),
                    var_unit_said(model, var));
}

void kaiSim_OutcomeText(const kaiSim* sim, int limit, char* text, size_t size)
{
    if (sim == NULL || text == NULL || size == 0)
        return;
    size_t length = 0;
    int count = 0;
    if (size > 0)
        text[0] = 0;
    for (uint32_t position = 0, var; table_outcome_var(sim, &position, &var);)
        if (!sim->kernel.model->vars[var].hidden && kernel_ctx_active(&sim->kernel, sim->kernel.model->vars[var].ctx) &&
            count++ < limit)
            length = add_value(sim, &sim->kernel.model->vars[var], text, size, length);
    if (count > limit)
        add_text(text, size, length, ", …");
}
