// Flat model → parts and nets. A net is a set of ports that bonds join; a part is an instance that has ports and either
// elements of its own or the depth at which instances are no longer unfolded.
#include "diagram/circuit.h"

#include "base/sets.h"
#include "elab/constant.h"

#include <math.h>
#include <string.h>

enum
{
    PARTS_UNFOLDED = 40  // more than that, and composed parts are drawn as one box
};

typedef struct Finder
{
    Circuit* circuit;
    const Labels* labels;
    const Flat* flat;
    const bool* elements;
    bool* holds;       // per instance: has elements of its own that are no ports
    uint32_t* ports;   // per instance: how many
    uint32_t* part;    // per instance: the part that it is or belongs to, + 1
    uint32_t* joined;  // per node: sets of ports
    uint32_t* nets;    // per node: its net + 1, at the root of its set
} Finder;

static uint32_t home_of(const Finder* f, uint32_t node)
{
    uint32_t instance = f->flat->vars.at[f->flat->bond_nodes.at[node].e].instance;
    return f->elements[instance] ? f->flat->instances.at[instance].parent : instance;
}

// ---- what a part is called

typedef struct SymbolName
{
    const char* model;
    SymbolKind kind;
} SymbolName;

static const SymbolName symbol_names[] = {
    {"Resistor", SYMBOL_RESISTOR},       {"Capacitor", SYMBOL_CAPACITOR},
    {"Inductor", SYMBOL_INDUCTOR},       {"Diode", SYMBOL_DIODE},
    {"Thyristor", SYMBOL_THYRISTOR},     {"GTO", SYMBOL_THYRISTOR},
    {"Triac", SYMBOL_THYRISTOR},         {"Switch", SYMBOL_SWITCH},
    {"ThresholdSwitch", SYMBOL_SWITCH},  {"Mosfet", SYMBOL_TRANSISTOR},
    {"Igbt", SYMBOL_TRANSISTOR},         {"VoltageSource", SYMBOL_VOLTAGE},
    {"CurrentSource", SYMBOL_CURRENT},   {"Voltmeter", SYMBOL_METER},
    {"Ground", SYMBOL_GROUND},           {"OpenEnd", SYMBOL_OPEN},
    {"Transformer", SYMBOL_TRANSFORMER}, {"CoupledInductors", SYMBOL_TRANSFORMER},
    {"OpAmp", SYMBOL_AMPLIFIER},         {"SaturatingOpAmp", SYMBOL_AMPLIFIER},
    {"Nullor", SYMBOL_AMPLIFIER},        {"Motor", SYMBOL_MOTOR},
};

// ---- what a part is made of

typedef struct Content
{
    uint32_t counts[32];  // elements by kind
    uint32_t switched, all;
    uint32_t valued;   // the element that gives it its value, + 1
    bool shares_flow;  // mechanical ports
    bool electrical;   // else hydraulic, thermal, …
} Content;

static Content content_of(const Finder* f, uint32_t instance)
{
    Content c = {0};
    for (uint32_t i = 0; i < f->flat->bond_nodes.count; i++)
    {
        const FlatBondNode* node = &f->flat->bond_nodes.at[i];
        if (home_of(f, i) != instance)
            continue;
        if (node->port)
        {
            const char* unit = f->flat->vars.at[node->e].unit.text;
            c.shares_flow |= node->kind == BOND_J1;
            c.electrical |= unit != NULL && strcmp(unit, "V") == 0;
            continue;
        }
        c.counts[node->kind]++;
        c.all++;
        c.switched += node->machine != 0;
        if (!bond_is_junction(node->kind))
            c.valued = i + 1;
    }
    return c;
}

// Whether the junction of a part looks at its own effort or flow: then it is a valve and not a switch. The transitions
// of both are functions of signals; those of a valve are found by the name of its junction.
static bool is_valve(const Finder* f, uint32_t instance)
{
    for (uint32_t i = 0; i < f->flat->transitions.count; i++)
    {
        const FlatTransition* t = &f->flat->transitions.at[i];
        uint32_t junction = f->flat->machines.at[t->machine].junction;
        const char* guard = junction != 0 ? label_junction_guard(f->labels, t) : NULL;
        if (guard != NULL && home_of(f, junction - 1) == instance &&
            (strstr(guard, "area(") != NULL || strstr(guard, "post(") != NULL))
            return true;
    }
    return false;
}

