// Rows and firings → chunks of a page. A chunk is one line of base64: a number that says of what, the run, the count,
// then packed columns: of rows t, p, m and all columns, of firings t, p, m and the number of the cause.
#include "plot/page.h"

#include "base/error.h"
#include "plot/canvas.h"
#include "plot/pack.h"

#include <math.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum
{
    PAGE_ROWS,
    PAGE_FIRED,
    TAG_COLUMNS = 3,
    FIRED_COLUMNS = 4,
    HEAD_SIZE = 12
};

bool page_is_wanted(const char* path)
{
    size_t length = path != NULL ? strlen(path) : 0;
    return length > 5 && strcasecmp(path + length - 5, ".html") == 0;
}

// ---- memory

static int width_of(const WebPage* page)
{
    int rows = TAG_COLUMNS + page->column_count;
    return rows > FIRED_COLUMNS ? rows : FIRED_COLUMNS;
}

static size_t values_size(const WebPage* page)
{
    return sizeof(double) * PACK_ROWS * (size_t)width_of(page);
}

static size_t packed_size(const WebPage* page)
{
    return HEAD_SIZE + (size_t)PACK_MOST * (size_t)width_of(page);
}

static size_t coded_size(const WebPage* page)
{
    return packed_size(page) / 3 * 4 + 8;
}

static void* take(const WebPage* page, size_t size)
{
    return page->options.allocator.alloc(page->options.allocator.user, NULL, 0, size);
}

static void give(const WebPage* page, void* block, size_t size)
{
    if (block != NULL)
        page->options.allocator.alloc(page->options.allocator.user, block, size, 0);
}

static void give_text(const WebPage* page, char* text)
{
    if (text != NULL)
        give(page, text, strlen(text) + 1);
}

// NULL of NULL, and if there is no memory: then the status says so.
static char* copy_text(WebPage* page, const char* text)
{
    char* copy = text != NULL ? take(page, strlen(text) + 1) : NULL;
    if (copy != NULL)
        strcpy(copy, text);
    else if (text != NULL)
        page->status = KAI_ERR_MEMORY;
    return copy;
}

// Room for one more of `count`. False: none.
static bool reserve(WebPage* page, void** at, size_t element, int count, int* capacity)
{
    if (count < *capacity)
        return true;
    kaiAllocator a = page->options.allocator;
    int wanted = 2 * *capacity + 16;
    void* more = a.alloc(a.user, *at, element * (size_t)*capacity, element * (size_t)wanted);
    if (more == NULL)
        return false;
    *at = more;
    *capacity = wanted;
    return true;
}

static void release(WebPage* page)
{
    for (int i = 0; i < page->cause_count; i++)
    {
        give_text(page, page->causes[i].file);
        give_text(page, page->causes[i].text);
    }
    for (int i = 0; i < page->run_count; i++)
        give_text(page, page->labels[i]);
    give(page, page->causes, sizeof *page->causes * (size_t)page->cause_capacity);
    give(page, page->labels, sizeof *page->labels * (size_t)page->run_capacity);
    give(page, page->values, values_size(page));
    give(page, page->fired_at, sizeof(double) * PACK_ROWS * FIRED_COLUMNS);
    give(page, page->packed, packed_size(page));
    give(page, page->coded, coded_size(page));
    output_free(&page->output, page->options.allocator);
    give(page, page, sizeof *page);
}

void page_discard(WebPage* page)
{
    if (page == NULL)
        return;
    if (page->output.partial != NULL && page->output.descriptor >= 0)
        unlink(page->output.partial);
    release(page);
}

WebPage* page_open(const kaiFigureOptions* options, const kaiColumn* columns, int column_count, kaiError* error)
{
    error_memory(error);
    WebPage* page = options->allocator.alloc(options->allocator.user, NULL, 0, sizeof *page);
    if (page == NULL)
        return NULL;
    memset(page, 0, sizeof *page);
    page->options = *options;
    page->columns = columns;
    page->column_count = column_count;
    page->output.descriptor = -1;
    page->values = take(page, values_size(page));
    page->fired_at = take(page, sizeof(double) * PACK_ROWS * FIRED_COLUMNS);
    page->packed = take(page, packed_size(page));
    page->coded = take(page, coded_size(page));
    bool room = page->values != NULL && page->fired_at != NULL && page->packed != NULL && page->coded != NULL;
    const char* why =
        room ? output_open(&page->output, options->path, options->sink, options->allocator) : "out of memory";
    if (why == NULL)
    {
        page_put_begin(page);
        return page;
    }
    if (room && canvas_refusal(why) == KAI_ERR_IO)
        error_set(error, KAI_ERR_IO, "%s cannot be written: %s", options->path, why);
    page_discard(page);
    return NULL;
}

