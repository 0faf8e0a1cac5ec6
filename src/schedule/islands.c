// Islands (rule D2): which states must be solved together. Two states belong together when the right-hand side of one
// reads the other, directly, through signals or through `delay`; time, discretes, latched relations and modes do not
// couple. Every class is an island, unless the model declares some with `island`: then these are islands and the rest
// is one, but for `islands = auto`. A declaration that separates what belongs together is an error.
#include "base/hostile.h"
#include "base/sets.h"
#include "schedule/builder.h"

#include <string.h>

enum
{
    NO_NODE = 0xffffffffu,
    CAUSES_WHOLE = 64,  // what so few can cause is sooner looked at as a whole than found by what it reads
};

typedef VEC(uint32_t) Tasks;

// Nodes of the union: the states, then the continuous delays.
typedef struct Classes
{
    Builder* b;
    uint32_t state_count, node_count;
    uint32_t* parent;
    uint32_t* task_node;   // [task]: a node it reads + 1, 0 = none
    VEC(uint32_t) labels;  // [state]: the instance declared `island` that it stands in, 0 = none
} Classes;

static uint32_t join(Classes* k, uint32_t a, uint32_t b)
{
    if (a == NO_NODE || b == NO_NODE)
        return a == NO_NODE ? b : a;
    return sets_join(k->parent, a, b);
}

// ---- what right-hand sides read
// --------------------------------------------------------------------------------------

static uint32_t node_of_register(Classes* k, SymReg reg)
{
    uint32_t task;
    if (sym_class(reg) == REG_STATE || sym_class(reg) == REG_DERIV)
        return sym_index(reg);
    bool computed = map_get(&k->b->c.task_of, reg, &task);
    return computed && k->task_node[task] != 0 ? k->task_node[task] - 1 : NO_NODE;
}

// Joins `node` with everything continuous below the pushed scalars.
static uint32_t join_reads(Classes* k, uint32_t node)
{
    Scalars* scalars = &k->b->c.scalars;
    double index;
    for (Scalar x; scalar_walk_next(scalars, &x);)
        if (x.op == SCALAR_REG)
            node = join(k, node, node_of_register(k, x.reg));
        else if (x.op == VM_DELAYED && scalar_is_const(scalars, x.arg[0], &index))
            node = join(k, node, k->state_count + (uint32_t)index);
    return node;
}

static void join_task(Classes* k, uint32_t task, uint32_t* node)
{
    Compiler* c = &k->b->c;
    const Task t = c->tasks.at[task];
    push_task(c, PHASE_FLOW, task);
    if (t.kind == TASK_RIGHT_HAND_SIDE)
        *node = join(k, *node, sym_index(t.reg));
    *node = join_reads(k, *node);
}

static void join_all(Classes* k)
{
    Builder* b = k->b;
    VEC(uint32_t) slopes = {0};
    Sinks inputs = {0};
    for (uint32_t i = 0; i < b->c.tasks.count; i++)
        if (b->c.tasks.at[i].kind == TASK_RIGHT_HAND_SIDE)
            vec_push(b->arena, slopes, i);
    for (uint32_t i = 0; i < b->delays.count; i++)
        if (!b->delays.at[i].event)
            vec_push(b->arena, inputs, (Sink){0, sink_value(b, &b->event_index, b->delays.at[i].flow_value), i});
    ProgramSpec spec = {.phase = PHASE_FLOW,
                        .tasks = slopes.at,
                        .task_count = slopes.count,
                        .sinks = inputs.at,
                        .sink_count = inputs.count};
    Order order = order_tasks(&b->c, &spec);
    for (uint32_t i = 0; i < order.count; i++)  // what a task reads comes before it
    {
        uint32_t node = NO_NODE;
        for (uint32_t t = order.first[i]; t < order.first[i + 1]; t++)
            join_task(k, order.tasks[t], &node);
        for (uint32_t t = order.first[i]; t < order.first[i + 1]; t++)
            k->task_node[order.tasks[t]] = node + 1;
    }
    for (uint32_t i = 0; i < inputs.count; i++)
    {
        scalar_walk(&b->c.scalars);
        scalar_walk_push(&b->c.scalars, inputs.at[i].value);
        join_reads(k, k->state_count + inputs.at[i].dst);
    }
}

// ---- declared islands
// ------------------------------------------------------------------------------------------------

static uint32_t declared_island(const Flat* flat, uint32_t instance)
{
    while (instance != 0 && !flat->instances.at[instance].island)
        instance = flat->instances.at[instance].parent;
    return instance;
}

