// .tran, .ic, .print and .plot: what is asked of the circuit.
#include "spice/netlist.h"

#include <string.h>

// ---- .tran step stop [start [longest]] [uic]

static void read_tran(Netlist* n, const Card* card)
{
    Analysis* a = &n->analysis;
    Cursor cursor = {card, 1};
    Formula times[4];
    int count = 0;
    if (a->given)
        diag_warning(n->diags, K_NETLIST_IDEAL, card->span, "a second `.tran`: the last one counts");
    while (cursor_sign(&cursor)->kind != SIGN_END)
    {
        if (cursor_accept_word(&cursor, "uic"))
            a->rests = true;
        else if (count == 4)
        {
            diag_error(n->diags, K_NETLIST_SYNTAX, cursor_sign(&cursor)->span,
                       "`.tran` takes a step, a stop time, a start time and a longest step");
            return;
        }
        else if (!formula_value(n->top, &cursor, "a time", &times[count++]))
            return;
    }
    if (count == 0)
    {
        diag_error(n->diags, K_NETLIST_SYNTAX, card->span, "`.tran` needs a step and a stop time");
        return;
    }
    a->given = true;
    a->span = card->span;
    a->step = count > 1 && times[0].value > 0 ? times[0].text : NULL;
    a->stop = times[count > 1].text;
    if (count > 3)
    {
        Diag* d =
            diag_warning(n->diags, K_NETLIST_IDEAL, card->span, "the longest step, %s, is left out", times[3].text);
        diag_help(n->diags, d,
                  "steps are chosen by their error (`rtol`) and end at every switching; `max_step` can be set");
    }
    if (count > 2 && times[2].value != 0)
    {
        Diag* d = diag_warning(n->diags, K_NETLIST_IDEAL, card->span,
                               "the result has all rows from t = 0 on, not from %s", times[2].text);
        diag_help(n->diags, d, "`kairos plot --from %s` leaves the beginning away", times[2].text);
    }
}

// ---- .ic V(node) = value …

static bool set_node(Netlist* n, const Sign* sign, const Formula* value)
{
    Circuit* c = n->top;
    uint32_t index;
    if (!map_get(&c->node_of, (uint64_t)(uintptr_t)sign->key, &index))
    {
        Diag* d = diag_error(n->diags, K_NETLIST_NAME, sign->span, "there is no node `%s` in the circuit", sign->text);
        if (strchr(sign->text, '.') != NULL || strchr(sign->text, ':') != NULL)
            diag_help(n->diags, d, "inside a subcircuit write `IC =` at its capacitor");
        return false;
    }
    c->nodes.at[index].given = true;
    c->nodes.at[index].start = *value;
    return true;
}

static void read_ic(Netlist* n, const Card* card)
{
    Cursor cursor = {card, 1};
    while (cursor_sign(&cursor)->kind != SIGN_END)
    {
        const Sign* what = cursor_sign(&cursor);
        Formula value;
        bool voltage = cursor_accept_word(&cursor, "v") && cursor_accept(&cursor, SIGN_OPEN);
        const Sign* node = cursor_take(&cursor);
        if (!voltage || !cursor_accept(&cursor, SIGN_CLOSE) || !cursor_accept(&cursor, SIGN_EQUALS))
        {
            Diag* d = diag_error(n->diags, K_NETLIST_SYNTAX, what->span, "`.ic` takes V(node) = value");
            diag_help(n->diags, d, "the current of an inductor is `IC =` at it");
            return;
        }
        if (!formula_value(n->top, &cursor, "the voltage", &value) || !set_node(n, node, &value))
            return;
    }
}

static bool holds_charge(const Circuit* c, const Node* node)
{
    for (uint32_t i = 0; i < c->elements.count; i++)
    {
        const Card* card = c->elements.at[i].card;
        bool storage = c->elements.at[i].key[0] == 'c' && card->count > 2;
        if (storage && (card->signs[1].key == node->key || card->signs[2].key == node->key))
            return true;
    }
    return false;
}

