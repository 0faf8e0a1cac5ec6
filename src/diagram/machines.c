// State machines: a mode is a rounded box with its equations, or a group if machines are nested in it; an arrow is a
// transition with its guard and actions. Dashed: considered only if an earlier one that may hold at the same time is
// not enabled (decision 0024); a circled H: `resume`; a dot at the tail: `preempt`; a number: its place in the order.
#include "diagram/makers.h"

#include <string.h>

typedef struct Machines
{
    Diagram* diagram;
    const Labels* labels;
    const Flat* flat;
    int depth;
    uint32_t **nodes, **groups;  // per machine and mode: its node (an anchor, if it is a group) and group or 0
    bool* same;                  // per machine: another instance of the same text is drawn already
} Machines;

static uint32_t instance_of(const Machines* s, uint32_t machine)
{
    return s->flat->vars.at[s->flat->machines.at[machine].mode_var].instance;
}

static int level_of(const Machines* s, uint32_t machine)
{
    int level = 0;
    for (uint32_t ctx = s->flat->machines.at[machine].ctx; ctx != 0; ctx = s->flat->ctxs.at[ctx].parent)
        level++;
    return level;
}

// ---- modes

static void add_equations(Machines* s, uint32_t ctx, DiagramNode* node)
{
    for (uint32_t i = 0; i < s->flat->defs.count; i++)
    {
        const FlatDef* def = &s->flat->defs.at[i];
        const FlatVar* var = &s->flat->vars.at[def->var];
        if (def->ctx == ctx && !var->hidden)
            diagram_line(s->diagram, &node->lines, label_definition(s->labels, def, var->instance));
    }
    for (uint32_t i = 0; i < s->flat->whens.count; i++)
    {
        const FlatWhen* when = &s->flat->whens.at[i];
        if (when->ctx == ctx)
            diagram_line(s->diagram, &node->lines,
                         arena_printf(s->diagram->arena, "when %s …",
                                      label_trigger(s->labels, when->trigger, when->guard, when->instance)));
    }
}

static void place_machine(Machines* s, uint32_t machine, uint32_t group);

static void place_mode(Machines* s, uint32_t machine, uint32_t index, uint32_t group)
{
    const FlatMode* mode = &s->flat->machines.at[machine].modes.at[index];
    bool nested = mode->machines.count > 0 && level_of(s, machine) + 1 < s->depth;
    if (!nested)
    {
        const char* title = mode->name;
        if (s->flat->machines.at[machine].junction != 0)
            title = arena_printf(s->diagram->arena, "%s : %s", mode->name, mode->on ? "ON" : "OFF");
        uint32_t node = diagram_node(s->diagram, SHAPE_ROUND, group, title);
        s->diagram->nodes.at[node].thick = mode->machines.count > 0;
        s->diagram->nodes.at[node].accent = COLOUR(0x00734f);
        add_equations(s, mode->ctx, &s->diagram->nodes.at[node]);
        s->nodes[machine][index] = node;
        return;
    }
    uint32_t inner = diagram_group(s->diagram, group, mode->name);
    s->diagram->groups.at[inner].round = true;
    s->diagram->groups.at[inner].accent = COLOUR(0x00734f);
    s->groups[machine][index] = inner;
    for (uint32_t i = 0; i < mode->machines.count; i++)
        place_machine(s, mode->machines.at[i], inner);
    // Arrows to and from the group are tied to its first inner mode, so that they end beside it.
    uint32_t first = mode->machines.at[0];
    s->nodes[machine][index] = s->nodes[first][s->flat->machines.at[first].initial];
}

static void place_start(Machines* s, uint32_t machine, uint32_t group)
{
    uint32_t initial = s->flat->machines.at[machine].initial;
    uint32_t dot = diagram_node(s->diagram, SHAPE_DOT, group, NULL);
    DiagramEdge* edge = diagram_edge(s->diagram, dot, s->nodes[machine][initial]);
    edge->to_group = s->groups[machine][initial];
}

// ---- transitions

