// Exactly one definition per variable, or one per mode; parameters that end in numbers.
#include "elab/elab.h"

#include <string.h>

static void report_pair(Elab* e, uint32_t var, const FlatDef* first, const FlatDef* second)
{
    const char* name = e->vars.at[var].name;
    const char* prime = e->flat->vars.at[var].kind == VAR_STATE ? "'" : "";
    Diag* diag;
    if (first->ctx == second->ctx)
        diag = elab_error(e, K_DUPLICATE_DEFINITION, second->span, "`%s%s` is defined twice%s%s", name, prime,
                          first->ctx ? " " : "", first->ctx ? ctx_text(e, first->ctx) : "");
    else
        diag = elab_error(e, K_DUPLICATE_DEFINITION, second->span,
                          "`%s%s` has two definitions that can hold at once, %s and %s", name, prime,
                          ctx_text(e, first->ctx), ctx_text(e, second->ctx));
    elab_note(e, diag, first->span, "first defined here");
    elab_help(e, diag, "keep one, or put them into different modes of one machine");
}

// In the order of the text; the lists are linked the other way round.
static void check_pairs(Elab* e, uint32_t var)
{
    for (uint32_t i = e->vars.at[var].first_def; i != 0; i = e->def_next.at[i - 1])
        for (uint32_t k = e->def_next.at[i - 1]; k != 0; k = e->def_next.at[k - 1])
        {
            const FlatDef* second = &e->flat->defs.at[i - 1];
            const FlatDef* first = &e->flat->defs.at[k - 1];
            if (ctx_exclude(e->flat, first->ctx, second->ctx))
                continue;
            bool swap = first->span.file == second->span.file && first->span.start > second->span.start;
            report_pair(e, var, swap ? second : first, swap ? first : second);
            return;
        }
}

// What could be missing because something else failed is not reported.
static bool is_excused(Elab* e, const FlatVar* var)
{
    const Instance* instance = &e->instances.at[var->instance];
    return instance->incomplete || (var->instance != 0 && e->instances.at[instance->parent].incomplete);
}

static void report_input(Elab* e, uint32_t var)
{
    const FlatVar* flat = &e->flat->vars.at[var];
    const Instance* instance = &e->instances.at[flat->instance];
    Diag* diag = elab_error_about(e, K_MISSING_INPUT, instance->span, e->vars.at[var].name, "nobody defines input `%s`",
                                  flat->name);
    elab_note(e, diag, flat->span, "declared here");
    elab_help(e, diag, "define it where the instance is, `%s = …`, or give it a default in model %s", flat->name,
              instance->model->name);
}

static void report_missing(Elab* e, uint32_t var)
{
    const FlatVar* flat = &e->flat->vars.at[var];
    const char* name = e->vars.at[var].name;
    const char* model = e->instances.at[flat->instance].model->name;
    Diag* diag;
    if (flat->input && flat->kind == VAR_EVENT)
        return;  // an input event that nobody defines is absent for ever (rule V1)
    if (flat->input)
        report_input(e, var);
    else if (flat->kind == VAR_STATE)
    {
        diag = elab_error(e, K_MISSING_DERIVATIVE, flat->span, "state `%s` of model %s has no derivative", name, model);
        elab_help(e, diag, "write `%s' = …`; a variable that only actions change is `discrete`", name);
    }
    else if (flat->kind == VAR_EVENT)
    {
        diag = elab_error(e, K_MISSING_EVENT, flat->span, "event `%s` of model %s is neither defined nor emitted", name,
                          model);
        elab_help(e, diag, "write `event %s = …`, or `emit %s` in an action", name, name);
    }
    else
    {
        diag = elab_error(e, K_MISSING_DEFINITION, flat->span, "%s `%s` of model %s has no definition",
                          flat->output ? "output" : "signal", name, model);
        elab_help(e, diag, "write `%s = …`", name);
    }
}

