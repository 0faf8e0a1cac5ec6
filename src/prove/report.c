// Words for an answer. Numbers are written so that they read back; places as in diagnostics.
#include "prove/report.h"

#include "kairos/result.h"
#include "prove/circuit.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char* report_place(const ProveRequest* q, Span span)
{
    kaiPlace p = sources_place(q->sources, span);
    return p.file != NULL ? arena_printf(q->arena, "%s:%d:%d", p.file, p.line, p.column) : "?";
}

const char* report_source(const ProveRequest* q, Span span)
{
    if (span.file == 0)
        return "?";
    const Source* source = &q->sources->list.at[span.file - 1];
    char* text = arena_copy_string(q->arena, source->text + span.start, span.end - span.start);
    char* end = strchr(text, '{');
    if (end != NULL)
        *end = 0;
    for (char* p = text; *p != 0; p++)
        if (*p == '\n')
            *p = ' ';
    for (size_t n = strlen(text); n > 0 && text[n - 1] == ' '; n--)
        text[n - 1] = 0;
    return text;
}

static const char* number(Arena* arena, double value)
{
    char text[33];
    kaiNumber_Write(text, value);
    return arena_copy_string(arena, text, strlen(text));
}

// ---- assumptions
// -----------------------------------------------------------------------------------------------------

void report_assumptions(const ProveRequest* q, const Encoder* e, Writer* w)
{
    const Flat* f = q->flat;
    writer_say(w,
               "assuming\n  numbers are exact: the fractions that the text means, no rounding\n"
               "  parameters have the values of %s%s\n",
               q->experiment != NULL ? "experiment " : "the model", q->experiment != NULL ? q->experiment->name : "");
    if (q->flat->experiment.region != 0)
        writer_say(w, "  every instant begins in the region %s\n", report_source(q, f->experiment.region_span));
    else
        writer_say(w, "  an instant may begin with any values of states and discretes, in any modes\n");
    if (f->transitions.count > 0 || f->whens.count > 0)
        writer_say(w,
                   "  a guard that is exactly on its level counts as it stands, not as the flow would move it next\n");
    for (uint32_t v = 0; v < f->vars.count; v++)
        if (f->vars.at[v].kind == VAR_INPUT && f->vars.at[v].init != 0)
            writer_say(w, "  the input %s has its default value\n", f->vars.at[v].name);
    for (uint32_t i = 0; i < e->vague.count; i++)
        writer_say(w, "  %s (%s) may have any value\n", flat_text(f, q->arena, e->vague.at[i]),
                   report_place(q, f->nodes.at[e->vague.at[i]].span));
}

// ---- the cycle
// -------------------------------------------------------------------------------------------------------

static bool is_shown(const Search* s, uint32_t slot)
{
    SlotKind kind = s->e->slots.at[slot].kind;
    uint32_t var = s->e->slots.at[slot].index;
    if (kind != SLOT_MODE &&
        (kind > SLOT_DISCRETE || s->e->flat->vars.at[var].hidden || s->e->circuits->outputs[var].graph != 0))
        return false;
    return (kind == SLOT_MODE || kind == SLOT_STATE || kind == SLOT_DISCRETE) && slot_concerns(s->e, slot, s->group);
}

// In the unit of the variable, as an argument of the model is read.
static const char* shown(const Search* s, uint32_t slot, double value)
{
    const Slot* at = &s->e->slots.at[slot];
    bool variable = at->kind == SLOT_STATE || at->kind == SLOT_DISCRETE;
    return number(s->e->arena, variable ? scale_from_si(s->e->flat->vars.at[at->index].unit.si, value) : value);
}

static void say_value(const Search* s, Writer* w, uint32_t slot, double value, int* count)
{
    const Slot* at = &s->e->slots.at[slot];
    if (at->kind == SLOT_MODE && value == 0)
        return;
    const char* separator = (*count)++ > 0 ? ", " : "";
    if (at->kind == SLOT_MODE)
    {
        const FlatMachine* machine = &s->e->flat->machines.at[at->index];
        writer_say(w, "%s%s = %s", separator, s->e->flat->vars.at[machine->mode_var].name,
                   machine->modes.at[at->mode].name);
    }
    else if (at->boolean)
        writer_say(w, "%s%s = %s", separator, at->name, value != 0 ? "true" : "false");
    else
        writer_say(w, "%s%s = %s", separator, at->name, shown(s, slot, value));
}

// The state in which the sequence starts.
static double start_of(const Search* s, uint32_t slot)
{
    return s->witness.mythical ? s->witness.base[slot] : s->witness.values[0][slot];
}

static void say_state(const Search* s, Writer* w)
{
    int count = 0;
    for (uint32_t i = 0; i < s->e->slots.count; i++)
        if (is_shown(s, i))
            say_value(s, w, i, start_of(s, i), &count);
}

static void say_changes(const Search* s, Writer* w, uint32_t tag)
{
    int count = 0;
    for (uint32_t i = 0; i < s->e->slots.count; i++)
        if (is_shown(s, i) && s->witness.values[tag][i] != s->witness.values[tag + 1][i])
            say_value(s, w, i, s->witness.values[tag + 1][i], &count);
}

static void say_reaction(const ProveRequest* q, const Search* s, Writer* w, uint32_t tag)
{
    writer_say(w, "    %u. ", tag + 1);
    say_changes(s, w, tag);
    int count = 0;
    for (uint32_t r = 0; r < s->e->reactions.count; r++)
        if (s->witness.fires[tag][r])
            writer_say(w, "%s%s: %s", count++ > 0 ? "; " : "   by ", report_place(q, s->e->reactions.at[r].span),
                       report_source(q, s->e->reactions.at[r].span));
    writer_say(w, count > 0 ? "\n" : "nothing fires; `pre`, `up`, `down` and `cross` see the tag before\n");
}