// Two guards of which at most one can hold: `a < b` and `a > b`, c and `not c`, as far as that can be seen.
static bool opposite(const Flat* flat, NodeId a, NodeId b)
{
    const Node *x = &flat->nodes.at[a], *y = &flat->nodes.at[b];
    if ((x->op == NODE_NOT && x->arg[0] == b) || (y->op == NODE_NOT && y->arg[0] == a))
        return true;
    if (x->op < NODE_LT || x->op > NODE_NE || y->op < NODE_LT || y->op > NODE_NE)
        return false;
    bool straight = x->arg[0] == y->arg[0] && x->arg[1] == y->arg[1];
    bool crossed = x->arg[0] == y->arg[1] && x->arg[1] == y->arg[0];
    // What the first says about a against b as a set of signs: 1 less, 2 equal, 4 greater.
    static const int signs[] = {[NODE_LT - NODE_LT] = 1, [NODE_LE - NODE_LT] = 3, [NODE_GT - NODE_LT] = 4,
                                [NODE_GE - NODE_LT] = 6, [NODE_EQ - NODE_LT] = 2, [NODE_NE - NODE_LT] = 5};
    static const int turned[] = {0, 4, 2, 6, 1, 5, 3, 7};
    int first = signs[x->op - NODE_LT], second = signs[y->op - NODE_LT];
    return straight ? (first & second) == 0 : crossed && (first & turned[second]) == 0;
}

static bool excludes(const Flat* flat, NodeId a, NodeId b)
{
    if (a == 0 || b == 0)
        return false;
    const Node *x = &flat->nodes.at[a], *y = &flat->nodes.at[b];
    if (x->op == NODE_AND)
        return excludes(flat, x->arg[0], b) || excludes(flat, x->arg[1], b);
    if (y->op == NODE_AND)
        return excludes(flat, a, y->arg[0]) || excludes(flat, a, y->arg[1]);
    return opposite(flat, a, b);
}

static bool exclusive(const Flat* flat, const FlatTransition* a, const FlatTransition* b)
{
    return excludes(flat, a->trigger, b->trigger) || excludes(flat, a->trigger, b->guard) ||
           excludes(flat, a->guard, b->trigger) || excludes(flat, a->guard, b->guard);
}

// `rank` is its place among the transitions of its mode.
static bool is_default(const Machines* s, const FlatMode* mode, uint32_t rank)
{
    const FlatTransition* here = &s->flat->transitions.at[mode->transitions.at[rank]];
    for (uint32_t i = 0; i < rank; i++)
    {
        const FlatTransition* before = &s->flat->transitions.at[mode->transitions.at[i]];
        if (!exclusive(s->flat, before, here))
            return true;
    }
    return false;
}

// Guard and actions; behind its number if the order matters.
static DiagramLines transition_lines(Machines* s, uint32_t machine, const FlatMode* mode, uint32_t rank)
{
    Arena* arena = s->diagram->arena;
    const FlatTransition* t = &s->flat->transitions.at[mode->transitions.at[rank]];
    uint32_t instance = instance_of(s, machine);
    DiagramLines lines = {0};
    const char* guard = NULL;
    if (s->flat->machines.at[machine].junction != 0)
        guard = label_junction_guard(s->labels, t);
    if (guard == NULL)
        guard = label_trigger(s->labels, t->trigger, t->guard, instance);
    diagram_line(s->diagram, &lines,
                 mode->transitions.count > 1 ? arena_printf(arena, "%u: %s", rank + 1, guard) : guard);
    for (uint32_t i = 0; i < t->actions.count; i++)
        diagram_line(s->diagram, &lines,
                     arena_printf(arena, "/ %s", label_action(s->labels, &t->actions.at[i], instance)));
    return lines;
}

// Back to where it came from: the arrow leads through its text, so that several of them do not run into each other.
static void place_loop(Machines* s, const FlatTransition* t, uint32_t group, DiagramLines lines, bool dashed)
{
    uint32_t node = s->nodes[t->machine][t->from], text = diagram_node(s->diagram, SHAPE_TEXT, group, NULL);
    s->diagram->nodes.at[text].lines = lines;
    DiagramEdge* out = diagram_edge(s->diagram, node, text);
    out->arrow = ARROW_NONE;
    out->preempt = t->preempt;
    out->dashed = dashed;
    out->from_group = s->groups[t->machine][t->from];
    DiagramEdge* back = diagram_edge(s->diagram, text, node);
    back->history = t->resume;
    back->dashed = dashed;
    back->to_group = s->groups[t->machine][t->from];
}

