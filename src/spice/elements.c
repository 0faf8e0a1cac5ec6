// Elements to parts of lib/electrical.kai, one line each, and their pins to the nodes.
#include "spice/netlist.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char* line_say(Circuit* c, const char* format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char* text = arena_alloc(c->netlist->arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

void circuit_line(Circuit* c, const char* text)
{
    vec_push(c->netlist->arena, c->lines, (Line){.text = text});
}

static bool is_node(const Sign* sign)
{
    return sign->kind == SIGN_WORD;
}

// `count` nodes behind the name.
static bool take_nodes(Circuit* c, Cursor* cursor, Sign* nodes, int count)
{
    for (int i = 0; i < count; i++)
    {
        cursor_accept(cursor, SIGN_COMMA);
        cursor_accept(cursor, SIGN_OPEN);
        nodes[i] = *cursor_take(cursor);
        cursor_accept(cursor, SIGN_CLOSE);
        if (!is_node(&nodes[i]))
        {
            diag_error(c->netlist->diags, K_NETLIST_SYNTAX, cursor->card->span, "`%s` needs %d nodes",
                       cursor->card->signs[0].text, count);
            return false;
        }
        circuit_node(c, &nodes[i]);
    }
    return true;
}

static void pin(Circuit* c, const Sign* node, const Element* e, const char* port)
{
    circuit_pin(c, circuit_node(c, node), e->name, port);
}

// Nothing may be left on the card.
static void end_card(Circuit* c, const Cursor* cursor)
{
    const Sign* sign = cursor_sign(cursor);
    if (sign->kind == SIGN_END)
        return;
    Diag* d = diag_error(c->netlist->diags, K_NETLIST_UNSUPPORTED, sign->span, "`%s` of `%s` is not understood",
                         sign->text, cursor->card->signs[0].text);
    diag_help(c->netlist->diags, d, "remove it: the part is ideal");
}

// ---- R, L, C

// The value, by position or by name, and IC.
static bool take_value(Circuit* c, Cursor* cursor, const char* name, Formula* value, Formula* start, Formula* series)
{
    bool has = false, ok = true;
    while (ok && cursor_sign(cursor)->kind != SIGN_END)
    {
        bool assigned = cursor_at_assignment(cursor);
        if (assigned && cursor_accept_word(cursor, "ic") && cursor_accept(cursor, SIGN_EQUALS))
            ok = formula_value(c, cursor, "the start value", start);
        else if (assigned && series != NULL && cursor_accept_word(cursor, "rser") && cursor_accept(cursor, SIGN_EQUALS))
            ok = formula_value(c, cursor, "the resistance", series);
        else if (!has && (!assigned || cursor_accept_word(cursor, name)))
        {
            cursor_accept(cursor, SIGN_EQUALS);
            ok = formula_value(c, cursor, "the value", value);
            has = true;
        }
        else
        {
            end_card(c, cursor);
            return false;
        }
    }
    if (ok && !has)
        diag_error(c->netlist->diags, K_NETLIST_SYNTAX, cursor->card->span, "`%s` has no value",
                   cursor->card->signs[0].text);
    return ok && has;
}

static void write_resistor(Circuit* c, Element* e, Cursor* cursor)
{
    Sign ends[2];
    Formula ohm = {"0", NAN}, start = {"0", 0};
    if (!take_nodes(c, cursor, ends, 2) || !take_value(c, cursor, "r", &ohm, &start, NULL))
        return;
    e->written = ohm.value == 0;
    if (e->written)
        circuit_line(c, line_say(c, "%s : VoltageSource(u = 0)  // a resistor of 0 ohms", e->name));
    else
        circuit_line(c, line_say(c, "%s : Resistor(R = %s)", e->name, ohm.text));
    stamp_add(c, (Stamp){e->written ? 'v' : 'r', circuit_node(c, &ends[0]), circuit_node(c, &ends[1]), 0, 0, NULL,
                         e->key, e->written ? 0 : 1 / ohm.value, 0, false});
    pin(c, &ends[0], e, "a");
    pin(c, &ends[1], e, "b");
}

