// Coils on one core: the K cards and the inductors that they name become one part.
#include "spice/netlist.h"

#include <math.h>
#include <string.h>

typedef struct Core
{
    Circuit* circuit;
    const Card* card;  // the first K
    Element* coils[COILS_MOST];
    uint32_t count;
    Formula k[COILS_MOST][COILS_MOST];
} Core;

static bool find_coil(const Core* core, const Element* e, uint32_t* index)
{
    for (*index = 0; *index < core->count; (*index)++)
        if (core->coils[*index] == e)
            return true;
    return false;
}

static bool add_coil(Core* core, Element* e, Span span, uint32_t* index)
{
    Diags* diags = core->circuit->netlist->diags;
    if (find_coil(core, e, index))
        return true;
    if (core->count == COILS_MOST)
    {
        Diag* d = diag_error(diags, K_NETLIST_UNSUPPORTED, span, "more than %d coils on one core", COILS_MOST);
        diag_help(diags, d, "write the matrix of inductances in the text: l : I(i = [[…]])");
        return false;
    }
    *index = core->count;
    core->coils[core->count++] = e;
    return true;
}

// K1 L1 L2 [L3] k: the coils, and the place of k.
static bool read_card(Circuit* c, const Card* card, Element** coils, uint32_t* count, Formula* k)
{
    Netlist* n = c->netlist;
    Cursor cursor = {card, 1};
    *count = 0;
    while (cursor.at + 1 < card->count)
    {
        const Sign* sign = cursor_take(&cursor);
        Element* e = circuit_element(c, sign->key);
        if (e == NULL || e->key[0] != 'l' || *count == COILS_MOST)
        {
            diag_error(n->diags, K_NETLIST_NAME, sign->span,
                       *count == COILS_MOST ? "`%s` is one coil too many: three can be coupled"
                                            : "there is no inductor `%s` here",
                       sign->text);
            return false;
        }
        coils[(*count)++] = e;
    }
    if (*count < 2)
    {
        diag_error(n->diags, K_NETLIST_SYNTAX, card->span, "`%s` needs two inductors and a factor",
                   card->signs[0].text);
        return false;
    }
    if (!formula_value(c, &cursor, "the coupling factor", k))
        return false;
    if (fabs(k->value) <= 1 && k->value != 0)
        return true;
    diag_error(n->diags, K_NETLIST_SYNTAX, card->signs[card->count - 1].span,
               "a coupling factor is between -1 and 1 and not 0, this is %s", k->text);
    return false;
}

static bool add_card(Core* core, const Card* card, bool* grew)
{
    Element* coils[COILS_MOST];
    uint32_t count, index[COILS_MOST];
    Formula k;
    bool touches = core->count == 0;
    if (!read_card(core->circuit, card, coils, &count, &k))
        return false;
    for (uint32_t i = 0; i < count; i++)
        touches |= find_coil(core, coils[i], &index[i]);
    *grew = touches;
    if (!touches)
        return true;
    for (uint32_t i = 0; i < count; i++)
        if (!add_coil(core, coils[i], card->span, &index[i]))
            return false;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            core->k[index[i]][index[j]] = k;
    return true;
}

static const char* factor_text(const Core* core, uint32_t i, uint32_t j)
{
    return core->k[i][j].text != NULL ? core->k[i][j].text : "0";
}

// No currents can take energy out of a core: 1 + 2 abc - a² - b² - c² is not below 0.
static bool check_core(const Core* core)
{
    double a = core->k[0][1].value, b = core->k[0][2].value, c = core->k[1][2].value;
    bool pair = core->count == 2, all = fabs(a) == 1 && fabs(b) == 1 && fabs(c) == 1;
    double rest = 1 + 2 * a * b * c - a * a - b * b - c * c;
    if (pair || (all && rest == 0) || !(rest <= 0))
        return true;
    Diag* d =
        diag_error(core->circuit->netlist->diags, K_NETLIST_UNSUPPORTED, core->card->span,
                   "three coils cannot be coupled by %s, %s and %s: currents could take out energy that is not there",
                   factor_text(core, 0, 1), factor_text(core, 0, 2), factor_text(core, 1, 2));
    diag_help(core->circuit->netlist->diags, d, "all three factors 1, or all below it");
    return false;
}

static void write_core(Core* core)
{
    Circuit* c = core->circuit;
    Writer arguments = {.arena = c->netlist->arena};
    Line line = {.text = NULL};
    const char* name = circuit_unique(c, core->card->signs[0].text);
    Sign ends[COILS_MOST][2];
    for (uint32_t i = 0; i < core->count; i++)
    {
        Formula henry = {"0", NAN}, start = {NULL, NAN};
        if (!inductor_values(c, core->coils[i], &henry, &start, ends[i]))
            return;
        writer_say(&arguments, "L%u = %s, ", i + 1, formula_factor(c->netlist->arena, &henry));
        if (start.text != NULL)
            writer_say(&arguments, "i%u0 = %s, ", i + 1, start.text);
        else
        {
            line.start[line.count] = line_say(c, "i%u0", i + 1);
            line.stamp[line.count++] = c->stamps.count;
        }
        stamp_add(c, (Stamp){.kind = start.text != NULL ? 'i' : 'l',
                             .a = circuit_node(c, &ends[i][0]),
                             .b = circuit_node(c, &ends[i][1]),
                             .key = core->coils[i]->key,
                             .value = start.value});
        core->coils[i]->winding = i + 1;
        core->coils[i]->name = name;
    }
    if (core->count == 2)
        writer_say(&arguments, "k = %s", factor_text(core, 0, 1));
    else
        writer_say(&arguments, "k12 = %s, k13 = %s, k23 = %s", factor_text(core, 0, 1), factor_text(core, 0, 2),
                   factor_text(core, 1, 2));
    line.cut = line_say(c, "%s : CoupledInductors%s(%s", name, core->count == 3 ? "3" : "", writer_text(&arguments));
    line.text = line_say(c, "%s)", line.cut);
    vec_push(c->netlist->arena, c->lines, line);
    for (uint32_t i = 0; i < core->count; i++)
        for (uint32_t k = 0; k < 2; k++)
            circuit_pin(c, circuit_node(c, &ends[i][k]), name, line_say(c, "%c%u", "ab"[k], i + 1));
}

void coupling_write(Circuit* c)
{
    bool* done = arena_array(c->netlist->arena, bool, c->couplings.count + 1);
    for (uint32_t i = 0; i < c->couplings.count; i++)
    {
        Core core = {.circuit = c, .card = c->couplings.at[i]};
        bool ok = true, more = !done[i];
        while (more && ok)
        {
            more = false;
            for (uint32_t k = i; k < c->couplings.count && ok; k++)
            {
                bool grew = false;
                ok = done[k] || add_card(&core, c->couplings.at[k], &grew);
                done[k] |= grew || !ok;
                more |= grew;
            }
        }
        c->stores |= core.count > 0;
        if (ok && core.count > 0 && check_core(&core))
            write_core(&core);
    }
}