static void place_transition(Machines* s, uint32_t machine, const FlatMode* mode, uint32_t rank, uint32_t group)
{
    const FlatTransition* t = &s->flat->transitions.at[mode->transitions.at[rank]];
    DiagramLines lines = transition_lines(s, machine, mode, rank);
    bool dashed = is_default(s, mode, rank);
    if (t->from == t->to)
    {
        place_loop(s, t, group, lines, dashed);
        return;
    }
    DiagramEdge* edge = diagram_edge(s->diagram, s->nodes[machine][t->from], s->nodes[machine][t->to]);
    edge->from_group = s->groups[machine][t->from];
    edge->to_group = s->groups[machine][t->to];
    edge->history = t->resume;
    edge->preempt = t->preempt;
    edge->dashed = dashed;
    edge->label = lines;
}

static void place_machine(Machines* s, uint32_t machine, uint32_t group)
{
    const FlatMachine* m = &s->flat->machines.at[machine];
    for (uint32_t i = 0; i < m->modes.count; i++)
        place_mode(s, machine, i, group);
    place_start(s, machine, group);
    for (uint32_t i = 0; i < m->modes.count; i++)
        for (uint32_t k = 0; k < m->modes.at[i].transitions.count; k++)
            place_transition(s, machine, &m->modes.at[i], k, group);
}

// ---- all together

static bool same_text(Span a, Span b)
{
    return a.file == b.file && a.start == b.start && a.end == b.end;
}

// The title of a machine that is not nested, and how many instances have the same one.
static const char* machine_title(Machines* s, uint32_t machine)
{
    const FlatInstance* instance = &s->flat->instances.at[instance_of(s, machine)];
    uint32_t more = 0;
    for (uint32_t i = machine + 1; i < s->flat->machines.count; i++)
        if (s->flat->machines.at[i].ctx == 0 &&
            same_text(s->flat->machines.at[machine].span, s->flat->machines.at[i].span))
        {
            s->same[i] = true;
            more++;
        }
    const FlatMachine* m = &s->flat->machines.at[machine];
    const char* name = m->junction != 0 ? s->flat->bond_nodes.at[m->junction - 1].name
                       : instance->name[0] != 0
                           ? arena_printf(s->diagram->arena, "%s : %s", instance->name, instance->model)
                           : s->flat->model_name;
    return more > 0 ? arena_printf(s->diagram->arena, "%s (and %u more)", name, more) : name;
}

static void set_up(Machines* s)
{
    Arena* arena = s->diagram->arena;
    uint32_t count = s->flat->machines.count;
    s->nodes = arena_array(arena, uint32_t*, count);
    s->groups = arena_array(arena, uint32_t*, count);
    s->same = arena_array(arena, bool, count);
    for (uint32_t i = 0; i < count; i++)
    {
        s->nodes[i] = arena_array(arena, uint32_t, s->flat->machines.at[i].modes.count);
        s->groups[i] = arena_array(arena, uint32_t, s->flat->machines.at[i].modes.count);
    }
}

// One machine, in the model itself: it needs no frame.
static bool stands_alone(const Machines* s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->flat->machines.count; i++)
        count += s->flat->machines.at[i].ctx == 0;
    return count == 1 && instance_of(s, 0) == 0 && s->flat->machines.at[0].junction == 0;
}

bool machines_make(Diagram* diagram, const Labels* labels, int depth)
{
    Machines s = {.diagram = diagram, .labels = labels, .flat = labels->flat, .depth = depth < 0 ? 1 << 20 : depth};
    diagram->top_down = true;
    set_up(&s);
    for (uint32_t i = 0; i < s.flat->machines.count; i++)
    {
        if (s.flat->machines.at[i].ctx != 0 || s.same[i])
            continue;
        const char* title = machine_title(&s, i);
        place_machine(&s, i, stands_alone(&s) ? 0 : diagram_group(diagram, 0, title));
    }
    return s.flat->machines.count > 0;
}
