// `--list`: what a file offers to somebody who has not read it: its experiments, and the variables of the chosen model
// with unit, value before the run and description, in columns.
#include "base/text.h"
#include "elab/constant.h"
#include "elab/elaborate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Padded to `width` characters; the last column is not.
static void put_cell(Writer* list, const char* text, int width)
{
    writer_put(list, text);
    int used = 0;
    for (const char* at = text; *at; at++)
        used += ((unsigned char)*at & 0xC0) != 0x80;
    for (; used < width; used++)
        writer_put(list, " ");
}

static const char* kind_word(const FlatVar* var)
{
    static const char* const words[] = {
        [VAR_PARAM] = "param", [VAR_STATE] = "state", [VAR_DISCRETE] = "discrete", [VAR_SIGNAL] = "signal",
        [VAR_EVENT] = "event", [VAR_INPUT] = "input", [VAR_MODE] = "mode"};
    return var->kind == VAR_SIGNAL && var->output ? "output" : words[var->kind];
}

// In the declared unit, as the text would have it; empty if only the run knows it.
static const char* value_text(const Flat* flat, Arena* arena, const FlatVar* var)
{
    double value;
    if (var->kind == VAR_MODE)
    {
        const FlatMachine* machine = &flat->machines.at[var->machine];
        return machine->start < machine->modes.count ? machine->modes.at[machine->start].name : "";
    }
    if (var->init == 0 || !flat_eval_const(flat, var->init, &value))
        return var->kind == VAR_STATE && var->init == 0 ? "0" : "";
    if (var->type == TYPE_BOOL)
        return value != 0 ? "true" : "false";
    return arena_printf(arena, "%.10g", scale_from_si(var->unit.si, value));
}

enum
{
    COLUMNS = 5
};

static void fill_row(const Flat* flat, Arena* arena, const FlatVar* var, const char* row[COLUMNS])
{
    row[0] = var->name;
    row[1] = kind_word(var);
    row[2] = value_text(flat, arena, var);
    row[3] = var->unit.known && var->unit.text ? arena_printf(arena, "[%s]", var->unit.text) : "";
    row[4] = var->description ? var->description : "";
}

static void put_row(Writer* list, const char* const row[COLUMNS], const int width[COLUMNS])
{
    int last = COLUMNS - 1;
    while (last > 0 && row[last][0] == 0)
        last--;
    writer_put(list, "  ");
    for (int i = 0; i <= last; i++)
        put_cell(list, row[i], i < last ? width[i] + 2 : 0);
    writer_put(list, "\n");
}

static void put_variables(Writer* list, const Flat* flat)
{
    int width[COLUMNS] = {0};
    const char* row[COLUMNS];
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < flat->vars.count; i++)
        {
            if (flat->vars.at[i].hidden || flat->vars.at[i].inner)
                continue;
            fill_row(flat, list->arena, &flat->vars.at[i], row);
            for (int k = 0; pass == 0 && k < COLUMNS; k++)
                width[k] = (int)strlen(row[k]) > width[k] ? (int)strlen(row[k]) : width[k];
            if (pass == 1)
                put_row(list, row, width);
        }
}

char* names_print(const Program* program, const Flat* flat, Arena* arena)
{
    Writer list = {.arena = arena};
    if (program->experiments.count > 0)
        writer_put(&list, "experiments\n");
    for (uint32_t i = 0; i < program->experiments.count; i++)
        writer_put(&list, arena_printf(arena, "  %s of %s\n", program->experiments.at[i]->name,
                                       program->experiments.at[i]->model));
    writer_put(&list, arena_printf(arena, "%svariables of %s%s%s\n", program->experiments.count > 0 ? "\n" : "",
                                   flat->model_name, flat->experiment.name ? ", experiment " : "",
                                   flat->experiment.name ? flat->experiment.name : ""));
    put_variables(&list, flat);
    return writer_text(&list);
}
