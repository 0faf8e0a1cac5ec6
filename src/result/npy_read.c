// NPY and NPZ → sheet. The header of an array is a Python dictionary; of what it may hold we read what results have:
// one type, or a list of fields, little-endian, one dimension.
#include "base/error.h"
#include "result/sheet.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
    HEADER_MAX = 1 << 24
};

// ---- the dictionary

typedef struct Head
{
    char* text;
    size_t size;       // allocated
    size_t data;       // where the elements begin, counted from the beginning of the array
    const char* type;  // behind 'descr':
    uint64_t count;
    bool fine;
} Head;

static const char* after(const char* text, const char* key)
{
    const char* found = strstr(text, key);
    if (found == NULL)
        return NULL;
    found += strlen(key);
    return found + strspn(found, "\"': ");
}

static void head_free(Sheet* sheet, Head* head)
{
    memory_give(sheet->allocator, head->text, head->size);
    head->text = NULL;
}

// Reads the header of the array at `offset`. Not fine: it is none that can be read.
static Head read_head(Sheet* sheet, long long offset)
{
    Head head = {0};
    unsigned char first[12];
    if (!sheet_pread(sheet, offset, first, sizeof first) || memcmp(first, "\x93NUMPY", 6) != 0 || first[6] < 1 ||
        first[6] > 3)
        return head;
    size_t length = first[8] | (size_t)first[9] << 8, begin = 10;
    if (first[6] > 1)
        length |= (size_t)first[10] << 16 | (size_t)first[11] << 24, begin = 12;
    if (length > HEADER_MAX)
        return head;
    head.size = length + 1;
    head.text = memory_get(sheet->allocator, head.size);
    head.data = begin + length;
    if (head.text == NULL || !sheet_pread(sheet, offset + (long long)begin, head.text, length))
        return head;
    const char *order = strstr(head.text, "'fortran_order': False"), *shape = after(head.text, "'shape'");
    const char* descr = strstr(head.text, "'descr'");
    if (order == NULL || shape == NULL || descr == NULL || *shape != '(')
        return head;
    char* end;
    head.count = strtoull(shape + 1, &end, 10);
    const char* rest = *end == ',' ? end + 1 + strspn(end + 1, " ") : end;
    head.type = descr + 7 + strspn(descr + 7, ": ");
    head.fine = end != shape + 1 && *end == ',' && *rest == ')';
    return head;
}

// "<f8", "<i4", "<U7", "|S7", "|b1": what a cell is. False: something else.
static bool parse_type(const char* text, CellType* type, size_t* size)
{
    char order = text[0], letter = text[1];
    char* end;
    unsigned long number = strtoul(text + 2, &end, 10);
    if ((order != '<' && order != '|') || end == text + 2 || number == 0 || number > 100000)
        return false;
    *size = number;
    if (letter == 'f' && (number == 8 || number == 4))
        return *type = number == 8 ? CELL_DOUBLE : CELL_FLOAT, true;
    if ((letter == 'i' || letter == 'u' || letter == 'b') && (number == 1 || number == 2 || number == 4 || number == 8))
        return *type = CELL_INT, true;
    *type = letter == 'U' ? CELL_WIDE : CELL_BYTES;
    *size = letter == 'U' ? 4 * number : number;
    return letter == 'U' || letter == 'S';
}

// A Python string at `at`, quotes taken off, in place. NULL: there is none; otherwise *after_it stands behind it.
static char* take_string(char* at, char** after_it)
{
    char quote = *at;
    if (quote != '\'' && quote != '"')
        return NULL;
    char *out = at, *in = at + 1, *begin = at;
    for (; *in != quote && *in != 0; in++)
    {
        if (*in == '\\' && in[1] != 0)
            in++;
        *out++ = *in;
    }
    if (*in == 0)
        return NULL;
    *out = 0;
    *after_it = in + 1;
    return begin;
}

// ---- NPY: one stream of records

