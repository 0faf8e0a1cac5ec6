// Elements, junctions, ports and bonds as they are declared, their arguments, and the guards of switched junctions.
// What they mean together is in bond_graph.c.
#include "elab/constant.h"
#include "elab/elab.h"

#include <string.h>

typedef struct ElementRule
{
    const char* parameter;  // the linear parameter, or what a source imposes
    const char* law;        // what may be given as a function instead: e or f
    const char* other_law;
    const char* extensity;
    const char *start, *start_power;  // start value of the extensity, or of e or f
} ElementRule;

static const ElementRule rules[] = {
    [BOND_SE] = {.parameter = "e"},
    [BOND_SF] = {.parameter = "f"},
    [BOND_R] = {.parameter = "r", .law = "e", .other_law = "f"},
    [BOND_C] = {.parameter = "c", .law = "e", .extensity = "q", .start = "q0", .start_power = "e0"},
    [BOND_I] = {.parameter = "i", .law = "f", .extensity = "p", .start = "p0", .start_power = "f0"},
    [BOND_TF] = {.parameter = "n"},
    [BOND_GY] = {.parameter = "r"},
    [BOND_J0] = {0},
    [BOND_J1] = {0},
};

// ---- declarations

static const Env* keep(Elab* e, const Env* env)
{
    Env* copy = arena_new(e->arena, Env);
    *copy = *env;
    return copy;
}

// Elements look like instances from outside, so that `m1.f` is an ordinary path.
static uint32_t add_scope(Elab* e, const Env* env, const char* type, const char* name, Span span)
{
    static const ArgList no_args;
    uint32_t index = e->flat->instances.count;
    FlatInstance flat = {.name = scope_path(e, env->instance, name), .model = type, .parent = env->instance};
    flat.span = span;
    vec_push(e->arena, e->flat->instances, flat);
    Model* model = arena_new(e->arena, Model);
    model->name = type;
    model->span = span;
    Instance instance = {.model = model, .parent = env->instance, .ctx = env->ctx, .args = &no_args, .span = span};
    instance.depth = e->instances.at[env->instance].depth + 1;
    instance.arg_env = keep(e, env);
    vec_push(e->arena, e->instances, instance);
    elab_count_loop(e, span);
    return index;
}

// One variable, or with `ports` an array of them. Returns the first.
static uint32_t add_vars(Elab* e, uint32_t scope, VarKind kind, const char* name, uint32_t ports, Span span)
{
    Env env = {.instance = scope};
    const char* word = intern_string(e->program->names, name);
    uint32_t first = e->flat->vars.count;
    for (uint32_t i = 0; i < (ports ? ports : 1); i++)
    {
        const char* own = ports ? arena_printf(e->arena, "%s[%u]", name, i + 1) : word;
        uint32_t var = declare_var(e, &env, kind, TYPE_REAL, own, span);
        e->vars.at[var].type_progress = e->vars.at[var].init_progress = DONE;
        e->vars.at[var].given = true;
        e->flat->vars.at[var].inner = e->instances.at[scope].depth > 1;  // of an element inside a part
    }
    Symbol* symbol = scope_add(e, &env, ports ? SYMBOL_VARS : SYMBOL_VAR, word, span);
    symbol->first = first;
    symbol->from = 1;
    symbol->to = ports;
    return first;
}

static uint32_t add_var(Elab* e, uint32_t scope, VarKind kind, const char* name, Span span)
{
    return add_vars(e, scope, kind, name, 0, span);
}

uint32_t add_element_hidden(Elab* e, const char* what, Span span)
{
    Env env = {.instance = 0};
    const char* name = arena_printf(e->arena, "$%s%u", what, e->flat->vars.count);
    uint32_t var = declare_var(e, &env, VAR_DISCRETE, TYPE_REAL, name, span);
    e->vars.at[var].type_progress = e->vars.at[var].init_progress = DONE;
    e->flat->vars.at[var].init = flat_const(e->flat, 0, TYPE_REAL);
    return var;
}

