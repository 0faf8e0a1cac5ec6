// A circuit of a netlist: its names, nodes, parameters and devices.
#include "spice/netlist.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

const char* key_of(Netlist* n, const char* text, size_t length)
{
    char* small = arena_copy_string(n->arena, text, length);
    for (char* p = small; *p != 0; p++)
        *p = (char)tolower((unsigned char)*p);
    return intern(n->names, small, length);
}

static uint64_t hash_key(const char* key)
{
    return (uint64_t)(uintptr_t)key;
}

bool is_ground(const char* key)
{
    return strcmp(key, "0") == 0 || strcmp(key, "gnd") == 0;
}

Circuit* circuit_new(Netlist* n, Circuit* outer, const Sign* name)
{
    Circuit* c = arena_new(n->arena, Circuit);
    *c = (Circuit){.netlist = n, .outer = outer, .key = name->key, .title = "", .span = name->span};
    map_init(&c->element_of, n->arena);
    map_init(&c->node_of, n->arena);
    map_init(&c->parameter_of, n->arena);
    map_init(&c->used, n->arena);
    return c;
}

// ---- names in the text

static bool is_reserved(const char* name)
{
    static const char* const words[] = {
#define CLASS(name, text)
#define SIGN(name, text)
#define WORD(name, text) text,
#include "lang/tokens.def"
#undef CLASS
#undef SIGN
#undef WORD
        "time",    "pi",          "e_",    "inf",   "sin",    "cos",    "tan",     "asin",    "acos",    "atan",
        "atan2",   "sinh",        "cosh",  "tanh",  "exp",    "log",    "log10",   "sqrt",    "pow",     "abs",
        "sign",    "min",         "max",   "floor", "ceil",   "round",  "mod",     "hypot",   "der",     "pre",
        "post",    "area",        "delta", "hold",  "sample", "delay",  "clock",   "queue",   "up",      "down",
        "cross",   "size",        "table", "row",   "rows",   "smooth", "value",   "present", "default", "normal",
        "uniform", "exponential", "entry", "any",   "all",    "while",  "nominal",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], name) == 0)
            return true;
    return false;
}

static char* as_identifier(Netlist* n, const char* wish)
{
    char* name = arena_printf(n->arena, "%s%s", isalpha((unsigned char)wish[0]) ? "" : "n", wish);
    for (char* p = name; *p != 0; p++)
        if (!isalnum((unsigned char)*p) || (unsigned char)*p >= 0x80)
            *p = *p == '+' ? 'p' : *p == '-' ? 'm' : '_';  // in+ and in-
    return name;
}

// A name for the text that no other part, node or parameter of the circuit has.
const char* circuit_unique(Circuit* c, const char* wish)
{
    Netlist* n = c->netlist;
    const char* name = as_identifier(n, wish);
    uint32_t there;
    if (is_reserved(name))
        name = arena_printf(n->arena, "%s_", name);
    const char* key = intern_string(n->names, name);
    for (int i = 2; map_get(&c->used, hash_key(key), &there); i++)
        key = intern_string(n->names, arena_printf(n->arena, "%s_%d", name, i));
    map_set(&c->used, hash_key(key), 1);
    return key;
}

// ---- nodes

static bool is_shared(const Netlist* n, const char* key)
{
    for (uint32_t i = 0; i < n->globals.count; i++)
        if (n->globals.at[i] == key)
            return true;
    return is_ground(key);
}

static void name_node(Circuit* c, Node* node)
{
    node->signal = is_ground(node->key) ? "0" : circuit_unique(c, arena_printf(c->netlist->arena, "v_%s", node->name));
}

uint32_t circuit_node(Circuit* c, const Sign* sign)
{
    Netlist* n = c->netlist;
    const char* key = is_ground(sign->key) ? intern_string(n->names, "0") : sign->key;
    uint32_t index;
    if (map_get(&c->node_of, hash_key(key), &index))
        return index;
    index = c->nodes.count;
    Node* node = vec_add(n->arena, c->nodes);
    *node = (Node){.key = key, .name = sign->text, .span = sign->span};
    name_node(c, node);
    map_set(&c->node_of, hash_key(key), index);
    if (is_shared(n, key) && c->outer != NULL)
    {
        vec_push(n->arena, c->shared, index);
        const char* port = circuit_unique(c, is_ground(key) ? "gnd" : sign->text);
        vec_push(n->arena, c->ports, port);
        circuit_pin(c, index, port, NULL);
    }
    return index;
}

void circuit_pin(Circuit* c, uint32_t node, const char* part, const char* port)
{
    vec_push(c->netlist->arena, c->nodes.at[node].pins, (Pin){part, port});
}