// Rser of LTspice: a resistor, and a node between.
static void add_series(Circuit* c, const Element* e, Sign* end, const Formula* series)
{
    Netlist* n = c->netlist;
    if (series->text == NULL || series->value == 0)
        return;
    const char* name = circuit_unique(c, line_say(c, "%s_Rser", e->name));
    Sign inner = {.kind = SIGN_WORD, .text = name, .key = key_of(n, name, strlen(name)), .span = end->span};
    circuit_line(c, line_say(c, "%s : Resistor(R = %s)", name, series->text));
    circuit_pin(c, circuit_node(c, &inner), name, "a");
    circuit_pin(c, circuit_node(c, end), name, "b");
    stamp_add(
        c, (Stamp){'r', circuit_node(c, &inner), circuit_node(c, end), 0, 0, NULL, name, 1 / series->value, 0, false});
    *end = inner;
}

bool inductor_values(Circuit* c, const Element* e, Formula* henry, Formula* start, Sign ends[2])
{
    Cursor cursor = {e->card, 1};
    Formula series = {NULL, 0};
    if (!take_nodes(c, &cursor, ends, 2) || !take_value(c, &cursor, "l", henry, start, &series))
        return false;
    add_series(c, e, &ends[1], &series);
    return true;
}

// A storage: with its start value if it has one, else open for that of the operating point.
static void write_storage(Circuit* c, const Element* e, const Sign ends[2], const char* text, const char* name,
                          const Formula* start)
{
    bool given = start->text != NULL, coil = e->key[0] == 'l';
    if (given)
        circuit_line(c, line_say(c, "%s, %s = %s)", text, name, start->text));
    else
        vec_push(c->netlist->arena, c->lines, (Line){line_say(c, "%s)", text), text, {name}, {c->stamps.count}, 1});
    char kind = given ? (coil ? 'i' : 'v') : e->key[0];
    stamp_add(c, (Stamp){kind, circuit_node(c, &ends[0]), circuit_node(c, &ends[1]), 0, 0, NULL, e->key, start->value,
                         0, false});
    pin(c, &ends[0], e, "a");
    pin(c, &ends[1], e, "b");
}

static void write_inductor(Circuit* c, Element* e, Cursor* cursor)
{
    Sign ends[2];
    Formula henry = {"0", NAN}, start = {NULL, NAN};
    (void)cursor;
    c->stores = true;
    if (e->winding > 0 || !inductor_values(c, e, &henry, &start, ends))
        return;
    write_storage(c, e, ends, line_say(c, "%s : Inductor(L = %s", e->name, henry.text), "i0", &start);
}

// The voltage that .ic gives a capacitor; false: none of its nodes is given.
static bool given_start(Circuit* c, const Sign ends[2], Formula* start)
{
    const Node* a = &c->nodes.at[circuit_node(c, &ends[0])];
    const Node* b = &c->nodes.at[circuit_node(c, &ends[1])];
    Arena* arena = c->netlist->arena;
    if (!a->given && !b->given)
        return false;
    Formula zero = {"0", 0};
    const Formula* from = a->given ? &a->start : &zero;
    const Formula* to = b->given ? &b->start : &zero;
    const char* text = !b->given  ? from->text
                       : a->given ? arena_printf(arena, "%s - %s", from->text, formula_factor(arena, to))
                                  : arena_printf(arena, "-%s", formula_factor(arena, to));
    *start = (Formula){text, from->value - to->value};
    return true;
}

static void write_capacitor(Circuit* c, Element* e, Cursor* cursor)
{
    Sign ends[2];
    Formula farad = {"0", NAN}, start = {NULL, NAN}, series = {NULL, 0};
    c->stores = true;
    if (!take_nodes(c, cursor, ends, 2) || !take_value(c, cursor, "c", &farad, &start, &series))
        return;
    if (start.text == NULL)
        given_start(c, ends, &start);
    add_series(c, e, &ends[1], &series);
    write_storage(c, e, ends, line_say(c, "%s : Capacitor(C = %s", e->name, farad.text), "v0", &start);
}

// ---- V, I, E, F, G, H, B

