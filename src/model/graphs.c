// Bond graphs of a model as a run will make them: every node has the bonds its kind can have, the numbers of nodes,
// bonds, ports and inputs count within their graph, and a switched junction has a machine of its own.
#include "model/joints.h"

#include <string.h>

typedef struct GraphCheck
{
    const kaiModel* model;
    const BondSystem* system;
    uint32_t* degree;    // per part
    uint8_t* switched;   // per machine
    uint32_t* first_of;  // per part: its inputs in `taken`
    uint8_t* taken;      // per input that the graph can have
} GraphCheck;

static const BondPart* part_at(const GraphCheck* g, uint32_t index)
{
    return &g->model->bond_parts[g->system->first_part + index];
}

static bool count_bonds(GraphCheck* g)
{
    memset(g->degree, 0, sizeof *g->degree * g->system->part_count);
    for (uint32_t i = 0; i < g->system->link_count; i++)
    {
        const BondLink* link = &g->model->bond_links[g->system->first_link + i];
        if (link->from >= g->system->part_count || link->to >= g->system->part_count || link->from == link->to)
            return false;
        g->degree[link->from]++;
        g->degree[link->to]++;
    }
    return true;
}

// As many as bond/graph.c numbers.
static uint32_t inputs_of(const GraphCheck* g, uint32_t index)
{
    BondKind kind = (BondKind)part_at(g, index)->acts;
    if (bond_is_junction(kind))
        return 0;
    return bond_is_storage(kind) ? g->degree[index] : bond_is_two_port(kind) ? 2 : 1;
}

// An R may be a source in the equations; whatever else there is acts as itself.
static bool is_possible(const GraphCheck* g, uint32_t index)
{
    const BondPart* part = part_at(g, index);
    BondKind kind = (BondKind)part->kind, acts = (BondKind)part->acts;
    uint32_t bonds = g->degree[index];
    if (acts != kind && !(kind == BOND_R && bond_is_source(acts)))
        return false;
    if (bonds == 0 || (bond_is_two_port(kind) && bonds != 2) ||
        ((bond_is_source(kind) || kind == BOND_R) && bonds != 1))
        return false;
    if ((part->matrix == NO_REG) != (part->slopes == NO_REG))
        return false;
    if (bond_is_storage(kind))
        return part->ports == bonds && part->state != NO_REG && (!part->free || part->law != NO_REG);
    return part->state == NO_REG && part->matrix == NO_REG;
}

static bool has_own_machine(GraphCheck* g, const BondPart* part)
{
    if (part->machine == 0)
        return true;
    if (!bond_is_junction((BondKind)part->kind) || !g->model->machines[part->machine - 1].junction ||
        g->switched[part->machine - 1])
        return false;
    g->switched[part->machine - 1] = 1;
    return true;
}

// Each input is one of its node, and no two are the same.
static bool check_inputs(GraphCheck* g)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->system->part_count; i++)
    {
        g->first_of[i] = count;
        count += inputs_of(g, i);
    }
    memset(g->taken, 0, count);
    for (uint32_t i = 0; i < g->system->input_count; i++)
    {
        const BondInput* input = &g->model->bond_inputs[g->system->first_input + i];
        if (input->node >= g->system->part_count || input->port >= inputs_of(g, input->node) ||
            g->taken[g->first_of[input->node] + input->port]++)
            return false;
    }
    return true;
}

static bool check_output(const GraphCheck* g, const BondOutput* output)
{
    if ((output->block > 0 && output->row == NO_REG) || output->block > g->system->part_count)
        return false;
    for (uint32_t i = 0; i < output->column_count; i++)
        if (g->model->bond_columns[output->first_column + i].input >= g->system->input_count)
            return false;
    for (uint32_t i = 0; i < output->term_count; i++)
        if (g->model->bond_terms[output->first_term + i].bond >= g->system->link_count)
            return false;
    return true;
}

static bool check_graph(GraphCheck* g)
{
    if (!count_bonds(g))
        return false;
    for (uint32_t i = 0; i < g->system->part_count; i++)
        if (!is_possible(g, i) || !has_own_machine(g, part_at(g, i)))
            return false;
    for (uint32_t i = 0; i < g->system->output_count; i++)
        if (!check_output(g, &g->model->bond_outputs[g->system->first_output + i]))
            return false;
    return check_inputs(g);
}

// Graphs lie one behind the other: outputs are found by halving, and nothing belongs to two.
static bool follows(const BondSystem* system, const BondSystem* before)
{
    return system->first_part == before->first_part + before->part_count &&
           system->first_link == before->first_link + before->link_count &&
           system->first_input == before->first_input + before->input_count &&
           system->first_output == before->first_output + before->output_count;
}

static bool check_graphs(GraphCheck* g, Text* why)
{
    const kaiModel* m = g->model;
    BondSystem none = {0};
    for (uint32_t i = 0; i < m->bond_systems_count; i++)
    {
        g->system = &m->bond_systems[i];
        if (!follows(g->system, i > 0 ? g->system - 1 : &none) || !check_graph(g))
        {
            text_say(why, "bond_systems %u: a part, bond or output is none of its own", i);
            return false;
        }
    }
    const BondSystem* last = m->bond_systems_count > 0 ? &m->bond_systems[m->bond_systems_count - 1] : &none;
    BondSystem end = {.first_part = m->bond_parts_count,
                      .first_link = m->bond_links_count,
                      .first_input = m->bond_inputs_count,
                      .first_output = m->bond_outputs_count};
    if (!follows(&end, last))
    {
        text_say(why, "there are parts, bonds or outputs of no bond graph");
        return false;
    }
    for (uint32_t i = 0; i < m->machines_count; i++)
        if (m->machines[i].junction && !g->switched[i])
        {
            text_say(why, "machines %u is a junction of no bond graph", i);
            return false;
        }
    return true;
}

bool graphs_check(const kaiModel* model, Text* why)
{
    kaiAllocator a = model->allocator;
    size_t parts = (size_t)model->bond_parts_count + 1, links = (size_t)model->bond_links_count + 1;
    size_t size = 2 * parts * sizeof(uint32_t) + model->machines_count + 2 * (links + parts);
    char* block = a.alloc(a.user, NULL, 0, size);
    if (block == NULL)
        return false;
    memset(block, 0, size);
    GraphCheck g = {.model = model, .degree = (uint32_t*)block};
    g.first_of = g.degree + parts;
    g.switched = (uint8_t*)(g.first_of + parts);
    g.taken = g.switched + model->machines_count;  // ports of storages are ends of bonds; the others have at most two
    bool fine = check_graphs(&g, why);
    a.alloc(a.user, block, size, 0);
    return fine;
}