static void check_var(Elab* e, uint32_t var)
{
    FlatVar* flat = &e->flat->vars.at[var];
    bool defined = e->vars.at[var].first_def != 0;
    bool takes_defs = flat->kind == VAR_STATE || flat->kind == VAR_SIGNAL || flat->kind == VAR_EVENT;
    if (flat->kind == VAR_PARAM && !flat->init && !e->vars.at[var].init)
    {
        Diag* diag = elab_error_about(e, K_MISSING_DEFINITION, flat->span, flat->name, "parameter `%s` has no value",
                                      flat->name);
        elab_help(e, diag, "give it one where it is declared, or as an argument: `(%s = …)`", e->vars.at[var].name);
    }
    if (!takes_defs)
        return;
    if (flat->kind == VAR_EVENT && flat->emitted && defined)
    {
        Diag* diag =
            elab_error(e, K_BAD_EMIT, flat->span, "event `%s` is both defined and emitted", e->vars.at[var].name);
        elab_note(e, diag, e->flat->defs.at[e->vars.at[var].first_def - 1].span, "defined here");
        elab_help(e, diag, "emit another event, and define this one as `default(a, b)` of the two");
    }
    check_pairs(e, var);
    if (defined || flat->emitted || e->vars.at[var].given)
        return;
    if (!is_excused(e, flat))
        report_missing(e, var);
}

// Inputs that nobody connects are what their declaration or argument says. Before bond graphs ask what their sources
// hang on: a source through an input varies as the input does.
void define_inputs(Elab* e)
{
    for (uint32_t i = 0; i < e->vars.count && !e->too_large; i++)
    {
        const FlatVar* flat = &e->flat->vars.at[i];
        const VarInfo* info = &e->vars.at[i];
        bool takes_defs = flat->kind == VAR_STATE || flat->kind == VAR_SIGNAL || flat->kind == VAR_EVENT;
        if (takes_defs && flat->input && info->init && !info->first_def && !flat->emitted && !info->given)
            var_add_def(e, i, flat->ctx, 0, flat->init, flat->span);
    }
}

void check_definitions(Elab* e)
{
    for (uint32_t i = 0; i < e->vars.count && !e->too_large; i++)
    {
        e->here = e->flat->vars.at[i].instance;
        check_var(e, i);
    }
    e->here = 0;
}

// ---- parameters that depend on themselves

typedef struct Visit
{
    NodeId node;
    int next;  // child
} Visit;

enum
{
    WHITE,
    GREY,
    BLACK
};

static NodeId child_of(const Flat* flat, NodeId id, int index)
{
    const Node* node = &flat->nodes.at[id];
    if (node->op == NODE_VAR)
        return index == 0 && flat->vars.at[node->aux].kind == VAR_PARAM ? flat->vars.at[node->aux].init : 0;
    return index < node_op_arity(node->op) ? node->arg[index] : 0;
}

static void report_loop(Elab* e, const Visit* stack, uint32_t count, NodeId again)
{
    const char* cycle = "";
    uint32_t first = UINT32_MAX;
    bool inside = false;
    for (uint32_t i = 0; i < count; i++)
    {
        inside |= stack[i].node == again;
        const Node* node = &e->flat->nodes.at[stack[i].node];
        if (!inside || node->op != NODE_VAR)
            continue;
        if (first == UINT32_MAX)
            first = node->aux;
        cycle = arena_printf(e->arena, "%s%s → ", cycle, e->flat->vars.at[node->aux].name);
    }
    if (first == UINT32_MAX)
        return;
    const FlatVar* var = &e->flat->vars.at[first];
    Diag* diag = elab_error(e, K_PARAMETER_CYCLE, var->span, "the value of `%s` depends on itself: %s%s", var->name,
                            cycle, var->name);
    elab_help(e, diag, "give one of them a number");
}

void check_parameters(Elab* e)
{
    uint8_t* colour = arena_array(e->arena, uint8_t, e->flat->nodes.count);
    VEC(Visit) stack = {0};
    for (uint32_t i = 0; i < e->flat->vars.count; i++)
    {
        NodeId root = e->flat->vars.at[i].kind == VAR_PARAM ? e->flat->vars.at[i].init : 0;
        if (root == 0 || colour[root] != WHITE)
            continue;
        colour[root] = GREY;
        vec_push(e->arena, stack, (Visit){.node = root});
        while (stack.count > 0)
        {
            Visit* top = &stack.at[stack.count - 1];
            if (top->next >= 3)
            {
                colour[top->node] = BLACK;
                stack.count--;
                continue;
            }
            NodeId child = child_of(e->flat, top->node, top->next++);
            if (child == 0 || colour[child] == BLACK)
                continue;
            if (colour[child] == GREY)
                report_loop(e, stack.at, stack.count, child);
            else
            {
                colour[child] = GREY;
                vec_push(e->arena, stack, (Visit){.node = child});
            }
        }
    }
}
