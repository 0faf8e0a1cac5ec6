// The union of the columns of several models, by name.
#include "study/columns.h"

#include <stdlib.h>
#include <string.h>

static int find_text(const char* const* texts, int count, const char* text)
{
    for (int i = 0; i < count; i++)
        if (strcmp(texts[i], text) == 0)
            return i;
    return -1;
}

// The nearest place from `hint` on: models of one family have their columns in nearly the same order.
static int find_column(const Columns* columns, const char* name, int hint)
{
    for (int i = 0; i < columns->count; i++)
    {
        int k = (hint + i) % columns->count;
        if (strcmp(columns->at[k].name, name) == 0)
            return k;
    }
    return -1;
}

// ---- adding
// ----------------------------------------------------------------------------------------------------------

static bool add_mode_names(kaiColumn* column, const kaiColumn* more)
{
    const char** names = malloc(sizeof *names * (size_t)(column->mode_count + more->mode_count + 1));
    if (names == NULL)
        return false;
    for (int i = 0; i < column->mode_count; i++)
        names[i] = column->mode_names[i];
    free((void*)column->mode_names);
    column->mode_names = names;
    for (int i = 0; i < more->mode_count; i++)
        if (find_text(names, column->mode_count, more->mode_names[i]) < 0)
        {
            if ((names[column->mode_count] = strdup(more->mode_names[i])) == NULL)
                return false;
            column->mode_count++;
        }
    return true;
}

static bool insert_column(Columns* columns, int place, const kaiColumn* column)
{
    if (columns->count == columns->capacity)
    {
        int capacity = 2 * columns->capacity + 16;
        kaiColumn* at = realloc(columns->at, sizeof *at * (size_t)capacity);
        if (at == NULL)
            return false;
        columns->at = at;
        columns->capacity = capacity;
    }
    kaiColumn made = {.name = strdup(column->name), .kind = column->kind, .impulse = column->impulse};
    if (column->unit != NULL)
        made.unit = strdup(column->unit);
    memmove(&columns->at[place + 1], &columns->at[place], sizeof made * (size_t)(columns->count - place));
    columns->at[place] = made;
    columns->count++;
    return made.name != NULL && (column->unit == NULL || made.unit != NULL);
}

bool columns_add(Columns* columns, const kaiColumn* more, int count)
{
    int place = 0;  // behind the last one found or made
    for (int i = 0; i < count; i++)
    {
        int found = find_column(columns, more[i].name, place);
        if (found < 0 && !insert_column(columns, found = place, &more[i]))
            return false;
        if (more[i].kind == KAI_COLUMN_MODE && !add_mode_names(&columns->at[found], &more[i]))
            return false;
        place = found + 1;
    }
    return true;
}

void columns_free(Columns* columns)
{
    for (int i = 0; i < columns->count; i++)
    {
        kaiColumn* column = &columns->at[i];
        for (int k = 0; k < column->mode_count; k++)
            free((void*)column->mode_names[k]);
        free((void*)column->mode_names);
        free((void*)column->name);
        free((void*)column->unit);
    }
    free(columns->at);
    *columns = (Columns){0};
}

// ---- mapping
// ---------------------------------------------------------------------------------------------------------

bool columnmap_open(ColumnMap* map, const Columns* to, const kaiColumn* from, int from_count)
{
    *map = (ColumnMap){.to = to, .from = from, .from_count = from_count};
    map->target = malloc(sizeof *map->target * (size_t)(from_count + 1));
    map->values = calloc((size_t)to->count + 1, sizeof *map->values);
    map->present = calloc((size_t)to->count + 1, 1);
    if (map->target == NULL || map->values == NULL || map->present == NULL)
        return false;
    for (int i = 0, hint = 0; i < from_count; i++, hint++)
        hint = map->target[i] = find_column(to, from[i].name, hint);
    return true;
}

static double mode_in(const kaiColumn* to, const kaiColumn* from, double value)
{
    int mode = (int)value;
    return mode >= 0 && mode < from->mode_count ? find_text(to->mode_names, to->mode_count, from->mode_names[mode])
                                                : value;
}

kaiRow columnmap_row(ColumnMap* map, const kaiRow* row)
{
    for (int i = 0; i < map->from_count; i++)
    {
        int k = map->target[i];
        map->present[k] = row->present[i];
        map->values[k] = map->from[i].kind == KAI_COLUMN_MODE ? mode_in(&map->to->at[k], &map->from[i], row->values[i])
                                                              : row->values[i];
    }
    return (kaiRow){row->t, row->p, row->m, map->values, map->present};
}

void columnmap_close(ColumnMap* map)
{
    free(map->target);
    free(map->values);
    free(map->present);
    *map = (ColumnMap){0};
}
