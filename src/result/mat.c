// MAT version 4: a trajectory in the form that Dymola, OpenModelica and MATLAB's scripts for them read. Six matrices in
// this order: Aclass (what it is: "binTrans", names and data transposed), name and description (a column per variable,
// ended by zeros), dataInfo (a column per variable: table, row of it, interpolation, extrapolation), data_1 (what does
// not change: start and stop of time, parameters) and data_2 (a column per row of the result). Because of "Trans" rows
// can be appended: only the number of columns and the stop time are written at the end.
#include "base/error.h"
#include "result/format.h"

#include <stdio.h>

enum
{
    MAT_DOUBLE = 0,
    MAT_INT = 20,
    MAT_TEXT = 51,
    DESCRIPTION_MAX = 400
};

typedef struct Mat
{
    long long stop_at, columns_at;  // where the stop time and the number of columns of data_2 stand
    double last;
    bool started;
    double start;
} Mat;

// ---- variables: time, then what changes (p, m, lead, columns), then constants

static int changing_count(const kaiWriter* w)
{
    return 3 + w->options.lead_count + w->column_count;
}

static const char* variable_name(const kaiWriter* w, int index)
{
    int lead = w->options.lead_count;
    if (index == 0)
        return "time";
    if (index < 3)
        return result_tag_name(w, index);
    if (index < 3 + lead)
        return w->options.lead_names[index - 3];
    if (index < changing_count(w))
        return w->columns[index - 3 - lead].name;
    return w->options.constants[index - changing_count(w)].name;
}

// "modes falling, resting": the numbers of a mode count from 0 in this order.
static void describe_modes(const kaiColumn* column, char* text, size_t size)
{
    size_t length = (size_t)snprintf(text, size, "modes ");
    for (int i = 0; i < column->mode_count && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? ", " : "", column->mode_names[i]);
}

static void describe(const kaiWriter* w, int index, char* text, size_t size)
{
    int column = index - 3 - w->options.lead_count;
    text[0] = 0;
    if (index == 0)
        snprintf(text, size, "Time [s]");
    else if (index < 3)
        snprintf(text, size, "%s", index == 1 ? "jumps of this time so far" : "reactions since the jump");
    else if (index >= changing_count(w))
    {
        const kaiConstant* c = &w->options.constants[index - changing_count(w)];
        bool both = c->description != NULL && c->unit != NULL;
        snprintf(text, size, "%s%s%s%s%s", c->description != NULL ? c->description : "", both ? " " : "",
                 c->unit != NULL ? "[" : "", c->unit != NULL ? c->unit : "", c->unit != NULL ? "]" : "");
    }
    else if (column < 0)
        snprintf(text, size, "lead");
    else if (w->columns[column].kind == KAI_COLUMN_MODE)
        describe_modes(&w->columns[column], text, size);
    else if (w->columns[column].kind == KAI_COLUMN_EVENT)
        snprintf(text, size, "event");
    else if (w->columns[column].unit != NULL)
        snprintf(text, size, "[%s]", w->columns[column].unit);
}

// ---- matrices

static void put_head(kaiWriter* w, const char* name, int32_t type, int32_t rows, int32_t columns)
{
    int32_t head[5] = {type, rows, columns, 0, (int32_t)strlen(name) + 1};
    result_put(w, head, sizeof head);
    result_put(w, name, strlen(name) + 1);
}

static void put_class(kaiWriter* w)
{
    static const char* const lines[4] = {"Atrajectory", "1.1        ", "           ", "binTrans   "};
    put_head(w, "Aclass", MAT_TEXT, 4, 11);
    for (int column = 0; column < 11; column++)
        for (int line = 0; line < 4; line++)
            result_put(w, &lines[line][column], 1);
}

static void text_of(const kaiWriter* w, bool names, int index, char text[DESCRIPTION_MAX])
{
    if (names)
        snprintf(text, DESCRIPTION_MAX, "%s", variable_name(w, index));
    else
        describe(w, index, text, DESCRIPTION_MAX);
}