static bool add_field(Sheet* sheet, char** at, size_t* record)
{
    char *name, *type;
    CellType cell_type;
    size_t size;
    *at += strspn(*at, "( ");
    name = take_string(*at, at);
    if (name == NULL)
        return false;
    *at += strspn(*at, ", ");
    type = take_string(*at, at);
    if (type == NULL || !parse_type(type, &cell_type, &size))
        return false;
    Cell* cell = sheet_add(sheet, name, strlen(name), cell_type);
    if (cell == NULL)
        return false;
    cell->offset = *record;
    cell->size = size;
    *record += size;
    *at += strspn(*at, ") ,");
    return true;
}

kaiStatus npy_sheet(Sheet* sheet, kaiError* error)
{
    Head head = read_head(sheet, 0);
    size_t record = 0;
    int fields = 0;
    for (const char* at = head.fine ? head.type : ""; *at != 0; at++)
        fields += *at == '(';
    bool fine = head.fine && head.type[0] == '[' && sheet_allocate(sheet, fields, 1);
    char* at = head.fine ? head.text + (head.type - head.text) + 1 : NULL;
    while (fine && *at == '(')
        fine = add_field(sheet, &at, &record);
    fine = fine && *at == ']' && record > 0;
    if (fine)
    {
        sheet->rows = head.count;
        sheet->streams[0] = (Stream){.record = record, .offset = (long long)head.data};
        long long size = sheet_file_size(sheet);
        fine = head.count <= (uint64_t)(size > 0 ? size : 0) / record;
    }
    head_free(sheet, &head);
    if (!fine)
        return sheet_damaged(sheet, "its array is not one of records with numbers and texts, or it is cut off", error);
    return sheet_find_tags(sheet, error) ? KAI_OK : KAI_ERR_IO;
}

// ---- NPZ: a stream per column

typedef struct Directory
{
    unsigned char* bytes;
    size_t size;
    int count;
} Directory;