void commands_before(Netlist* n)
{
    for (uint32_t i = 0; i < n->commands.count; i++)
    {
        const Card* card = n->commands.at[i];
        if (strcmp(card->signs[0].key, ".tran") == 0)
            read_tran(n, card);
        else if (strcmp(card->signs[0].key, ".ic") == 0)
            read_ic(n, card);
    }
    for (uint32_t i = 0; i < n->top->nodes.count; i++)
    {
        const Node* node = &n->top->nodes.at[i];
        if (!node->given || holds_charge(n->top, node))
            continue;
        Diag* d = diag_error(n->diags, K_NETLIST_UNSUPPORTED, node->span,
                             "`.ic` of node `%s`: there is no capacitor at it that could hold a voltage", node->name);
        diag_help(n->diags, d, "remove it, or give the capacitor that is meant its `IC =`");
    }
}

// ---- .print, .plot, .save, .probe

// `X1.node` goes through the subcircuits.
static const char* node_path(Netlist* n, const char* key, Span span)
{
    const Circuit* c = n->top;
    const char* prefix = "";
    uint32_t index;
    while (strpbrk(key, ".:") != NULL)
    {
        size_t length = strcspn(key, ".:");
        const Use* found = NULL;
        for (uint32_t i = 0; i < c->uses.count; i++)
            if (strncmp(c->uses.at[i].key, key, length) == 0 && c->uses.at[i].key[length] == 0)
                found = &c->uses.at[i];
        if (found == NULL)
            break;
        prefix = arena_printf(n->arena, "%s%s.", prefix, found->name);
        c = found->circuit;
        key += length + 1;
    }
    if (map_get(&c->node_of, (uint64_t)(uintptr_t)key_of(n, key, strlen(key)), &index) && !is_ground(key))
        return arena_printf(n->arena, "%s%s", prefix, c->nodes.at[index].signal);
    diag_warning(n->diags, K_NETLIST_IDEAL, span, "there is no node `%s`: it is not recorded", key);
    return NULL;
}

static const char* add_signal(Netlist* n, const char* text)
{
    const char* name = circuit_unique(n->top, "shown");
    circuit_line(n->top, line_say(n->top, "signal %s = %s", name, text));
    return name;
}

static const char* read_output(Netlist* n, Cursor* cursor)
{
    const Sign* what = cursor_take(cursor);
    bool voltage = strcmp(what->key, "v") == 0, current = strcmp(what->key, "i") == 0;
    if ((!voltage && !current) || !cursor_accept(cursor, SIGN_OPEN))
    {
        diag_warning(n->diags, K_NETLIST_IDEAL, what->span,
                     "`%s` is not recorded: V(node), V(node, node) and I(part) are", what->text);
        return NULL;
    }
    const Sign* first = cursor_take(cursor);
    const Sign* second = cursor_accept(cursor, SIGN_COMMA) ? cursor_take(cursor) : NULL;
    cursor_accept(cursor, SIGN_CLOSE);
    const char* text =
        voltage ? node_path(n, first->key, first->span) : circuit_current(n->top, first->key, first->span);
    if (text == NULL)
        return NULL;
    if (second != NULL && !is_ground(second->key))
    {
        const char* other = node_path(n, second->key, second->span);
        return other != NULL ? add_signal(n, line_say(n->top, "%s - %s", text, other)) : NULL;
    }
    return text[0] == '-' ? text + 1 : text;
}

void commands_after(Netlist* n)
{
    for (uint32_t i = 0; i < n->commands.count; i++)
    {
        Cursor cursor = {n->commands.at[i], 1};
        const char* key = cursor.card->signs[0].key;
        if (strcmp(key, ".tran") == 0 || strcmp(key, ".ic") == 0)
            continue;
        cursor_accept_word(&cursor, "tran");
        while (cursor_sign(&cursor)->kind != SIGN_END)
        {
            const char* text = cursor_accept(&cursor, SIGN_COMMA) ? NULL : read_output(n, &cursor);
            if (text != NULL && strcmp(key, ".plot") == 0)
                vec_push(n->arena, n->analysis.plots, text);
            if (text != NULL)
                vec_push(n->arena, n->analysis.records, text);
        }
    }
}
