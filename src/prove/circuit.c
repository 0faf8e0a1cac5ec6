// Equations of bond graphs. Efforts of a J0 and flows of a J1 are one variable each; every element and junction gives
// its rows once per level (areas, values, slopes, leakages). Rows of switched junctions depend on their modes.
#include "prove/circuit.h"

// ---- tables
// ----------------------------------------------------------------------------------------------------------

static void find_vague(Encoder* e)
{
    const Flat* f = e->flat;
    Circuits* c = e->circuits;
    c->vague = arena_array(e->arena, bool, f->graphs.count + 1);
    for (uint32_t i = 0; i < f->bond_nodes.count; i++)
    {
        const FlatBondNode* node = &f->bond_nodes.at[i];
        c->vague[f->bond_graph->component_of[i]] |= node->law != 0 || node->free;
    }
    for (uint32_t i = 0; i < f->implicits.count; i++)  // sources that read their own graph
        for (uint32_t g = 0; g < f->graphs.count; g++)
            for (uint32_t k = 0; k < f->graphs.at[g].inputs.count; k++)
                c->vague[g] |= f->graphs.at[g].inputs.at[k].var == f->implicits.at[i].var;
}

// What a storage with a matrix imposes is defined by the inverse, which only a run knows: the rows say it instead.
static bool* find_inverted(Encoder* e)
{
    const Flat* f = e->flat;
    bool* inverted = arena_array(e->arena, bool, f->vars.count + 1);
    for (uint32_t n = 0; n < f->bond_nodes.count; n++)
    {
        const FlatBondNode* node = &f->bond_nodes.at[n];
        for (uint32_t k = 0; node->matrix != NO_VAR && k < node->ports; k++)
            inverted[(bond_imposes_flow(node->kind) ? node->f : node->e) + k] = true;
    }
    return inverted;
}

void circuits_find(Encoder* e)
{
    const Flat* f = e->flat;
    Circuits* c = e->circuits = arena_new(e->arena, Circuits);
    c->outputs = arena_array(e->arena, CircuitOutput, f->vars.count + 1);
    c->storage = arena_array(e->arena, uint32_t, f->vars.count + 1);
    c->slope = arena_array(e->arena, bool, f->graphs.count + 1);
    const bool* inverted = find_inverted(e);
    for (uint32_t g = 0; g < f->graphs.count; g++)
    {
        const FlatBondGraph* graph = &f->graphs.at[g];
        for (uint32_t i = 0; i < graph->outputs.count; i++)
        {
            const FlatBondOutput* output = &graph->outputs.at[i];
            if (output->mapped || inverted[output->var])
                c->outputs[output->var] = (CircuitOutput){g + 1, output, false};
            if (output->area != NO_VAR)
                c->outputs[output->area] = (CircuitOutput){g + 1, output, true};
        }
        for (uint32_t i = 0; i < graph->inputs.count; i++)
            c->slope[g] |= graph->inputs.at[i].slope != NO_VAR;
    }
    for (uint32_t n = 0; n < f->bond_nodes.count; n++)
        for (uint32_t k = 0; f->bond_nodes.at[n].extensity != NO_VAR && k < f->bond_nodes.at[n].ports; k++)
            c->storage[f->bond_nodes.at[n].extensity + k] = n + 1;
    find_vague(e);
    parts_find(e);
}

// ---- rows
// ------------------------------------------------------------------------------------------------------------

// One level of the unknowns of a graph, with what the levels beside it contribute to its rows.
typedef struct Level
{
    Formula* z;           // this one
    const Formula* less;  // S times this is on the right-hand side; NULL: nothing
    const Formula* leak;  // N times this is; NULL: nothing
    bool input;           // sources and extensities are: the level of values
    bool slopes;          // slopes of sources are: any
} Level;

typedef struct Rows
{
    Encoder* e;
    Frame* f;  // modes and inputs
    Frame* inputs;
    uint32_t part;
} Rows;

static uint32_t graph_of(const Rows* r)
{
    return r->e->circuits->parts.at[r->part].graph;
}

static Formula at(const Encoder* e, const Formula* z, uint32_t bond, bool flow)
{
    return z[e->flat->bond_graph->class_of[2 * bond + flow]];
}

