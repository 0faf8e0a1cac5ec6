// A measured table over a figure: a CSV file of any program, time first. Its columns are matched to the signals of the
// figure by name, with or without units; a table of one column belongs to the only signal there is.
#include "cli/figure.h"
#include "cli/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    FIELDS_MAX = 64
};

typedef struct Overlay
{
    int column[FIELDS_MAX];  // of the figure, per field; -1: none
    kaiConversion unit[FIELDS_MAX];
    int fields;
    int matched;
} Overlay;

// Cuts a line into its fields, without quotes and the blanks around them.
static int split(char* line, char* fields[FIELDS_MAX])
{
    int count = 0;
    for (char* at = line; at != NULL && count < FIELDS_MAX;)
    {
        char* end = strpbrk(at, ",;\t\r\n");
        bool last = end == NULL || *end == '\r' || *end == '\n';
        if (end != NULL)
            *end = 0;
        at += strspn(at, " \"");
        size_t length = strlen(at);
        while (length > 0 && (at[length - 1] == ' ' || at[length - 1] == '"'))
            at[--length] = 0;
        fields[count++] = at;
        at = last ? NULL : end + 1;
    }
    return count;
}

static bool is_number(const char* text)
{
    double value;
    return parse_number(text, &value);
}

static void set_unit(Overlay* o, int field, const char* unit, const char* wanted)
{
    o->unit[field] = (kaiConversion){1, 1, 0};
    if (unit != NULL && wanted != NULL && !kaiUnit_Convert(unit, wanted, &o->unit[field]))
        fprintf(stderr, "kairos: warning: --overlay: a column in %s is drawn as if it were in %s\n", unit, wanted);
}

static double in_unit(const Overlay* o, int field, double value)
{
    return value * o->unit[field].factor / o->unit[field].divisor + o->unit[field].offset;
}

static void match(Overlay* o, char* const* fields, int count, const kaiColumn* columns, int column_count)
{
    o->fields = count;
    set_unit(o, 0, table_cut_unit(fields[0]), "s");
    for (int i = 1; i < count; i++)
    {
        const char* unit = table_cut_unit(fields[i]);
        o->column[i] = -1;
        for (int k = 0; k < column_count && o->column[i] < 0; k++)
            if (strcmp(columns[k].name, fields[i]) == 0)
                o->column[i] = k, o->matched++;
        set_unit(o, i, unit, o->column[i] >= 0 ? columns[o->column[i]].unit : NULL);
    }
}

// One value beside the time, and one signal: they belong together whatever they are called.
static void match_only(Overlay* o, const kaiColumn* columns, int column_count, const Panels* panels)
{
    for (int k = 0; o->matched == 0 && o->fields == 2 && panels->name_count == 1 && k < column_count; k++)
        if (strcmp(columns[k].name, panels->names[0]) == 0)
            o->column[1] = k, o->matched = 1;
}

static bool take_value(const Overlay* o, int field, const char* text, double* value)
{
    bool there = parse_number(text, value);
    if (there)
        *value = in_unit(o, field, *value);
    return there;
}

// The line in work and all behind it.
static bool draw_rows(kaiFigure* figure, const Overlay* o, TableFile* file, double* values, uint8_t* present,
                      int column_count)
{
    char* fields[FIELDS_MAX];
    for (int code = EXIT_DONE; file->text != NULL || code != EXIT_DONE; code = table_file_next(file))
    {
        int count = code == EXIT_DONE ? split(file->text, fields) : 0;
        double t;
        if (code != EXIT_DONE)
            return false;
        if (count < 2 || !parse_number(fields[0], &t))
            continue;
        memset(present, 0, (size_t)column_count);
        for (int i = 1; i < count && i < o->fields; i++)
            if (o->column[i] >= 0)
                present[o->column[i]] = take_value(o, i, fields[i], &values[o->column[i]]);
        if (kaiFigure_Row(figure, &(kaiRow){in_unit(o, 0, t), 0, 0, values, present}) < 0)
            return false;
    }
    return true;
}

// Which field belongs to which column. A first line that begins with a number is a row already, and stays.
static bool read_names(Overlay* o, TableFile* file, const kaiColumn* columns, int count, const Panels* panels)
{
    char* fields[FIELDS_MAX];
    char* copy = file->text != NULL ? strdup(file->text) : NULL;
    if (copy == NULL)
        return fprintf(stderr, "kairos: --overlay %s has no line\n", file->path), false;
    int found = split(copy, fields);
    bool header = !is_number(fields[0]);
    match(o, fields, found, columns, count);
    match_only(o, columns, count, panels);
    free(copy);
    if (o->matched == 0)
        usage_error("--overlay %s: none of its columns is drawn here; name them as the signals", file->path);
    return o->matched > 0 && (!header || table_file_next(file) == EXIT_DONE);
}

static bool draw(kaiFigure* figure, TableFile* file, const kaiColumn* columns, int count, const Panels* panels)
{
    Overlay o = {0};
    double* values = calloc((size_t)count + 1, sizeof *values);
    uint8_t* present = calloc((size_t)count + 1, 1);
    const char* name = strrchr(file->path, '/');
    bool good = values != NULL && present != NULL && read_names(&o, file, columns, count, panels) &&
                kaiFigure_BeginPoints(figure, name != NULL ? name + 1 : file->path) == KAI_OK &&
                draw_rows(figure, &o, file, values, present, count);
    free(values);
    free(present);
    return good;
}

bool overlay_draw(kaiFigure* figure, const char* path, const kaiColumn* columns, int count, const Panels* panels)
{
    if (path == NULL || figure == NULL)
        return true;
    TableFile file;
    bool good = table_file_open(&file, path) == EXIT_DONE && table_file_next(&file) == EXIT_DONE &&
                draw(figure, &file, columns, count, panels);
    table_file_close(&file);
    return good;
}
