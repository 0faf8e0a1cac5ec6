// The block diagram of a flat model: which block a variable belongs to, and which block reads which. An instance at the
// chosen depth is one block; above it every variable has its own: integrators, memories, events, ports, functions. A
// wire (an input that is plainly another variable) is no block but an arrow.
#include "base/hash.h"
#include "diagram/makers.h"

#include <stdio.h>
#include <string.h>

typedef VEC(uint32_t) Uints;

typedef struct Sheet
{
    Diagram* diagram;
    const Labels* labels;
    const Flat* flat;
    int depth;
    Uints boxes;        // per instance: node + 1 of the box that it is or belongs to; 0: it is unfolded
    Uints groups;       // per instance: its group, if it is unfolded
    Uints blocks;       // per variable: node + 1 of its own block; 0: none
    Uints first, next;  // definitions of a variable: definition + 1, and the one after it
    Uints machines;     // per machine: node + 1
    Uints bonded;       // per variable: node + 1 of the bond graph that it belongs to
    bool* mapped;       // per variable: the bond graph computes it
    bool* of_bonds;     // per variable: it belongs to a bond graph, shown or not
    Map arrays;         // key of an array → how many elements
    Map folded;         // key of a long array → its node + 1
    Map edges;          // (from, to) → edge
    Uints seen;         // per variable: the round in which it was resolved last
    uint32_t round;
} Sheet;

static void fill(Arena* arena, Uints* list, uint32_t count)
{
    list->at = arena_array(arena, uint32_t, count + 1);
    list->count = list->capacity = count;
}

// ---- arrays

// "ball[3]" → its length without the index; 0: no element of an array.
static size_t array_length(const char* name)
{
    size_t length = strlen(name);
    if (length == 0 || name[length - 1] != ']')
        return 0;
    const char* open = strrchr(name, '[');
    return open != NULL ? (size_t)(open - name) : 0;
}

static uint64_t array_key(const char* name, size_t length)
{
    return hash_bytes(HASH_START, name, length);
}

static void count_arrays(Sheet* s)
{
    for (uint32_t i = 0; i < s->flat->instances.count + s->flat->vars.count; i++)
    {
        const char* name = i < s->flat->instances.count ? s->flat->instances.at[i].name
                                                        : s->flat->vars.at[i - s->flat->instances.count].name;
        size_t length = array_length(name);
        uint32_t count = 0;
        if (length == 0)
            continue;
        map_get(&s->arrays, array_key(name, length), &count);
        map_set(&s->arrays, array_key(name, length), count + 1);
    }
}

// How many elements the array of this element has, if they are shown as one; else 0.
static uint32_t folded_count(const Sheet* s, const char* name)
{
    size_t length = array_length(name);
    uint32_t count = 0;
    if (length > 0)
        map_get(&s->arrays, array_key(name, length), &count);
    return count > ARRAY_SHOWN ? count : 0;
}

static const char* shown_name(const Sheet* s, const char* name, uint32_t instance)
{
    uint32_t count = folded_count(s, name);
    const char* local = label_name(s->labels, name, instance);
    if (count == 0)
        return local;
    return arena_printf(s->diagram->arena, "%.*s[…%u]", (int)array_length(local), local, count);
}

// The block that the other elements of a long array have got, or 0.
static uint32_t folded_block(const Sheet* s, const char* name)
{
    uint32_t block = 0;
    if (folded_count(s, name) > 0)
        map_get(&s->folded, array_key(name, array_length(name)), &block);
    return block;
}

static void remember_folded(Sheet* s, const char* name, uint32_t block)
{
    if (folded_count(s, name) > 0)
        map_set(&s->folded, array_key(name, array_length(name)), block);
}

// ---- instances

