// Experiments: what is recorded and plotted, sweeps, and what is expected of a run. Settings are in settings.c.
#include "elab/elab.h"

#include <math.h>
#include <string.h>

// ---- record, plot

typedef VEC(uint32_t) VarList;

static void add_var(Elab* e, VarList* list, uint32_t var)
{
    if (!e->flat->vars.at[var].hidden)
        vec_push(e->arena, *list, var);
}

// Instances stand for all their variables that change, those of the instances inside them too.
static void add_instances(Elab* e, VarList* list, const uint32_t* instances, int64_t count)
{
    bool* chosen = arena_array(e->arena, bool, e->flat->instances.count);
    for (int64_t i = 0; i < count; i++)
        chosen[instances[i]] = true;
    for (uint32_t i = 1; i < e->flat->instances.count; i++)  // a parent comes before its children
        chosen[i] |= chosen[e->flat->instances.at[i].parent];
    for (uint32_t i = 0; i < e->flat->vars.count; i++)
        if (e->flat->vars.at[i].kind != VAR_PARAM && chosen[e->flat->vars.at[i].instance])
            add_var(e, list, i);
}

// `record all`: everything, the efforts and flows inside parts too.
static bool is_all(Elab* e, const Path* path)
{
    const PathStep* step = &path->steps.at[0];
    return path->steps.count == 1 && !step->index && strcmp(step->name, "all") == 0 && !scope_symbol(e, 0, step->name);
}

static void add_path(Elab* e, const Path* path, VarList* list)
{
    Target target;
    for (uint32_t i = 0; is_all(e, path) && i < e->flat->vars.count; i++)
        if (e->flat->vars.at[i].kind != VAR_PARAM)
            add_var(e, list, i);
    if (is_all(e, path))
        return;
    if (!scope_resolve(e, &(Env){.instance = 0}, path, &target))
        return;
    int64_t count = target.symbol->to - target.symbol->from + 1;
    switch (target.kind)
    {
    case SYMBOL_VAR: add_var(e, list, target.index); break;
    case SYMBOL_VARS:
        for (int64_t i = 0; i < count; i++)
            add_var(e, list, target.index + (uint32_t)i);
        break;
    case SYMBOL_INSTANCE: add_instances(e, list, &target.index, 1); break;
    default: add_instances(e, list, target.symbol->list, count);
    }
}

static void elaborate_record(Elab* e, const Setting* setting)
{
    FlatRecord record = {.span = setting->span};
    VarList vars = {0};
    for (uint32_t i = 0; i < setting->paths.count; i++)
        add_path(e, setting->paths.at[i], &vars);
    memcpy(&record.vars, &vars, sizeof vars);
    Value value;
    Dim second = dim_second();
    if (setting->every &&
        elaborate_constant(e, &(Env){.instance = 0}, setting->every, TYPE_REAL, &value, &record.every))
    {
        value_check_dim(e, &value, &second, setting->every->span, "`every`");
        if (!(record.every > 0))
            elab_error(e, K_BAD_SETTING, setting->every->span, "`every` must be positive, this is %g", record.every);
    }
    vec_push(e->arena, e->flat->experiment.records, record);
}

static bool find_single(Elab* e, const Path* path, uint32_t* var)
{
    Target target;
    if (!scope_resolve(e, &(Env){.instance = 0}, path, &target))
        return false;
    if (target.kind == SYMBOL_VAR)
        return *var = target.index, true;
    Diag* diag = elab_error(e, K_NOT_A_VALUE, path->span, "this is not one variable");
    elab_help(e, diag, "name a variable of the instance, or one element of the array");
    return false;
}

static void elaborate_plot(Elab* e, const Setting* setting)
{
    FlatPlot plot = {.span = setting->span};
    VarList vars = {0};
    for (uint32_t i = 0; i < setting->paths.count; i++)
        add_path(e, setting->paths.at[i], &vars);
    memcpy(&plot.vars, &vars, sizeof vars);
    uint32_t against;
    bool is_time_path =
        setting->path && setting->path->steps.count == 1 && strcmp(setting->path->steps.at[0].name, "time") == 0;
    if (setting->path && !is_time_path && find_single(e, setting->path, &against))
        plot.against = against + 1;
    vec_push(e->arena, e->flat->experiment.plots, plot);
}

// ---- sweep

