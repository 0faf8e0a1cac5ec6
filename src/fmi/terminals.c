// See terminals.h. A port is a place where parts are joined, a 0-junction: its effort is common to all of them and is
// the member of the terminal. The flows through it belong to the parts, and are theirs to show.
#include "fmi/terminals.h"

#include "api/compilation.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/text.h"
#include "fmi/describe.h"

#include <string.h>

typedef struct TerminalWork
{
    Arena* arena;
    const kaiCompileOptions* which;
    const Shapes* shapes;
    char* text;
} TerminalWork;

static void put_member(Writer* w, const char* port, const char* member, const char* kind)
{
    writer_put(w, "      <TerminalMemberVariable");
    xml_attribute(w, "variableName", arena_printf(w->arena, "%s.%s", port, member));
    xml_attribute(w, "memberName", member);
    xml_attribute(w, "variableKind", kind);
    writer_put(w, "/>\n");
}

// What a port is called: those of an array are one terminal whose member is the array.
static const char* terminal_name(const TerminalWork* work, const FlatBondNode* node)
{
    const char* whole = shape_skeleton(work->arena, node->name);
    const char* effort = arena_printf(work->arena, "%s.e", whole);
    for (uint32_t i = 0; strcmp(whole, node->name) != 0 && i < work->shapes->list.count; i++)
        if (work->shapes->list.at[i].rank > 0 && strcmp(work->shapes->list.at[i].name, effort) == 0)
            return whole;
    return node->name;
}

static void put_terminal(Writer* w, const char* name)
{
    writer_put(w, "    <Terminal");
    xml_attribute(w, "name", name);
    xml_attribute(w, "matchingRule", "plug");
    writer_put(w, ">\n");
    put_member(w, name, "e", "signal");
    writer_put(w, "    </Terminal>\n");
}

static kaiStatus write_work(kaiProgram* program, Compilation* c, void* user)
{
    (void)program;
    TerminalWork* work = user;
    const Flat* flat = compilation_elaborate(c, work->which);
    if (flat == NULL || c->diags.error_count > 0)
        return KAI_ERR_MODEL;
    if (flat->bonds.count == 0)
        return KAI_OK;
    Writer w = {.arena = work->arena};
    writer_put(
        &w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiTerminalsAndIcons fmiVersion=\"3.0\">\n  <Terminals>\n");
    uint32_t head = w.text.count;
    Map put;
    map_init(&put, work->arena);
    for (uint32_t i = 0; i < flat->bond_nodes.count; i++)
    {
        uint32_t any;
        const char* name = flat->bond_nodes.at[i].port ? terminal_name(work, &flat->bond_nodes.at[i]) : NULL;
        uint64_t key = name != NULL ? hash_bytes(HASH_START, name, strlen(name)) : 0;
        if (name == NULL || map_get(&put, key, &any))
            continue;
        map_set(&put, key, i);
        put_terminal(&w, name);
    }
    if (w.text.count == head)
        return KAI_OK;
    writer_put(&w, "  </Terminals>\n</fmiTerminalsAndIcons>\n");
    work->text = writer_text(&w);
    return KAI_OK;
}

char* terminals_write(Arena* arena, kaiProgram* program, const kaiCompileOptions* which, const Shapes* shapes)
{
    TerminalWork work = {.arena = arena, .which = which, .shapes = shapes};
    return program_ask_about(program, which, write_work, &work) == KAI_OK ? work.text : NULL;
}
