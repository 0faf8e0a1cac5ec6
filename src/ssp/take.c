// A model as a system: its instances are the components, what their inputs are defined as must be the output of another
// one, an input of the root model, or a number. See system.h.
#include "base/error.h"
#include "elab/flat.h"
#include "ssp/system.h"

#include <string.h>

typedef struct Taking
{
    SspSystem* system;
    Arena* arena;
    const Flat* flat;
    kaiError* error;
    uint32_t* defs;   // of variables: 1 + the definition of its value
    uint32_t* parts;  // of instances: 1 + the component it is in; 0: the root
} Taking;

static kaiStatus refuse(Taking* t, const char* name, const char* what)
{
    return error_set(t->error, KAI_ERR_USAGE,
                     "`%s` %s, and a system has nothing but parts and connections: put it into a model of its own, and "
                     "an instance of that into %s",
                     name, what, t->flat->model_name);
}

// ---- parts
// ----------------------------------------------------------------------------------------------------------

static void find_parts(Taking* t)
{
    const Flat* flat = t->flat;
    t->parts = arena_array(t->arena, uint32_t, flat->instances.count + 1);
    for (uint32_t i = 1; i < flat->instances.count; i++)
    {
        const FlatInstance* instance = &flat->instances.at[i];
        t->parts[i] = t->parts[instance->parent];
        if (instance->parent != 0)
            continue;
        SspComponent part = {.name = arena_copy_string(t->arena, instance->name, strlen(instance->name)),
                             .model = arena_copy_string(t->arena, instance->model, strlen(instance->model))};
        vec_push(t->arena, t->system->components, part);
        t->parts[i] = t->system->components.count;
    }
}

static uint32_t part_of(const Taking* t, uint32_t var)
{
    return t->parts[t->flat->vars.at[var].instance];
}

// The name of a variable inside its part.
static const char* name_inside(const Taking* t, uint32_t var)
{
    const char* name = t->flat->vars.at[var].name;
    size_t lead = strlen(t->system->components.at[part_of(t, var) - 1].name);
    return arena_copy_string(t->arena, name + lead + 1, strlen(name) - lead - 1);
}

// ---- what is at the root
// ------------------------------------------------------------------------------------------------

static kaiStatus check_root(Taking* t)
{
    const Flat* flat = t->flat;
    for (uint32_t i = 0; i < flat->vars.count; i++)
    {
        const FlatVar* var = &flat->vars.at[i];
        if (var->instance != 0 || var->hidden)
            continue;
        if (var->kind == VAR_STATE || var->kind == VAR_DISCRETE || var->kind == VAR_MODE)
            return refuse(t, var->name, "changes by itself");
        if (var->emitted || var->unknown)
            return refuse(t, var->name, var->emitted ? "is emitted by the model itself" : "is solved for");
    }
    for (uint32_t i = 0; i < flat->whens.count; i++)
        if (flat->whens.at[i].instance == 0)
            return refuse(t, "when", "stands in the model itself");
    for (uint32_t i = 0; i < flat->bonds.count; i++)
    {
        const FlatBond* bond = &flat->bonds.at[i];
        const FlatBondNode *from = &flat->bond_nodes.at[bond->from], *to = &flat->bond_nodes.at[bond->to];
        bool apart = part_of(t, from->e) == 0 || part_of(t, from->e) != part_of(t, to->e);
        if (apart)
            return refuse(t, bond->name, "exchanges power");
    }
    return KAI_OK;
}

// ---- connections
// ----------------------------------------------------------------------------------------------------

// What a definition comes to: a variable of a part, an input of the root, or (as NO_VAR) a constant, in which case the
// parameter values say it.
static kaiStatus follow(Taking* t, uint32_t var, uint32_t* source)
{
    const char* name = t->flat->vars.at[var].name;
    for (int round = 0; round < 1000; round++)
    {
        const FlatVar* v = &t->flat->vars.at[var];
        *source = var;
        if (v->kind == VAR_PARAM)
            return *source = NO_VAR, KAI_OK;
        if (v->kind == VAR_INPUT || (round > 0 && part_of(t, var) != 0 && !(v->input && v->instance != 0)))
            return KAI_OK;
        if (t->defs[var] == 0)
            return *source = NO_VAR, KAI_OK;
        const Node* node = &t->flat->nodes.at[t->flat->defs.at[t->defs[var] - 1].value];
        if (node->op == NODE_CONST)
            return *source = NO_VAR, KAI_OK;
        if (node->op != NODE_VAR)
            return refuse(t, name, "is computed where it is connected");
        var = node->aux;
    }
    return refuse(t, name, "is defined in a circle");
}