// A mode is swept by its names: the mode in which the run starts.
static bool sweep_mode(Elab* e, const Expr* expr, uint32_t var, double* number)
{
    const FlatMachine* machine = &e->flat->machines.at[e->flat->vars.at[var].machine];
    const char* written = word_written(expr);
    const char** names = arena_array(e->arena, const char*, machine->modes.count + 1);
    for (uint32_t i = 0; i < machine->modes.count; i++)
    {
        names[i] = machine->modes.at[i].name;
        if (written && strcmp(names[i], written) == 0)
            return *number = i, true;
    }
    Diag* diag = elab_error(e, K_UNKNOWN_MODE, expr->span, "this is not a mode of `%s`", e->flat->vars.at[var].name);
    elab_suggest(e, diag, written ? written : "", names, machine->modes.count);
    return false;
}

// In the unit of the variable, so that the points of 1 to 2 by 0.1 are those.
static bool sweep_number(Elab* e, const Env* env, const Expr* expr, uint32_t var, bool difference, double* number)
{
    Value value;
    if (e->flat->vars.at[var].kind == VAR_MODE)
        return sweep_mode(e, expr, var, number);
    Dim dim = dim_of_unit(&e->flat->vars.at[var].unit);
    ValueType type = e->flat->vars.at[var].type;
    if (!elaborate_constant(e, env, expr, type, &value, number))
        return false;
    Scale si = e->flat->vars.at[var].unit.si;
    if (value.dim.kind != DIM_NUMBER && type == TYPE_REAL)
        *number = difference ? scale_difference(si, *number) : scale_from_si(si, *number);
    return value_check_dim(e, &value, &dim, expr->span, arena_printf(e->arena, "`%s`", e->flat->vars.at[var].name));
}

static void sweep_steps(Elab* e, const Setting* setting, FlatSweep* sweep)
{
    double from, to, by;
    Env root = {.instance = 0};
    bool fine = sweep_number(e, &root, setting->from, sweep->var, false, &from);
    fine &= sweep_number(e, &root, setting->to, sweep->var, false, &to);
    fine &= sweep_number(e, &root, setting->by, sweep->var, true, &by);
    if (!fine)
        return;
    double count = (to - from) / by;
    if (by == 0 || !(count >= 0) || count > 1e6)
    {
        Diag* diag = elab_error(e, K_BAD_SWEEP, setting->by->span, "steps of %g lead from %g to %g %s", by, from, to,
                                by != 0 && count > 1e6 ? "in more than a million runs" : "never");
        elab_help(e, diag, "write `from small to large by step`, with a step of the right sign");
        return;
    }
    // From the count, not by adding up. Where the steps end at the end, it is met exactly.
    double whole = round(count);
    bool ends = whole > 0 && fabs(count - whole) < 1e-9 * whole;
    int last = (int)(ends ? whole : floor(count));
    for (int i = 0; i <= last; i++)
        vec_push(e->arena, sweep->values, ends ? from + (to - from) * i / whole : from + i * by);
}

static void elaborate_sweep(Elab* e, const Setting* setting)
{
    FlatSweep sweep = {.span = setting->span};
    if (!find_single(e, setting->path, &sweep.var))
        return;
    const FlatVar* var = &e->flat->vars.at[sweep.var];
    bool by_steps = setting->from && var->kind == VAR_MODE;
    if (by_steps ||
        (var->kind != VAR_PARAM && var->kind != VAR_STATE && var->kind != VAR_DISCRETE && var->kind != VAR_MODE))
    {
        Diag* diag = elab_error(e, K_BAD_SWEEP, setting->path->span, "`%s` cannot be swept", var->name);
        elab_help(
            e, diag,
            "sweep a parameter, the start value of a state or discrete variable, or the modes of a machine by name");
        return;
    }
    double number;
    for (uint32_t i = 0; i < setting->values.count; i++)
        if (sweep_number(e, &(Env){.instance = 0}, setting->values.at[i], sweep.var, false, &number))
            vec_push(e->arena, sweep.values, number);
    if (setting->from)
        sweep_steps(e, setting, &sweep);
    for (uint32_t i = 0; i < sweep.values.count && var->kind == VAR_PARAM; i++)
        if (bonds_change_with(e, sweep.var, sweep.values.at[i]))
            e->flat->vars.at[sweep.var].structural = true;
    vec_push(e->arena, e->flat->experiment.sweeps, sweep);
}

// ---- expect

static const char* source_text(Elab* e, Span span)
{
    if (span.file == 0)
        return "";
    const Source* source = &e->program->sources->list.at[span.file - 1];
    return arena_copy_string(e->arena, source->text + span.start, span.end - span.start);
}