static SymbolKind mechanical_symbol(const Content* c, uint32_t ports)
{
    bool alone = c->all - c->counts[BOND_J0] - c->counts[BOND_J1] == 1;
    if (!alone || c->switched > 0)
        return SYMBOL_BOX;
    if (ports == 1)
        return c->counts[BOND_I] ? SYMBOL_MASS : c->counts[BOND_SF] ? SYMBOL_WALL : SYMBOL_BOX;
    return c->counts[BOND_C] ? SYMBOL_SPRING : c->counts[BOND_R] ? SYMBOL_DAMPER : SYMBOL_BOX;
}

static SymbolKind symbol_of_content(const Finder* f, uint32_t instance, const Content* c)
{
    uint32_t ports = f->ports[instance];
    if (!f->holds[instance] || ports > 2)
        return SYMBOL_BOX;
    if (c->shares_flow)
        return mechanical_symbol(c, ports);
    bool alone = c->all - c->counts[BOND_J1] - c->counts[BOND_J0] == 1;
    if (ports == 2 && c->switched == 1 && c->counts[BOND_J1] == 1)
        return is_valve(f, instance) ? SYMBOL_DIODE : SYMBOL_SWITCH;
    if (ports == 1 || !alone || c->switched > 0)
        return ports == 1 && alone && c->counts[BOND_SE] ? SYMBOL_GROUND : SYMBOL_BOX;
    return c->counts[BOND_R]    ? SYMBOL_RESISTOR
           : c->counts[BOND_C]  ? SYMBOL_CAPACITOR
           : c->counts[BOND_I]  ? SYMBOL_INDUCTOR
           : c->counts[BOND_SE] ? SYMBOL_VOLTAGE
           : c->counts[BOND_SF] ? SYMBOL_CURRENT
                                : SYMBOL_BOX;
}

// The library's names first, then what it is made of: a resistor of the user's own is one too.
static SymbolKind symbol_of(const Finder* f, uint32_t instance, const Content* c)
{
    for (size_t i = 0; i < sizeof symbol_names / sizeof *symbol_names; i++)
        if (strcmp(f->flat->instances.at[instance].model, symbol_names[i].model) == 0)
            return symbol_names[i].kind;
    return symbol_of_content(f, instance, c);
}

// ---- values

static bool known_value(const Flat* flat, uint32_t var, double* value)
{
    const FlatVar* v = &flat->vars.at[var];
    NodeId found = v->kind == VAR_PARAM ? v->init : 0;
    uint32_t count = 0;
    for (uint32_t i = 0; v->kind != VAR_PARAM && i < flat->defs.count; i++)
        if (flat->defs.at[i].var == var && flat->defs.at[i].order == 0)
        {
            found = flat->defs.at[i].value;
            count++;
        }
    if (!found || count > 1)
        return false;
    if (flat_eval_const(flat, found, value))
        return true;
    const Node* node = &flat->nodes.at[found];
    return node->op == NODE_VAR && node->aux != var && known_value(flat, node->aux, value);
}

// "4.7 kΩ". Three digits are enough on paper.
static const char* engineering(Arena* arena, double value, const char* unit)
{
    static const char* const prefixes[] = {"p", "n", "µ", "m", "", "k", "M", "G"};
    int power = value != 0 ? (int)floor(log10(fabs(value)) / 3 + 1e-9) : 0;
    power = power < -4 ? -4 : power > 3 ? 3 : power;
    return arena_printf(arena, "%.4g %s%s", value / pow(1000, power), prefixes[power + 4], unit);
}

static const char* value_of(const Finder* f, SymbolKind kind, const Content* c)
{
    static const char* const units[] = {[SYMBOL_RESISTOR] = "Ω",
                                        [SYMBOL_CAPACITOR] = "F",
                                        [SYMBOL_INDUCTOR] = "H",
                                        [SYMBOL_VOLTAGE] = "V",
                                        [SYMBOL_CURRENT] = "A"};
    double value;
    if (c->valued == 0 || !c->electrical || (size_t)kind >= sizeof units / sizeof *units || units[kind] == NULL)
        return NULL;
    const FlatBondNode* node = &f->flat->bond_nodes.at[c->valued - 1];
    uint32_t var = kind == SYMBOL_VOLTAGE ? node->e : kind == SYMBOL_CURRENT ? node->f : node->parameter;
    if (var == NO_VAR || !known_value(f->flat, var, &value) || !isfinite(value))
        return NULL;
    return engineering(f->labels->arena, value, units[kind]);
}