static Formula parameter(Rows* r, const FlatBondNode* node)
{
    return encode_var(r->e, r->inputs, node->parameter, 0).value;
}

static Formula signed_by(Encoder* e, int sign, Formula a)
{
    return sign < 0 ? logic_subtract(e->logic, e->logic->zero, a) : a;
}

static int sign_into(const Encoder* e, uint32_t bond, uint32_t node)
{
    return bond_sign(e->flat->bond_graph, (int)bond, (int)node);
}

static uint32_t bond_of(const Encoder* e, uint32_t node, uint32_t index)
{
    return (uint32_t)bond_at(e->flat->bond_graph, (int)node, (int)index);
}

static Formula sum_of(Encoder* e, uint32_t index, const Formula* z, bool flow)
{
    Formula sum = e->logic->zero;
    for (int i = 0; i < bond_degree(e->flat->bond_graph, (int)index); i++)
    {
        uint32_t bond = bond_of(e, index, (uint32_t)i);
        Formula term = at(e, z, bond, flow);
        sum = sign_into(e, bond, index) > 0 ? logic_add(e->logic, sum, term) : logic_subtract(e->logic, sum, term);
    }
    return sum;
}

static void row(Rows* r, Formula a, Formula b)
{
    encode_side(r->e, logic_equal(r->e->logic, a, b));
}

// A switched junction that is ON, in the modes of the frame.
static Formula is_on(Encoder* e, const Frame* f, const FlatBondNode* node)
{
    const FlatMachine* machine = &e->flat->machines.at[node->machine - 1];
    Formula on = e->logic->no;
    for (uint32_t k = 0; k < machine->modes.count; k++)
        if (machine->modes.at[k].on)
            on = logic_or(e->logic, on, f->slots[e->machine_slot[node->machine - 1] + k]);
    return on;
}

// ON: the sum is zero; OFF: the common value is. What leaks is the other one of the two.
static void junction_rows(Rows* r, const FlatBondNode* node, uint32_t index, const Level* level)
{
    Encoder* e = r->e;
    Logic* l = e->logic;
    bool flow = node->kind == BOND_J1;  // the common one
    Formula common = at(e, level->z, bond_of(e, index, 0), flow), sum = sum_of(e, index, level->z, !flow);
    if (node->machine == 0)
    {
        row(r, sum, l->zero);
        return;
    }
    Formula on = is_on(e, r->f, node), leak_on = l->zero, leak_off = l->zero;
    if (level->leak != NULL)
    {
        leak_on = at(e, level->leak, bond_of(e, index, 0), flow);
        leak_off = sum_of(e, index, level->leak, !flow);
    }
    encode_side(e, logic_or(l, logic_not(l, on), logic_equal(l, sum, leak_on)));
    encode_side(e, logic_or(l, on, logic_equal(l, common, leak_off)));
}

static void two_port_rows(Rows* r, const FlatBondNode* node, uint32_t index, const Level* level)
{
    Encoder* e = r->e;
    const BondGraph* graph = e->flat->bond_graph;
    uint32_t one = bond_of(e, index, 0), two = bond_of(e, index, 1);
    int s1 = bond_side_sign(graph, (int)index, 0), s2 = bond_side_sign(graph, (int)index, 1);
    Formula n = parameter(r, node), e1 = at(e, level->z, one, false), e2 = at(e, level->z, two, false);
    Formula f1 = signed_by(e, s1, at(e, level->z, one, true)), f2 = signed_by(e, s2, at(e, level->z, two, true));
    bool gyrator = node->kind == BOND_GY;
    row(r, e1, logic_multiply(e->logic, n, gyrator ? f2 : e2));
    row(r, gyrator ? e2 : f2, logic_multiply(e->logic, n, f1));
}