// The first state with another label that the pushed scalars read, NO_NODE: none. Signals that they read go to `tasks`.
static uint32_t foreign_below(Classes* k, uint32_t label, Tasks* tasks)
{
    Compiler* c = &k->b->c;
    uint32_t below;
    for (Scalar x; scalar_walk_next(&c->scalars, &x);)
    {
        bool state = x.op == SCALAR_REG && (sym_class(x.reg) == REG_STATE || sym_class(x.reg) == REG_DERIV);
        if (state && k->labels.at[sym_index(x.reg)] != label)
        {
            walk_stop(&c->scalars.walk);
            return sym_index(x.reg);
        }
        if (!state && x.op == SCALAR_REG && map_get(&c->task_of, x.reg, &below))
            vec_push(k->b->arena, *tasks, below);
    }
    return NO_NODE;
}

// The same for `task`, looking through signals.
static uint32_t foreign_state(Classes* k, uint32_t task, uint32_t label, uint8_t* seen)
{
    Compiler* c = &k->b->c;
    Tasks tasks = {0};
    uint32_t found = NO_NODE;
    vec_push(k->b->arena, tasks, task);
    while (tasks.count > 0 && found == NO_NODE)
    {
        task = tasks.at[--tasks.count];
        if (seen[task]++ != 0)
            continue;
        scalar_walk(&c->scalars);
        for (uint32_t i = 0; i < task_item_count(c, task); i++)
            scalar_walk_push(&c->scalars, task_item(c, PHASE_FLOW, task, i).value.value);
        found = foreign_below(k, label, &tasks);
    }
    return found;
}

static void report(Classes* k, uint32_t task, uint32_t foreign)
{
    Builder* b = k->b;
    const Flat* flat = b->c.flat;
    uint32_t state = sym_index(b->c.tasks.at[task].reg);
    uint32_t label = k->labels.at[state] != 0 ? k->labels.at[state] : k->labels.at[foreign];
    Diag* d = diag_error(b->c.diags, K_ISLAND_COUPLED, task_item(&b->c, PHASE_FLOW, task, 0).span,
                         "%s' reads %s continuously, so both belong to one island, but %s is declared as an island",
                         flat->vars.at[b->state_vars.at[state]].name, flat->vars.at[b->state_vars.at[foreign]].name,
                         flat->instances.at[label].name);
    diag_help(b->c.diags, d, "read it at instants (`sample`, `hold`, a discrete), or remove `island`");
}

static void check_declared(Classes* k)
{
    Builder* b = k->b;
    for (uint32_t i = 0; i < b->c.tasks.count; i++)
    {
        const Task* t = &b->c.tasks.at[i];
        if (t->kind != TASK_RIGHT_HAND_SIDE)
            continue;
        uint32_t state = sym_index(t->reg);
        uint8_t* seen = arena_array(b->arena, uint8_t, b->c.tasks.count + 1);
        uint32_t foreign = foreign_state(k, i, k->labels.at[state], seen);
        if (foreign != NO_NODE)
            report(k, i, foreign);
    }
}

// Whether some class has states of two labels.
static bool is_contrary(Classes* k)
{
    for (uint32_t i = 0; i < k->state_count; i++)
        if (k->labels.at[i] != k->labels.at[sets_root(k->parent, i)])
            return true;
    return false;
}

// ---- the islands
// -----------------------------------------------------------------------------------------------------

static uint32_t add_island(Builder* b, const char* name, Span span)
{
    vec_push(b->arena, b->islands, (Island){.name = build_string(b, name), .place = build_place(b, span)});
    return b->islands.count - 1;
}

// An island per class (auto) or per declaration. `of` receives the island of each state.
static void name_islands(Classes* k, bool automatic, uint32_t* of)
{
    Builder* b = k->b;
    const Flat* flat = b->c.flat;
    uint32_t keys = automatic ? k->node_count : flat->instances.count;
    uint32_t* made = arena_array(b->arena, uint32_t, keys + 1);
    for (uint32_t i = 0; i < k->state_count; i++)
    {
        uint32_t key = automatic ? sets_root(k->parent, i) : k->labels.at[i];
        const FlatVar* var = &flat->vars.at[b->state_vars.at[i]];
        bool declared = !automatic && key != 0;
        if (made[key] == 0)
            made[key] = 1 + (declared ? add_island(b, flat->instances.at[key].name, flat->instances.at[key].span)
                                      : add_island(b, automatic ? var->name : "the rest", var->span));
        of[i] = made[key] - 1;
    }
    for (uint32_t i = 1; i < flat->instances.count && !automatic; i++)  // islands without states
        if (flat->instances.at[i].island && made[i] == 0)
            add_island(b, flat->instances.at[i].name, flat->instances.at[i].span);
}

