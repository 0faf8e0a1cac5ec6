// Values from the call instead of the text: `--set name=value` for parameters and start values. A value may be a
// constant expression with a unit, written as in a model: it is parsed as a source of its own, so that a message points
// into it.
#include "elab/elab.h"
#include "lang/parser.h"

#include <string.h>

Expr* elaborate_given_text(Elab* e, const char* source, const char* text)
{
    Program* program = e->program;
    uint32_t errors = e->diags->error_count;
    uint32_t file = sources_add(program->sources, source, text, strlen(text)) + 1;
    Expr* expr = parse_expression(program->arena, program->names, program->sources, file, e->diags);
    if (e->diags->error_count != errors)
        expr->kind = EXPR_ERROR;
    e->error_count += e->diags->error_count - errors;
    return expr;
}

// The last one given for a name counts; the earlier ones have been used too.
static const Override* find_override(Elab* e, uint32_t var)
{
    const ElabOptions* options = e->options;
    const Override* found = NULL;
    for (int i = options->override_count; i-- > 0;)
        if (strcmp(options->overrides[i].name, e->flat->vars.at[var].name) == 0)
        {
            e->override_used[i] = true;
            found = found ? found : &options->overrides[i];
        }
    return found;
}

// `--set mode=resting`: the place of the mode in its machine.
static bool find_mode(Elab* e, uint32_t var, const char* word, Span span, double* number)
{
    const FlatMachine* machine = &e->flat->machines.at[e->flat->vars.at[var].machine];
    const char** names = arena_array(e->arena, const char*, machine->modes.count + 1);
    for (uint32_t i = 0; i < machine->modes.count; i++)
    {
        names[i] = machine->modes.at[i].name;
        if (strcmp(names[i], word) == 0)
            return *number = i, true;
    }
    Diag* diag = elab_error(e, K_UNKNOWN_MODE, span, "`%s` has no mode `%s`", e->flat->vars.at[var].name, word);
    elab_suggest(e, diag, word, names, machine->modes.count);
    return false;
}

// A name would be read before it has a value, or not, depending on where it stands in the text: there are none here.
static bool evaluate_text(Elab* e, uint32_t var, const Expr* expr, double* number)
{
    Value value;
    Env outside = {.instance = NO_INSTANCE, .constant = true, .structural = true};
    const char* word = word_written(expr);
    if (word && e->flat->vars.at[var].kind == VAR_MODE)
        return find_mode(e, var, word, expr->span, number);
    if (word && !builtin_name_exists(word))
    {
        Diag* diag = elab_error(e, K_NOT_CONSTANT, expr->span, "the value must be a number, not `%s`", word);
        elab_help(e, diag, "write a number, or a constant expression as 1/2 or 50[cm]");
        return false;
    }
    value = elaborate_expr(e, &outside, expr);
    if (value.failed || (value.type != TYPE_BOOL && !value_to_real(e, &value, expr->span)))
        return false;
    const char* name = arena_printf(e->arena, "`%s`", e->flat->vars.at[var].name);
    FlatUnit unit = e->flat->vars.at[var].unit;
    Dim dim = dim_of_unit(&unit);
    value_in_unit(e, &value, &unit, expr, name);
    value_check_dim(e, &value, &dim, expr->span, name);
    if (flat_eval_const(e->flat, value.node, number))
        return true;
    elab_error(e, K_NOT_CONSTANT, expr->span, "this is not a number");
    return false;
}

bool declare_override(Elab* e, uint32_t var)
{
    const Override* given = find_override(e, var);
    if (!given)
        return false;
    double value = scale_to_si(e->flat->vars.at[var].unit.si, given->value);
    if (given->text)
    {
        const Expr* expr = elaborate_given_text(e, arena_printf(e->arena, "--set %s", given->name), given->text);
        if (expr->kind == EXPR_ERROR || !evaluate_text(e, var, expr, &value))
            value = 0;  // reported
    }
    e->flat->vars.at[var].init = flat_const(e->flat, value, e->flat->vars.at[var].type);
    e->vars.at[var].init_progress = DONE;
    return true;
}

// `--signals "x^2 + v"`: a signal of the root model that nothing else reads.
void declare_given_signals(Elab* e)
{
    static const Env root;
    for (int i = 0; i < e->options->signal_count; i++)
    {
        const GivenSetting* given = &e->options->signals[i];
        Expr* expr = elaborate_given_text(e, "--signals", given->text);
        if (expr->kind == EXPR_ERROR)
            continue;
        const char* name = intern_string(e->program->names, given->name);
        uint32_t var = declare_var(e, &root, VAR_SIGNAL, TYPE_REAL, name, expr->span);
        VarInfo* info = &e->vars.at[var];
        info->init = expr;
        info->env = &root;
        info->init_defines = true;
    }
}