// Port `port`: Σ matrix · imposed = extensity, with one port c e = q or i f = p.
static void storage_row(Rows* r, const FlatBondNode* node, uint32_t index, uint32_t port, const Level* level)
{
    Encoder* e = r->e;
    Logic* l = e->logic;
    bool flow = node->kind == BOND_I;  // what it imposes; the other one moves its extensity
    Formula left = l->zero, right = l->zero;
    for (uint32_t k = 0; k < node->ports; k++)
    {
        uint32_t bond = bond_of(e, index, k);
        uint32_t entry = node->matrix != NO_VAR ? node->matrix + port * node->ports + k : node->parameter;
        Formula imposed = signed_by(e, flow ? sign_into(e, bond, index) : 1, at(e, level->z, bond, flow));
        Formula term = logic_multiply(l, encode_var(e, r->inputs, entry, 0).value, imposed);
        left = k == 0 ? term : logic_add(l, left, term);
    }
    uint32_t own = bond_of(e, index, port);
    if (level->input)
        right = r->inputs->slots[e->var_slot[node->extensity + port]];
    if (level->less != NULL)
        right = logic_add(l, right, signed_by(e, flow ? 1 : sign_into(e, own, index), at(e, level->less, own, !flow)));
    row(r, left, right);
}

static void storage_rows(Rows* r, const FlatBondNode* node, uint32_t index, const Level* level)
{
    for (uint32_t port = 0; port < node->ports; port++)
        storage_row(r, node, index, port, level);
}

static void source_rows(Rows* r, const FlatBondNode* node, uint32_t index, const Level* level)
{
    Encoder* e = r->e;
    bool flow = node->kind == BOND_SF;
    uint32_t var = flow ? node->f : node->e;
    Formula value = e->logic->zero;
    if (level->input)
        value = encode_var(e, r->f, var, 0).value;  // a source may ask for the modes that are tried
    else if (level->slopes)
        for (uint32_t i = 0; i < e->flat->graphs.at[graph_of(r)].inputs.count; i++)
        {
            const FlatBondInput* input = &e->flat->graphs.at[graph_of(r)].inputs.at[i];
            if (input->node == index && input->slope != NO_VAR)
                value = logic_variable(e->logic, arena_printf(e->arena, "slope@%u", e->unique++), false);
        }
    row(r, at(e, level->z, bond_of(e, index, 0), flow), value);
}

static bool has_slope(const Rows* r, uint32_t node)
{
    const FlatBondGraph* graph = &r->e->flat->graphs.at[graph_of(r)];
    for (uint32_t i = 0; i < graph->inputs.count; i++)
        if (graph->inputs.at[i].node == node && graph->inputs.at[i].slope != NO_VAR)
            return true;
    return false;
}

// What a source, or a storage that is never dependent, imposes on a bond of this part. The slope of a storage is any.
static void keeper_row(Rows* r, uint32_t bond, uint32_t junction, const Level* level)
{
    Encoder* e = r->e;
    Logic* l = e->logic;
    uint32_t keeper = e->circuits->keeper[junction];
    if (keeper == 0)
        return;
    const FlatBondNode* node = &e->flat->bond_nodes.at[keeper - 1];
    bool source = bond_is_source(node->kind), flow = bond_imposes_flow(node->kind);
    if (level->less != NULL && !level->input && (!source || has_slope(r, keeper - 1)))
        return;
    Formula imposed = at(e, level->z, bond, flow), value = l->zero;
    if (source)
        value = level->input ? encode_var(e, r->f, flow ? node->f : node->e, 0).value : value;
    else
    {
        value = level->input ? r->inputs->slots[e->var_slot[node->extensity]] : value;
        imposed = logic_multiply(l, parameter(r, node),
                                 signed_by(e, flow ? sign_into(e, bond_of(e, keeper - 1, 0), keeper - 1) : 1, imposed));
    }
    row(r, imposed, value);
}

static void add_rows(Rows* r, const Level* level)
{
    const CircuitPart* part = &r->e->circuits->parts.at[r->part];
    for (uint32_t i = 0; i < part->bonds.count; i++)
    {
        const FlatBond* bond = &r->e->flat->bonds.at[part->bonds.at[i]];
        keeper_row(r, part->bonds.at[i], bond->from, level);
        keeper_row(r, part->bonds.at[i], bond->to, level);
    }
    for (uint32_t i = 0; i < part->nodes.count; i++)
    {
        uint32_t index = part->nodes.at[i];
        const FlatBondNode* node = &r->e->flat->bond_nodes.at[index];
        switch (node->kind)
        {
        case BOND_SE:
        case BOND_SF: source_rows(r, node, index, level); break;
        case BOND_R:
        {
            uint32_t bond = bond_of(r->e, index, 0);
            Formula f = signed_by(r->e, sign_into(r->e, bond, index), at(r->e, level->z, bond, true));
            row(r, at(r->e, level->z, bond, false), logic_multiply(r->e->logic, parameter(r, node), f));
            break;
        }
        case BOND_C:
        case BOND_I: storage_rows(r, node, index, level); break;
        case BOND_TF:
        case BOND_GY: two_port_rows(r, node, index, level); break;
        default: junction_rows(r, node, index, level); break;
        }
    }
}

