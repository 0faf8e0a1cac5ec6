// Diagrams behind the public function: elaborate, make, place, draw.
#include "api/compilation.h"
#include "diagram/makers.h"

#include <string.h>

kaiDiagramOptions kaiDefaultDiagramOptions(void)
{
    return (kaiDiagramOptions){.kind = KAI_DIAGRAM_BLOCKS, .depth = DEPTH_DEFAULT};
}

typedef struct DrawRequest
{
    const kaiDiagramOptions* options;
    CanvasFormat format;
    const char** error;
} DrawRequest;

static bool make(Diagram* diagram, const Labels* labels, const kaiDiagramOptions* options)
{
    switch (options->kind)
    {
    case KAI_DIAGRAM_MODES: return machines_make(diagram, labels, options->depth);
    case KAI_DIAGRAM_BONDS: return false;
    default: blocks_make(diagram, labels, options->depth);
    }
    return diagram->nodes.count > 0;
}

static kaiStatus refuse(Compilation* c, const Diagram* diagram, kaiDiagramKind kind, const Flat* flat)
{
    static const char* const what[] = {"nothing that changes", "no modes", "no bonds"};
    if (diagram->nodes.count <= DIAGRAM_MOST)
        diag_error(&c->diags, K_NOTHING_TO_DRAW, (Span){0}, "model %s has %s to draw", flat->model_name, what[kind]);
    else
        diag_error(&c->diags, K_DIAGRAM_TOO_LARGE, (Span){0}, "the diagram of %s would have more than %d boxes",
                   flat->model_name, DIAGRAM_MOST);
    return KAI_ERR_MODEL;
}

static kaiStatus draw_work(Compilation* c, const kaiLoadOptions* load, void* user)
{
    DrawRequest* request = user;
    const Flat* flat = compilation_elaborate(c, load, load->experiment, load->model);
    if (flat == NULL || c->diags.error_count > 0)
        return KAI_ERR_MODEL;
    Diagram diagram;
    Labels labels = {.arena = &c->arena, .flat = flat, .sources = &c->sources};
    diagram_init(&diagram, &c->arena);
    diagram.title = flat->model_name;
    if (!make(&diagram, &labels, request->options) || diagram.nodes.count > DIAGRAM_MOST)
        return refuse(c, &diagram, request->options->kind, flat);
    if (!diagram_layout(&diagram))
    {
        diag_error(&c->diags, K_DIAGRAM_FAILED, (Span){0}, "the diagram of %s could not be laid out", flat->model_name);
        return KAI_ERR_MODEL;
    }
    return diagram_draw(&diagram, request->options->path, request->format, load->allocator, request->error);
}

kaiStatus kaiDiagram_Draw(const kaiLoadOptions* load, const kaiDiagramOptions* options, kaiMessages** messages,
                          const char** error)
{
    DrawRequest request = {.options = options, .error = error};
    *messages = NULL;
    *error = NULL;
    if (options->path == NULL || !canvas_format_of(options->path, &request.format))
        return KAI_ERR_USAGE;
    return compilation_run(load, messages, draw_work, &request);
}
