// A result as one page for a browser: rows, what fired, and the script that shows them, in one file that needs nothing
// else. Rows stream through in chunks, so that memory does not grow with them; the script (page/*.js) does the drawing.
//
// The file: style, a text element with a line of base64 for each chunk (PAGE_ROWS or PAGE_FIRED, see page.c), a JSON
// element that names what is in them, the script.
#ifndef KAIROS_PLOT_PAGE_H
#define KAIROS_PLOT_PAGE_H

#include "kairos/plot.h"
#include "result/output.h"

enum
{
    PAGE_BUFFER = 1 << 15
};

// What fired, apart from when: the same reaction fires many times.
typedef struct PageCause
{
    kaiFiredKind kind;
    int line;
    char *file, *text;  // each with its 0; NULL: none
} PageCause;

typedef struct PagePanel
{
    const int* columns;
    int count, against;  // columns; against -1: time
} PagePanel;

typedef struct WebPage
{
    kaiFigureOptions options;
    const kaiColumn* columns;
    int column_count;
    Output output;
    kaiStatus status;  // the first failure; nothing is written after it
    double* values;    // of the chunk in work: t, p, m and the columns, PACK_ROWS each
    uint8_t* packed;
    char* coded;
    int rows, fired;   // in the chunk in work
    double* fired_at;  // t, p, m, cause: PACK_ROWS each
    PageCause* causes;
    int cause_count, cause_capacity;
    char** labels;  // of runs
    int run_count, run_capacity;
    size_t used;
    char buffer[PAGE_BUFFER];
} WebPage;

// Whether the name ends in .html, in any case.
bool page_is_wanted(const char* path);
// NULL: error.
WebPage* page_open(const kaiFigureOptions* options, const kaiColumn* columns, int column_count, kaiError* error);
// The rows of another run follow; the first run needs a call too.
kaiStatus page_begin_run(WebPage* page, const char* label);
// Names the run that was begun last.
kaiStatus page_name_run(WebPage* page, const char* label);
kaiStatus page_row(WebPage* page, const kaiRow* row);
void page_fired(WebPage* page, const kaiFired* fired);
// Writes what is left and gives the file its name; frees the page whatever happens.
kaiStatus page_close(WebPage* page, const PagePanel* panels, int panel_count, kaiError* error);
// Leaves no file. NULL is fine.
void page_discard(WebPage* page);

// page_text.c: what is readable in the file.
void page_put(WebPage* page, const char* text);
void page_put_begin(WebPage* page);
void page_put_end(WebPage* page, const PagePanel* panels, int panel_count);

#endif