static uint32_t add_box(Sheet* s, uint32_t instance, uint32_t parent)
{
    const FlatInstance* at = &s->flat->instances.at[instance];
    uint32_t block = folded_block(s, at->name);
    if (block != 0)
        return block;
    const char* name = instance == 0 ? s->flat->model_name : shown_name(s, at->name, parent);
    uint32_t node = diagram_node(s->diagram, SHAPE_BOX, instance == 0 ? 0 : s->groups.at[parent], name);
    DiagramNode* made = &s->diagram->nodes.at[node];
    made->thick = true;
    made->name = instance == 0 ? s->flat->model_name : at->name;
    if (instance != 0)
        diagram_line(s->diagram, &made->lines, at->model);
    remember_folded(s, at->name, node + 1);
    return node + 1;
}

static void place_instances(Sheet* s)
{
    const Flat* flat = s->flat;
    int* level = arena_array(s->diagram->arena, int, flat->instances.count);
    const bool* elements = label_elements(s->labels);
    for (uint32_t i = 0; i < flat->instances.count; i++)  // a parent comes before its children
    {
        const FlatInstance* at = &flat->instances.at[i];
        level[i] = i == 0 ? 0 : level[at->parent] + 1;
        if (i > 0 && s->boxes.at[at->parent] != 0)
            s->boxes.at[i] = s->boxes.at[at->parent];
        else if (elements[i])
            s->groups.at[i] = s->groups.at[at->parent];
        else if (level[i] >= s->depth || folded_count(s, at->name) > 0)
            s->boxes.at[i] = add_box(s, i, at->parent);
        else if (i > 0)
            s->groups.at[i] = diagram_group(
                s->diagram, s->groups.at[at->parent],
                arena_printf(s->diagram->arena, "%s : %s", label_name(s->labels, at->name, at->parent), at->model));
    }
}

// ---- variables

static bool is_plain(const Flat* flat, NodeId node)
{
    return flat->nodes.at[node].op == NODE_VAR || flat->nodes.at[node].op == NODE_CONST;
}

static bool has_block(const Sheet* s, uint32_t var)
{
    const FlatVar* v = &s->flat->vars.at[var];
    bool shown = v->kind != VAR_PARAM && v->kind != VAR_MODE && !v->hidden;
    return shown && s->boxes.at[v->instance] == 0 && s->bonded.at[var] == 0;
}

static DiagramShape shape_of(const FlatVar* var, Colour* accent)
{
    *accent = COLOUR(0x333333);
    if (var->type == TYPE_EVENT)
        return *accent = COLOUR(0xb34700), SHAPE_EVENT;
    if (var->kind == VAR_STATE)
        return *accent = COLOUR(0x0072b2), SHAPE_BOX;
    if (var->kind == VAR_DISCRETE)
        return *accent = COLOUR(0x8a3f6b), SHAPE_BOX;
    return var->input || var->output || var->kind == VAR_INPUT ? SHAPE_PORT : SHAPE_BOX;
}

static void add_definitions(Sheet* s, uint32_t var, DiagramNode* node)
{
    for (uint32_t d = s->first.at[var]; d != 0; d = s->next.at[d - 1])
    {
        const FlatDef* def = &s->flat->defs.at[d - 1];
        const FlatVar* v = &s->flat->vars.at[var];
        if (v->input && is_plain(s->flat, def->value))
            continue;  // the arrow says it
        diagram_line(s->diagram, &node->lines, label_rule(s->labels, def, v->instance));
    }
}

static void place_variable(Sheet* s, uint32_t var)
{
    const FlatVar* v = &s->flat->vars.at[var];
    uint32_t block = folded_block(s, v->name);
    if (block == 0)
    {
        Colour accent;
        DiagramShape shape = shape_of(v, &accent);
        const char* name = shown_name(s, v->name, v->instance);
        const char* title = v->kind == VAR_STATE ? arena_printf(s->diagram->arena, "∫ %s", name) : name;
        uint32_t node = diagram_node(s->diagram, shape, s->groups.at[v->instance], title);
        DiagramNode* made = &s->diagram->nodes.at[node];
        made->accent = accent;
        made->name = v->name;
        add_definitions(s, var, made);
        block = node + 1;
        remember_folded(s, v->name, block);
    }
    s->blocks.at[var] = block;
}