// .e or .f, with a place for the area of its impulse.
static uint32_t add_powers(Elab* e, uint32_t scope, const char* name, uint32_t ports, Span span)
{
    uint32_t first = add_vars(e, scope, VAR_SIGNAL, name, ports, span);
    for (uint32_t i = 0; i < (ports ? ports : 1); i++)
    {
        uint32_t area = add_element_hidden(e, "area", span);
        e->vars.at[first + i].area = area + 1;
    }
    return first;
}

static uint32_t add_power(Elab* e, uint32_t scope, const char* name, Span span)
{
    return add_powers(e, scope, name, 0, span);
}

static const Arg* find_argument(const Item* item, const char* name)
{
    for (uint32_t i = 0; name && i < item->args.count; i++)
        if (strcmp(item->args.at[i].name, name) == 0)
            return &item->args.at[i];
    return NULL;
}

// The argument that is a matrix, or NULL.
static const Arg* matrix_argument(const Item* item, BondKind kind)
{
    const Arg* arg = item && rules[kind].extensity ? find_argument(item, rules[kind].parameter) : NULL;
    return arg && multiport_size(arg) ? arg : NULL;
}

static bool in_library(const Elab* e, Span span)
{
    const char* folder = e->program->library;
    if (folder == NULL || span.file == 0)
        return false;
    size_t length = strlen(folder);
    const char* path = e->program->sources->list.at[span.file - 1].path;
    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

// People know the parts that they wrote, not what those of the library are made of.
static void find_owner(const Elab* e, uint32_t scope, FlatBondNode* node)
{
    uint32_t i = scope;
    while (i != 0 && in_library(e, e->instances.at[i].span))
        i = e->instances.at[i].parent;
    bool own = i == 0 || i == scope;
    node->owner = own ? node->name : e->flat->instances.at[i].name;
    node->owner_span = own ? node->span : e->instances.at[i].span;
}

static uint32_t add_node(Elab* e, uint32_t scope, BondKind kind, const BondItem* item, Span span)
{
    FlatBondNode node = {.kind = kind, .name = e->flat->instances.at[scope].name, .ports = 1, .span = span};
    find_owner(e, scope, &node);
    const Arg* matrix = matrix_argument(item->item, kind);
    uint32_t ports = matrix ? multiport_size(matrix) : 0;
    node.e2 = node.f2 = node.extensity = node.energy = node.parameter = node.matrix = node.slopes = NO_VAR;
    node.e = add_powers(e, scope, "e", ports, span);
    node.f = add_powers(e, scope, "f", ports, span);
    if (bond_is_two_port(kind))
    {
        node.e2 = add_power(e, scope, "e2", span);
        node.f2 = add_power(e, scope, "f2", span);
    }
    if (rules[kind].extensity)
        node.extensity = add_vars(e, scope, VAR_STATE, rules[kind].extensity, ports, span);
    if (matrix)
        declare_multiport(e, scope, &node, matrix);
    vec_push(e->arena, e->flat->bond_nodes, node);
    vec_push(e->arena, e->bond_items, *item);
    return e->instances.at[scope].bond_node = e->flat->bond_nodes.count;
}

static void check_arguments(Elab* e, const Item* item, BondKind kind)
{
    const ElementRule* rule = &rules[kind];
    const char* known[] = {rule->parameter, rule->law, rule->other_law, rule->start, rule->start_power};
    bool all_known = true;
    for (uint32_t i = 0; i < item->args.count; i++)
    {
        bool found = false;
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
            found |= known[k] && strcmp(known[k], item->args.at[i].name) == 0;
        all_known &= found;
        if (!found)
            elab_error(e, K_BOND_ARGUMENT, item->args.at[i].span, "%s has no argument `%s`", bond_kind_word(kind),
                       item->args.at[i].name);
    }
    bool given =
        find_argument(item, rule->parameter) || find_argument(item, rule->law) || find_argument(item, rule->other_law);
    if (rule->parameter && !given && all_known)
        elab_error(e, K_BOND_ARGUMENT, item->name_span, "%s `%s` has no `%s`", bond_kind_word(kind), item->name,
                   rule->parameter);
    const Arg* law = find_argument(item, rule->law);
    if (matrix_argument(item, kind) && law)
        elab_error(e, K_BOND_ARGUMENT, law->span, "give either a matrix or a law: a law has one port");
    if (find_argument(item, rule->start) && find_argument(item, rule->start_power))
        elab_error(e, K_BOND_ARGUMENT, find_argument(item, rule->start_power)->span,
                   "give either `%s` or `%s`: one start value", rule->start, rule->start_power);
}

static bool may_stand(Elab* e, const Env* env, Span span, const char* what)
{
    if (env->ctx == 0)
        return true;
    elab_error(e, K_BOND_UNSUPPORTED, span, "%s cannot stand in a mode", what);
    return false;
}

void declare_element(Elab* e, const Env* env, const Item* item, BondKind kind, const char* name)
{
    may_stand(e, env, item->span, "an element of a bond graph");
    check_arguments(e, item, kind);
    const ElementRule* rule = &rules[kind];
    uint32_t scope = add_scope(e, env, bond_kind_word(kind), name, item->name_span);
    BondItem kept = {.item = item, .env = keep(e, env), .instance = scope};
    uint32_t index = add_node(e, scope, kind, &kept, item->name_span) - 1;
    const Arg* parameter = !bond_is_source(kind) ? find_argument(item, rule->parameter) : NULL;
    if (parameter && !matrix_argument(item, kind))
    {
        uint32_t var = add_var(e, scope, VAR_PARAM, rule->parameter, parameter->span);
        e->flat->bond_nodes.at[index].parameter = var;
        e->vars.at[var].init = parameter->value;
        if (!declare_override(e, var))
            e->vars.at[var].init_progress = NOT_BEGUN;
        e->vars.at[var].env = kept.env;
    }
    for (uint32_t i = 0; rule->extensity && i < e->flat->bond_nodes.at[index].ports; i++)
        declare_override(e, e->flat->bond_nodes.at[index].extensity + i);
    if (rule->extensity && parameter)
        e->flat->bond_nodes.at[index].energy = add_var(e, scope, VAR_SIGNAL, "energy", item->name_span);
    if (!item->is_switched)
        return;
    if (!bond_is_junction(kind))
    {
        elab_error(e, K_SWITCH_MODE, item->type_span, "%s cannot be switched: only J0 and J1 are",
                   bond_kind_word(kind));
        return;
    }
    uint32_t machine = declare_switch(e, env, scope, item);
    e->flat->bond_nodes.at[index].machine = machine + 1;
}

static bool known_domain(Elab* e, const PowerPort* port)
{
    static const char* const domains[] = {"electrical", "translational", "rotational", "hydraulic", "thermal"};
    if (!port->domain)
        return true;
    for (size_t i = 0; i < sizeof domains / sizeof domains[0]; i++)
        if (strcmp(port->domain, domains[i]) == 0)
            return true;
    Diag* diag = elab_error(e, K_BOND_DOMAIN, port->span, "there is no domain `%s`", port->domain);
    elab_suggest(e, diag, port->domain, domains, sizeof domains / sizeof domains[0]);
    return false;
}

// Mechanical ports share a velocity and add forces, all others share the effort and add flows.
static bool shares_flow(const char* domain)
{
    return domain && (strcmp(domain, "translational") == 0 || strcmp(domain, "rotational") == 0);
}

void declare_ports(Elab* e, const Env* env, const Item* item)
{
    for (uint32_t i = 0; i < item->ports.count; i++)
    {
        const PowerPort* port = &item->ports.at[i];
        if (!may_stand(e, env, port->span, "a port") || !known_domain(e, port))
        {
            scope_add(e, env, SYMBOL_FAILED, port->name, port->span);
            continue;
        }
        uint32_t at = (uint32_t)(scope_add(e, env, SYMBOL_INSTANCE, port->name, port->span) - e->symbols.at);
        e->symbols.at[at].first = e->flat->instances.count;
        uint32_t scope = add_scope(e, env, "port", port->name, port->span);
        BondItem kept = {.env = keep(e, env), .domain = port->domain, .instance = scope};
        uint32_t node = add_node(e, scope, shares_flow(port->domain) ? BOND_J1 : BOND_J0, &kept, port->span) - 1;
        e->flat->bond_nodes.at[node].port = true;
    }
}

void declare_bond(Elab* e, const Env* env, const Item* item)
{
    Work work = {.item = item, .env = keep(e, env), .var = UINT32_MAX};
    may_stand(e, env, item->span, "a bond");
    if (item->kind == ITEM_BOND && item->name)
    {
        uint32_t at = (uint32_t)(scope_add(e, env, SYMBOL_INSTANCE, item->name, item->name_span) - e->symbols.at);
        e->symbols.at[at].first = e->flat->instances.count;
        work.var = add_scope(e, env, "bond", item->name, item->name_span);
        if (item->paths.count != 2)
            elab_error(e, K_BOND_END, item->name_span, "a name is for one bond, this is a chain of %u",
                       item->paths.count - 1);
    }
    vec_push(e->arena, e->bond_works, work);
}

// ---- who is joined to whom

static bool find_end(Elab* e, const Env* env, const Path* path, uint32_t* node)
{
    Target target;
    if (!scope_resolve(e, env, path, &target))
        return false;
    if (!target.local && target.kind == SYMBOL_INSTANCE && e->instances.at[target.index].bond_node)
        return *node = e->instances.at[target.index].bond_node - 1, true;
    Diag* diag = elab_error(e, K_BOND_END, path->span, "this is no element, junction or port");
    if (!target.local && target.kind == SYMBOL_INSTANCE)
        elab_help(e, diag, "name a port of the instance, or an element in it");
    return false;
}

static void add_bond(Elab* e, const Work* work, uint32_t from, uint32_t to)
{
    Flat* flat = e->flat;
    FlatBond bond = {.from = from, .to = to, .e = NO_VAR, .f = NO_VAR, .span = work->item->span};
    bond.name = arena_printf(e->arena, "%s -> %s", flat->bond_nodes.at[from].name, flat->bond_nodes.at[to].name);
    if (work->var != UINT32_MAX)
    {
        bond.e = add_power(e, work->var, "e", work->item->name_span);
        bond.f = add_power(e, work->var, "f", work->item->name_span);
        e->instances.at[work->var].bond = flat->bonds.count + 1;
        bond.name = flat->instances.at[work->var].name;
    }
    vec_push(e->arena, flat->bonds, bond);
    if (from == to)
        elab_error(e, K_BOND_END, work->item->span, "a bond from `%s` to itself", flat->bond_nodes.at[from].name);
}

static void join_chain(Elab* e, const Work* work)
{
    const Item* item = work->item;
    uint32_t from = 0, to = 0;
    bool known = find_end(e, work->env, item->paths.at[0], &from);
    for (uint32_t i = 1; i < item->paths.count; i++)
    {
        bool next = find_end(e, work->env, item->paths.at[i], &to);
        if (known && next)
            add_bond(e, work, from, to);
        else
            e->instances.at[work->env->instance].incomplete = true;
        from = to;
        known = next;
    }
}

// Two ports become one junction by a bond between them. Its direction does not matter to anybody but the reader of
// efforts and flows of ports; power is counted into the first.
static void join_ports(Elab* e, const Work* work)
{
    const Item* item = work->item;
    uint32_t first = 0, other = 0;
    bool known = find_end(e, work->env, item->paths.at[0], &first);
    for (uint32_t i = 1; i < item->paths.count; i++)
    {
        bool fine = find_end(e, work->env, item->paths.at[i], &other);
        if (!known || !fine)
            continue;
        const FlatBondNode *a = &e->flat->bond_nodes.at[first], *b = &e->flat->bond_nodes.at[other];
        if (!a->port || !b->port)
        {
            const Path* path = item->paths.at[a->port ? i : 0];
            Diag* diag = elab_error(e, K_BOND_END, path->span, "`connect` joins ports, `%s` is none",
                                    a->port ? b->name : a->name);
            elab_help(e, diag, "join elements and junctions by `bond a -> b`");
            continue;
        }
        const char *left = e->bond_items.at[first].domain, *right = e->bond_items.at[other].domain;
        if ((left || right) && (!left || !right || strcmp(left, right) != 0))
        {
            Diag* diag = elab_error(e, K_BOND_DOMAIN, item->paths.at[i]->span, "`%s` is %s, `%s` is %s", a->name,
                                    left ? left : "of no domain", b->name, right ? right : "of no domain");
            elab_note(e, diag, b->span, "declared here");
            continue;
        }
        add_bond(e, work, other, first);
    }
}

void join_bonds(Elab* e)
{
    for (uint32_t i = 0; i < e->bond_works.count; i++)
        if (e->bond_works.at[i].item->kind == ITEM_BOND)
            join_chain(e, &e->bond_works.at[i]);
        else
            join_ports(e, &e->bond_works.at[i]);
}

// ---- arguments

NodeId elaborate_real(Elab* e, const Env* env, const Expr* expr)
{
    Value value = elaborate_expr(e, env, expr);
    return value_to_real(e, &value, expr->span) ? value.node : 0;
}

// A law reads the variable it is a function of by its bare name: `R(e = 3*f^3)`.
static NodeId law_value(Elab* e, const BondItem* item, const Expr* expr, const char* name, uint32_t var, Span span)
{
    Local local = {.next = item->env->locals, .name = intern_string(e->program->names, name)};
    local.value = value_make(flat_var(e->flat, var, span), TYPE_REAL, (Dim){0});
    Env inside = *item->env;
    inside.locals = &local;
    return elaborate_real(e, &inside, expr);
}

static void elaborate_law(Elab* e, FlatBondNode* node, const BondItem* item)
{
    const ElementRule* rule = &rules[node->kind];
    const Arg* arg = find_argument(item->item, rule->law);
    const Arg* other = find_argument(item->item, rule->other_law);
    if (node->kind == BOND_R && other)
    {
        node->law_gives_flow = true;
        node->law = law_value(e, item, other->value, "e", node->e, other->span);
    }
    else if (arg)
        node->law = law_value(e, item, arg->value, node->kind == BOND_R ? "f" : rule->extensity,
                              node->kind == BOND_R ? node->f : node->extensity, arg->span);
}

// Start value of p or q: as given, or from the effort or flow it is to have.
static void elaborate_start(Elab* e, FlatBondNode* node, const BondItem* item)
{
    const ElementRule* rule = &rules[node->kind];
    FlatVar* var = &e->flat->vars.at[node->extensity];
    const Arg* start = find_argument(item->item, rule->start);
    const Arg* power = find_argument(item->item, rule->start_power);
    if (var->init)
        return;  // overridden
    Env env = *item->env;
    env.constant = true;
    if (start)
        e->flat->vars.at[node->extensity].init = elaborate_real(e, &env, start->value);
    else if (power && node->parameter == NO_VAR)
        elab_error(e, K_BOND_ARGUMENT, power->span, "`%s` needs a linear %s: give `%s`", power->name,
                   bond_kind_word(node->kind), rule->start);
    else if (power)
    {
        NodeId value = elaborate_real(e, &env, power->value);
        NodeId parameter = flat_var(e->flat, node->parameter, power->span);
        if (value)
            value = flat_node(e->flat, NODE_MUL, TYPE_REAL, value, parameter, 0, 0, 0, power->span);
        e->flat->vars.at[node->extensity].init = value;
    }
}

// A parameter that reads what changes in a run is a signal.
static bool is_constant(const Flat* flat, NodeId id)
{
    const Node* node = &flat->nodes.at[id];
    if (node->op == NODE_VAR)
        return flat->vars.at[node->aux].kind == VAR_PARAM;
    if (node->op >= NODE_UP || node->op == NODE_TIME)
        return false;
    for (int i = 0; i < node_op_arity((NodeOp)node->op); i++)
        if (node->arg[i] && !is_constant(flat, node->arg[i]))
            return false;
    return true;
}

static void elaborate_parameter(Elab* e, FlatBondNode* node, const BondItem* item)
{
    uint32_t var = node->parameter;
    if (e->vars.at[var].init_progress == DONE)
        return;
    e->vars.at[var].init_progress = DONE;
    NodeId value = elaborate_real(e, item->env, e->vars.at[var].init);
    FlatVar* flat = &e->flat->vars.at[var];
    if (!value)
        return;
    if (is_constant(e->flat, value))
    {
        flat->init = value;
        return;
    }
    flat->kind = VAR_SIGNAL;
    var_add_def(e, var, 0, 0, value, flat->span);
    node->free = node->kind == BOND_R || node->kind == BOND_TF || node->kind == BOND_GY;
}

void elaborate_elements(Elab* e)
{
    for (uint32_t i = 0; i < e->flat->bond_nodes.count; i++)
    {
        const BondItem* item = &e->bond_items.at[i];
        FlatBondNode* node = &e->flat->bond_nodes.at[i];
        if (!item->item)
            continue;
        e->here = item->env->instance;
        if (node->parameter != NO_VAR)
            elaborate_parameter(e, node, item);
        if (node->matrix != NO_VAR)
        {
            const ElementRule* rule = &rules[node->kind];
            MultiportArgs args = {find_argument(item->item, rule->parameter), find_argument(item->item, rule->start),
                                  find_argument(item->item, rule->start_power)};
            elaborate_multiport(e, i, item->env, &args);
            continue;
        }
        elaborate_law(e, node, item);
        node->free |= node->kind == BOND_R && node->law;
        if (node->extensity != NO_VAR)
            elaborate_start(e, node, item);
        const Arg* source = bond_is_source(node->kind) ? find_argument(item->item, rules[node->kind].parameter) : NULL;
        if (!source)
            continue;
        NodeId value = elaborate_real(e, item->env, source->value);
        if (value)
            var_add_def(e, node->kind == BOND_SE ? node->e : node->f, 0, 0, value, source->span);
    }
}

// ---- guards of switched junctions

static bool is_area(const Elab* e, uint32_t var)
{
    return strncmp(e->flat->vars.at[var].name, "$area", 5) == 0;
}

static bool is_posterior(const Elab* e, NodeId id)
{
    const Node* node = &e->flat->nodes.at[id];
    if (node->op == NODE_POST || node->op == NODE_AREA || (node->op == NODE_VAR && is_area(e, node->aux)))
        return true;
    for (int i = 0; i < node_op_arity((NodeOp)node->op); i++)
        if (node->arg[i] && is_posterior(e, node->arg[i]))
            return true;
    return false;
}

// Bare names are committed values beside post() and area() (rule B3); relations take differences within rounding as 0
// (rule B5), which their `aux` says.
static NodeId rewrite_guard(Elab* e, NodeId id, bool posterior)
{
    Node node = e->flat->nodes.at[id];
    if (node.op == NODE_POST)
        return node.arg[0];
    if (node.op == NODE_VAR)
    {
        VarKind kind = e->flat->vars.at[node.aux].kind;
        if (!posterior || (kind != VAR_SIGNAL && kind != VAR_STATE))
            return id;
        return flat_node(e->flat, NODE_COMMITTED, (ValueType)node.type, id, 0, 0, 0, 0, node.span);
    }
    if (node.op == NODE_PRE || node.op == NODE_CONST || node.op == NODE_AREA)
        return id;
    for (int i = 0; i < node_op_arity((NodeOp)node.op); i++)
        node.arg[i] = node.arg[i] ? rewrite_guard(e, node.arg[i], posterior) : 0;
    bool relation = node.op >= NODE_LT && node.op <= NODE_NE && e->flat->nodes.at[node.arg[0]].type == TYPE_REAL;
    return flat_node(e->flat, (NodeOp)node.op, (ValueType)node.type, node.arg[0], node.arg[1], node.arg[2],
                     relation ? 1 : node.aux, node.ctx, node.span);
}

// ---- one-way junctions: guards that are a sign

static const Node* node_at(const Elab* e, NodeId id)
{
    return &e->flat->nodes.at[id];
}

static bool is_zero(const Elab* e, NodeId id)
{
    double value;
    return flat_eval_const(e->flat, id, &value) && value == 0;
}

// x < 0, x > 0 (also 0 > x, 0 < x): x, and the sign that it asks for; 0: something else.
static NodeId strict_sign(const Elab* e, NodeId id, int8_t* sign)
{
    const Node* node = node_at(e, id);
    if (node->op != NODE_LT && node->op != NODE_GT)
        return 0;
    bool turned = is_zero(e, node->arg[0]);
    if (!turned && !is_zero(e, node->arg[1]))
        return 0;
    *sign = (node->op == NODE_GT) != turned ? 1 : -1;
    return node->arg[turned];
}

static bool is_area_of(const Elab* e, NodeId id, uint32_t var)
{
    return node_at(e, id)->op == NODE_VAR && node_at(e, id)->aux + 1 == e->vars.at[var].area;
}

static bool is_area_zero(const Elab* e, NodeId id, uint32_t var)
{
    const Node* node = node_at(e, id);
    return node->op == NODE_EQ && ((is_area_of(e, node->arg[0], var) && is_zero(e, node->arg[1])) ||
                                   (is_area_of(e, node->arg[1], var) && is_zero(e, node->arg[0])));
}

// area(x) > 0 or area(x) == 0 and post(x) > 0, with x = var; or both with <.
static int8_t sign_asked(const Elab* e, NodeId guard, uint32_t var, NodeId* watch)
{
    const Node* either = node_at(e, guard);
    int8_t by_area = 0, by_value = 0;
    if (either->op != NODE_OR || node_at(e, either->arg[1])->op != NODE_AND)
        return 0;
    const Node* both = node_at(e, either->arg[1]);
    NodeId area = strict_sign(e, either->arg[0], &by_area), value = strict_sign(e, both->arg[1], &by_value);
    if (!area || !value || by_area != by_value || !is_area_of(e, area, var) || !is_area_zero(e, both->arg[0], var))
        return 0;
    const Node* post = node_at(e, value);
    *watch = both->arg[1];
    return post->op == NODE_POST && node_at(e, post->arg[0])->op == NODE_VAR && node_at(e, post->arg[0])->aux == var
               ? by_area
               : 0;
}

// The quantity that an ideal junction leaves open in the mode that is left: the sum when OFF, the common one when ON.
static uint32_t open_quantity(const Elab* e, const FlatTransition* t)
{
    const FlatMachine* machine = &e->flat->machines.at[t->machine];
    const FlatBondNode* node = &e->flat->bond_nodes.at[machine->junction - 1];
    return machine->modes.at[t->from].on == (node->kind == BOND_J1) ? node->f : node->e;
}

void junction_guard(Elab* e, FlatTransition* t, NodeId guard)
{
    NodeId watch = 0;
    t->posterior = is_posterior(e, guard);
    t->one_way_var = open_quantity(e, t);
    t->one_way = sign_asked(e, guard, t->one_way_var, &watch);
    t->trigger = rewrite_guard(e, guard, t->posterior);
    if (t->one_way)  // the same place in what was rewritten
        t->one_way_watch = node_at(e, node_at(e, t->trigger)->arg[1])->arg[1];
}
