// Independent sources: a number, or one of the waveforms of SPICE as an expression in time.
#include "spice/netlist.h"

#include <math.h>
#include <string.h>

enum
{
    WAVE_MOST = 4096,
};

typedef struct Wave
{
    Circuit* circuit;
    const Element* element;
    Formula* at;
    uint32_t count;
    Span span;
} Wave;

static Formula argument(const Wave* w, uint32_t index)
{
    return index < w->count ? w->at[index] : (Formula){"0", 0};
}

static bool too_many(const Wave* w, uint32_t most, const char* what)
{
    if (w->count <= most)
        return false;
    Diag* d = diag_error(w->circuit->netlist->diags, K_NETLIST_UNSUPPORTED, w->span, "%s with more than %u values",
                         what, most);
    diag_help(w->circuit->netlist->diags, d,
              "leave the rest away; a number of cycles is `if time < … then … else …` in the text");
    return true;
}

static bool too_few(const Wave* w, uint32_t least, const char* what)
{
    if (w->count >= least)
        return false;
    diag_error(w->circuit->netlist->diags, K_NETLIST_SYNTAX, w->span, "%s needs at least %u values", what, least);
    return true;
}

static const char* listed(const Wave* w, uint32_t count)
{
    Writer text = {.arena = w->circuit->netlist->arena};
    for (uint32_t i = 0; i < count; i++)
        writer_say(&text, ", %s", argument(w, i).text);
    return writer_text(&text);
}

static void wake(const Wave* w, double start)
{
    w->circuit->netlist->awake |= start != 0;  // also where it is not known
}

// ---- PULSE(v1 v2 td tr tf pw per)

static bool pulse(const Wave* w, Formula* out)
{
    Circuit* c = w->circuit;
    Formula low = argument(w, 0), high = argument(w, 1), delay = argument(w, 2), rise = argument(w, 3);
    Formula fall = argument(w, 4), width = argument(w, 5), period = argument(w, 6);
    if (too_few(w, 2, "PULSE") || too_many(w, 7, "PULSE"))
        return false;
    bool edges = rise.value == 0 && fall.value == 0, forever = w->count < 6;
    c->netlist->waves |= !(forever && edges);
    if (forever && edges)
        out->text = line_say(c, "if time < %s then %s else %s", delay.text, low.text, high.text);
    else if (forever)
        out->text = line_say(c, "ramp(time, %s, %s, %s, %s)", low.text, high.text, delay.text, rise.text);
    else if (w->count < 7)
        out->text = line_say(c, "trapezoid(time%s)", listed(w, 6));
    else if (edges)
        out->text =
            line_say(c, "square(time, %s, %s, %s, %s, %s)", low.text, high.text, delay.text, width.text, period.text);
    else
        out->text = line_say(c, "pulse(time%s)", listed(w, 7));
    out->value = low.value;
    if (delay.value == 0 && rise.value == 0 && low.value != 0)
    {
        Diag* d = diag_warning(c->netlist->diags, K_NETLIST_IDEAL, w->span,
                               "an edge without duration at t = 0: the run starts behind it");
        diag_help(c->netlist->diags, d, "give it a delay or a rise time, where the operating point before it matters");
    }
    wake(w, low.value);
    return true;
}

// ---- SIN(vo va freq td theta phase)

static bool sine(const Wave* w, Formula* out)
{
    Circuit* c = w->circuit;
    Arena* arena = c->netlist->arena;
    Formula offset = argument(w, 0), height = argument(w, 1), rate = argument(w, 2);
    if (too_few(w, 3, "SIN") || too_many(w, 6, "SIN"))
        return false;
    bool plain = argument(w, 3).value == 0 && argument(w, 4).value == 0 && argument(w, 5).value == 0;
    if (plain)
        out->text =
            line_say(c, "%s%s%s*sin(2*pi*%s*time)", offset.value == 0 ? "" : offset.text,
                     offset.value == 0 ? "" : " + ", formula_factor(arena, &height), formula_factor(arena, &rate));
    else
    {
        c->netlist->waves = true;
        out->text = line_say(c, "damped_sine(time%s)", listed(w, 6));
    }
    out->value = offset.value + height.value * sin(argument(w, 5).value * acos(-1) / 180);
    wake(w, out->value);
    return true;
}

// ---- EXP(v1 v2 td1 tau1 td2 tau2)

static bool exponential(const Wave* w, Formula* out)
{
    if (too_few(w, 6, "EXP") || too_many(w, 6, "EXP"))
        return false;
    w->circuit->netlist->waves = true;
    out->text = line_say(w->circuit, "exp_pulse(time%s)", listed(w, 6));
    out->value = argument(w, 0).value;
    wake(w, out->value);
    return true;
}

// ---- PWL(t1 v1 t2 v2 …)