// ---- bond graphs: one box each, whatever is in them (`--kind bonds` shows it)

static void bind(Sheet* s, uint32_t var, uint32_t block)
{
    if (var != NO_VAR)
        s->of_bonds[var] = true;
    if (var == NO_VAR || s->boxes.at[s->flat->vars.at[var].instance] != 0)
        return;
    s->bonded.at[var] = block;
    s->blocks.at[var] = block;
}

static void bind_graph(Sheet* s, const FlatBondGraph* graph, uint32_t block)
{
    for (uint32_t i = 0; i < graph->nodes.count; i++)
    {
        const FlatBondNode* n = &s->flat->bond_nodes.at[graph->nodes.at[i]];
        const uint32_t vars[] = {n->e, n->f, n->e2, n->f2, n->extensity, n->energy, n->parameter};
        for (size_t k = 0; k < sizeof vars / sizeof *vars; k++)
            bind(s, vars[k], block);
        if (n->machine != 0 && s->boxes.at[s->flat->vars.at[n->e].instance] == 0)
            s->machines.at[n->machine - 1] = block;
    }
    for (uint32_t i = 0; i < graph->bonds.count; i++)
    {
        bind(s, s->flat->bonds.at[graph->bonds.at[i]].e, block);
        bind(s, s->flat->bonds.at[graph->bonds.at[i]].f, block);
    }
    for (uint32_t i = 0; i < graph->outputs.count; i++)
        s->mapped[graph->outputs.at[i].var] |= graph->outputs.at[i].mapped;
}

static void place_graphs(Sheet* s)
{
    for (uint32_t i = 0; i < s->flat->graphs.count; i++)
    {
        const FlatBondGraph* graph = &s->flat->graphs.at[i];
        if (s->boxes.at[0] != 0)
            return;
        uint32_t node = diagram_node(s->diagram, SHAPE_BOX, 0, "bond graph");
        DiagramNode* made = &s->diagram->nodes.at[node];
        made->thick = true;
        made->accent = COLOUR(0x00734f);
        for (uint32_t k = 0; k < graph->nodes.count; k++)
        {
            const FlatBondNode* n = &s->flat->bond_nodes.at[graph->nodes.at[k]];
            if (!bond_is_junction(n->kind) && s->boxes.at[s->flat->vars.at[n->e].instance] == 0)
                diagram_line(s->diagram, &made->lines,
                             arena_printf(s->diagram->arena, "%s : %s", n->name, bond_kind_word(n->kind)));
        }
        bind_graph(s, graph, node + 1);
    }
}

// A bond between two boxes.
static uint32_t bond_end(const Sheet* s, uint32_t bond_node)
{
    const FlatBondNode* n = &s->flat->bond_nodes.at[bond_node];
    uint32_t box = s->boxes.at[s->flat->vars.at[n->e].instance];
    return box != 0 ? box : s->bonded.at[n->e];
}

static void place_machines(Sheet* s)
{
    for (uint32_t i = 0; i < s->flat->machines.count; i++)
    {
        const FlatMachine* m = &s->flat->machines.at[i];
        uint32_t instance = s->flat->vars.at[m->mode_var].instance;
        if (s->boxes.at[instance] != 0)
            s->machines.at[i] = s->boxes.at[instance];
        if (s->machines.at[i] != 0)
            continue;  // inside a box, or switching a junction
        uint32_t node = diagram_node(s->diagram, SHAPE_ROUND, s->groups.at[instance], "modes");
        DiagramNode* made = &s->diagram->nodes.at[node];
        made->accent = COLOUR(0x00734f);
        made->name = s->flat->vars.at[m->mode_var].name;
        for (uint32_t k = 0; k < m->modes.count; k++)
            diagram_line(s->diagram, &made->lines, m->modes.at[k].name);
        s->machines.at[i] = node + 1;
    }
}

// ---- arrows

