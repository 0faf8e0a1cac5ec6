// Diagrams behind the public function: elaborate, make, place, draw.
#include "api/compilation.h"
#include "diagram/makers.h"
#include "diagram/schematic.h"

#include <string.h>

kaiDiagramOptions kaiDefaultDiagramOptions(void)
{
    return (kaiDiagramOptions){.cookie = KAI_COOKIE, .kind = KAI_DIAGRAM_ANY, .depth = DEPTH_DEFAULT};
}

typedef struct DrawRequest
{
    const kaiCompileOptions* model;
    const kaiDiagramOptions* options;
    CanvasFormat format;
    const char* error;
} DrawRequest;

static bool make(Diagram* diagram, const Labels* labels, const kaiDiagramOptions* options, int depth,
                 const uint32_t* modes)
{
    kaiDiagramKind kind = options->kind;
    diagram_init(diagram, labels->arena);
    diagram->title = labels->flat->model_name;
    if (kind == KAI_DIAGRAM_ANY)
        kind = labels->flat->bonds.count > 0 ? KAI_DIAGRAM_BONDS : KAI_DIAGRAM_BLOCKS;
    switch (kind)
    {
    case KAI_DIAGRAM_MODES: return machines_make(diagram, labels, depth);
    case KAI_DIAGRAM_BONDS: return bonds_make(diagram, labels, depth, modes);
    default: blocks_make(diagram, labels, depth);
    }
    return diagram->nodes.count > 0;
}

// Without a depth a large model folds until it can be read, as far as its instances allow.
static bool make_readable(Diagram* diagram, const Labels* labels, const kaiDiagramOptions* options,
                          const uint32_t* modes)
{
    enum
    {
        UNFOLDED_MOST = 3
    };
    bool made = make(diagram, labels, options, options->depth, modes);
    for (int depth = UNFOLDED_MOST; made && options->depth < 0 && diagram->nodes.count > DIAGRAM_READ && depth > 0;
         depth--)
        made = make(diagram, labels, options, depth, modes);
    return made;
}

// ---- chosen modes

// The name of a junction or instance; of a nested or second machine that of its variable, without a last ".mode".
static const char* name_of_machine(Arena* arena, const Flat* flat, const FlatMachine* machine)
{
    if (machine->junction != 0)
        return flat->bond_nodes.at[machine->junction - 1].name;
    const char* name = flat->vars.at[machine->mode_var].name;
    size_t length = strlen(name);
    if (strcmp(name, "mode") == 0)
        return "";
    bool plain = length > 5 && strcmp(name + length - 5, ".mode") == 0;
    return plain ? arena_copy_string(arena, name, length - 5) : name;
}

static bool choose_mode(Compilation* c, const Flat* flat, const kaiModeChoice* choice, uint32_t* modes)
{
    const char* list = "";
    for (uint32_t i = 0; i < flat->machines.count; i++)
    {
        const FlatMachine* machine = &flat->machines.at[i];
        const char* name = name_of_machine(&c->arena, flat, machine);
        list = arena_printf(&c->arena, "%s%s%s", list, i > 0 ? ", " : "", name);
        if (strcmp(name, choice->machine) != 0)
            continue;
        const char* known = "";
        for (uint32_t k = 0; k < machine->modes.count; k++)
        {
            known = arena_printf(&c->arena, "%s%s%s", known, k > 0 ? ", " : "", machine->modes.at[k].name);
            if (strcmp(machine->modes.at[k].name, choice->mode) == 0)
                return modes[i] = k, true;
        }
        Diag* diag =
            diag_error(&c->diags, K_UNKNOWN_CHOSEN_MODE, (Span){0}, "`%s` has no mode `%s`", name, choice->mode);
        diag_help(&c->diags, diag, "its modes are %s", known);
        return false;
    }
    Diag* diag = diag_error(&c->diags, K_UNKNOWN_CHOSEN_MODE, (Span){0}, "`%s` has no modes", choice->machine);
    diag_help(&c->diags, diag, list[0] != 0 ? "%s has %s" : "%s has no modes at all%s", flat->model_name, list);
    return false;
}

static const uint32_t* choose_modes(Compilation* c, const Flat* flat, const kaiDiagramOptions* options)
{
    uint32_t* modes = arena_array(&c->arena, uint32_t, flat->machines.count + 1);
    for (uint32_t i = 0; i < flat->machines.count; i++)
        modes[i] = flat->machines.at[i].initial;
    for (int i = 0; i < options->mode_count; i++)
        if (!choose_mode(c, flat, &options->modes[i], modes))
            return NULL;
    return modes;
}

// ---- drawing