static void write_controlled(Circuit* c, const Element* e, const Sign ends[2], bool volt, const char* text)
{
    if (volt)
        circuit_line(c, line_say(c, "%s : VoltageSource(u = %s)", e->name, text));
    else
        circuit_line(c, line_say(c, "%s : CurrentSource(j = %s)", e->name, text));
    pin(c, &ends[0], e, volt ? "a" : "b");
    pin(c, &ends[1], e, volt ? "b" : "a");
}

static void write_source(Circuit* c, Element* e, Cursor* cursor)
{
    Sign ends[2];
    Formula value, series = {NULL, 0};
    if (!take_nodes(c, cursor, ends, 2) || !source_read(c, e, cursor, &value, &series))
        return;
    add_series(c, e, &ends[1], &series);
    write_controlled(c, e, ends, e->key[0] == 'v', value.text);
    stamp_add(c, (Stamp){e->key[0], circuit_node(c, &ends[0]), circuit_node(c, &ends[1]), 0, 0, NULL, e->key,
                         value.value, 0, false});
}

// VALUE = {…}, or V = {…} and I = {…} of B.
static bool take_expression(Circuit* c, Cursor* cursor, Formula* formula, bool* volt)
{
    static const char* const names[] = {"value", "vol", "cur", "v", "i"};
    const Sign* name = cursor_sign(cursor);
    bool known = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        known |= name->kind == SIGN_WORD && strcmp(name->key, names[i]) == 0;
    if (!known)
        return false;
    if (strcmp(name->key, "v") == 0 || strcmp(name->key, "i") == 0)
        *volt = name->key[0] == 'v';
    cursor_take(cursor);
    cursor_accept(cursor, SIGN_EQUALS);
    const Sign* first = cursor_sign(cursor);
    const Sign* last = first;
    while (cursor_sign(cursor)->kind != SIGN_END)
        last = cursor_take(cursor);
    const char* raw =
        first == last && first->kind == SIGN_FORMULA ? first->text : cards_between(c->netlist, first->span, last->span);
    *formula = (Formula){NULL, NAN};
    if (!formula_read(c, raw, span_join(first->span, last->span), true, formula))
        formula->text = NULL;
    return true;
}

static bool refuse_poly(Circuit* c, Cursor* cursor)
{
    const Sign* sign = cursor_sign(cursor);
    if (sign->kind != SIGN_WORD ||
        (strcmp(sign->key, "poly") != 0 && strcmp(sign->key, "table") != 0 && strcmp(sign->key, "laplace") != 0))
        return false;
    Diag* d = diag_error(c->netlist->diags, K_NETLIST_UNSUPPORTED, sign->span,
                         "`%s` of a controlled source is not understood", sign->text);
    diag_help(c->netlist->diags, d, "write the expression: `VALUE = {…}` with V(node) and I(source)");
    return true;
}

// The gain of G is in A/V, that of H in V/A.
static const char* gain_text(Circuit* c, const Element* e, const Formula* gain)
{
    Arena* arena = c->netlist->arena;
    const char* unit = e->key[0] == 'g' ? "[A/V]" : e->key[0] == 'h' ? "[V/A]" : "";
    const char* text = formula_factor(arena, gain);
    bool number = text[0] >= '0' && text[0] <= '9';
    return unit[0] == 0 ? text : arena_printf(arena, number ? "%s%s" : "%s*1%s", text, unit);
}

// E and G: by a voltage.
static void write_by_voltage(Circuit* c, Element* e, Cursor* cursor)
{
    Sign ends[2], control[2];
    Formula gain;
    Arena* arena = c->netlist->arena;
    bool volt = e->key[0] == 'e', same = volt;
    if (!take_nodes(c, cursor, ends, 2) || refuse_poly(c, cursor))
        return;
    if (take_expression(c, cursor, &gain, &same))
    {
        if (gain.text != NULL)
            write_controlled(c, e, ends, volt, gain.text);
        c->unsolved = true;
        return;
    }
    if (!take_nodes(c, cursor, control, 2) || !formula_value(c, cursor, "the gain", &gain))
        return;
    end_card(c, cursor);
    const char* a = circuit_voltage(c, &control[0]);
    const char* b = circuit_voltage(c, &control[1]);
    const char* factor = gain_text(c, e, &gain);
    const char* text = is_ground(control[0].key) && is_ground(control[1].key) ? "0"
                       : is_ground(control[1].key)                            ? arena_printf(arena, "%s*%s", factor, a)
                       : is_ground(control[0].key)                            ? arena_printf(arena, "-%s*%s", factor, b)
                                                   : arena_printf(arena, "%s*(%s - %s)", factor, a, b);
    write_controlled(c, e, ends, volt, text);
    stamp_add(c, (Stamp){e->key[0], circuit_node(c, &ends[0]), circuit_node(c, &ends[1]), circuit_node(c, &control[0]),
                         circuit_node(c, &control[1]), NULL, e->key, gain.value, 0, false});
}