static Formula* new_level(Encoder* e, uint32_t part, const char* name)
{
    Formula* z = arena_array(e->arena, Formula, 2 * e->flat->bonds.count + 1);
    const CircuitPart* g = &e->circuits->parts.at[part];
    for (uint32_t i = 0; i < g->bonds.count; i++)
        for (uint32_t flow = 0; flow < 2; flow++)
        {
            int class = e->flat->bond_graph->class_of[2 * g->bonds.at[i] + flow];
            if (z[class] == NULL)
                z[class] = logic_variable(e->logic, arena_printf(e->arena, "%s%d@%u", name, class, e->unique), false);
        }
    e->unique++;
    return z;
}

// ---- levels
// ----------------------------------------------------------------------------------------------------------

// M v = S u + N z with M u = 0 has a solution: what is left open in z is what equal leakage gives.
static void add_leakage(Rows* r, const Formula* z)
{
    Formula *u = new_level(r->e, r->part, "u"), *v = new_level(r->e, r->part, "v");
    add_rows(r, &(Level){.z = u});
    add_rows(r, &(Level){.z = v, .less = u, .leak = z});
}

// y moves no storage.
static void keep_storages(Rows* r, const Formula* y)
{
    const CircuitPart* part = &r->e->circuits->parts.at[r->part];
    for (uint32_t i = 0; i < part->nodes.count; i++)
    {
        const FlatBondNode* node = &r->e->flat->bond_nodes.at[part->nodes.at[i]];
        for (uint32_t port = 0; node->extensity != NO_VAR && port < node->ports; port++)
            row(r, at(r->e, y, bond_of(r->e, part->nodes.at[i], port), node->kind == BOND_C), r->e->logic->zero);
    }
}

static bool is_switched(const Encoder* e, uint32_t part)
{
    const CircuitPart* g = &e->circuits->parts.at[part];
    for (uint32_t i = 0; i < g->nodes.count; i++)
        if (e->flat->bond_nodes.at[g->nodes.at[i]].machine != 0)
            return true;
    return false;
}

bool circuit_moves(const Encoder* e, uint32_t var)
{
    uint32_t node = e->circuits->storage[var];
    return node != 0 && e->circuits->keeper[node - 1] == 0 &&
           is_switched(e, e->circuits->part_of[bond_of(e, node - 1, 0)]);
}

// Values at a tag: no jump, sources agree.
static void solve_flow(Rows* r, Circuit* c)
{
    Encoder* e = r->e;
    c->z1 = new_level(e, r->part, "z");
    Formula* z2 = new_level(e, r->part, "w");
    add_rows(r, &(Level){.z = c->z1, .input = true});
    add_rows(r, &(Level){.z = z2, .less = c->z1, .slopes = e->circuits->slope[graph_of(r)]});
    if (is_switched(e, r->part))
        add_leakage(r, c->z1);
}

static Formula all_zero(Rows* r, const Formula* z)
{
    Encoder* e = r->e;
    const CircuitPart* graph = &e->circuits->parts.at[r->part];
    Formula all = e->logic->yes;
    for (uint32_t i = 0; i < graph->bonds.count; i++)
        for (int flow = 0; flow < 2; flow++)
            all = logic_and(e->logic, all, logic_equal(e->logic, at(e, z, graph->bonds.at[i], flow), e->logic->zero));
    return all;
}

