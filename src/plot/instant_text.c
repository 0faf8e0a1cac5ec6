// An instant as text: a table of tags and values (an asterisk where a value is not that of the tag before), and below
// it what fired with the source line. Tables wider than the page go on below.
#include "base/error.h"
#include "plot/instant.h"

#include "base/utf8.h"
#include "result/output.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum
{
    CELL = 64,
    PAGE = 100  // characters in a line, if nobody says otherwise
};

typedef struct Writer
{
    Output output;
    kaiStatus status;
    kaiInstants* v;
    bool colour;
    int page;
} Writer;

__attribute__((format(printf, 2, 3))) static void say(Writer* w, const char* format, ...)
{
    char text[2000];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t size = length < (int)sizeof text ? (size_t)length : sizeof text - 1;
    if (w->status == KAI_OK)
        w->status = output_write(&w->output, text, size);
}

static int width_of(const char* text)
{
    return (int)utf8_count(text, strlen(text));
}

// Right-aligned in `width` characters; `bold` where the terminal can.
static void say_cell(Writer* w, const char* text, int width, bool bold)
{
    const char *on = bold && w->colour ? "\033[1m" : "", *off = bold && w->colour ? "\033[0m" : "";
    int blanks = width - width_of(text);
    say(w, "%*s%s%s%s", blanks > 0 ? blanks : 0, "", on, text, off);
}

static void tag_text(TagEntry tag, char* text, size_t size)
{
    snprintf(text, size, "⟨%d, %d⟩", tag.p, tag.m);
}

// ---- the table

static int column_width(const Writer* w, const Instant* x, int column)
{
    char text[CELL];
    int width = width_of(w->v->columns[column].name);
    for (int tag = 0; tag < x->tag_count; tag++)
    {
        instant_cell(w->v, x, tag, column, text, sizeof text);
        width = width_of(text) > width ? width_of(text) : width;
    }
    return width;
}

// As many columns from `from` on as fit; returns the first that does not. Their widths are found once: every tag
// counts.
static int block_end(const Writer* w, const Instant* x, int from)
{
    int used = 9, i = from;
    for (; i < w->v->column_count; i++)
    {
        w->v->widths[i] = w->v->changing[i] ? column_width(w, x, i) : 0;
        int width = w->v->changing[i] ? w->v->widths[i] + 3 : 0;
        if (used + width > w->page && used > 9)
            break;
        used += width;
    }
    return i;
}

static void write_block(Writer* w, const Instant* x, int from, int to)
{
    char text[CELL];
    bool first = true;
    say(w, "  %-7s", "tag");
    for (int i = from; i < to; i++)
        if (w->v->changing[i])
        {
            say(w, first ? "  " : "   ");
            first = false;
            say_cell(w, w->v->columns[i].name, w->v->widths[i], false);
        }
    say(w, "\n");
    for (int tag = 0; tag < x->tag_count; tag++)
    {
        tag_text(instant_tag(w->v, x, tag), text, sizeof text);
        say(w, "  %s%*s", text, 7 - width_of(text) > 0 ? 7 - width_of(text) : 0, "");
        bool before = true;  // an asterisk stands in the room between two columns
        for (int i = from; i < to; i++)
        {
            if (!w->v->changing[i])
                continue;
            bool changed = instant_changed(w->v, x, tag, i);
            instant_cell(w->v, x, tag, i, text, sizeof text);
            say(w, before ? "  " : "   ");
            say_cell(w, text, w->v->widths[i], changed);
            say(w, "%s", changed ? "*" : "");
            before = changed;
        }
        say(w, "\n");
    }
}

// ---- what fired

static const char* base_name(const char* path)
{
    const char* slash = path != NULL ? strrchr(path, '/') : NULL;
    return slash != NULL ? slash + 1 : path != NULL ? path : "";
}

static void write_fired(Writer* w, const Instant* x)
{
    for (int tag = 0; tag < x->tag_count; tag++)
        for (int k = 0; k < x->fired_count; k++)
        {
            const FiredEntry* f = &x->fired[k];
            char name[CELL];
            if (!instant_fired_at(w->v, x, tag, f))
                continue;
            tag_text((TagEntry){f->p, f->m}, name, sizeof name);
            say(w, "  %s%*s  %-10s  %s%s", name, 7 - width_of(name) > 0 ? 7 - width_of(name) : 0, "",
                instant_kind(f->kind), f->kind == KAI_FIRED_WHEN ? "sets " : "", f->text);
            if (f->line > 0)
                say(w, "\n                       %s:%d  %s", base_name(f->file), f->line, f->source);
            say(w, "\n");
        }
}

static void write_instant(Writer* w, const Instant* x)
{
    char t[33];
    int shown = instant_choose(w->v, x);
    kaiNumber_Write(t, x->t);
    say(w, "t = %s: %lld tag%s\n", t, (long long)(x->tag_count + x->more), x->tag_count + x->more == 1 ? "" : "s");
    if (shown == 0)
        say(w, "  nothing changes\n");
    for (int from = 0; shown > 0 && from < w->v->column_count;)
    {
        int to = block_end(w, x, from);
        bool any = false;
        for (int i = from; i < to; i++)
            any |= w->v->changing[i];
        if (any)
            write_block(w, x, from, to);
        from = to;
    }
    if (x->more > 0)
        say(w, "  and %lld tags more\n", (long long)x->more);
    if (x->fired_count > 0)
        say(w, "what fired\n");
    write_fired(w, x);
}

kaiStatus instant_write(kaiInstants* v, kaiError* error)
{
    Writer w = {.v = v, .colour = v->options.colour, .page = v->options.width > 0 ? (int)v->options.width : PAGE};
    const char* why = output_open(&w.output, "-", v->options.sink, v->options.allocator);
    if (why != NULL && canvas_refusal(why) == KAI_ERR_MEMORY)
        return error_memory(error);
    if (why != NULL)
        return error_set(error, KAI_ERR_IO, "standard output cannot be written: %s", why);
    if (v->options.title != NULL)
        say(&w, "%s\n\n", v->options.title);
    for (int i = 0; i < v->count; i++)
    {
        say(&w, "%s", i > 0 ? "\n" : "");
        write_instant(&w, &v->kept[i]);
    }
    kaiStatus status = output_close(&w.output, w.status);
    output_free(&w.output, v->options.allocator);
    if (status != KAI_OK)
        error_set(error, KAI_ERR_IO, "standard output could not be written");
    return status;
}