typedef struct Target
{
    uint32_t node;
    const char* input;  // the input at which the arrow ends, or NULL
    bool soft;          // a reaction acts: dashed
    bool bonded;        // inside a bond graph: its bonds show what it reads there
} Target;

static bool has_word(const DiagramLines* lines, const char* text)
{
    for (uint32_t i = 0; i < lines->count; i++)
        if (strcmp(lines->at[i], text) == 0)
            return true;
    return false;
}

static void connect(Sheet* s, uint32_t from, const Target* to, const char* label, bool dashed)
{
    uint64_t key = (uint64_t)from << 32 | to->node;
    uint32_t index;
    if (!map_get(&s->edges, key, &index))
    {
        index = s->diagram->edges.count;
        diagram_edge(s->diagram, from, to->node)->dashed = true;
        map_set(&s->edges, key, index);
    }
    DiagramEdge* edge = &s->diagram->edges.at[index];
    edge->dashed &= dashed;
    if (label[0] != 0 && !has_word(&edge->label, label))
        vec_push(s->diagram->arena, edge->label, label);
}

// Names that share an arrow stand in one line.
static void join_labels(Diagram* d)
{
    for (uint32_t i = 0; i < d->edges.count; i++)
    {
        DiagramLines names = d->edges.at[i].label, joined = {0};
        const char* text = "";
        for (uint32_t k = 0; k < names.count; k++)
            text = arena_printf(d->arena, "%s%s%s", text, k > 0 ? ", " : "", names.at[k]);
        diagram_line(d, &joined, text);
        d->edges.at[i].label = joined;
    }
}

// The name at an arrow out of a box, and the input it goes to where that is called otherwise.
static const char* arrow_label(Sheet* s, uint32_t var, bool boxed, const char* input)
{
    const char* dot = boxed ? strrchr(s->flat->vars.at[var].name, '.') : NULL;
    const char* source = boxed ? (dot != NULL ? dot + 1 : s->flat->vars.at[var].name) : "";
    if (input == NULL || strcmp(source, input) == 0)
        return source;
    return source[0] != 0 ? arena_printf(s->diagram->arena, "%s → %s", source, input) : input;
}

static void read_node(Sheet* s, NodeId id, const Target* to);

static void read_variable(Sheet* s, uint32_t var, const Target* to)
{
    const FlatVar* v = &s->flat->vars.at[var];
    if (v->kind == VAR_PARAM || s->seen.at[var] == s->round || (to->bonded && s->of_bonds[var]))
        return;
    s->seen.at[var] = s->round;
    uint32_t box = s->boxes.at[v->instance],
             block = v->kind == VAR_MODE ? s->machines.at[v->machine] : s->blocks.at[var];
    bool wire = v->hidden || (box != 0 && v->input && s->first.at[var] != 0);
    if (wire && !v->hidden && box - 1 == to->node && to->input == NULL)
        return;  // what comes in has its own arrow
    if (wire)
    {
        // A hidden variable, or an input of a box: what it is made of.
        for (uint32_t d = s->first.at[var]; d != 0; d = s->next.at[d - 1])
            read_node(s, s->flat->defs.at[d - 1].value, to);
        return;
    }
    uint32_t from = box != 0 ? box : block;
    if (from == 0 || (from - 1 == to->node && to->input == NULL))
        return;
    const char* label = box == 0 && s->bonded.at[var] != 0 ? label_name(s->labels, v->name, 0)
                                                           : arrow_label(s, var, box != 0, to->input);
    connect(s, from - 1, to, label, to->soft || v->type == TYPE_EVENT);
}

static void read_node(Sheet* s, NodeId id, const Target* to)
{
    const Node* node = &s->flat->nodes.at[id];
    if (node->op == NODE_VAR)
        read_variable(s, node->aux, to);
    else if (node->op == NODE_ENTRY)
        return;
    for (int i = 0; i < 3; i++)
        if (node->op != NODE_VAR && node->arg[i] != 0)
            read_node(s, node->arg[i], to);
}