// F and H: by the current of a source.
static void write_by_current(Circuit* c, Element* e, Cursor* cursor)
{
    Sign ends[2];
    Formula gain;
    Arena* arena = c->netlist->arena;
    bool volt = e->key[0] == 'h';
    if (!take_nodes(c, cursor, ends, 2) || refuse_poly(c, cursor))
        return;
    const Sign* control = cursor_take(cursor);
    const char* current = circuit_current(c, control->key, control->span);
    if (current == NULL || !formula_value(c, cursor, "the gain", &gain))
        return;
    end_card(c, cursor);
    bool minus = current[0] == '-';
    write_controlled(c, e, ends, volt,
                     arena_printf(arena, "%s%s*%s", minus ? "-" : "", gain_text(c, e, &gain), current + minus));
    stamp_add(c, (Stamp){e->key[0], circuit_node(c, &ends[0]), circuit_node(c, &ends[1]), 0, 0, control->key, e->key,
                         gain.value, 0, false});
}

static void write_behavioural(Circuit* c, Element* e, Cursor* cursor)
{
    Sign ends[2];
    Formula value;
    bool volt = true;
    if (!take_nodes(c, cursor, ends, 2))
        return;
    if (!take_expression(c, cursor, &value, &volt))
        diag_error(c->netlist->diags, K_NETLIST_SYNTAX, cursor->card->span, "`%s` needs `V = …` or `I = …`", e->name);
    else if (value.text != NULL)
        write_controlled(c, e, ends, volt, value.text);
    c->unsolved = true;
}

// ---- D, S, W

static const Assignment* device_value(const Device* d, const char* key)
{
    for (uint32_t i = 0; i < d->values.count; i++)
        if (strcmp(d->values.at[i].key, key) == 0)
            return &d->values.at[i];
    return NULL;
}

// A device of one of the types, or NULL, and then it was said.
static Device* take_device(Circuit* c, Cursor* cursor, const char* type, const char* other)
{
    const Sign* sign = cursor_take(cursor);
    Device* d = sign->kind == SIGN_WORD ? circuit_device(c, sign->key) : NULL;
    if (d == NULL)
    {
        Diag* error = diag_error(c->netlist->diags, K_NETLIST_NAME, sign->span, "there is no `.model %s` for `%s`",
                                 sign->text, cursor->card->signs[0].text);
        diag_help(c->netlist->diags, error, "write `.model %s %s`", sign->text[0] != 0 ? sign->text : "NAME", type);
        return NULL;
    }
    if (strcmp(d->type, type) == 0 || strcmp(d->type, other) == 0)
        return d;
    Diag* error = diag_error(c->netlist->diags, K_NETLIST_UNSUPPORTED, sign->span,
                             "`%s` needs a model of the type %s, `%s` is one of %s", cursor->card->signs[0].text, type,
                             sign->text, d->type);
    diag_note(c->netlist->diags, error, d->span, "defined here");
    return NULL;
}