static uint32_t island_of_class(Classes* k, uint32_t node, const uint32_t* of)
{
    uint32_t root = sets_root(k->parent, node);
    return root < k->state_count ? of[root] : NO_NODE;  // roots are the smallest: a state if there is one
}

static void list_states(Classes* k, const uint32_t* of)
{
    Builder* b = k->b;
    for (uint32_t i = 0; i < k->state_count; i++)
    {
        vec_push(b->arena, b->state_islands, of[i]);
        vec_push(b->arena, b->state_slots, b->islands.at[of[i]].states.count++);
        vec_push(b->arena, b->island_states, 0);
    }
    for (uint32_t i = 0, at = 0; i < b->islands.count; i++)
    {
        b->islands.at[i].states.first = at;
        at += b->islands.at[i].states.count;
    }
    for (uint32_t i = 0; i < k->state_count; i++)
        b->island_states.at[b->islands.at[of[i]].states.first + b->state_slots.at[i]] = i;
}

static void place_delays(Classes* k, const uint32_t* of)
{
    Builder* b = k->b;
    uint32_t apart = NO_NODE;  // inputs without states
    for (uint32_t i = 0; i < b->delays.count; i++)
    {
        if (b->delays.at[i].event)
            continue;
        uint32_t island = island_of_class(k, k->state_count + i, of);
        if (island == NO_NODE && apart == NO_NODE)
            apart = add_island(b, "time", (Span){0});
        b->delays.at[i].island = island != NO_NODE ? island : apart;
    }
}

static bool is_word(const char* word, const char* wanted)
{
    return word != NULL && strcmp(word, wanted) == 0;
}

// What looks at all states at once: holding some at a level (decision 0013), comparing orders of choices (0012),
// impulses by their shape in time, the sets of modes of bond graphs (rule B3), blocks, whose time does not go back over
// a step.
static bool needs_whole(const Flat* flat)
{
    const FlatExperiment* x = &flat->experiment;
    return flat->bond_nodes.count > 0 || flat->blocks.count > 0 || is_word(x->zeno, "continue") ||
           is_word(x->zeno, "slide") || is_word(x->choice, "all") || is_word(x->impulses, "numeric");
}

// One island for everything.
static void fuse(Classes* k)
{
    Builder* b = k->b;
    b->islands.count = 0;
    add_island(b, "all", (Span){0});
    list_states(k, arena_array(b->arena, uint32_t, k->state_count + 1));
    for (uint32_t i = 0; i < b->delays.count; i++)
        b->delays.at[i].island = 0;
    b->draft.fused = true;
}

void build_islands(Builder* b)
{
    const FlatExperiment* x = &b->c.flat->experiment;
    bool declared = false, one = is_word(x->islands, "one") || is_word(x->islands, "none");
    for (uint32_t i = 0; i < b->c.flat->instances.count; i++)
        declared |= b->c.flat->instances.at[i].island;
    bool automatic = is_word(x->islands, "auto") || (x->islands == NULL && !declared);
    Classes k = {.b = b, .state_count = b->state_vars.count};
#ifdef KAIROS_HOSTILE
    one |= x->islands == NULL && hostile_coin(b->c.flat->model_name);
#endif
    if (!declared && (one || needs_whole(b->c.flat)))
    {
        fuse(&k);
        return;
    }
    k.node_count = k.state_count + b->delays.count;
    k.parent = arena_array(b->arena, uint32_t, k.node_count + 1);
    k.task_node = arena_array(b->arena, uint32_t, b->c.tasks.count + 1);
    sets_init(k.parent, k.node_count);
    for (uint32_t i = 0; i < k.state_count; i++)
        vec_push(b->arena, k.labels, declared_island(b->c.flat, b->c.flat->vars.at[b->state_vars.at[i]].instance));
    join_all(&k);
    if (is_contrary(&k))
        check_declared(&k);
    if (one || needs_whole(b->c.flat))
    {
        fuse(&k);
        return;
    }
    uint32_t* of = arena_array(b->arena, uint32_t, k.state_count + 1);
    name_islands(&k, automatic, of);
    bool large = automatic && b->clocks.count + b->guards.count > CAUSES_WHOLE;
    while (large && b->islands.count < 2)  // then what has no state does not wait for what has
        add_island(b, "time", (Span){0});
    if (b->islands.count < (automatic ? 2 : 1))  // an island that was asked for has its counters, even alone
    {
        fuse(&k);
        return;
    }
    list_states(&k, of);
    place_delays(&k, of);
}
