// Cards to circuits: which elements, parameters, devices and subcircuits there are. Values are looked at later, when
// all names are known.
#include "spice/netlist.h"

#include <ctype.h>
#include <string.h>

typedef struct Command
{
    const char *name, *about;  // about NULL: it is understood elsewhere
} Command;

// What a circuit can do without is left out with a remark.
static const Command left_out[] = {
    {".op", "the operating point is where a run starts"},
    {".ac", "Kairos runs in time"},
    {".dc", "write `sweep` in the experiment"},
    {".noise", "Kairos runs in time"},
    {".disto", "Kairos runs in time"},
    {".sens", "write `sweep` in the experiment"},
    {".tf", "Kairos runs in time"},
    {".pz", "Kairos runs in time"},
    {".four", "`ripple` and `Harmonics` of measure.kai look at periods"},
    {".fourier", "`Harmonics` of measure.kai looks at periods"},
    {".options", "tolerances are settings of the experiment: rtol, atol"},
    {".option", "tolerances are settings of the experiment: rtol, atol"},
    {".opt", "tolerances are settings of the experiment: rtol, atol"},
    {".temp", "the parts have no temperature"},
    {".width", "the result is a table of full numbers"},
    {".meas", "write `expect` in the experiment, with the parts of measure.kai"},
    {".measure", "write `expect` in the experiment, with the parts of measure.kai"},
    {".step", "write `sweep` in the experiment"},
    {".nodeset", "the operating point is not searched by iteration"},
    {".backanno", "it has nothing to do with the circuit"},
};

static const char* const for_the_end[] = {".tran", ".ic", ".print", ".plot", ".probe", ".save"};

static bool is_one_of(const char* key, const char* const* list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(key, list[i]) == 0)
            return true;
    return false;
}

// ---- .param, .model, .subckt

static void add_parameters(Circuit* c, Cursor* cursor)
{
    Netlist* n = c->netlist;
    Assignment* list;
    uint32_t count, index;
    if (!cursor_assignments(n, cursor, &list, &count))
        return;
    for (uint32_t i = 0; i < count; i++)
        if (map_get(&c->parameter_of, (uint64_t)(uintptr_t)list[i].key, &index))
            c->parameters.at[index].raw = list[i].raw, c->parameters.at[index].span = list[i].span;  // the last counts
        else
            circuit_add_parameter(c, list[i].name, list[i].raw, list[i].span);
}

static void add_device(Circuit* c, const Card* card)
{
    Netlist* n = c->netlist;
    Cursor cursor = {card, 1};
    const Sign* name = cursor_take(&cursor);
    const Sign* type = cursor_take(&cursor);
    Assignment* list;
    uint32_t count;
    if (type->kind != SIGN_WORD)
    {
        diag_error(n->diags, K_NETLIST_SYNTAX, card->span, "`.model` needs a name and a type");
        return;
    }
    if (!cursor_assignments(n, &cursor, &list, &count))
        return;
    Device* d = vec_add(n->arena, c->devices);
    *d = (Device){.key = name->key, .type = type->key, .span = card->span};
    for (uint32_t i = 0; i < count; i++)
        vec_push(n->arena, d->values, list[i]);
}

static void add_ports(Circuit* sub, Cursor* cursor)
{
    Netlist* n = sub->netlist;
    while (cursor_sign(cursor)->kind == SIGN_WORD && !cursor_at_assignment(cursor) &&
           !cursor_accept_word(cursor, "params:"))
    {
        const Sign* sign = cursor_take(cursor);
        uint32_t before = sub->nodes.count;
        if (is_ground(sign->key))
            diag_error(n->diags, K_NETLIST_UNSUPPORTED, sign->span,
                       "ground cannot be a terminal: it is the same everywhere");
        else if (circuit_node(sub, sign) < before)
            diag_error(n->diags, K_NETLIST_NAME, sign->span, "`%s` is already a terminal of `%s`", sign->text,
                       sub->key);
    }
}

static Circuit* begin_circuit(Circuit* outer, const Card* card)
{
    Netlist* n = outer->netlist;
    const Sign* name = &card->signs[1];
    if (card->count < 2)
    {
        diag_error(n->diags, K_NETLIST_SYNTAX, card->span, "`.subckt` needs a name");
        name = &card->signs[0];
    }
    for (uint32_t i = 0; i < outer->circuits.count; i++)
        if (outer->circuits.at[i]->key == name->key)
        {
            Diag* d = diag_error(n->diags, K_NETLIST_NAME, name->span, "there are two subcircuits `%s`", name->text);
            diag_note(n->diags, d, outer->circuits.at[i]->span, "the first one");
        }
    Circuit* sub = circuit_new(n, outer, name);
    sub->card = card;
    sub->name = circuit_unique(n->file, name->text);
    vec_push(n->arena, outer->circuits, sub);
    Cursor cursor = {card, 2};
    add_ports(sub, &cursor);
    cursor_accept_word(&cursor, "params:");
    add_parameters(sub, &cursor);
    return sub;
}

