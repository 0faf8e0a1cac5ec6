// Domains of bond graphs: what is joined without a transformer or gyrator has one, and with it the units of its
// efforts, flows, momenta and displacements.
#include "base/sets.h"
#include "elab/elab.h"

#include <string.h>

typedef struct Quantity
{
    const char* unit;
    int8_t dim[7];  // m kg s A K mol cd
} Quantity;

typedef struct Domain
{
    const char* name;
    Quantity e, f, p, q;
} Domain;

static const Domain domains[] = {
    {"electrical",
     {"V", {2, 1, -3, -1, 0, 0, 0}},
     {"A", {0, 0, 0, 1, 0, 0, 0}},
     {"V*s", {2, 1, -2, -1, 0, 0, 0}},
     {"A*s", {0, 0, 1, 1, 0, 0, 0}}},
    {"translational",
     {"N", {1, 1, -2, 0, 0, 0, 0}},
     {"m/s", {1, 0, -1, 0, 0, 0, 0}},
     {"N*s", {1, 1, -1, 0, 0, 0, 0}},
     {"m", {1, 0, 0, 0, 0, 0, 0}}},
    {"rotational",
     {"N*m", {2, 1, -2, 0, 0, 0, 0}},
     {"rad/s", {0, 0, -1, 0, 0, 0, 0}},
     {"N*m*s", {2, 1, -1, 0, 0, 0, 0}},
     {"rad", {0, 0, 0, 0, 0, 0, 0}}},
    {"hydraulic",
     {"Pa", {-1, 1, -2, 0, 0, 0, 0}},
     {"m^3/s", {3, 0, -1, 0, 0, 0, 0}},
     {"Pa*s", {-1, 1, -1, 0, 0, 0, 0}},
     {"m^3", {3, 0, 0, 0, 0, 0, 0}}},
    {"thermal",  // with entropy flow, so that e f is power as everywhere
     {"K", {0, 0, 0, 0, 1, 0, 0}},
     {"W/K", {2, 1, -3, 0, -1, 0, 0}},
     {"K*s", {0, 0, 1, 0, 1, 0, 0}},
     {"J/K", {2, 1, -2, 0, -1, 0, 0}}},
};

static const Domain* find_domain(const char* name)
{
    for (size_t i = 0; name && i < sizeof domains / sizeof domains[0]; i++)
        if (strcmp(domains[i].name, name) == 0)
            return &domains[i];
    return NULL;
}

static bool parts_domains(const FlatBondNode* node)
{
    return bond_is_two_port(node->kind) || node->ports > 1;
}

static void set_unit(Elab* e, uint32_t var, const Quantity* quantity)
{
    if (var == NO_VAR || e->flat->vars.at[var].unit.known)
        return;
    FlatUnit* unit = &e->flat->vars.at[var].unit;
    *unit = (FlatUnit){.known = true, .text = quantity->unit, .si = {1, 0}};
    memcpy(unit->dim, quantity->dim, sizeof unit->dim);
}

static void set_units(Elab* e, uint32_t index, const Domain* domain)
{
    const FlatBondNode* node = &e->flat->bond_nodes.at[index];
    set_unit(e, node->e, &domain->e);
    set_unit(e, node->f, &domain->f);
    set_unit(e, node->extensity, node->kind == BOND_C ? &domain->q : &domain->p);
}

static void report_two(Elab* e, uint32_t first, uint32_t second)
{
    const FlatBondNode *a = &e->flat->bond_nodes.at[first], *b = &e->flat->bond_nodes.at[second];
    Diag* diag = elab_error(e, K_BOND_DOMAIN, b->span, "`%s` is %s and joined to `%s`, which is %s", b->name,
                            e->bond_items.at[second].domain, a->name, e->bond_items.at[first].domain);
    elab_note(e, diag, a->span, "declared here");
}

// The port of a storage with a matrix.
static void set_port(Elab* e, const FlatBondNode* node, uint32_t port, const Domain* domain)
{
    if (port >= node->ports)
        return;  // more bonds than ports: an error that is reported where bonds are counted
    set_unit(e, node->e + port, &domain->e);
    set_unit(e, node->f + port, &domain->f);
    set_unit(e, node->extensity + port, node->kind == BOND_C ? &domain->q : &domain->p);
}

// Sides of TF and GY, and ports of storages with several, take the domain of what they are joined to.
static void set_sides(Elab* e, uint32_t* parent, const Domain* const* of)
{
    uint32_t* met = arena_array(e->arena, uint32_t, e->flat->bond_nodes.count + 1);  // bonds so far: the next port
    for (uint32_t i = 0; i < e->flat->bonds.count; i++)
    {
        const FlatBond* bond = &e->flat->bonds.at[i];
        for (int end = 0; end < 2; end++)
        {
            uint32_t index = end ? bond->to : bond->from, other = end ? bond->from : bond->to;
            const FlatBondNode* node = &e->flat->bond_nodes.at[index];
            const Domain* domain = of[sets_root(parent, other)];
            uint32_t port = met[index]++;
            if (!parts_domains(node) || parts_domains(&e->flat->bond_nodes.at[other]) || !domain)
                continue;
            if (node->matrix != NO_VAR)
            {
                set_port(e, node, port, domain);
                continue;
            }
            bool in = end == 1;  // side 1 is the bond that points in
            set_unit(e, in ? node->e : node->e2, &domain->e);
            set_unit(e, in ? node->f : node->f2, &domain->f);
        }
    }
}

void find_domains(Elab* e)
{
    Flat* flat = e->flat;
    uint32_t count = flat->bond_nodes.count;
    uint32_t* parent = arena_array(e->arena, uint32_t, count + 1);
    uint32_t* said = arena_array(e->arena, uint32_t, count + 1);  // per root: port + 1 that said so
    const Domain** of = arena_array(e->arena, const Domain*, count + 1);
    sets_init(parent, count);
    for (uint32_t i = 0; i < flat->bonds.count; i++)
    {
        uint32_t a = flat->bonds.at[i].from, b = flat->bonds.at[i].to;
        if (!parts_domains(&flat->bond_nodes.at[a]) && !parts_domains(&flat->bond_nodes.at[b]))
            parent[sets_root(parent, b)] = sets_root(parent, a);
    }
    for (uint32_t i = 0; i < count; i++)
    {
        const Domain* domain = find_domain(e->bond_items.at[i].domain);
        uint32_t root = sets_root(parent, i);
        if (!domain)
            continue;
        if (said[root] && of[root] != domain)
            report_two(e, said[root] - 1, i);
        of[root] = domain;
        said[root] = i + 1;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!parts_domains(&flat->bond_nodes.at[i]) && of[sets_root(parent, i)])
            set_units(e, i, of[sets_root(parent, i)]);
    for (uint32_t i = 0; i < flat->bonds.count; i++)
    {
        const Domain* domain = of[sets_root(parent, flat->bonds.at[i].from)];
        if (domain && !parts_domains(&flat->bond_nodes.at[flat->bonds.at[i].from]))
        {
            set_unit(e, flat->bonds.at[i].e, &domain->e);
            set_unit(e, flat->bonds.at[i].f, &domain->f);
        }
    }
    set_sides(e, parent, of);
}