static void put_texts(kaiWriter* w, const char* matrix, bool names, int count)
{
    char text[DESCRIPTION_MAX];
    size_t longest = 0;
    for (int i = 0; i < count; i++)
    {
        text_of(w, names, i, text);
        longest = strlen(text) > longest ? strlen(text) : longest;
    }
    put_head(w, matrix, MAT_TEXT, (int32_t)longest + 1, count);  // a zero ends the longest too
    for (int i = 0; i < count; i++)
    {
        memset(text, 0, sizeof text);
        text_of(w, names, i, text);
        for (size_t k = strlen(text); k < sizeof text; k++)
            text[k] = 0;
        result_put(w, text, longest + 1);
    }
}

static void put_info(kaiWriter* w, int count)
{
    put_head(w, "dataInfo", MAT_INT, 4, count);
    for (int i = 0; i < count; i++)
    {
        bool constant = i >= changing_count(w);
        int32_t info[4] = {i == 0 ? 0 : constant ? 1 : 2, constant ? i - changing_count(w) + 2 : i + 1, 0, -1};
        result_put(w, info, sizeof info);
    }
}

static void put_constants(kaiWriter* w, Mat* mat)
{
    int count = w->options.constant_count;
    put_head(w, "data_1", MAT_DOUBLE, count + 1, 2);
    for (int column = 0; column < 2; column++)
    {
        mat->stop_at = result_position(w);
        result_put(w, &w->options.start, sizeof(double));
        for (int i = 0; i < count; i++)
            result_put(w, &w->options.constants[i].value, sizeof(double));
    }
}

static kaiStatus mat_open(kaiWriter* w, kaiError* error)
{
    Mat* mat = memory_get(w->allocator, sizeof *mat);
    w->own = mat;
    if (mat == NULL)
        return error_memory(error);
    int count = changing_count(w) + w->options.constant_count;
    put_class(w);
    put_texts(w, "name", true, count);
    put_texts(w, "description", false, count);
    put_info(w, count);
    put_constants(w, mat);
    mat->columns_at = result_position(w) + 8;
    put_head(w, "data_2", MAT_DOUBLE, changing_count(w), 0);
    return w->status;
}

static kaiStatus mat_row(kaiWriter* w, const kaiRow* row)
{
    Mat* mat = w->own;
    double tag[3] = {row->t, row->p, row->m};
    if (!mat->started)
        mat->start = row->t;
    mat->started = true;
    mat->last = row->t;
    result_put(w, tag, sizeof tag);
    result_put(w, w->lead, sizeof *w->lead * (size_t)w->options.lead_count);
    for (int i = 0; i < w->column_count; i++)
    {
        double value = result_value(row, i);
        result_put(w, &value, sizeof value);
    }
    return w->rows < INT32_MAX ? w->status : KAI_ERR_LIMIT;
}

static kaiStatus mat_close(kaiWriter* w, const char* remark)
{
    const Mat* mat = w->own;
    if (remark != NULL && remark[0] != 0)  // behind what the readers of trajectories look at
    {
        put_head(w, "remark", MAT_TEXT, 1, (int32_t)strlen(remark));
        result_text(w, remark);
    }
    int32_t columns = (int32_t)w->rows;
    long long start_at = mat->stop_at - (long long)sizeof(double) * (w->options.constant_count + 1);
    if (mat->started)
    {
        result_patch(w, start_at, &mat->start, sizeof mat->start);
        result_patch(w, mat->stop_at, &mat->last, sizeof mat->last);
    }
    result_patch(w, mat->columns_at, &columns, sizeof columns);
    return w->status;
}

static void mat_free(kaiWriter* w)
{
    memory_give(w->allocator, w->own, sizeof(Mat));
}

const Format format_mat = {
    "mat", "MATLAB version 4, as Dymola and OpenModelica write it", true, mat_open, mat_row, NULL, mat_close, mat_free};