static Circuit* end_circuit(Circuit* c, const Card* card)
{
    if (c->outer == NULL)
    {
        diag_error(c->netlist->diags, K_NETLIST_SYNTAX, card->span, "`.ends` without a `.subckt`");
        return c;
    }
    return c->outer;
}

// ---- elements

static const char* remedy_for(char kind)
{
    switch (kind)
    {
    case 'm':
    case 'q':
    case 'j':
    case 'z':
        return "write a switch S with a diode D across it: that is an ideal transistor (Mosfet and Igbt of "
               "electrical.kai)";
    case 'o':
    case 'u': return "add a TransmissionLine of electrical.kai to the text by hand";
    default: return "see docs/decisions/0100-netlists-of-spice.md for what is understood";
    }
}

static void add_element(Circuit* c, const Card* card)
{
    Netlist* n = c->netlist;
    const Sign* name = &card->signs[0];
    char kind = name->key[0];
    const Element* there = circuit_element(c, name->key);
    if (name->kind != SIGN_WORD || strchr("rlcvidefghswxkbt", kind) == NULL)
    {
        Diag* d = diag_error(n->diags, K_NETLIST_UNSUPPORTED, name->span, "parts of the kind `%c` are not understood",
                             name->text[0]);
        diag_help(n->diags, d, "%s", remedy_for(kind));
    }
    else if (there != NULL)
    {
        Diag* d = diag_error(n->diags, K_NETLIST_NAME, name->span, "there are two parts `%s`", name->text);
        diag_note(n->diags, d, there->card->signs[0].span, "the first one; capitals make no difference");
    }
    else
    {
        map_set(&c->element_of, (uint64_t)(uintptr_t)name->key, c->elements.count);
        vec_push(n->arena, c->elements,
                 (Element){.name = kind == 'k' ? NULL : circuit_unique(c, name->text), .key = name->key, .card = card});
        if (kind == 'k')
            vec_push(n->arena, c->couplings, card);
    }
}

// ---- commands

static void leave_out(Netlist* n, const Card* card)
{
    const char* key = card->signs[0].key;
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (strcmp(key, left_out[i].name) == 0)
        {
            Diag* d = diag_warning(n->diags, K_NETLIST_IDEAL, card->span, "`%s` is left out", key);
            diag_help(n->diags, d, "%s", left_out[i].about);
            return;
        }
    Diag* d =
        diag_error(n->diags, K_NETLIST_UNSUPPORTED, card->signs[0].span, "`%s` is not understood", card->signs[0].text);
    diag_help(n->diags, d,
              strcmp(key, ".lib") == 0 ? "write `.include file`, or copy the `.model` into the netlist"
                                       : "remove it, or write what it means with .param and .subckt");
}

static void add_globals(Netlist* n, const Card* card)
{
    for (uint32_t i = 1; i < card->count; i++)
        vec_push(n->arena, n->globals, card->signs[i].key);
}

static Circuit* add_command(Circuit* c, const Card* card)
{
    Netlist* n = c->netlist;
    const char* key = card->signs[0].key;
    Cursor cursor = {card, 1};
    if (strcmp(key, ".subckt") == 0 || strcmp(key, ".macro") == 0)
        return begin_circuit(c, card);
    if (strcmp(key, ".ends") == 0 || strcmp(key, ".eom") == 0)
        return end_circuit(c, card);
    if (strcmp(key, ".param") == 0 || strcmp(key, ".params") == 0)
        add_parameters(c, &cursor);
    else if (strcmp(key, ".model") == 0)
        add_device(c, card);
    else if (is_one_of(key, for_the_end, sizeof for_the_end / sizeof *for_the_end))
        vec_push(n->arena, n->commands, card);
    else if (strcmp(key, ".global") != 0)
        leave_out(n, card);
    return c;
}

void netlist_collect(Netlist* n)
{
    Circuit* c = n->top;
    for (uint32_t i = 0; i < n->cards.count; i++)
        if (strcmp(n->cards.at[i]->signs[0].key, ".global") == 0)
            add_globals(n, n->cards.at[i]);
    for (uint32_t i = 0; i < n->cards.count; i++)
    {
        const Card* card = n->cards.at[i];
        if (card->signs[0].text[0] == '.')
            c = add_command(c, card);
        else
            add_element(c, card);
    }
    if (c->outer != NULL)
    {
        Diag* d = diag_error(n->diags, K_NETLIST_SYNTAX, c->span, "`.subckt %s` is not ended", c->name);
        diag_help(n->diags, d, "write `.ends` behind its last part");
    }
}