// A value of one variable is read in its unit, anything else in SI units.
static FlatUnit unit_of_value(Elab* e, const Value* value)
{
    const Flat* flat = e->flat;
    const Node* node = &flat->nodes.at[value->node];
    FlatUnit plain = {.known = value->dim.kind == DIM_KNOWN, .si = {1, 0}};
    if (plain.known && !dim_is_none(&value->dim))
        plain.text = dim_text(e->arena, &value->dim);
    if (node->op < NODE_AT || node->op > NODE_GREATEST || node->op == NODE_COUNT || node->op == NODE_TIME_OF)
        return plain;
    const Node* of = &flat->nodes.at[node->arg[node_op_arity(node->op) - 1]];
    const FlatUnit* unit = of->op == NODE_VAR ? &flat->vars.at[of->aux].unit : NULL;
    return unit && unit->known && unit->text ? *unit : plain;
}

static void elaborate_target(Elab* e, const Env* env, const Setting* setting, Value value, FlatExpect* expect)
{
    Value target = elaborate_expr(e, env, setting->target), within = elaborate_expr(e, env, setting->within);
    bool fine = value_to_real(e, &value, setting->value->span);
    fine &= value_to_real(e, &target, setting->target->span);
    fine &= value_to_real(e, &within, setting->within->span);
    if (!fine)
        return;
    FlatUnit unit = unit_of_value(e, &value), difference = unit;
    difference.si.offset = 0;
    if (scale_is_si(unit.si))
        bare_beside(e, &value, &target, setting->target->span);
    value_in_unit(e, &target, &unit, setting->target, "the expected value");
    value_in_unit(e, &within, &difference, setting->within, "the tolerance");
    check_difference(e, setting->within);
    value_check_dim(e, &target, &value.dim, setting->target->span, "the expected value");
    value_check_dim(e, &within, &value.dim, setting->within->span, "the expected value");
    expect->unit = unit;
    expect->value = value.node;
    expect->target = target.node;
    expect->within = within.node;
}

static bool looks_at_run(const Flat* flat, NodeId n)
{
    const Node* node = &flat->nodes.at[n];
    if (node->op == NODE_VAR || (node->op >= NODE_AT && node->op <= NODE_GREATEST))
        return true;
    for (int i = 0; i < node_op_arity(node->op); i++)
        if (node->arg[i] && looks_at_run(flat, node->arg[i]))
            return true;
    return false;
}

// What holds whatever happens expects nothing.
static void check_expectation(Elab* e, const Setting* setting, const FlatExpect* expect)
{
    if (!expect->value || looks_at_run(e->flat, expect->value) || looks_at_run(e->flat, expect->target))
        return;
    Diag* diag =
        elab_error(e, K_EXPECT_NOTHING, setting->value->span, "this names nothing: it holds or fails whatever happens");
    elab_help(e, diag, "ask for something of it: `final(x)`, `at(t, x)`, `count(ev)`, `max(x)`");
}

static void elaborate_expect(Elab* e, const Setting* setting)
{
    Env env = {.instance = 0, .expect = true};
    FlatExpect expect = {.text = setting->text, .unit = {.si = {1, 0}}, .span = setting->span};
    expect.source =
        source_text(e, setting->within ? span_join(setting->value->span, setting->within->span) : setting->value->span);
    Value value = elaborate_expr(e, &env, setting->value);
    if (setting->target && setting->within)
        elaborate_target(e, &env, setting, value, &expect);
    else if (value_to_bool(e, &value, setting->value->span))
        expect.value = value.node;
    check_expectation(e, setting, &expect);
    vec_push(e->arena, e->flat->experiment.expects, expect);
}

// `--measure "top = max(y)"`: what `expect` could ask for, without a wish.
static void elaborate_measures(Elab* e)
{
    Env env = {.instance = 0, .expect = true};
    for (int i = 0; i < e->options->measure_count; i++)
    {
        const GivenSetting* given = &e->options->measures[i];
        const Expr* expr = elaborate_given_text(e, "--measure", given->text);
        if (expr->kind == EXPR_ERROR)
            continue;
        Value value = elaborate_expr(e, &env, expr);
        if (value.failed || (value.type != TYPE_BOOL && !value_to_real(e, &value, expr->span)))
            continue;
        FlatExpect measure = {.text = "", .measured = true, .span = expr->span, .value = value.node};
        measure.unit = unit_of_value(e, &value);
        measure.source = arena_copy_string(e->arena, given->name, strlen(given->name));
        vec_push(e->arena, e->flat->experiment.expects, measure);
    }
}

// ---- distributions

static void report_spread(Elab* e, const Expr* expr, uint32_t var)
{
    Diag* diag =
        elab_error(e, K_BAD_DISTRIBUTION, expr->span, "this is no distribution of `%s`", e->flat->vars.at[var].name);
    elab_help(e, diag,
              "write normal(mean, deviation), uniform(low, high), lognormal(median, deviation of the logarithm), "
              "triangular(low, likely, high) or exponential(rate)");
}