static void solve_jump(Rows* r, Circuit* c)
{
    Encoder* e = r->e;
    c->z0 = new_level(e, r->part, "a");
    c->z1 = new_level(e, r->part, "z");
    c->y = new_level(e, r->part, "y");
    Formula* z2 = new_level(e, r->part, "w");
    add_rows(r, &(Level){.z = c->y});
    keep_storages(r, c->y);
    add_rows(r, &(Level){.z = c->z0});
    add_rows(r, &(Level){.z = c->z1, .less = c->z0, .leak = c->y, .input = true});
    add_rows(r, &(Level){.z = z2, .less = c->z1, .slopes = e->circuits->slope[graph_of(r)]});
    add_leakage(r, c->z0);
    add_leakage(r, c->z1);
    c->agrees = all_zero(r, c->y);
}

// Solved when first asked for.
static Circuit* circuit_of(Encoder* e, Frame* f, uint32_t part)
{
    if (f->circuits == NULL)
        f->circuits = arena_array(e->arena, Circuit, e->circuits->parts.count + 1);
    Circuit* c = &f->circuits[part];
    if (c->z1 != NULL)
        return c;
    Rows r = {.e = e, .f = f, .inputs = f->base != NULL ? f->base : f, .part = part};
    if (f->loose)
        c->z1 = new_level(e, part, "any");
    else if (f->base != NULL)
        solve_jump(&r, c);
    else
        solve_flow(&r, c);
    return c;
}

// ---- values
// ----------------------------------------------------------------------------------------------------------

// The flow into a C that keeps its effort is what its junction has left over; likewise the effort on an I.
static void add_around(Encoder* e, CircuitTerms* terms, const BondTerm* term, uint32_t storage)
{
    const BondGraph* graph = e->flat->bond_graph;
    uint32_t own = bond_of(e, storage, 0), j = (uint32_t)bond_other_end(graph, (int)own, (int)storage);
    int out = sign_into(e, own, j);
    for (int i = 0; i < bond_degree(graph, (int)j); i++)
    {
        uint32_t b = bond_of(e, j, (uint32_t)i);
        int8_t sign = (int8_t)(-out * sign_into(e, b, j) * term->sign);
        if (b != own)
            vec_push(e->arena, *terms, (BondTerm){b, term->flow, sign});
    }
}

static uint32_t keeper_of_bond(const Encoder* e, uint32_t b)
{
    const FlatBond* bond = &e->flat->bonds.at[b];
    uint32_t from = e->circuits->keeper[bond->from], to = e->circuits->keeper[bond->to];
    return from == bond->from + 1 ? from : to == bond->to + 1 ? to : 0;
}

CircuitTerms circuit_terms(Encoder* e, const FlatBondOutput* output)
{
    CircuitTerms terms = {0};
    for (uint32_t t = 0; t < output->terms.count; t++)
    {
        const BondTerm* term = &output->terms.at[t];
        uint32_t keeper = keeper_of_bond(e, term->bond);
        BondKind kind = keeper != 0 ? e->flat->bond_nodes.at[keeper - 1].kind : BOND_J0;
        bool left_over = keeper != 0 && term->flow == (kind == BOND_C || kind == BOND_SE);
        if (left_over)
            add_around(e, &terms, term, keeper - 1);
        else
            vec_push(e->arena, terms, *term);
    }
    return terms;
}

typedef enum LevelKind
{
    LEVEL_AREA,
    LEVEL_VALUE,
    LEVEL_ENDLESS
} LevelKind;

static Formula sum_terms(Encoder* e, Frame* f, const CircuitTerms* terms, LevelKind kind)
{
    Formula sum = e->logic->zero;
    for (uint32_t t = 0; t < terms->count; t++)
    {
        const BondTerm* term = &terms->at[t];
        const Circuit* c = circuit_of(e, f, e->circuits->part_of[term->bond]);
        const Formula* z = kind == LEVEL_AREA ? c->z0 : kind == LEVEL_VALUE ? c->z1 : c->y;
        Formula value = at(e, z, term->bond, term->flow);
        sum = term->sign > 0 ? logic_add(e->logic, sum, value) : logic_subtract(e->logic, sum, value);
    }
    return sum;
}

