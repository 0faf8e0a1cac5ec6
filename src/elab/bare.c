// Numbers without a unit where a unit is declared. A plain number that is given to a variable (in its declaration or
// definition, as an argument, by `:=`, `--set` or `sweep`), or wanted of one by `expect`, counts in the unit of the
// variable; in the middle of an expression it counts in SI units, and where that is not the unit beside it the writer
// is told.
#include "elab/elab.h"

#include <math.h>
#include <string.h>

enum
{
    DEPTH_MAX = 8  // of expressions that are searched: messages only
};

bool unit_find(Elab* e, const Unit* unit, FlatUnit* result)
{
    const UnitTerm* unknown;
    if (unit_resolve(e->arena, unit, result, &unknown))
        return true;
    *result = (FlatUnit){.si = {1, 0}};
    Diag* diag = elab_error(e, K_UNKNOWN_UNIT, unknown->span, "there is no unit `%s`", unknown->name);
    uint32_t count;
    const char* const* names = unit_names(&count);
    const char* foreign = unit_foreign(unknown->name);
    const char* near = diag ? diag_nearest(unknown->name, names, count) : NULL;
    if (foreign)
        elab_help(e, diag, "%s", foreign);
    else if (near)
        elab_help(e, diag, "did you mean `%s`?", near);
    else
        elab_help(
            e, diag,
            "units are written `[m/s^2]`, `[kV]`, `[N*m]`, `[1/min]`, `[degC]`, `[%%]`: the SI with its prefixes, "
            "and min h d deg rev rpm L bar eV Wh");
    return false;
}

static bool is_inverse(const char* name)
{
    return strcmp(name, "asin") == 0 || strcmp(name, "acos") == 0 || strcmp(name, "atan") == 0 ||
           strcmp(name, "atan2") == 0;
}

// The same as the text has it: a constant shows no more where it came from.
static bool names_angle(const Expr* expr)
{
    if (!expr)
        return false;
    if (expr->kind == EXPR_CALL && is_inverse(expr->path->steps.at[0].name))
        return true;
    for (uint32_t i = 0; i < expr->items.count; i++)
        if (names_angle(expr->items.at[i]))
            return true;
    return names_angle(expr->a) || names_angle(expr->b) || names_angle(expr->c);
}

// Does a number come out of an inverse function, in radians?
static bool is_angle(const Flat* flat, NodeId id, int depth)
{
    const Node* node = &flat->nodes.at[id];
    if (node->op == NODE_ASIN || node->op == NODE_ACOS || node->op == NODE_ATAN || node->op == NODE_ATAN2)
        return true;
    for (int i = 0; i < node_op_arity(node->op) && depth > 0; i++)
        if (node->arg[i] && is_angle(flat, node->arg[i], depth - 1))
            return true;
    return false;
}

static NodeId scaled(Elab* e, const FlatUnit* unit, NodeId node, Span span)
{
    double number, divisor = scale_divisor(unit->si.scale);
    if (flat_eval_const(e->flat, node, &number) && e->flat->nodes.at[node].op == NODE_CONST)
        return flat_const(e->flat, scale_to_si(unit->si, number), TYPE_REAL);
    NodeId factor = flat_const(e->flat, divisor > 0 ? divisor : unit->si.scale, TYPE_REAL);
    node = flat_node(e->flat, divisor > 0 ? NODE_DIV : NODE_MUL, TYPE_REAL, node, factor, 0, 0, 0, span);
    if (unit->si.offset == 0)
        return node;
    NodeId offset = flat_const(e->flat, unit->si.offset, TYPE_REAL);
    return flat_node(e->flat, NODE_ADD, TYPE_REAL, node, offset, 0, 0, 0, span);
}

static void warn_without_unit(Elab* e, const FlatUnit* unit, Span span, const char* name)
{
    Dim dim = dim_of_unit(unit);
    Diag* diag =
        elab_warning(e, K_UNIT_BARE_VALUE, span, "%s is in %s; this has no unit and counts in SI units%s%s", name,
                     unit->text, dim_is_none(&dim) ? "" : ", ", dim_is_none(&dim) ? "" : dim_text(e->arena, &dim));
    elab_help(e, diag, "declare a unit for what stands here, or write one at a number of it: `2[%s]`", unit->text);
}