const char* circuit_voltage(Circuit* c, const Sign* sign)
{
    uint32_t index;
    if (is_ground(sign->key))
        return "0";
    if (map_get(&c->node_of, hash_key(sign->key), &index))
        return c->nodes.at[index].signal;
    if (is_shared(c->netlist, sign->key))
        return c->nodes.at[circuit_node(c, sign)].signal;
    diag_error(c->netlist->diags, K_NETLIST_NAME, sign->span, "there is no node `%s` in this circuit", sign->text);
    return NULL;
}

// ---- elements

Element* circuit_element(const Circuit* c, const char* key)
{
    uint32_t index;
    return map_get(&c->element_of, hash_key(key), &index) ? &c->elements.at[index] : NULL;
}

// The current from the first node through the part to the second.
const char* circuit_current(Circuit* c, const char* key, Span span)
{
    Netlist* n = c->netlist;
    const Element* e = circuit_element(c, key);
    char kind = e != NULL ? e->key[0] : 0;
    if (kind == 'l' && e->winding > 0)
        return arena_printf(n->arena, "%s.i%u", e->name, e->winding);
    if (kind != 0 && (strchr("veh", kind) != NULL || e->written))
        return arena_printf(n->arena, "-%s.i", e->name);
    if (kind != 0 && strchr("rlcdsigfw", kind) != NULL)
        return arena_printf(n->arena, "%s.i", e->name);
    Diag* d = diag_error(n->diags, K_NETLIST_NAME, span, "there is no part `%s` here whose current could be read", key);
    diag_help(n->diags, d, "a source of 0 V in the wire measures its current");
    return NULL;
}

// ---- parameters

enum
{
    PARAMETERS_DEEP = 500  // that wait for each other: each is a call
};

Parameter* circuit_add_parameter(Circuit* c, const char* name, const char* raw, Span span)
{
    Netlist* n = c->netlist;
    const char* key = key_of(n, name, strlen(name));
    map_set(&c->parameter_of, hash_key(key), c->parameters.count);
    Parameter* p = vec_add(n->arena, c->parameters);
    *p = (Parameter){.name = circuit_unique(c, name), .key = key, .raw = raw, .span = span};
    return p;
}

static void evaluate(Circuit* c, uint32_t index)
{
    Parameter p = c->parameters.at[index];
    if (p.state != 0)
        return;
    c->parameters.at[index].state = 1;
    Formula formula = {"0", NAN};
    c->netlist->parameter_depth++;
    if (c->netlist->parameter_depth == PARAMETERS_DEEP)
        diag_error(c->netlist->diags, K_NETLIST_SYNTAX, p.span,
                   "more than %d parameters stand before those that they read", PARAMETERS_DEEP);
    else if (p.raw != NULL && c->netlist->parameter_depth < PARAMETERS_DEEP)
        formula_read(c, p.raw, p.span, false, &formula);
    c->netlist->parameter_depth--;
    c->parameters.at[index].formula = formula;
    c->parameters.at[index].state = 2;
}

// A parameter that a subcircuit reads and does not have is handed to it by whoever uses it.
static Parameter* borrow(Circuit* c, const char* key)
{
    Parameter* outside = c->outer != NULL ? circuit_parameter(c->outer, key) : NULL;
    if (outside == NULL || outside->state == 1)
        return outside;
    double value = outside->formula.value;
    const char* name = outside->name;
    Parameter* p = circuit_add_parameter(c, name, NULL, outside->span);
    map_set(&c->parameter_of, hash_key(key), c->parameters.count - 1);
    p->key = key;
    p->state = 2;
    const char* text = isnan(value) ? "0" : arena_printf(c->netlist->arena, "%.17g", value);
    p->formula = (Formula){text, value};
    return p;
}

Parameter* circuit_parameter(Circuit* c, const char* key)
{
    uint32_t index;
    if (!map_get(&c->parameter_of, hash_key(key), &index))
        return borrow(c, key);
    evaluate(c, index);
    return &c->parameters.at[index];
}

// ---- what is defined in it or around it

Device* circuit_device(Circuit* c, const char* key)
{
    for (; c != NULL; c = c->outer)
        for (uint32_t i = 0; i < c->devices.count; i++)
            if (c->devices.at[i].key == key)
                return &c->devices.at[i];
    return NULL;
}

Circuit* circuit_find(Circuit* c, const char* key)
{
    for (; c != NULL; c = c->outer)
        for (uint32_t i = 0; i < c->circuits.count; i++)
            if (c->circuits.at[i]->key == key)
                return c->circuits.at[i];
    return NULL;
}