// Said once for a model: which of its values do not matter.
static void tell_ideal(Circuit* c, Device* d, const char* const* used, size_t used_count)
{
    Text list = {.length = 0};
    for (uint32_t i = 0; i < d->values.count; i++)
    {
        bool is = false;
        for (size_t k = 0; k < used_count; k++)
            is |= strcmp(used[k], d->values.at[i].key) == 0;
        if (!is)
            text_say(&list, "%s%s", list.length > 0 ? ", " : "", d->values.at[i].key);
    }
    if (d->told || list.length == 0)
        return;
    d->told = true;
    Diag* w = diag_warning(c->netlist->diags, K_NETLIST_IDEAL, d->span,
                           "`%s` becomes ideal: %s of the model are not used", d->key, list.at);
    diag_help(c->netlist->diags, w, "where a resistance matters, add a resistor in series");
}

// A Zener diode is a second one the other way round that needs BV.
static void write_breakdown(Circuit* c, const Element* e, const Device* d, const Sign ends[2])
{
    const Assignment* voltage = device_value(d, "bv");
    Formula value;
    if (voltage == NULL || !formula_read(c, voltage->raw, voltage->span, false, &value))
        return;
    const char* name = circuit_unique(c, line_say(c, "%s_zener", e->name));
    circuit_line(c, line_say(c, "%s : Diode(drop = %s)", name, value.text));
    circuit_pin(c, circuit_node(c, &ends[1]), name, "a");
    circuit_pin(c, circuit_node(c, &ends[0]), name, "b");
    stamp_add(
        c, (Stamp){'d', circuit_node(c, &ends[1]), circuit_node(c, &ends[0]), 0, 0, NULL, name, value.value, 0, false});
}

static void write_diode(Circuit* c, Element* e, Cursor* cursor)
{
    static const char* const used[] = {"vfwd", "bv"};
    Sign ends[2];
    Formula drop = {"0", 0};
    c->switches = true;
    if (!take_nodes(c, cursor, ends, 2))
        return;
    Device* d = take_device(c, cursor, "d", "d");
    if (d == NULL)
        return;
    cursor_accept_word(cursor, "off");
    end_card(c, cursor);
    tell_ideal(c, d, used, 2);
    const Assignment* forward = device_value(d, "vfwd");
    if (forward != NULL && !formula_read(c, forward->raw, forward->span, false, &drop))
        return;
    if (drop.value != 0)
        circuit_line(c, line_say(c, "%s : Diode(drop = %s)", e->name, drop.text));
    else
        circuit_line(c, line_say(c, "%s : Diode", e->name));
    pin(c, &ends[0], e, "a");
    pin(c, &ends[1], e, "b");
    stamp_add(c, (Stamp){'d', circuit_node(c, &ends[0]), circuit_node(c, &ends[1]), 0, 0, NULL, e->key, drop.value, 0,
                         false});
    write_breakdown(c, e, d, ends);
}

static bool device_formula(Circuit* c, const Device* d, const char* key, Formula* formula)
{
    const Assignment* a = device_value(d, key);
    *formula = (Formula){"0", 0};
    return a == NULL || formula_read(c, a->raw, a->span, false, formula);
}

// When a switch closes: above `level`, or below it.
typedef struct Switching
{
    Formula level, band;
    bool below;
} Switching;

// VSWITCH and ISWITCH go from one resistance to the other between VOFF and VON: at the mean, if they are ideal.
static bool mean_of(Circuit* c, const Device* d, const char* on_key, const char* off_key, Switching* s)
{
    Formula on, off;
    if (!device_formula(c, d, on_key, &on) || !device_formula(c, d, off_key, &off))
        return false;
    if (device_value(d, on_key) == NULL)
        on = (Formula){"1", 1};
    s->level = (Formula){arena_printf(c->netlist->arena, "(%s + %s)/2", on.text, off.text), (on.value + off.value) / 2};
    s->below = on.value < off.value;
    return true;
}

// A hysteresis below 0 is a smooth way from one resistance to the other, around VT.
static bool read_switching(Circuit* c, const Device* d, bool volt, Switching* s)
{
    *s = (Switching){{"0", 0}, {"0", 0}, false};
    const char* level = volt ? "vt" : "it";
    if (strcmp(d->type, volt ? "vswitch" : "iswitch") == 0 && device_value(d, level) == NULL)
        return mean_of(c, d, volt ? "von" : "ion", volt ? "voff" : "ioff", s);
    if (!device_formula(c, d, level, &s->level) || !device_formula(c, d, volt ? "vh" : "ih", &s->band))
        return false;
    if (s->band.value < 0)
        s->band = (Formula){"0", 0};
    return true;
}

