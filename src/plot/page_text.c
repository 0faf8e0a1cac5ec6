// What is readable in a page: its frame, the JSON that names columns, panels, runs and causes, and the script and style
// that cmake/Embed.cmake takes from page/*.js and page/page.css.
#include "plot/page.h"

#include "page_files.h"
#include "plot/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- text

static void flush(WebPage* page)
{
    if (page->status == KAI_OK)
        page->status = output_write(&page->output, page->buffer, page->used);
    page->used = 0;
}

static void put_bytes(WebPage* page, const char* bytes, size_t size)
{
    while (size > 0)
    {
        size_t part = PAGE_BUFFER - page->used < size ? PAGE_BUFFER - page->used : size;
        memcpy(page->buffer + page->used, bytes, part);
        page->used += part;
        bytes += part;
        size -= part;
        if (page->used == PAGE_BUFFER)
            flush(page);
    }
}

void page_put(WebPage* page, const char* text)
{
    put_bytes(page, text, strlen(text));
}

static void put_integer(WebPage* page, int value)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    page_put(page, text);
}

// In quotes. Neither a quote nor an end of the element can come from a name: < and & leave as escapes.
static void put_string(WebPage* page, const char* text)
{
    page_put(page, "\"");
    for (; text != NULL && *text != 0; text++)
    {
        unsigned char c = (unsigned char)*text;
        char escape[8];
        if (c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c < ' ')
        {
            snprintf(escape, sizeof escape, "\\u%04x", c);
            page_put(page, escape);
        }
        else
            put_bytes(page, text, 1);
    }
    page_put(page, "\"");
}

static void put_escaped(WebPage* page, const char* text)
{
    for (; *text != 0; text++)
        switch (*text)
        {
        case '<': page_put(page, "&lt;"); break;
        case '>': page_put(page, "&gt;"); break;
        case '&': page_put(page, "&amp;"); break;
        default: put_bytes(page, text, 1);
        }
}

void page_put_begin(WebPage* page)
{
    page_put(page, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    put_escaped(page, page->options.title != NULL ? page->options.title : "Kairos");
    page_put(page, "</title>\n<style>\n");
    put_bytes(page, (const char*)page_style, page_style_size);
    page_put(page, "</style>\n</head>\n<body>\n<noscript>This page draws its curves with a script of its own, which "
                   "your browser does not run.</noscript>\n<main id=\"page\"></main>\n"
                   "<script type=\"text/plain\" id=\"rows\">\n");
}

// ---- names

// The signal whose impulse of some order this column holds (F#1, F.impulse1), or -1.
static int impulse_of(const WebPage* page, int column, int* order)
{
    static const char word[] = ".impulse";
    const char* name = page->columns[column].name;
    const char* mark = strrchr(name, '#');
    const char* number = mark != NULL ? mark + 1 : NULL;
    if (mark == NULL && (mark = strrchr(name, '.')) != NULL && strncmp(mark, word, sizeof word - 1) == 0)
        number = mark + sizeof word - 1;
    if (number == NULL || strspn(number, "0123456789") != strlen(number) || strlen(number) > 2)
        return -1;
    *order = atoi(number);
    size_t length = (size_t)(mark - name);
    for (int i = 0; i < page->column_count; i++)
        if (i != column && strlen(page->columns[i].name) == length && strncmp(page->columns[i].name, name, length) == 0)
            return i;
    return -1;
}

static void put_modes(WebPage* page, const kaiColumn* column)
{
    page_put(page, ",\"modes\":[");
    for (int i = 0; i < column->mode_count; i++)
    {
        page_put(page, i > 0 ? "," : "");
        put_string(page, column->mode_names[i]);
    }
    page_put(page, "]");
}

static void put_column(WebPage* page, int index)
{
    static const char* const kinds[] = {"real", "bool", "event", "mode"};
    const kaiColumn* column = &page->columns[index];
    char unit[80];
    int order = 0, of = impulse_of(page, index, &order);
    unit_text(column->unit, 0, unit, sizeof unit);
    page_put(page, index > 0 ? ",\n{\"name\":" : "\n{\"name\":");
    put_string(page, column->name);
    page_put(page, ",\"unit\":");
    put_string(page, unit);
    page_put(page, ",\"kind\":");
    put_string(page, kinds[column->kind]);
    if (column->kind == KAI_COLUMN_MODE)
        put_modes(page, column);
    if (of >= 0)
    {
        page_put(page, ",\"of\":");
        put_integer(page, of);
        page_put(page, ",\"order\":");
        put_integer(page, order);
    }
    page_put(page, "}");
}

static void put_panel(WebPage* page, const PagePanel* panel)
{
    page_put(page, "{\"signals\":[");
    for (int i = 0; i < panel->count; i++)
    {
        page_put(page, i > 0 ? "," : "");
        put_integer(page, panel->columns[i]);
    }
    page_put(page, "],\"against\":");
    put_integer(page, panel->against);
    page_put(page, "}");
}

static void put_cause(WebPage* page, const PageCause* cause)
{
    static const char* const kinds[] = {"crossing", "clock", "when", "transition"};
    const kaiFigureOptions* o = &page->options;
    char line[400] = "";
    if (o->source_line != NULL && cause->file != NULL)
        o->source_line(o->source_user, cause->file, cause->line, line, sizeof line);
    page_put(page, "{\"kind\":");
    put_string(page, kinds[cause->kind]);
    page_put(page, ",\"file\":");
    put_string(page, cause->file);
    page_put(page, ",\"line\":");
    put_integer(page, cause->line);
    page_put(page, ",\"text\":");
    put_string(page, cause->text);
    page_put(page, ",\"source\":");
    put_string(page, line);
    page_put(page, "}");
}

static void put_head(WebPage* page, const PagePanel* panels, int panel_count)
{
    page_put(page, "{\"title\":");
    put_string(page, page->options.title);
    page_put(page, ",\"timeUnit\":");
    put_string(page, page->options.time_unit);
    page_put(page, ",\n\"columns\":[");
    for (int i = 0; i < page->column_count; i++)
        put_column(page, i);
    page_put(page, "],\n\"panels\":[");
    for (int i = 0; i < panel_count; i++)
    {
        page_put(page, i > 0 ? ",\n" : "\n");
        put_panel(page, &panels[i]);
    }
    page_put(page, "],\n\"runs\":[");
    for (int i = 0; i < page->run_count; i++)
    {
        page_put(page, i > 0 ? "," : "");
        put_string(page, page->labels[i]);
    }
    page_put(page, "],\n\"causes\":[");
    for (int i = 0; i < page->cause_count; i++)
    {
        page_put(page, i > 0 ? ",\n" : "\n");
        put_cause(page, &page->causes[i]);
    }
    page_put(page, "]}\n");
}

void page_put_end(WebPage* page, const PagePanel* panels, int panel_count)
{
    page_put(page, "</script>\n<script type=\"application/json\" id=\"head\">\n");
    put_head(page, panels, panel_count);
    page_put(page, "</script>\n<script>\n");
    put_bytes(page, (const char*)page_script, page_script_size);
    page_put(page, "</script>\n</body>\n</html>\n");
    flush(page);
}