// ---- parts

static void add_part(Finder* f, uint32_t instance)
{
    const FlatInstance* at = &f->flat->instances.at[instance];
    Content content = content_of(f, instance);
    CircuitPart part = {.instance = instance, .model = at->model, .name = at->name};
    part.symbol = symbol_of(f, instance, &content);
    part.value = value_of(f, part.symbol, &content);
    vec_push(f->labels->arena, f->circuit->parts, part);
    f->part[instance] = f->circuit->parts.count;
}

static void find_parts(Finder* f, int depth)
{
    int* level = arena_array(f->labels->arena, int, f->flat->instances.count + 1);
    for (uint32_t i = 1; i < f->flat->instances.count; i++)  // a parent comes before its children
    {
        uint32_t parent = f->flat->instances.at[i].parent;
        level[i] = level[parent] + 1;
        f->part[i] = f->part[parent];
        if (f->part[i] == 0 && f->ports[i] > 0 && !f->elements[i] && (f->holds[i] || level[i] >= depth))
            add_part(f, i);
    }
}

static uint32_t count_leaves(const Finder* f)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < f->flat->instances.count; i++)
        count += f->holds[i] && f->ports[i] > 0;
    return count;
}

// ---- nets

static void join_ports(Finder* f)
{
    const Flat* flat = f->flat;
    sets_init(f->joined, flat->bond_nodes.count);
    for (uint32_t i = 0; i < flat->bonds.count; i++)
    {
        const FlatBond* bond = &flat->bonds.at[i];
        if (flat->bond_nodes.at[bond->from].port && flat->bond_nodes.at[bond->to].port)
            sets_join(f->joined, bond->from, bond->to);
    }
}

static uint32_t net_of(Finder* f, uint32_t node)
{
    uint32_t* net = &f->nets[sets_root(f->joined, node)];
    if (*net == 0)
    {
        vec_push(f->labels->arena, f->circuit->nets, (CircuitNet){0});
        *net = f->circuit->nets.count;
    }
    return *net - 1;
}

// The ports of the parts themselves, not those of what is folded inside them.
static void find_terminals(Finder* f)
{
    Circuit* c = f->circuit;
    for (uint32_t p = 0; p < c->parts.count; p++)
    {
        CircuitPart* part = &c->parts.at[p];
        part->first = c->terminals.count;
        for (uint32_t i = 0; i < f->flat->bond_nodes.count; i++)
        {
            const FlatBondNode* node = &f->flat->bond_nodes.at[i];
            if (!node->port || home_of(f, i) != part->instance)
                continue;
            uint32_t net = net_of(f, i);
            c->nets.at[net].degree++;
            if (part->symbol == SYMBOL_GROUND || part->symbol == SYMBOL_WALL)
                c->nets.at[net].anchor = p + 1;
            const char* port = label_name(f->labels, node->name, part->instance);
            vec_push(f->labels->arena, c->terminals, (CircuitTerminal){port, p, net});
        }
        part->count = c->terminals.count - part->first;
    }
}

// ---- all together

static void look(Finder* f)
{
    const Flat* flat = f->flat;
    for (uint32_t i = 0; i < flat->bond_nodes.count; i++)
    {
        uint32_t home = home_of(f, i);
        if (flat->bond_nodes.at[i].port)
            f->ports[home]++;
        else
            f->holds[home] = true;
    }
}

bool circuit_of_model(Circuit* circuit, const Labels* labels, int depth)
{
    const Flat* flat = labels->flat;
    Arena* arena = labels->arena;
    Finder f = {.circuit = circuit,
                .labels = labels,
                .flat = flat,
                .elements = label_elements(labels),
                .holds = arena_array(arena, bool, flat->instances.count + 1),
                .ports = arena_array(arena, uint32_t, flat->instances.count + 1),
                .part = arena_array(arena, uint32_t, flat->instances.count + 1),
                .joined = arena_array(arena, uint32_t, flat->bond_nodes.count + 1),
                .nets = arena_array(arena, uint32_t, flat->bond_nodes.count + 1)};
    *circuit = (Circuit){0};
    look(&f);
    if (f.holds[0] || f.ports[0] > 0)
        return false;  // elements of its own: a bond graph
    find_parts(&f, depth >= 0 ? depth : count_leaves(&f) > PARTS_UNFOLDED ? 1 : 1 << 20);
    join_ports(&f);
    find_terminals(&f);
    return circuit->parts.count > 1;
}