static void write_switch_line(Circuit* c, const Element* e, const char* control, const Switching* s)
{
    Arena* arena = c->netlist->arena;
    const Formula *level = &s->level, *band = &s->band;
    if (band->value == 0)
        circuit_line(
            c, line_say(c, "%s : Switch(closed = %s %s %s)", e->name, control, s->below ? "<" : ">", level->text));
    else
        circuit_line(c, line_say(c, "%s : ThresholdSwitch(u = %s, on_above = %s + %s, off_below = %s - %s)", e->name,
                                 control, level->text, formula_factor(arena, band), level->text,
                                 formula_factor(arena, band)));
}

// S by a voltage, W by the current of a source.
static void write_switch(Circuit* c, Element* e, Cursor* cursor)
{
    static const char* const used[] = {"vt", "vh", "it", "ih", "von", "voff", "ion", "ioff"};
    Sign ends[2], by[2];
    Switching s;
    Arena* arena = c->netlist->arena;
    const char *control = NULL, *follows = NULL;
    bool volt = e->key[0] == 's';
    c->switches = true;
    if (!take_nodes(c, cursor, ends, 2) || (volt && !take_nodes(c, cursor, by, 2)))
        return;
    if (!volt)
    {
        const Sign* source = cursor_take(cursor);
        control = circuit_current(c, source->key, source->span);
        follows = source->key;
        if (control == NULL)
            return;
    }
    Device* d = take_device(c, cursor, volt ? "sw" : "csw", volt ? "vswitch" : "iswitch");
    if (d == NULL || !read_switching(c, d, volt, &s))
        return;
    const Span span = cursor_sign(cursor)->span;
    if (cursor_accept_word(cursor, "on") && s.band.value != 0)
        diag_warning(
            c->netlist->diags, K_NETLIST_IDEAL, span,
            "`on` is left out: a switch with hysteresis begins open where its control lies between the levels");
    else  // a hint for SPICE's iteration
        (void)cursor_accept_word(cursor, "off");
    end_card(c, cursor);
    tell_ideal(c, d, used, sizeof used / sizeof *used);
    if (volt)
        control = is_ground(by[1].key)
                      ? circuit_voltage(c, &by[0])
                      : arena_printf(arena, "%s - %s", circuit_voltage(c, &by[0]), circuit_voltage(c, &by[1]));
    write_switch_line(c, e, control, &s);
    c->unsolved |= s.below && !volt;  // of a voltage it is that the other way round
    stamp_add(c, (Stamp){e->key[0], circuit_node(c, &ends[0]), circuit_node(c, &ends[1]),
                         volt ? circuit_node(c, &by[s.below]) : 0, volt ? circuit_node(c, &by[!s.below]) : 0, follows,
                         e->key, s.below ? -s.level.value : s.level.value + s.band.value, 0, false});
    pin(c, &ends[0], e, "a");
    pin(c, &ends[1], e, "b");
}

// ---- T

static void write_delay_line(Circuit* c, Element* e, Cursor* cursor)
{
    static const char* const ports[] = {"a1", "b1", "a2", "b2"};
    Sign ends[4];
    Assignment* list;
    uint32_t count;
    Formula impedance = {NULL, NAN}, delay = {NULL, NAN};
    c->unsolved = c->stores = true;
    if (!take_nodes(c, cursor, ends, 4) || !cursor_assignments(c->netlist, cursor, &list, &count))
        return;
    for (uint32_t i = 0; i < count; i++)
    {
        bool known = strcmp(list[i].key, "z0") == 0 || strcmp(list[i].key, "td") == 0;
        if (!known)
            diag_error(c->netlist->diags, K_NETLIST_UNSUPPORTED, list[i].span,
                       "`%s` of a line is not understood: Z0 and TD are", list[i].name);
        else if (!formula_read(c, list[i].raw, list[i].span, false, list[i].key[0] == 'z' ? &impedance : &delay))
            return;
    }
    if (impedance.text == NULL || delay.text == NULL)
        diag_error(c->netlist->diags, K_NETLIST_SYNTAX, cursor->card->span, "`%s` needs Z0 and TD", e->name);
    else
        circuit_line(c, line_say(c, "%s : TransmissionLine(Z0 = %s, T = %s)", e->name, impedance.text, delay.text));
    for (int i = 0; i < 4; i++)
        pin(c, &ends[i], e, ports[i]);
}