static void read_into(Sheet* s, NodeId id, Target to)
{
    s->round++;
    if (id != 0)
        read_node(s, id, &to);
}

// An input of a box that is computed outside it: the computation is a block of its own.
static void connect_input(Sheet* s, const FlatDef* def)
{
    const FlatVar* v = &s->flat->vars.at[def->var];
    uint32_t parent = s->flat->instances.at[v->instance].parent, box = s->boxes.at[v->instance];
    if (s->boxes.at[parent] != 0)
        return;  // inside another box
    const char* dot = strrchr(v->name, '.');
    const char* input = dot != NULL ? dot + 1 : v->name;
    Target to = {.node = box - 1, .input = input};
    if (is_plain(s->flat, def->value))
    {
        read_into(s, def->value, to);
        return;
    }
    uint32_t node = diagram_node(s->diagram, SHAPE_BOX, s->groups.at[parent], NULL);
    DiagramNode* made = &s->diagram->nodes.at[node];
    made->name = v->name;
    diagram_line(s->diagram, &made->lines, label_expression(s->labels, def->value, parent));
    read_into(s, def->value, (Target){.node = node});
    connect(s, node, &to, input, v->type == TYPE_EVENT);
}

static void connect_definition(Sheet* s, const FlatDef* def)
{
    const FlatVar* v = &s->flat->vars.at[def->var];
    uint32_t box = s->boxes.at[v->instance];
    if (v->hidden || s->mapped[def->var])
        return;
    if (box != 0 && v->input)
        connect_input(s, def);
    else if (box != 0 || s->blocks.at[def->var] != 0)
        read_into(s, def->value,
                  (Target){.node = (box != 0 ? box : s->blocks.at[def->var]) - 1, .bonded = s->of_bonds[def->var]});
    if (def->ctx != 0 && s->blocks.at[def->var] != 0)
    {
        uint32_t machine = s->machines.at[s->flat->ctxs.at[def->ctx].machine];
        if (machine != 0 && machine != s->blocks.at[def->var])
            connect(s, machine - 1, &(Target){.node = s->blocks.at[def->var] - 1}, "", true);
    }
}

static void connect_bonds(Sheet* s)
{
    for (uint32_t i = 0; i < s->flat->bonds.count; i++)
    {
        uint32_t from = bond_end(s, s->flat->bonds.at[i].from), to = bond_end(s, s->flat->bonds.at[i].to), index;
        uint64_t key = (uint64_t)(from - 1) << 32 | (to - 1);
        if (from == 0 || to == 0 || from == to || map_get(&s->edges, key, &index))
            continue;
        map_set(&s->edges, key, s->diagram->edges.count);
        diagram_edge(s->diagram, from - 1, to - 1)->arrow = ARROW_HALF;
    }
    for (uint32_t i = 0; i < s->flat->bond_nodes.count; i++)
        if (s->flat->bond_nodes.at[i].law != 0 && bond_end(s, i) != 0)
            read_into(s, s->flat->bond_nodes.at[i].law, (Target){.node = bond_end(s, i) - 1});
}

// ---- reactions

static void connect_actions(Sheet* s, const FlatActions* actions, uint32_t node)
{
    for (uint32_t i = 0; i < actions->count; i++)
    {
        const FlatAction* a = &actions->at[i];
        if (a->value != 0)
            read_into(s, a->value, (Target){.node = node});
        if (a->kind == FLAT_HALT)
            continue;
        const FlatVar* v = &s->flat->vars.at[a->var];
        uint32_t box = s->boxes.at[v->instance], to = box != 0 ? box : s->blocks.at[a->var];
        const char* dot = strrchr(v->name, '.');
        if (to != 0 && to - 1 != node)
            connect(s, node, &(Target){.node = to - 1}, box == 0 ? "" : dot != NULL ? dot + 1 : v->name, true);
    }
}

