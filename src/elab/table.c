// table("file.csv", x): two columns of numbers, read once when the model is compiled.
#include "elab/elab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef VEC(double) Column;

// Relative to the file it is written in.
static const char* resolve_path(Elab* e, const char* path, Span span)
{
    if (path[0] == '/' || span.file == 0)
        return path;
    const char* importer = e->program->sources->list.at[span.file - 1].path;
    const char* slash = strrchr(importer, '/');
    return slash ? arena_printf(e->arena, "%.*s/%s", (int)(slash - importer), importer, path) : path;
}

// False if the line has no two numbers. Nothing beyond the end of the line is read: blanks do not include it.
static bool parse_row(const char* line, double* x, double* y)
{
    char* end;
    *x = strtod(line, &end);
    if (end == line)
        return false;
    const char* rest = end + strspn(end, " \t,;");
    if (*rest == '\r' || *rest == '\n')
        return false;
    *y = strtod(rest, &end);
    return end != rest;
}

static bool is_blank(const char* line)
{
    line += strspn(line, " \t\r");
    return *line == 0 || *line == '\n' || *line == '#' || (line[0] == '/' && line[1] == '/');
}

static const char* next_line(const char* line)
{
    const char* end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

static const char* read_rows(Elab* e, const char* line, Column* xs, Column* ys)
{
    for (int number = 1; *line; number++, line = next_line(line))
    {
        double x, y;
        if (is_blank(line))
            continue;
        if (!parse_row(line, &x, &y))
        {
            if (xs->count == 0 && number == 1)
                continue;  // a heading
            return arena_printf(e->arena, "line %d does not begin with two numbers", number);
        }
        if (xs->count > 0 && !(x > xs->at[xs->count - 1]))
            return arena_printf(e->arena, "the first column does not ascend at line %d", number);
        vec_push(e->arena, *xs, x);
        vec_push(e->arena, *ys, y);
    }
    return xs->count < 1 ? "it has no rows" : NULL;
}

bool table_read(Elab* e, const char* name, Span span, uint32_t* index)
{
    const char* path = resolve_path(e, name, span);
    for (*index = 0; *index < e->flat->tables.count; ++*index)
        if (strcmp(e->flat->tables.at[*index].path, path) == 0)
            return true;
    Sources* sources = e->program->sources;
    Column xs = {0}, ys = {0};
    uint32_t source;
    bool readable = sources_read(sources, path, &source);
    const char* problem = readable ? read_rows(e, sources->list.at[source].text, &xs, &ys) : strerror(errno);
    if (problem)
    {
        Diag* diag = elab_error(e, K_BAD_TABLE, span, "cannot use table `%s`: %s", name, problem);
        elab_help(e, diag, "a table has two columns of numbers, the first ascending, and may have a heading");
        return false;
    }
    FlatTable table = {.path = path, .rows = (int)xs.count, .x = xs.at, .y = ys.at, .span = span};
    vec_push(e->arena, e->flat->tables, table);
    return true;
}