// ---- X

// The name of the subcircuit is the last word before the parameters.
static uint32_t subcircuit_sign(const Card* card)
{
    Cursor cursor = {card, 1};
    while (cursor_sign(&cursor)->kind == SIGN_WORD && !cursor_at_assignment(&cursor) &&
           strcmp(cursor_sign(&cursor)->key, "params:") != 0)
        cursor_take(&cursor);
    return cursor.at - 1;
}

static const char* argument_texts(Circuit* c, const Circuit* sub, Cursor* cursor)
{
    Writer w = {.arena = c->netlist->arena};
    Assignment* list;
    uint32_t count, index;
    const char* comma = "";
    cursor_accept_word(cursor, "params:");
    if (!cursor_assignments(c->netlist, cursor, &list, &count))
        return "";
    for (uint32_t i = 0; i < count; i++)
    {
        Formula value;
        if (!map_get(&sub->parameter_of, (uint64_t)(uintptr_t)list[i].key, &index))
            diag_error(c->netlist->diags, K_NETLIST_NAME, list[i].span, "`%s` has no parameter `%s`", sub->key,
                       list[i].key);
        else if (formula_read(c, list[i].raw, list[i].span, false, &value))
            writer_say(&w, "%s%s = %s", comma, sub->parameters.at[index].name, value.text);
        comma = ", ";
    }
    for (uint32_t i = 0; i < sub->parameters.count; i++)
    {
        const Parameter* own =
            sub->parameters.at[i].raw == NULL ? circuit_parameter(c, sub->parameters.at[i].key) : NULL;
        if (own != NULL)
        {
            writer_say(&w, "%s%s = %s", comma, sub->parameters.at[i].name, own->name);
            comma = ", ";
        }
    }
    const char* text = writer_text(&w);
    return text[0] != 0 ? arena_printf(c->netlist->arena, "(%s)", text) : "";
}

static void connect_use(Circuit* c, const Element* e, Circuit* sub, const Card* card, uint32_t own)
{
    for (uint32_t i = 0; i < own; i++)
        circuit_pin(c, circuit_node(c, &card->signs[1 + i]), e->name, sub->ports.at[i]);
    for (uint32_t i = own; i < sub->ports.count; i++)
    {
        const Node* shared = &sub->nodes.at[sub->shared.at[i - own]];
        Sign sign = {.kind = SIGN_WORD, .text = shared->name, .key = shared->key, .span = card->span};
        circuit_pin(c, circuit_node(c, &sign), e->name, sub->ports.at[i]);
    }
}

static void write_use(Circuit* c, Element* e, Cursor* cursor)
{
    const Card* card = cursor->card;
    Netlist* n = c->netlist;
    uint32_t at = subcircuit_sign(card);
    const Sign* name = &card->signs[at];
    Circuit* sub = at >= 1 ? circuit_find(c, name->key) : NULL;
    if (sub == NULL)
    {
        Diag* d = diag_error(n->diags, K_NETLIST_NAME, name->span, "there is no subcircuit `%s`", name->text);
        diag_help(n->diags, d, "define it with `.subckt %s`, or include the file that does", name->text);
        return;
    }
    if (sub->state == 1)
    {
        Diag* d = diag_error(n->diags, K_NETLIST_NAME, name->span, "the subcircuit `%s` contains itself", name->text);
        diag_note(n->diags, d, sub->span, "defined here");
        return;
    }
    circuit_work_out(sub);
    uint32_t own = sub->ports.count - sub->shared.count;
    if (at - 1 != own)
    {
        Diag* d = diag_error(n->diags, K_NETLIST_NAME, card->span, "`%s` has %u terminals, `%s` connects %u",
                             name->text, own, e->name, at - 1);
        diag_note(n->diags, d, sub->span, "defined here");
        return;
    }
    cursor->at = at + 1;
    circuit_line(c, line_say(c, "%s : %s%s", e->name, sub->name, argument_texts(c, sub, cursor)));
    connect_use(c, e, sub, card, own);
    vec_push(n->arena, c->uses, (Use){e->name, e->key, sub});
    c->unsolved = true;
    c->switches |= sub->switches;
    c->stores |= sub->stores;
}