static bool changes_states(const Search* s)
{
    const Witness* w = &s->witness;
    for (uint32_t t = w->stem; t < w->stem + w->length; t++)
        for (uint32_t i = 0; i < s->e->slots.count; i++)
            if (s->e->slots.at[i].kind == SLOT_STATE && w->values[t][i] != w->values[t + 1][i])
                return true;
    return false;
}

void report_cycle(const ProveRequest* q, const Search* s, Writer* w)
{
    const Witness* wit = &s->witness;
    writer_say(w, "  from ");
    say_state(s, w);
    if (wit->time != s->start)
        writer_say(w, ", time = %s", number(w->arena, wit->time));
    writer_say(w, wit->at_start ? "\n" : "\n    (no run starts so; an instant on the way can come to it)\n");
    for (uint32_t t = 0; t < wit->stem; t++)
        say_reaction(q, s, w, t);
    if (wit->mythical)
        writer_say(w, "  for ever from that state, %u set%s of modes round, none can stay: a mythical loop\n",
                   wit->length, wit->length > 1 ? "s" : "");
    else
        writer_say(w, "  for ever, %u reaction%s round, the %s are endless\n", wit->length, wit->length > 1 ? "s" : "",
                   changes_states(s) ? "pinnacles" : "microsteps");
    for (uint32_t t = wit->stem; t < wit->stem + wit->length; t++)
        say_reaction(q, s, w, t);
}

// ---- an experiment that replays it
// -----------------------------------------------------------------------------------

static bool is_argument(const FlatVar* var)
{
    return var->ctx == 0 && strpbrk(var->name, ".[") == NULL;
}

static bool is_set_by_witness(const ProveRequest* q, const char* name)
{
    for (uint32_t v = 0; v < q->flat->vars.count; v++)
    {
        const FlatVar* var = &q->flat->vars.at[v];
        if ((var->kind == VAR_STATE || var->kind == VAR_DISCRETE) && strcmp(var->name, name) == 0)
            return true;
    }
    return false;
}

static const char* value_text(const Search* s, uint32_t slot, double value)
{
    if (s->e->slots.at[slot].boolean)
        return value != 0 ? "true" : "false";
    return shown(s, slot, value);
}

static void say_arguments(const ProveRequest* q, const Search* s, Writer* w)
{
    int count = 0;
    for (uint32_t i = 0; q->experiment != NULL && i < q->experiment->args.count; i++)
    {
        const Arg* arg = &q->experiment->args.at[i];
        if (!is_set_by_witness(q, arg->name))
            writer_say(w, "%s%s = %s", count++ > 0 ? ", " : "(", arg->name, report_source(q, arg->value->span));
    }
    for (uint32_t i = 0; i < s->e->slots.count; i++)
    {
        const Slot* slot = &s->e->slots.at[i];
        if (is_shown(s, i) && slot->kind != SLOT_MODE && is_argument(&q->flat->vars.at[slot->index]))
            writer_say(w, "%s%s = %s", count++ > 0 ? ", " : "(", slot->name, value_text(s, i, start_of(s, i)));
    }
    writer_say(w, count > 0 ? ")" : "");
}

static void say_sweeps(const ProveRequest* q, const Search* s, Writer* w)
{
    for (uint32_t i = 0; i < s->e->slots.count; i++)
    {
        const Slot* slot = &s->e->slots.at[i];
        double value = start_of(s, i);
        if (!is_shown(s, i))
            continue;
        if (slot->kind == SLOT_MODE)
        {
            const FlatMachine* machine = &q->flat->machines.at[slot->index];
            if (value != 0 && slot->mode != machine->initial)
                writer_say(w, "  sweep %s in (%s)\n", q->flat->vars.at[machine->mode_var].name,
                           machine->modes.at[slot->mode].name);
        }
        else if (q->flat->vars.at[slot->index].ctx == 0 && !is_argument(&q->flat->vars.at[slot->index]))
            writer_say(w, "  sweep %s in (%s)\n", slot->name, value_text(s, i, value));
    }
}

static bool has_choice(const Search* s)
{
    if (s->witness.first)
        return false;
    for (uint32_t t = 0; t < s->witness.stem + s->witness.length; t++)
        for (uint32_t r = 0; r < s->e->reactions.count; r++)
            if (s->witness.fires[t][r] && s->e->reactions.at[r].choice != 0)
                return true;
    return false;
}

const char* report_experiment(const ProveRequest* q, const Search* s)
{
    if (!s->witness.at_start)
        return NULL;
    Writer w = {.arena = q->arena};
    writer_say(&w,
               "// A start from which %s switches for ever at one instant.\nimport \"%s\"\n\nexperiment witness of %s",
               q->flat->model_name, q->path, q->flat->model_name);
    say_arguments(q, s, &w);
    writer_say(&w, " {\n");
    double start = s->witness.time;
    if (start != 0)
        writer_say(&w, "  start = %s\n", number(q->arena, start));
    writer_say(&w, "  stop = %s\n", number(q->arena, start + 1));
    if (has_choice(s))
        writer_say(&w, "  choice = all\n");
    say_sweeps(q, s, &w);
    writer_say(&w, "}\n");
    return writer_text(&w);
}
