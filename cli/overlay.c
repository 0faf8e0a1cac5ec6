// A measured table over a figure: a CSV file of any program, time first. Its columns are matched to the signals of the
// figure by name, with or without units; a table of one column belongs to the only signal there is.
#include "cli/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    FIELDS_MAX = 64,
    LINE_MAX_LENGTH = 8192
};

typedef struct Overlay
{
    int column[FIELDS_MAX];  // of the figure, per field; -1: none
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

static void match(Overlay* o, char* const* fields, int count, const kaiColumn* columns, int column_count)
{
    o->fields = count;
    for (int i = 1; i < count; i++)
    {
        char* unit = strstr(fields[i], " [");
        if (unit != NULL)
            *unit = 0;
        o->column[i] = -1;
        for (int k = 0; k < column_count && o->column[i] < 0; k++)
            if (strcmp(columns[k].name, fields[i]) == 0)
                o->column[i] = k, o->matched++;
    }
}

// One value beside the time, and one signal: they belong together whatever they are called.
static void match_only(Overlay* o, const kaiColumn* columns, int column_count, const Panels* panels)
{
    for (int k = 0; o->matched == 0 && o->fields == 2 && panels->name_count == 1 && k < column_count; k++)
        if (strcmp(columns[k].name, panels->names[0]) == 0)
            o->column[1] = k, o->matched = 1;
}

static bool draw_rows(kaiFigure* figure, const Overlay* o, FILE* file, char* line, double* values, uint8_t* present,
                      int column_count)
{
    char* fields[FIELDS_MAX];
    do
    {
        int count = split(line, fields);
        double t;
        if (count < 2 || !parse_number(fields[0], &t))
            continue;
        memset(present, 0, (size_t)column_count);
        for (int i = 1; i < count && i < o->fields; i++)
            if (o->column[i] >= 0)
                present[o->column[i]] = parse_number(fields[i], &values[o->column[i]]);
        if (kaiFigure_Row(figure, &(kaiRow){t, 0, 0, values, present}) < 0)
            return false;
    } while (fgets(line, LINE_MAX_LENGTH, file) != NULL);
    return true;
}

static bool draw(kaiFigure* figure, FILE* file, const char* path, const kaiColumn* columns, int count,
                 const Panels* panels)
{
    char line[LINE_MAX_LENGTH], *fields[FIELDS_MAX], first[LINE_MAX_LENGTH];
    Overlay o = {0};
    double* values = calloc((size_t)count + 1, sizeof *values);
    uint8_t* present = calloc((size_t)count + 1, 1);
    bool good = values != NULL && present != NULL && fgets(line, sizeof line, file) != NULL;
    if (good)
    {
        memcpy(first, line, sizeof first);
        int found = split(line, fields);
        bool header = found > 0 && !is_number(fields[0]);
        match(&o, fields, found, columns, count);
        match_only(&o, columns, count, panels);
        if (header && fgets(first, sizeof first, file) == NULL)
            first[0] = 0;
    }
    const char* name = strrchr(path, '/');
    if (good && o.matched == 0)
        usage_error("--overlay %s: none of its columns is drawn here; name them as the signals", path), good = false;
    if (good)
        good = kaiFigure_BeginPoints(figure, name != NULL ? name + 1 : path) == KAI_OK &&
               draw_rows(figure, &o, file, first, values, present, count);
    free(values);
    free(present);
    return good;
}

bool overlay_draw(kaiFigure* figure, const char* path, const kaiColumn* columns, int count, const Panels* panels)
{
    if (path == NULL || figure == NULL)
        return true;
    FILE* file = fopen(path, "r");
    if (file == NULL)
    {
        fprintf(stderr, "kairos: --overlay %s cannot be read\n", path);
        return false;
    }
    bool good = draw(figure, file, path, columns, count, panels);
    fclose(file);
    return good;
}