// ---- a circuit

static void write_element(Circuit* c, Element* e)
{
    Cursor cursor = {e->card, 1};
    switch (e->key[0])
    {
    case 'r': write_resistor(c, e, &cursor); break;
    case 'l': write_inductor(c, e, &cursor); break;
    case 'c': write_capacitor(c, e, &cursor); break;
    case 'v':
    case 'i': write_source(c, e, &cursor); break;
    case 'e':
    case 'g': write_by_voltage(c, e, &cursor); break;
    case 'f':
    case 'h': write_by_current(c, e, &cursor); break;
    case 'b': write_behavioural(c, e, &cursor); break;
    case 'd': write_diode(c, e, &cursor); break;
    case 's':
    case 'w': write_switch(c, e, &cursor); break;
    case 't': write_delay_line(c, e, &cursor); break;
    case 'x': write_use(c, e, &cursor); break;
    default: break;  // k: with its coils
    }
}

// Ports of a subcircuit first, so that their nodes are known by their names.
static void name_ports(Circuit* c)
{
    uint32_t count = c->card != NULL ? c->nodes.count : 0;
    uint32_t shared = c->shared.count;
    VEC(const char*) names = {0};
    for (uint32_t i = 0; i < count; i++)
    {
        if (c->nodes.at[i].pins.count > 0)
            continue;  // a shared one
        const char* port = circuit_unique(c, c->nodes.at[i].name);
        vec_push(c->netlist->arena, names, port);
        circuit_pin(c, i, port, NULL);
    }
    for (uint32_t i = 0; i < shared; i++)
        vec_push(c->netlist->arena, names, c->ports.at[i]);
    c->ports.count = 0;
    for (uint32_t i = 0; i < names.count; i++)
        vec_push(c->netlist->arena, c->ports, names.at[i]);
}

// Every node that an element names is there before a value reads V(node).
static void meet_nodes(Circuit* c)
{
    for (uint32_t i = 0; i < c->elements.count; i++)
    {
        const Card* card = c->elements.at[i].card;
        char kind = c->elements.at[i].key[0];
        uint32_t count = kind == 'k' ? 0 : kind == 'x' ? subcircuit_sign(card) - 1 : kind == 't' ? 4 : 2;
        for (uint32_t k = 1; k <= count && k < card->count && card->signs[k].kind == SIGN_WORD; k++)
            circuit_node(c, &card->signs[k]);
    }
}

// Each is a call.
static bool is_too_deep(Circuit* c)
{
    enum
    {
        CIRCUITS_DEEP = 500
    };
    if (c->netlist->circuit_depth < CIRCUITS_DEEP)
        return false;
    diag_error(c->netlist->diags, K_NETLIST_SYNTAX, c->span, "subcircuits use each other more than %d deep",
               CIRCUITS_DEEP);
    return true;
}

void circuit_work_out(Circuit* c)
{
    if (c->state != 0 || is_too_deep(c))
        return;
    c->state = 1;
    c->netlist->circuit_depth++;
    name_ports(c);
    meet_nodes(c);
    for (uint32_t i = 0; i < c->parameters.count; i++)
        circuit_parameter(c, c->parameters.at[i].key);
    if (c->outer == NULL)
        commands_before(c->netlist);
    coupling_write(c);
    for (uint32_t i = 0; i < c->elements.count; i++)
        write_element(c, &c->elements.at[i]);
    for (uint32_t i = 0; i < c->circuits.count; i++)
        circuit_work_out(c->circuits.at[i]);  // unused ones too: their mistakes count
    c->netlist->circuit_depth--;
    c->state = 2;
    if (c->outer != NULL)
        vec_push(c->netlist->arena, c->netlist->written, c);
}