static Formula all_agree(Encoder* e, Frame* f, const CircuitTerms* terms)
{
    Formula all = e->logic->yes;
    for (uint32_t t = 0; t < terms->count; t++)
        all = logic_and(e->logic, all, circuit_of(e, f, e->circuits->part_of[terms->at[t].bond])->agrees);
    return all;
}

// Where sources contradict each other the area is infinite, with the sign of y, and the value means nothing.
Term circuit_value(Encoder* e, Frame* f, uint32_t var)
{
    static const double infinite = 1e18;
    const CircuitOutput* at_output = &e->circuits->outputs[var];
    Logic* l = e->logic;
    if (e->circuits->vague[at_output->graph - 1])
        return encode_vague(e, e->flat->nodes.count - 1, false);
    if (at_output->area && f->base == NULL)
        return (Term){l->zero, l->yes};
    CircuitTerms terms = circuit_terms(e, at_output->output);
    if (at_output->area)
    {
        Formula endless = logic_multiply(l, logic_number(l, infinite), sum_terms(e, f, &terms, LEVEL_ENDLESS));
        return (Term){logic_add(l, sum_terms(e, f, &terms, LEVEL_AREA), endless), l->yes};
    }
    Formula value = sum_terms(e, f, &terms, LEVEL_VALUE);
    if (f->base == NULL)
        return (Term){value, l->yes};
    Formula any = logic_variable(l, arena_printf(e->arena, "none%u@%u", var, e->unique++), false);
    return (Term){logic_if(l, all_agree(e, f, &terms), value, any), l->yes};
}

Frame* circuit_set(Encoder* e, Frame* base, uint32_t group, const uint32_t* modes)
{
    Frame* f = frame_new(e, base->number, false);
    f->base = base;
    f->start = base->start;
    for (uint32_t i = 0; i < e->slots.count; i++)
    {
        const Slot* slot = &e->slots.at[i];
        bool junction = slot->kind == SLOT_MODE && e->flat->machines.at[slot->index].junction != 0;
        bool moves = slot->kind == SLOT_STATE && e->circuits->storage[slot->index] != 0;
        if (!slot->written || slot_group(e, i) != group || (!junction && !moves))
            f->slots[i] = base->slots[i];
        else if (junction && modes != NULL)
            f->slots[i] = modes[slot->index] == slot->mode ? e->logic->yes : e->logic->no;
    }
    for (uint32_t v = 0; v < e->flat->vars.count; v++)
        if (e->circuits->storage[v] != 0 && e->slots.at[e->var_slot[v]].written &&
            slot_group(e, e->var_slot[v]) == group)
            row(&(Rows){.e = e}, f->slots[e->var_slot[v]], circuit_extensity(e, f, v));
    return f;
}

Frame* circuit_trial(Encoder* e, Frame* base, uint32_t group)
{
    return circuit_set(e, base, group, NULL);
}

Frame* circuit_copy(Encoder* e, const Frame* trial)
{
    Frame* copy = arena_new(e->arena, Frame);
    *copy = *trial;
    copy->fires = arena_array(e->arena, Formula, e->reactions.count + 1);
    return copy;
}

Formula circuit_extensity(Encoder* e, Frame* trial, uint32_t var)
{
    uint32_t index = e->circuits->storage[var] - 1;
    const FlatBondNode* node = &e->flat->bond_nodes.at[index];
    Formula before = trial->base->slots[e->var_slot[var]];
    if (e->circuits->vague[e->flat->bond_graph->component_of[index]])
        return encode_vague(e, e->flat->nodes.count - 1, false).value;
    uint32_t bond = bond_of(e, index, var - node->extensity);
    const Circuit* c = circuit_of(e, trial, e->circuits->part_of[bond]);
    Formula area = at(e, c->z0, bond, node->kind == BOND_C);
    return logic_add(e->logic, before, signed_by(e, node->kind == BOND_C ? sign_into(e, bond, index) : 1, area));
}

Formula circuit_consistent(Encoder* e, Frame* trial, uint32_t group)
{
    Formula all = e->logic->yes;
    for (uint32_t g = 0; g < e->circuits->parts.count; g++)
        if (trial->circuits != NULL && trial->circuits[g].y != NULL)
            all = logic_and(e->logic, all, trial->circuits[g].agrees);
    (void)group;
    return all;
}