static kaiStatus refuse(Compilation* c, const Diagram* diagram, kaiDiagramKind kind, const Flat* flat)
{
    static const char* const what[] = {"nothing that changes", "nothing that changes", "no modes", "no bonds"};
    if (diagram->nodes.count <= DIAGRAM_MOST)
        diag_error(&c->diags, K_NOTHING_TO_DRAW, (Span){0}, "model %s has %s to draw", flat->model_name, what[kind]);
    else
        diag_error(&c->diags, K_DIAGRAM_TOO_LARGE, (Span){0}, "the diagram of %s would have more than %d boxes",
                   flat->model_name, DIAGRAM_MOST);
    return KAI_ERR_MODEL;
}

// A schematic, if the model is made of parts or one is asked for. KAI_END: it is not, something else is to be drawn.
static kaiStatus draw_schematic(Compilation* c, const Labels* labels, DrawRequest* request)
{
    Circuit circuit;
    Schematic schematic;
    const kaiDiagramOptions* options = request->options;
    bool wanted = options->kind == KAI_DIAGRAM_SCHEMATIC;
    // Modes change the causality of a bond graph: who names one wants to see it.
    if (!wanted && (options->kind != KAI_DIAGRAM_ANY || options->mode_count > 0))
        return KAI_END;
    bool found = circuit_of_model(&circuit, labels, options->depth);
    if (!found && !wanted)
        return KAI_END;
    if (!found)
        diag_error(&c->diags, K_NOTHING_TO_DRAW, (Span){0}, "model %s has no parts with ports to draw",
                   labels->flat->model_name);
    else if (circuit.parts.count > DIAGRAM_MOST)
        diag_error(&c->diags, K_DIAGRAM_TOO_LARGE, (Span){0}, "the schematic of %s would have more than %d parts",
                   labels->flat->model_name, DIAGRAM_MOST);
    if (!found || circuit.parts.count > DIAGRAM_MOST)
        return KAI_ERR_MODEL;
    schematic_place(&schematic, &c->arena, &circuit, labels->flat->model_name);
    return schematic_draw(&schematic, options->path, request->format, options->sink, c->allocator, &request->error);
}

static kaiStatus draw_work(kaiProgram* p, Compilation* c, void* user)
{
    (void)p;
    DrawRequest* request = user;
    const Flat* flat = compilation_elaborate(c, request->model);
    if (flat == NULL || c->diags.error_count > 0)
        return KAI_ERR_MODEL;
    Diagram diagram;
    Labels labels = {.arena = &c->arena, .flat = flat, .sources = &c->sources};
    const uint32_t* modes = choose_modes(c, flat, request->options);
    if (modes == NULL)
        return KAI_ERR_MODEL;
    kaiStatus status = draw_schematic(c, &labels, request);
    if (status != KAI_END)
        return status;
    if (!make_readable(&diagram, &labels, request->options, modes) || diagram.nodes.count > DIAGRAM_MOST)
        return refuse(c, &diagram, request->options->kind, flat);
    const char* trouble;
    if (!diagram_layout(&diagram, &trouble))
    {
        if (trouble != NULL)
            return compilation_lacks(c, trouble);
        diag_error(&c->diags, K_DIAGRAM_FAILED, (Span){0}, "the diagram of %s could not be laid out", flat->model_name);
        return KAI_ERR_MODEL;
    }
    return diagram_draw(&diagram, request->options->path, request->format, request->options->sink, c->allocator,
                        &request->error);
}

static bool check_modes(const kaiDiagramOptions* options)
{
    for (int i = 0; i < options->mode_count; i++)
        if (options->modes == NULL || options->modes[i].machine == NULL || options->modes[i].mode == NULL)
            return false;
    return true;
}

kaiStatus kaiProgram_Diagram(kaiProgram* program, const kaiCompileOptions* model, const kaiDiagramOptions* options,
                             kaiError* error)
{
    DrawRequest request = {.model = model, .options = options};
    if (!error_check_cookie(options != NULL ? &options->cookie : NULL, "kaiDefaultDiagramOptions", error))
        return KAI_ERR_USAGE;
    if (options->kind < KAI_DIAGRAM_ANY || options->kind > KAI_DIAGRAM_SCHEMATIC || !check_modes(options))
        return error_set(error, KAI_ERR_USAGE, "there is no such kind of diagram, or a mode without a name");
    if (options->path == NULL || !canvas_format_of(options->path, &request.format))
        return error_set(error, KAI_ERR_USAGE, "the name of a figure ends in .svg, .png or .pdf");
    kaiStatus status = program_ask_about(program, model, draw_work, &request);
    switch (status)
    {
    case KAI_OK: return KAI_OK;
    case KAI_ERR_MEMORY: return error_memory(error);
    case KAI_ERR_MODEL: return error_copy(error, program_first_error(program));
    case KAI_ERR_IO:
        return error_set(error, status, "%s cannot be written%s%s", options->path, request.error != NULL ? ": " : "",
                         request.error != NULL ? request.error : "");
    default: return error_set(error, status, "there is no program, or the options were not initialised");
    }
}