static uint32_t get32(const unsigned char* at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static unsigned get16(const unsigned char* at)
{
    return at[0] | (unsigned)at[1] << 8;
}

// The directory is told of by the last bytes of the file (a comment may follow them).
static bool read_directory(Sheet* sheet, Directory* directory)
{
    unsigned char tail[1024];
    long long size = sheet_file_size(sheet);
    size_t length = size < (long long)sizeof tail ? (size_t)(size > 0 ? size : 0) : sizeof tail;
    if (length < 22 || !sheet_pread(sheet, size - (long long)length, tail, length))
        return false;
    size_t at = length - 22;
    while (at > 0 && memcmp(tail + at, "PK\x05\x06", 4) != 0)
        at--;
    if (memcmp(tail + at, "PK\x05\x06", 4) != 0)
        return false;
    directory->count = (int)get16(tail + at + 10);
    directory->size = get32(tail + at + 12);
    long long offset = get32(tail + at + 16);
    if (offset + (long long)directory->size > size)
        return false;
    directory->bytes = memory_get(sheet->allocator, directory->size);
    return directory->bytes != NULL && sheet_pread(sheet, offset, directory->bytes, directory->size);
}

typedef struct Member
{
    const char* name;
    size_t name_length;  // without ".npy"
    long long offset;    // of its bytes
    uint32_t size;
} Member;

// The entry at *at of the directory, which then stands behind it. False: damaged, or compressed.
static bool next_member(const Sheet* sheet, const Directory* directory, size_t* at, Member* member)
{
    unsigned char local[30];
    const unsigned char* head = directory->bytes + *at;
    if (directory->size - *at < 46 || memcmp(head, "PK\x01\x02", 4) != 0 || get16(head + 10) != 0)
        return false;
    unsigned name = get16(head + 28);
    size_t whole = 46 + (size_t)name + get16(head + 30) + get16(head + 32);
    if (directory->size - *at < whole || name < 5 || memcmp(head + 46 + name - 4, ".npy", 4) != 0)
        return false;
    *member = (Member){(const char*)head + 46, name - 4, get32(head + 42), get32(head + 24)};
    if (!sheet_pread(sheet, member->offset, local, sizeof local))
        return false;
    member->offset += 30 + (long long)get16(local + 26) + get16(local + 28);
    *at += whole;
    return member->offset + member->size <= sheet_file_size(sheet);
}

static bool add_member(Sheet* sheet, const Member* member)
{
    Head head = read_head(sheet, member->offset);
    CellType type;
    size_t size;
    bool fine = head.fine && head.type[0] == '\'' && parse_type(head.type + 1, &type, &size) &&
                head.count <= member->size / size && (sheet->cell_count == 0 || head.count == sheet->rows);
    Cell* cell = fine ? sheet_add(sheet, member->name, member->name_length, type) : NULL;
    if (cell != NULL)
    {
        sheet->rows = head.count;
        cell->size = size;
        cell->stream = sheet->cell_count - 1;
        sheet->streams[cell->stream] = (Stream){.record = size, .offset = member->offset + (long long)head.data};
    }
    head_free(sheet, &head);
    return cell != NULL;
}

// ---- what it says about its columns

static bool is_called(const Member* member, const char* name)
{
    return member->name_length == strlen(name) && memcmp(member->name, name, member->name_length) == 0;
}

// Element k of an array of texts, ASCII or not, cut to the room; "" where there is none.
static void text_at(const Sheet* sheet, const Member* member, uint64_t k, char* text, size_t room)
{
    CellType type;
    size_t size, length = 0;
    uint32_t wide[400];
    Head head = read_head((Sheet*)sheet, member->offset);
    text[0] = 0;
    if (head.fine && parse_type(head.type + 1, &type, &size) && type == CELL_WIDE && k < head.count &&
        size <= sizeof wide && sheet_pread(sheet, member->offset + (long long)(head.data + k * size), wide, size))
        for (size_t i = 0; i < size / 4 && wide[i] != 0 && length + 4 < room; i++)
        {
            uint32_t c = wide[i];
            if (c >= 0x800)
                text[length++] = (char)(0xE0 | (c >> 12 & 0xF));
            if (c >= 0x80)
                text[length++] = (char)(c >= 0x800 ? 0x80 | (c >> 6 & 0x3F) : 0xC0 | (c >> 6 & 0x1F));
            text[length++] = (char)(c < 0x80 ? c : 0x80 | (c & 0x3F));
        }
    text[length] = 0;
    head_free((Sheet*)sheet, &head);
}

// The columns are in the same order as what is said about them, behind lead and tags.
static bool describe(Sheet* sheet, const Member* member)
{
    char text[400];
    uint64_t k = 0;
    if (is_called(member, "#remark"))
        return text_at(sheet, member, 0, sheet->remark, sizeof sheet->remark), true;
    for (int i = 0; i < sheet->cell_count; i++)
    {
        Cell* cell = &sheet->cells[i];
        if (cell->role != ROLE_COLUMN)
            continue;
        text_at(sheet, member, k++, text, sizeof text);
        if (is_called(member, "#units") && !sheet_set_unit(sheet, cell, text, strlen(text)))
            return false;
        if (is_called(member, "#kinds") && cell->kind == KAI_COLUMN_REAL)
            cell->kind = strcmp(text, "event") == 0  ? KAI_COLUMN_EVENT
                         : strcmp(text, "bool") == 0 ? KAI_COLUMN_BOOL
                                                     : KAI_COLUMN_REAL;
    }
    return true;
}

static bool each_member(Sheet* sheet, const Directory* directory, bool about)
{
    size_t at = 0;
    Member member;
    for (int i = 0; i < directory->count; i++)
    {
        if (!next_member(sheet, directory, &at, &member))
            return false;
        bool is_about = is_called(&member, "#names") || is_called(&member, "#units") || is_called(&member, "#kinds") ||
                        is_called(&member, "#remark");
        if (is_about == about && !(about ? describe(sheet, &member) : add_member(sheet, &member)))
            return false;
    }
    return true;
}

kaiStatus npz_sheet(Sheet* sheet, kaiError* error)
{
    Directory directory = {0};
    bool fine = read_directory(sheet, &directory) && sheet_allocate(sheet, directory.count, directory.count) &&
                each_member(sheet, &directory, false);
    if (fine)
        sheet->stream_count = sheet->cell_count;
    kaiStatus status = KAI_OK;
    if (!fine)
        status = sheet_damaged(sheet, "it is cut off, compressed, or not made of arrays of one length", error);
    else if (!sheet_find_tags(sheet, error))
        status = KAI_ERR_IO;
    else if (!each_member(sheet, &directory, true))
        status = error_memory(error);
    memory_give(sheet->allocator, directory.bytes, directory.size);
    return status;
}
