// MAT version 4 → sheet: trajectories ("binTrans"), ours and those of Dymola and OpenModelica. Parameters are not
// columns; names of modes, units and what leads a sweep come from the descriptions.
#include "base/error.h"
#include "result/sheet.h"

#include <stdlib.h>

enum
{
    MATRIX_MAX = 16,
    VARIABLES_MAX = 1 << 24
};

typedef struct Matrix
{
    char name[24];
    int32_t type, rows, columns;
    long long offset;
} Matrix;

static size_t element_size(int32_t type)
{
    static const size_t sizes[] = {8, 4, 4, 2, 2, 1};
    int32_t kind = type % 100 / 10;
    return type >= 0 && type < 100 && kind < 6 ? sizes[kind] : 0;
}

// The matrix at *offset, which then stands behind it. False: there is none.
static bool next_matrix(const Sheet* sheet, long long* offset, Matrix* matrix)
{
    int32_t head[5];
    if (!sheet_pread(sheet, *offset, head, sizeof head))
        return false;
    size_t size = element_size(head[0]);
    if (size == 0 || head[1] < 0 || head[2] < 0 || head[3] != 0 || head[4] < 1 ||
        head[4] > (int32_t)sizeof matrix->name)
        return false;
    *matrix = (Matrix){.type = head[0], .rows = head[1], .columns = head[2]};
    if (!sheet_pread(sheet, *offset + (long long)sizeof head, matrix->name, (size_t)head[4]))
        return false;
    matrix->name[sizeof matrix->name - 1] = 0;
    matrix->offset = *offset + (long long)sizeof head + head[4];
    double bytes = (double)head[1] * head[2] * (double)size;
    if (!(bytes <= (double)sheet_file_size(sheet)))
        return false;
    *offset = matrix->offset + (long long)bytes;
    return *offset <= sheet_file_size(sheet);
}

typedef struct Matrices
{
    Matrix at[MATRIX_MAX];
    int count;
} Matrices;

static const Matrix* find(const Matrices* all, const char* name)
{
    for (int i = 0; i < all->count; i++)
        if (strcmp(all->at[i].name, name) == 0)
            return &all->at[i];
    return NULL;
}

// Column k of a matrix of texts, without what fills it up.
static bool text_of(const Sheet* sheet, const Matrix* matrix, int k, char* text, size_t size)
{
    size_t length = (size_t)matrix->rows < size ? (size_t)matrix->rows : size - 1;
    text[0] = 0;
    if (k >= matrix->columns || !sheet_pread(sheet, matrix->offset + (long long)k * matrix->rows, text, length))
        return false;
    text[length] = 0;
    for (length = strlen(text); length > 0 && text[length - 1] == ' ';)
        text[--length] = 0;
    return true;
}

// "modes a, b", "event", "lead", "… [unit]"
static bool describe(Sheet* sheet, Cell* cell, char* text)
{
    if (strcmp(text, "lead") == 0)
        cell->role = ROLE_LEAD;
    else if (strcmp(text, "event") == 0)
        cell->kind = KAI_COLUMN_EVENT;
    else if (strncmp(text, "modes ", 6) == 0)
    {
        cell->kind = KAI_COLUMN_MODE;
        for (char *at = text + 6, *next; at != NULL; at = next)
        {
            next = strstr(at, ", ");
            size_t length = next != NULL ? (size_t)(next - at) : strlen(at);
            if (!sheet_add_mode(sheet, cell, at, length))
                return false;
            next = next != NULL ? next + 2 : NULL;
        }
    }
    else
    {
        char *open = strrchr(text, '['), *close = strrchr(text, ']');
        if (open != NULL && close > open)
            return sheet_set_unit(sheet, cell, open + 1, (size_t)(close - open - 1));
    }
    return true;
}

static bool add_variable(Sheet* sheet, const Matrices* all, const Matrix* data, int k)
{
    char name[1000], about[1000];
    int32_t info[4];
    const Matrix* info_matrix = find(all, "dataInfo");
    if (!sheet_pread(sheet, info_matrix->offset + (long long)sizeof info * k, info, sizeof info) ||
        !text_of(sheet, find(all, "name"), k, name, sizeof name))
        return false;
    int64_t row = llabs((int64_t)info[1]);
    if (info[0] == 1)
        return true;
    if ((info[0] != 0 && info[0] != 2) || row < 1 || row > data->rows)
        return false;
    Cell* cell = sheet_add(sheet, name, strlen(name), data->type == 0 ? CELL_DOUBLE : CELL_FLOAT);
    if (cell == NULL)
        return false;
    cell->size = element_size(data->type);
    cell->offset = cell->size * (size_t)(row - 1);
    const Matrix* description = find(all, "description");
    if (description == NULL || description->type != 51 || !text_of(sheet, description, k, about, sizeof about))
        return true;
    return describe(sheet, cell, about);
}

static bool is_trajectory(const Sheet* sheet, const Matrices* all)
{
    char lines[44];
    const Matrix* class = find(all, "Aclass"), *name = find(all, "name"), *info = find(all, "dataInfo");
    bool fine = class != NULL && class->type == 51 && class->rows == 4 && class->columns == 11 && name != NULL &&
                name->type == 51 && info != NULL && info->type == 20 && info->rows == 4 &&
                info->columns == name->columns && name->columns < VARIABLES_MAX &&
                sheet_pread(sheet, class->offset, lines, sizeof lines);
    return fine && lines[3] == 'b' && lines[15] == 'T';  // binTrans, read down the columns
}

static void read_remark(Sheet* sheet, const Matrix* remark)
{
    size_t length = (size_t)remark->columns < sizeof sheet->remark ? (size_t)remark->columns : sizeof sheet->remark - 1;
    if (remark->type == 51 && remark->rows == 1 && sheet_pread(sheet, remark->offset, sheet->remark, length))
        sheet->remark[length] = 0;
}

kaiStatus mat_sheet(Sheet* sheet, kaiError* error)
{
    Matrices all = {.count = 0};
    long long offset = 0;
    while (all.count < MATRIX_MAX && next_matrix(sheet, &offset, &all.at[all.count]))
        all.count++;
    const Matrix* data = find(&all, "data_2");
    if (data == NULL || (data->type != 0 && data->type != 10) || !is_trajectory(sheet, &all))
        return sheet_damaged(sheet, "it is no trajectory in MAT version 4 (binTrans), or it is cut off", error);
    int count = find(&all, "name")->columns;
    if (!sheet_allocate(sheet, count, 1))
        return error_memory(error);
    for (int k = 0; k < count; k++)
        if (!add_variable(sheet, &all, data, k))
            return sheet_damaged(sheet, "its dataInfo does not fit to its data", error);
    sheet->rows = (uint64_t)data->columns;
    sheet->streams[0] = (Stream){.record = element_size(data->type) * (size_t)data->rows, .offset = data->offset};
    if (find(&all, "remark") != NULL)
        read_remark(sheet, find(&all, "remark"));
    return sheet_find_tags(sheet, error) ? KAI_OK : KAI_ERR_IO;
}