static uint32_t choice_group(Sheet* s, Map* groups, const FlatWhen* when)
{
    uint32_t group = s->groups.at[when->instance];
    if (when->choice == 0)
        return group;
    if (!map_get(groups, when->choice, &group))
    {
        group = diagram_group(s->diagram, s->groups.at[when->instance], "choose");
        s->diagram->groups.at[group].dashed = true;
        map_set(groups, when->choice, group);
    }
    return group;
}

static void place_when(Sheet* s, Map* groups, const FlatWhen* when)
{
    uint32_t node;
    if (s->boxes.at[when->instance] != 0)
        node = s->boxes.at[when->instance] - 1;
    else
    {
        const char* trigger = label_trigger(s->labels, when->trigger, when->guard, when->instance);
        node = diagram_node(s->diagram, SHAPE_ACTION, choice_group(s, groups, when), NULL);
        DiagramNode* made = &s->diagram->nodes.at[node];
        made->name = "when";
        made->accent = COLOUR(0xb34700);
        diagram_line(s->diagram, &made->lines, arena_printf(s->diagram->arena, "when %s", trigger));
        for (uint32_t i = 0; i < when->actions.count; i++)
            diagram_line(s->diagram, &made->lines, label_action(s->labels, &when->actions.at[i], when->instance));
    }
    read_into(s, when->trigger, (Target){.node = node});
    read_into(s, when->guard, (Target){.node = node});
    connect_actions(s, &when->actions, node);
}

static void connect_transition(Sheet* s, const FlatTransition* t)
{
    uint32_t node = s->machines.at[t->machine];
    if (node == 0)
        return;
    read_into(s, t->trigger, (Target){.node = node - 1});
    read_into(s, t->guard, (Target){.node = node - 1});
    connect_actions(s, &t->actions, node - 1);
}

// ---- all together

static void set_up(Sheet* s)
{
    Arena* arena = s->diagram->arena;
    fill(arena, &s->boxes, s->flat->instances.count);
    fill(arena, &s->groups, s->flat->instances.count);
    fill(arena, &s->blocks, s->flat->vars.count);
    fill(arena, &s->seen, s->flat->vars.count);
    fill(arena, &s->first, s->flat->vars.count);
    fill(arena, &s->next, s->flat->defs.count);
    fill(arena, &s->machines, s->flat->machines.count);
    fill(arena, &s->bonded, s->flat->vars.count);
    s->mapped = arena_array(arena, bool, s->flat->vars.count + 1);
    s->of_bonds = arena_array(arena, bool, s->flat->vars.count + 1);
    map_init(&s->arrays, arena);
    map_init(&s->folded, arena);
    map_init(&s->edges, arena);
    for (uint32_t i = s->flat->defs.count; i-- > 0;)
    {
        s->next.at[i] = s->first.at[s->flat->defs.at[i].var];
        s->first.at[s->flat->defs.at[i].var] = i + 1;
    }
}

void blocks_make(Diagram* diagram, const Labels* labels, int depth)
{
    Sheet s = {.diagram = diagram, .labels = labels, .flat = labels->flat, .depth = depth < 0 ? 1 : depth};
    Map choices;
    map_init(&choices, diagram->arena);
    set_up(&s);
    count_arrays(&s);
    place_instances(&s);
    place_graphs(&s);
    for (uint32_t i = 0; i < s.flat->vars.count; i++)
        if (has_block(&s, i))
            place_variable(&s, i);
    place_machines(&s);
    if (diagram->nodes.count > DIAGRAM_MOST)
        return;
    for (uint32_t i = 0; i < s.flat->defs.count; i++)
        connect_definition(&s, &s.flat->defs.at[i]);
    connect_bonds(&s);
    for (uint32_t i = 0; i < s.flat->whens.count; i++)
        place_when(&s, &choices, &s.flat->whens.at[i]);
    for (uint32_t i = 0; i < s.flat->transitions.count; i++)
        connect_transition(&s, &s.flat->transitions.at[i]);
    join_labels(diagram);
}