static bool check_times(const Wave* w)
{
    for (uint32_t i = 0; i + 2 < w->count; i += 2)
        if (w->at[i + 2].value < w->at[i].value)
        {
            diag_error(w->circuit->netlist->diags, K_NETLIST_SYNTAX, w->span, "the times of PWL go back at %s",
                       w->at[i + 2].text);
            return false;
        }
    return true;
}

static bool piecewise(const Wave* w, Formula* out)
{
    Circuit* c = w->circuit;
    Writer times = {.arena = c->netlist->arena}, values = {.arena = c->netlist->arena};
    if (too_few(w, 2, "PWL"))
        return false;
    if (w->count % 2 != 0)
    {
        diag_error(c->netlist->diags, K_NETLIST_SYNTAX, w->span, "PWL needs a value for every time");
        return false;
    }
    if (!check_times(w))
        return false;
    for (uint32_t i = 0; i < w->count; i += 2)
    {
        writer_say(&times, "%s%s", i > 0 ? ", " : "", w->at[i].text);
        writer_say(&values, "%s%s", i > 0 ? ", " : "", w->at[i + 1].text);
    }
    c->netlist->waves = true;
    const char* shape = circuit_unique(c, line_say(c, "%s_shape", w->element->name));
    circuit_line(c, line_say(c, "%s : PiecewiseLinear(times = [%s], values = [%s])", shape, writer_text(&times),
                             writer_text(&values)));
    out->text = line_say(c, "%s.y", shape);
    out->value = w->at[1].value;
    wake(w, out->value);
    return true;
}

// ---- a card

static bool take_values(Circuit* c, Cursor* cursor, Wave* w)
{
    VEC(Formula) values = {0};
    cursor_accept(cursor, SIGN_OPEN);
    while (cursor_sign(cursor)->kind != SIGN_END && !cursor_accept(cursor, SIGN_CLOSE))
    {
        Formula value;
        if (cursor_accept(cursor, SIGN_COMMA))
            continue;
        if (!formula_value(c, cursor, "a value", &value))
            return false;
        if (values.count == WAVE_MOST)
        {
            diag_error(c->netlist->diags, K_NETLIST_UNSUPPORTED, w->span, "more than %d values", WAVE_MOST);
            return false;
        }
        vec_push(c->netlist->arena, values, value);
    }
    w->at = values.at;
    w->count = values.count;
    return true;
}

static bool read_wave(Circuit* c, const Element* e, Cursor* cursor, Formula* out)
{
    const Sign* name = cursor_take(cursor);
    Wave w = {.circuit = c, .element = e, .span = name->span};
    static const char* const waves[] = {"pulse", "sin", "sine", "exp", "pwl"};
    bool known = false;
    for (size_t i = 0; i < sizeof waves / sizeof *waves; i++)
        known |= strcmp(name->key, waves[i]) == 0;
    if (!known)
    {
        Diag* d = diag_error(c->netlist->diags, K_NETLIST_UNSUPPORTED, name->span,
                             "the waveform `%s` is not understood", name->text);
        diag_help(c->netlist->diags, d, "DC, PULSE, SIN, EXP and PWL are; B sources take any expression of `time`");
        return false;
    }
    if (!take_values(c, cursor, &w))
        return false;
    switch (name->key[1])
    {
    case 'u': return pulse(&w, out);
    case 'i': return sine(&w, out);
    case 'x': return exponential(&w, out);
    default: return piecewise(&w, out);
    }
}

static bool is_value(const Sign* sign)
{
    return sign->kind == SIGN_FORMULA || (sign->kind == SIGN_WORD && strchr("+-.0123456789", sign->text[0]) != NULL);
}

static void skip_small_signal(Circuit* c, Cursor* cursor)
{
    const Sign* sign = cursor_sign(cursor);
    if (!cursor_accept_word(cursor, "ac"))
        return;
    diag_warning(c->netlist->diags, K_NETLIST_IDEAL, sign->span,
                 "`AC` is left out: it is for an analysis by frequency");
    while (is_value(cursor_sign(cursor)))
        cursor_take(cursor);
}

bool source_read(Circuit* c, const Element* e, Cursor* cursor, Formula* out, Formula* series)
{
    bool ok = true, wave = false;
    *out = (Formula){"0", 0};
    while (ok && cursor_sign(cursor)->kind != SIGN_END)
    {
        skip_small_signal(c, cursor);
        bool dc = cursor_accept_word(cursor, "dc");
        cursor_accept(cursor, SIGN_EQUALS);
        if (cursor_sign(cursor)->kind == SIGN_END)
            break;
        if (cursor_at_assignment(cursor) && cursor_accept_word(cursor, "rser") && cursor_accept(cursor, SIGN_EQUALS))
            ok = formula_value(c, cursor, "the resistance", series);
        else if (dc || is_value(cursor_sign(cursor)))
            ok = formula_value(c, cursor, "the value", out);
        else
        {
            ok = read_wave(c, e, cursor, out);
            wave = true;
        }
    }
    if (!wave)
        c->netlist->awake |= out->value != 0;
    return ok;
}