// ---- chunks

static void put_chunk(WebPage* page, uint32_t what, const double* values, int columns, int count)
{
    size_t size = pack_number(page->packed, what);
    size += pack_number(page->packed + size, (uint32_t)(page->run_count - 1));
    size += pack_number(page->packed + size, (uint32_t)count);
    for (int i = 0; i < columns; i++)
        size += pack_column(page->packed + size, values + (size_t)i * PACK_ROWS, count);
    size_t length = pack_base64(page->coded, page->packed, size);
    page->coded[length] = '\n';
    page->coded[length + 1] = 0;
    page_put(page, page->coded);
}

static void flush_rows(WebPage* page)
{
    if (page->rows > 0)
        put_chunk(page, PAGE_ROWS, page->values, TAG_COLUMNS + page->column_count, page->rows);
    page->rows = 0;
}

static void flush_fired(WebPage* page)
{
    if (page->fired > 0)
        put_chunk(page, PAGE_FIRED, page->fired_at, FIRED_COLUMNS, page->fired);
    page->fired = 0;
}

kaiStatus page_begin_run(WebPage* page, const char* label)
{
    flush_rows(page);
    flush_fired(page);
    if (!reserve(page, (void**)&page->labels, sizeof *page->labels, page->run_count, &page->run_capacity))
        return page->status = KAI_ERR_MEMORY;
    page->labels[page->run_count++] = copy_text(page, label);
    return page->status;
}

kaiStatus page_name_run(WebPage* page, const char* label)
{
    give_text(page, page->labels[page->run_count - 1]);
    page->labels[page->run_count - 1] = copy_text(page, label);
    return page->status;
}

kaiStatus page_row(WebPage* page, const kaiRow* row)
{
    double* at = page->values + page->rows;
    at[0] = row->t;
    at[PACK_ROWS] = row->p;
    at[2 * PACK_ROWS] = row->m;
    for (int i = 0; i < page->column_count; i++)
        at[(size_t)(TAG_COLUMNS + i) * PACK_ROWS] = row->present[i] ? row->values[i] : NAN;
    if (++page->rows == PACK_ROWS)
        flush_rows(page);
    return page->status;
}

// ---- firings

static bool same(const char* a, const char* b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

// Its number, or -1: no memory.
static int find_cause(WebPage* page, const kaiFired* fired)
{
    for (int i = page->cause_count - 1; i >= 0; i--)
    {
        const PageCause* c = &page->causes[i];
        if (c->kind == fired->kind && c->line == fired->place.line && same(c->text, fired->text) &&
            same(c->file, fired->place.file))
            return i;
    }
    if (!reserve(page, (void**)&page->causes, sizeof *page->causes, page->cause_count, &page->cause_capacity))
        return -1;
    PageCause* cause = &page->causes[page->cause_count++];
    *cause = (PageCause){.kind = fired->kind, .line = fired->place.line};
    cause->file = copy_text(page, fired->place.file);
    cause->text = copy_text(page, fired->text);
    return page->cause_count - 1;
}

void page_fired(WebPage* page, const kaiFired* fired)
{
    int cause = find_cause(page, fired);
    if (cause < 0)
    {
        page->status = KAI_ERR_MEMORY;
        return;
    }
    double* at = page->fired_at + page->fired;
    at[0] = fired->tag.t;
    at[PACK_ROWS] = fired->tag.p;
    at[2 * PACK_ROWS] = fired->tag.m;
    at[3 * PACK_ROWS] = cause;
    if (++page->fired == PACK_ROWS)
        flush_fired(page);
}

kaiStatus page_close(WebPage* page, const PagePanel* panels, int panel_count, kaiError* error)
{
    flush_rows(page);
    flush_fired(page);
    page_put_end(page, panels, panel_count);
    kaiStatus status = output_close(&page->output, page->status);
    if (status != KAI_OK && page->output.partial != NULL)
        unlink(page->output.partial);  // half a page is of no use
    if (status != KAI_OK)
        error_set(error, status, "%s could not be written%s", page->options.path,
                  status == KAI_ERR_MEMORY ? ": out of memory" : "");
    release(page);
    return status;
}
