// table("file.csv", x), row("file.csv", n, column), rows("file.csv", x): columns of numbers, read once when the model
// is compiled. The first column ascends.
#include "elab/elab.h"

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

// The number in a column of the line, from 1. False if it has none. Nothing beyond the end of the line is read: blanks
// do not include it.
static bool parse_column(const char* line, int column, double* value)
{
    for (; column > 0; column--)
    {
        char* end;
        line += strspn(line, " \t,;");
        if (*line == 0 || *line == '\r' || *line == '\n')
            return false;
        *value = strtod(line, &end);
        if (end == line)
            return false;
        line = end;
    }
    return true;
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

static const char* read_rows(Elab* e, const char* line, int column, Column* xs, Column* ys)
{
    for (int number = 1; *line; number++, line = next_line(line))
    {
        double x = 0, y = 0;
        if (is_blank(line))
            continue;
        if (!parse_column(line, 1, &x) || !parse_column(line, column, &y))
        {
            if (xs->count == 0 && number == 1)
                continue;  // a heading
            return arena_printf(e->arena, "line %d does not begin with %d number%s", number, column,
                                column == 1 ? "" : "s");
        }
        if (xs->count > 0 && !(x > xs->at[xs->count - 1]))
            return arena_printf(e->arena, "the first column does not ascend at line %d", number);
        vec_push(e->arena, *xs, x);
        vec_push(e->arena, *ys, y);
    }
    return xs->count < 1 ? "it has no rows" : NULL;
}

bool table_read(Elab* e, const Expr* file, const TableForm* form, uint32_t* index)
{
    const char* path = resolve_path(e, file->string, file->span);
    for (*index = 0; *index < e->flat->tables.count; ++*index)
    {
        const FlatTable* known = &e->flat->tables.at[*index];
        if (strcmp(known->path, path) == 0 && known->column == form->column && known->by_row == form->by_row)
            return true;
    }
    Sources* sources = e->program->sources;
    Column xs = {0}, ys = {0};
    uint32_t source;
    kaiFileRequest request = {
        .path = path, .importer = sources->list.at[file->span.file - 1].path, .use = KAI_FILE_TABLE};
    FileOutcome outcome = sources_read(sources, &request, &source);
    const char* problem =
        outcome == FILE_DONE ? read_rows(e, sources->list.at[source].text, form->column, &xs, &ys) : sources->why;
    if (outcome == FILE_REFUSED)
    {
        program_refuse(e->program, file->span, file->string);
        return false;
    }
    if (problem)
    {
        Diag* diag = elab_error(e, K_BAD_TABLE, file->span, "cannot use table `%s`: %s", file->string, problem);
        elab_help(e, diag, "a table has columns of numbers, the first ascending, and may have a heading");
        return false;
    }
    for (uint32_t i = 0; form->by_row && i < xs.count; i++)
        xs.at[i] = i + 1;
    FlatTable table = {.path = path, .column = form->column, .by_row = form->by_row, .rows = (int)xs.count};
    table.x = xs.at;
    table.y = ys.at;
    table.span = file->span;
    vec_push(e->arena, e->flat->tables, table);
    return true;
}