static void add_output(Taking* t, uint32_t part, const char* name)
{
    SspComponent* c = &t->system->components.at[part];
    for (uint32_t i = 0; i < c->connectors.count; i++)
        if (strcmp(c->connectors.at[i].name, name) == 0)
            return;
    vec_push(t->arena, c->connectors, ((SspConnector){.name = name, .output = true}));
}

// From `source` to `to`, a variable of a part or of the system; events with their payloads.
static void connect_one(Taking* t, uint32_t source, const char* element, const char* to, const char* tail)
{
    const char* add = arena_printf(t->arena, "%s%s", to, tail);
    SspConnection made = {.to = element, .to_connector = add};
    if (part_of(t, source) != 0)
    {
        made.from = t->system->components.at[part_of(t, source) - 1].name;
        made.from_connector = arena_printf(t->arena, "%s%s", name_inside(t, source), tail);
        add_output(t, part_of(t, source) - 1, made.from_connector);
    }
    else
        made.from_connector = arena_printf(t->arena, "%s%s", t->flat->vars.at[source].name, tail);
    vec_push(t->arena, t->system->connections, made);
}

static kaiStatus connect(Taking* t, uint32_t var)
{
    const FlatVar* v = &t->flat->vars.at[var];
    uint32_t source, part = part_of(t, var);
    kaiStatus status = follow(t, var, &source);
    if (status != KAI_OK || source == NO_VAR || source == var)
        return status;
    const char* element = part > 0 ? t->system->components.at[part - 1].name : NULL;
    const char* to = part > 0 ? name_inside(t, var) : arena_copy_string(t->arena, v->name, strlen(v->name));
    connect_one(t, source, element, to, "");
    if (v->type == TYPE_EVENT)
        connect_one(t, source, element, to, ".value");
    return KAI_OK;
}

static void add_own(Taking* t, const FlatVar* v, bool output)
{
    SspConnector own = {.name = arena_copy_string(t->arena, v->name, strlen(v->name)),
                        .type = v->type == TYPE_REAL ? SSP_REAL : SSP_BOOLEAN,
                        .output = output};
    vec_push(t->arena, t->system->connectors, own);
    if (v->type != TYPE_EVENT)
        return;
    own.name = arena_printf(t->arena, "%s.value", own.name);
    own.type = SSP_REAL;
    vec_push(t->arena, t->system->connectors, own);
}

// Inputs of the parts, and outputs of the root. Other signals of the root are views, which a system has none of.
static kaiStatus connect_all(Taking* t)
{
    kaiStatus status = KAI_OK;
    for (uint32_t i = 0; i < t->flat->vars.count && status == KAI_OK; i++)
    {
        const FlatVar* v = &t->flat->vars.at[i];
        bool own = v->instance == 0, part = !own && t->flat->instances.at[v->instance].parent == 0;
        if (own && v->kind == VAR_INPUT)
            add_own(t, v, false);
        if (own && v->output)
            add_own(t, v, true);
        if ((part && v->input) || (own && v->output))
            status = connect(t, i);
    }
    return status;
}

kaiStatus system_take(SspSystem* system, Arena* arena, const Flat* flat, kaiError* error)
{
    Taking t = {.system = system, .arena = arena, .flat = flat, .error = error};
    system->name = arena_copy_string(arena, flat->model_name, strlen(flat->model_name));
    t.defs = arena_array(arena, uint32_t, flat->vars.count + 1);
    for (uint32_t i = 0; i < flat->defs.count; i++)
        if (flat->defs.at[i].order == 0)
            t.defs[flat->defs.at[i].var] = i + 1;
    find_parts(&t);
    if (system->components.count == 0)
        return error_set(error, KAI_ERR_USAGE, "%s has no instances: export it as model.fmu", system->name);
    kaiStatus status = check_root(&t);
    return status == KAI_OK ? connect_all(&t) : status;
}
