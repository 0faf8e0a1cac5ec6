// See reading.h: the model that a system is. Components are instances, connectors of systems within are its signals and
// parameters.
#include "block/text.h"
#include "ssp/reading.h"

#include <math.h>
#include <string.h>

// As names of FMUs are in models.
const char* reading_mangle(Arena* arena, const char* name)
{
    return block_identifier(arena, name);
}

const char* reading_id(SspRead* r, const char* name)
{
    const char* made = name;
    for (int number = 2;; number++)
    {
        bool taken = false;
        for (uint32_t i = 0; i < r->ids.count && !taken; i++)
            taken = strcmp(r->ids.at[i], made) == 0;
        if (!taken)
            break;
        made = arena_printf(&r->arena, "%s_%d", name, number);
    }
    vec_push(&r->arena, r->ids, made);
    return made;
}

// ---- what is said
// ----------------------------------------------------------------------------------------------------

static const char* value_of(SspRead* r, const Port* p)
{
    return p->source != NULL ? p->source : arena_printf(&r->arena, "%.17g", p->given ? p->value : 0);
}

static const char* unit_of(SspRead* r, const Port* p)
{
    return p->unit.known && p->unit.si != NULL ? arena_printf(&r->arena, " [%s]", p->unit.si) : "";
}

// Inputs of the whole are inputs; of a system within they are what is connected to them.
static void say_ports(SspRead* r, Writer* w, const Element* e)
{
    for (uint32_t i = 0; i < e->ports.count; i++)
    {
        const Port* p = &e->ports.at[i];
        bool whole = e->parent < 0;
        const char* word = p->kind == PORT_PARAMETER         ? "param"
                           : p->kind == PORT_INPUT && whole  ? "input"
                           : p->kind == PORT_OUTPUT && whole ? "output"
                                                             : "signal";
        if (p->text || p->kind == PORT_BOTH || (p->kind == PORT_OUTPUT && p->source == NULL))
            continue;  // nobody gives it a value, and nobody gets one
        writer_say(w, "  %s %s%s = %s\n", word, p->id, unit_of(r, p), value_of(r, p));
    }
}

// Parameters and start values are arguments; an input has what is connected to it, or the value that it was given.
static void say_component(SspRead* r, Writer* w, const Element* e)
{
    bool any = false;
    writer_say(w, "  %s : Part%d%s", e->id, e->fmu + 1,
               strcmp(e->kind, ":cs") == 0   ? "s"
               : strcmp(e->kind, ":me") == 0 ? "m"
                                             : "");
    for (uint32_t i = 0; i < e->ports.count; i++)
    {
        const Port* p = &e->ports.at[i];
        if (p->kind == PORT_INPUT || (p->source == NULL && !p->given))
            continue;
        writer_say(w, "%s%s = %s", any ? ", " : "(", strchr(p->id, '.') + 1, value_of(r, p));
        any = true;
    }
    writer_put(w, any ? ")\n" : "\n");
}

static void say_inputs(SspRead* r, Writer* w, const Element* e)
{
    for (uint32_t i = 0; i < e->ports.count; i++)
    {
        const Port* p = &e->ports.at[i];
        if (p->kind != PORT_INPUT || p->part || (p->source == NULL && !p->given))
            continue;
        bool plain = p->source != NULL || p->raw || !p->unit.known || p->unit.si == NULL;
        writer_say(w, plain ? "  %s = %s\n" : "  %s = %s[%s]\n", p->id, value_of(r, p), p->unit.si);
    }
}

// An FMU is declared once for each way in which it is driven.
static void say_sources(SspRead* r, Writer* w)
{
    static const char* const kinds[] = {"", ":cs", ":me"};
    static const char* const tails[] = {"", "s", "m"};
    for (uint32_t i = 0; i < r->sources.count; i++)
        for (int k = 0; k < 3; k++)
        {
            bool used = false;
            for (uint32_t j = 0; j < r->elements.count && !used; j++)
                used = r->elements.at[j].fmu == (int)i && strcmp(r->elements.at[j].kind, kinds[k]) == 0;
            if (used)
                writer_say(w, "fmu Part%u%s = \"part%u.fmu%s\"\n", i + 1, tails[k], i + 1, kinds[k]);
        }
}

char* reading_text(SspRead* r)
{
    Writer w = {.arena = &r->arena};
    const char* name = reading_mangle(&r->arena, r->name);
    say_sources(r, &w);
    writer_say(&w, "model %s {\n", name);
    for (uint32_t i = 0; i < r->elements.count; i++)
        if (r->elements.at[i].fmu >= 0)
            say_component(r, &w, &r->elements.at[i]);
        else
            say_ports(r, &w, &r->elements.at[i]);
    for (uint32_t i = 0; i < r->elements.count; i++)
        if (r->elements.at[i].fmu >= 0)
            say_inputs(r, &w, &r->elements.at[i]);
    writer_say(&w, "}\nexperiment e of %s { start = %.17g", name, r->start);
    if (isfinite(r->stop))
        writer_say(&w, "; stop = %.17g", r->stop);
    writer_put(&w, " }\n");
    return writer_text(&w);
}