// Deviations are not negative, ends are in order, and what has a logarithm is positive.
static bool is_sound(const FlatSpread* spread)
{
    const double* v = spread->values.at;
    switch (spread->kind)
    {
    case SPREAD_NORMAL: return v[1] >= 0;
    case SPREAD_UNIFORM: return v[0] <= v[1];
    case SPREAD_LOGNORMAL: return v[0] > 0 && v[1] >= 0;
    case SPREAD_TRIANGULAR: return v[0] <= v[1] && v[1] <= v[2];
    default: return v[0] > 0;
    }
}

// exponential(rate): kept as the mean, in the unit of the variable. A rate without a unit is one per unit of it. That
// another unit fits is checked with the value without a draw, 1/rate.
static bool elaborate_rate(Elab* e, uint32_t var, const Expr* expr, double* mean)
{
    Value value;
    double rate;
    const FlatVar* v = &e->flat->vars.at[var];
    if (!elaborate_constant(e, e->vars.at[var].env, expr, TYPE_REAL, &value, &rate))
        return false;
    *mean = value.dim.kind == DIM_NUMBER ? 1 / rate : scale_difference(v->unit.si, 1 / rate);
    return true;
}

static void elaborate_spread(Elab* e, uint32_t var)
{
    const Expr* expr = e->vars.at[var].spread;
    FlatSpread spread = {.var = var, .kind = SPREAD_KINDS};
    bool call = expr->kind == EXPR_CALL && expr->path->steps.count == 1;
    for (int i = 0; call && i < SPREAD_KINDS; i++)
        if (strcmp(expr->path->steps.at[0].name, spread_rule((SpreadKind)i).word) == 0)
            spread.kind = (SpreadKind)i;
    if (spread.kind == SPREAD_KINDS || expr->items.count != spread_rule(spread.kind).count)
    {
        report_spread(e, expr, var);
        return;
    }
    for (uint32_t i = 0; i < expr->items.count; i++)
    {
        double number;
        Value value;
        bool plain = spread.kind == SPREAD_LOGNORMAL && i == 1;
        bool fine = spread.kind == SPREAD_EXPONENTIAL ? elaborate_rate(e, var, expr->items.at[i], &number)
                    : plain ? elaborate_constant(e, e->vars.at[var].env, expr->items.at[i], TYPE_REAL, &value, &number)
                            : sweep_number(e, e->vars.at[var].env, expr->items.at[i], var,
                                           spread.kind == SPREAD_NORMAL && i == 1, &number);
        if (!fine)
            return;
        vec_push(e->arena, spread.values, number);
    }
    if (is_sound(&spread))
        vec_push(e->arena, e->flat->experiment.spreads, spread);
    else
        report_spread(e, expr, var);
}

// ---- all together

static void elaborate_any(Elab* e, const Setting* setting)
{
    switch (setting->kind)
    {
    case SETTING_VALUE: elaborate_setting(e, setting); break;
    case SETTING_RECORD: elaborate_record(e, setting); break;
    case SETTING_PLOT: elaborate_plot(e, setting); break;
    case SETTING_SWEEP: elaborate_sweep(e, setting); break;
    case SETTING_EXPECT: elaborate_expect(e, setting); break;
    }
}

static void check_repeated(Elab* e, const Experiment* experiment, uint32_t index)
{
    const Setting* setting = experiment->settings.at[index];
    for (uint32_t i = 0; setting->kind == SETTING_VALUE && i < index; i++)
    {
        const Setting* before = experiment->settings.at[i];
        if (before->kind != SETTING_VALUE || before->name != setting->name)
            continue;
        Diag* diag = elab_error(e, K_BAD_SETTING, setting->name_span, "`%s` is set twice", setting->name);
        elab_note(e, diag, before->name_span, "first set here");
        elab_help(e, diag, "keep one");
        return;
    }
}

void elaborate_experiment(Elab* e, const Experiment* experiment)
{
    static const Experiment none;
    const Experiment* x = experiment ? experiment : &none;
    e->flat->experiment.name = x->name;
    e->flat->experiment.span = x->span;
    e->in_experiment = true;
    for (uint32_t i = 0; i < x->settings.count; i++)
    {
        check_repeated(e, x, i);
        elaborate_any(e, x->settings.at[i]);
    }
    elaborate_measures(e);
    for (uint32_t i = 0; i < e->flat->vars.count; i++)
        if (e->flat->vars.at[i].kind == VAR_PARAM && e->vars.at[i].spread != NULL)
            elaborate_spread(e, i);
    elaborate_given_settings(e);
    check_settings(e);
}