void value_in_unit(Elab* e, Value* value, const FlatUnit* unit, const Expr* expr, const char* name)
{
    if (value->failed || value->type != TYPE_REAL || !unit->known || scale_is_si(unit->si) ||
        value->dim.kind == DIM_KNOWN)
        return;
    Dim dim = dim_of_unit(unit);
    if (dim_is_none(&dim) && (names_angle(expr) || is_angle(e->flat, value->node, DEPTH_MAX)))
        return;
    if (value->dim.kind == DIM_NUMBER)
        value->node = scaled(e, unit, value->node, expr->span);
    else
        warn_without_unit(e, unit, expr->span, name);
}

void check_difference(Elab* e, const Expr* expr)
{
    FlatUnit unit;
    const UnitTerm* unknown;
    if (expr->kind != EXPR_NUMBER || !expr->unit || !unit_resolve(e->arena, expr->unit, &unit, &unknown) ||
        unit.si.offset == 0)
        return;
    Diag* diag =
        elab_warning(e, K_UNIT_BARE_VALUE, expr->span, "this is a temperature, %g[K], and counts as a difference here",
                     scale_to_si(unit.si, expr->number));
    elab_help(e, diag, "write a difference in kelvin: %g[K]", expr->number * unit.si.scale);
}

void rate_in_unit(Elab* e, const Value* value, const FlatUnit* unit, Span span, const char* name)
{
    double number;
    if (value->failed || !unit->known || unit->si.scale == 1 || value->dim.kind == DIM_KNOWN || e->silent ||
        (flat_eval_const(e->flat, value->node, &number) && number == 0))
        return;
    Dim dim = dim_of_unit(unit), second = dim_second();
    dim = dim_multiply(&dim, &second, -1);
    Diag* diag =
        elab_warning(e, K_UNIT_BARE_VALUE, span, "%s: this has no unit and counts in SI units, %s, not in %s/s", name,
                     dim_text(e->arena, &dim), unit->text);
    elab_help(e, diag, "write the unit at a number of it: `2[%s/s]`", unit->text);
}

// A variable of an expression whose unit is not the SI unit of the expression's dimension; NULL: none.
static const FlatVar* foreign_variable(const Flat* flat, NodeId id, const Dim* dim, int depth)
{
    const Node* node = &flat->nodes.at[id];
    if (node->op == NODE_VAR)
    {
        const FlatVar* var = &flat->vars.at[node->aux];
        Dim own = dim_of_unit(&var->unit);
        return var->unit.known && var->unit.text && !scale_is_si(var->unit.si) && dim_equal(&own, dim) ? var : NULL;
    }
    for (int i = 0; i < node_op_arity(node->op) && depth > 0; i++)
    {
        const FlatVar* found = node->arg[i] ? foreign_variable(flat, node->arg[i], dim, depth - 1) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

// `1 - duty`, `duty < 0.5`: nobody means percent.
static bool is_fraction(const char* unit)
{
    return strcmp(unit, "%") == 0 || strcmp(unit, "percent") == 0 || strcmp(unit, "ppm") == 0;
}

void bare_beside(Elab* e, const Value* value, const Value* number, Span span)
{
    double constant;
    if (value->failed || number->failed || value->dim.kind != DIM_KNOWN || number->dim.kind != DIM_NUMBER ||
        !flat_eval_const(e->flat, number->node, &constant))
        return;
    const FlatVar* var = foreign_variable(e->flat, value->node, &value->dim, DEPTH_MAX);
    if (!var || isinf(constant) || (constant == 0 && var->unit.si.offset == 0) || is_fraction(var->unit.text))
        return;
    const char* base = dim_is_none(&value->dim) ? "rad" : dim_text(e->arena, &value->dim);
    Diag* diag =
        elab_warning(e, K_UNIT_BARE_VALUE, span, "a number without a unit counts in SI units here, %s; `%s` is in %s",
                     base, var->name, var->unit.text);
    elab_help(e, diag, "write %g[%s], or %g[%s]", constant, var->unit.text, constant, base);
}
