// What an experiment asks for: settings, records, plots, sweeps, expectations.
#include "emit/builder.h"

#include <math.h>
#include <string.h>

static void build_settings(Builder* b)
{
    const FlatExperiment* x = &b->c.flat->experiment;
    ModelSettings* s = &b->draft.settings;
#define NUMBER(name, ...) s->name = x->has_##name ? x->name : NAN;
#define COUNT(name, ...) s->name = x->has_##name ? x->name : NAN;
#define WORD(name, ...) s->name = build_string(b, x->name);
#define MODEL_WORD(name, ...) s->name = build_string(b, x->name);
#include "settings/settings.def"
    b->draft.experiment = build_string(b, x->name);
}

static void build_records(Builder* b)
{
    const FlatExperiment* x = &b->c.flat->experiment;
    for (uint32_t i = 0; i < x->records.count; i++)
    {
        const FlatRecord* r = &x->records.at[i];
        vec_push(b->arena, b->records, (RecordSet){b->record_vars.count, r->vars.count, r->every});
        for (uint32_t k = 0; k < r->vars.count; k++)
            vec_push(b->arena, b->record_vars, r->vars.at[k]);
    }
    for (uint32_t i = 0; i < x->plots.count; i++)
    {
        const FlatPlot* p = &x->plots.at[i];
        vec_push(b->arena, b->plots, (PlotSet){b->plot_vars.count, p->vars.count, p->against});
        for (uint32_t k = 0; k < p->vars.count; k++)
            vec_push(b->arena, b->plot_vars, p->vars.at[k]);
    }
    for (uint32_t i = 0; i < x->sweeps.count; i++)
    {
        const FlatSweep* s = &x->sweeps.at[i];
        bool structural = b->c.flat->vars.at[s->var].structural;
        vec_push(b->arena, b->sweeps, (Sweep){s->var, b->numbers.count, s->values.count, structural});
        for (uint32_t k = 0; k < s->values.count; k++)
            vec_push(b->arena, b->numbers, s->values.at[k]);
    }
}

static void build_spreads(Builder* b)
{
    const FlatExperiment* x = &b->c.flat->experiment;
    for (uint32_t i = 0; i < x->spreads.count; i++)
    {
        const FlatSpread* s = &x->spreads.at[i];
        vec_push(b->arena, b->spreads, (ModelSpread){s->var, (uint8_t)s->kind, b->numbers.count, s->values.count});
        for (uint32_t k = 0; k < s->values.count; k++)
            vec_push(b->arena, b->numbers, s->values.at[k]);
    }
}

static void build_tables(Builder* b)
{
    const Flat* flat = b->c.flat;
    for (uint32_t i = 0; i < flat->tables.count; i++)
    {
        const FlatTable* t = &flat->tables.at[i];
        uint32_t rows = (uint32_t)t->rows;
        vec_push(b->arena, b->tables, (Table){b->numbers.count, b->numbers.count + rows, rows});
        for (uint32_t k = 0; k < 2 * rows; k++)
            vec_push(b->arena, b->numbers, k < rows ? t->x[k] : t->y[k - rows]);
    }
}

void build_experiment(Builder* b)
{
    build_spreads(b);
    build_settings(b);
    build_records(b);
    build_tables(b);
    const FlatExperiment* x = &b->c.flat->experiment;
    for (uint32_t i = 0; i < x->expects.count; i++)  // makes the probes
    {
        lower(&b->c, PHASE_REACT, x->expects.at[i].value);
        if (x->expects.at[i].target != 0)
        {
            lower(&b->c, PHASE_REACT, x->expects.at[i].target);
            lower(&b->c, PHASE_REACT, x->expects.at[i].within);
        }
    }
}

void build_expectations(Builder* b)
{
    const FlatExperiment* x = &b->c.flat->experiment;
    Emitter* e = &b->programs->emitter;
    uint32_t start = emit_begin(e);
    for (uint32_t i = 0; i < x->expects.count; i++)
    {
        const FlatExpect* w = &x->expects.at[i];
        Expectation made = {.target = NO_REG,
                            .within = NO_REG,
                            .text = build_string(b, w->text),
                            .source = build_string(b, w->source),
                            .unit = build_string(b, w->unit.text),
                            .scale = w->unit.si.scale,
                            .offset = w->unit.si.offset,
                            .place = build_place(b, w->span),
                            .measured = w->measured};
        Lowered value = lower(&b->c, PHASE_REACT, w->value);
        made.value = emit_value(e, value.value);
        made.value_present = emit_value(e, value.present);
        if (w->target != 0)
        {
            made.target = emit_value(e, lower(&b->c, PHASE_REACT, w->target).value);
            made.within = emit_value(e, lower(&b->c, PHASE_REACT, w->within).value);
        }
        vec_push(b->arena, b->expectations, made);
    }
    b->draft.expect = emit_end(e, start);
}
