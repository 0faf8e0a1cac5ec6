// Diagnostics for people. The source line is shown with tabs as blanks and broken bytes as `?`, cut around the caret
// if it is long, so that carets stand below what they mean whatever the line holds.
#include "lang/report.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <string.h>

enum
{
    REPORT_WIDTH = 120,
    REPORT_TAB = 4,
};

typedef struct Report
{
    Arena* arena;
    const Sources* sources;
    bool colour;
    size_t width;
    VEC(char) text;
} Report;

static void report_bytes(Report* report, const char* text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        vec_push(report->arena, report->text, text[i]);
}

static void report_text(Report* report, const char* text)
{
    report_bytes(report, text, strlen(text));
}

static void report_repeat(Report* report, char c, size_t count)
{
    for (size_t i = 0; i < count; i++)
        vec_push(report->arena, report->text, c);
}

static void report_style(Report* report, const char* escape)
{
    if (report->colour)
        report_text(report, escape);
}

static const char* const style_error = "\033[1;31m";
static const char* const style_warning = "\033[1;35m";
static const char* const style_note = "\033[1;36m";
static const char* const style_help = "\033[1;32m";
static const char* const style_bold = "\033[1m";
static const char* const style_plain = "\033[0m";

// ---- the source line

// Prints characters [first, last) of a line; returns the columns that they take on the screen.
static size_t report_characters(Report* report, const char* line, size_t length, size_t first, size_t last, bool show)
{
    size_t at = utf8_offset(line, length, first), columns = 0;
    for (size_t i = first; i < last && at < length; i++)
    {
        size_t next = at + utf8_offset(line + at, length - at, 1);
        uint32_t code_point;
        size_t valid = utf8_length(line + at, length - at, &code_point);
        bool control = valid == 1 && (code_point < ' ' || code_point == 0x7F);
        size_t width = line[at] == '\t' ? REPORT_TAB - columns % REPORT_TAB : 1;
        if (show && line[at] == '\t')
            report_repeat(report, ' ', width);
        else if (show && (valid != next - at || control))
            report_text(report, "?");
        else if (show)
            report_bytes(report, line + at, valid);
        columns += width;
        at = next;
    }
    return columns;
}

typedef struct Window
{
    size_t first, last;  // characters shown
    bool cut_left, cut_right;
} Window;

// The part of the line that is shown: all of it, or `width` characters with the caret a third from the left.
static Window report_window(const Report* report, size_t count, size_t caret)
{
    Window window = {0, count, false, false};
    if (count <= report->width)
        return window;
    window.first = caret > report->width / 3 ? caret - report->width / 3 : 0;
    if (window.first + report->width > count)
        window.first = count - report->width;
    window.last = window.first + report->width;
    window.cut_left = window.first > 0;
    window.cut_right = window.last < count;
    return window;
}

static void report_margin(Report* report, const char* number, size_t width)
{
    report_repeat(report, ' ', 2 + width - strlen(number));
    report_text(report, number);
    report_text(report, " | ");
}

static void report_carets(Report* report, const char* line, size_t length, Window window, const kaiPlace* place,
                          const char* style)
{
    size_t start = (size_t)place->column - 1;
    size_t end = place->end_line == place->line ? (size_t)place->end_column - 1 : window.last;
    if (end > window.last)
        end = window.last;
    report_repeat(report, ' ', window.cut_left ? 1 : 0);
    size_t before = report_characters(report, line, length, window.first, start, false);
    size_t through = report_characters(report, line, length, window.first, end, false);
    report_repeat(report, ' ', before);
    report_style(report, style);
    report_repeat(report, '^', through > before ? through - before : 1);
    report_style(report, style_plain);
    report_text(report, "\n");
}

static void report_source_line(Report* report, const kaiPlace* place, const char* style)
{
    size_t length;
    const char* line = sources_line(report->sources, place->file, place->line, &length);
    if (!line)
        return;
    char number[16];
    int digits = snprintf(number, sizeof number, "%d", place->line);
    size_t margin = (size_t)(digits < 3 ? 3 : digits);
    Window window = report_window(report, utf8_count(line, length), (size_t)place->column - 1);
    report_margin(report, number, margin);
    report_text(report, window.cut_left ? "…" : "");
    report_characters(report, line, length, window.first, window.last, true);
    report_text(report, window.cut_right ? "…" : "");
    report_text(report, "\n");
    report_margin(report, "", margin);
    report_carets(report, line, length, window, place, style);
}

// ---- the parts

static void report_place(Report* report, const kaiPlace* place)
{
    if (!place->file)
        return;
    char position[32];
    snprintf(position, sizeof position, ":%d:%d: ", place->line, place->column);
    report_style(report, style_bold);
    report_text(report, place->file);
    report_text(report, position);
    report_style(report, style_plain);
}

static void report_label(Report* report, const char* style, const char* label, const char* code)
{
    report_style(report, style);
    report_text(report, label);
    if (code)
    {
        report_text(report, "[");
        report_text(report, code);
        report_text(report, "]");
    }
    report_style(report, style_plain);
    report_text(report, ": ");
}

static void report_part(Report* report, const kaiPlace* place, const char* style, const char* label, const char* code,
                        const char* text)
{
    report_place(report, place);
    report_label(report, style, label, code);
    report_text(report, text);
    report_text(report, "\n");
    report_source_line(report, place, style);
}

char* report_diagnostic(Arena* arena, const Sources* sources, const kaiError* diagnostic, bool colour, int width)
{
    Report report = {.arena = arena, .sources = sources, .colour = colour};
    report.width = width > 0 ? (size_t)width : REPORT_WIDTH;
    bool error = diagnostic->severity == KAI_ERROR;
    report_part(&report, &diagnostic->place, error ? style_error : style_warning, error ? "error" : "warning",
                diagnostic->code, diagnostic->message);
    for (int i = 0; i < diagnostic->note_count; i++)
        report_part(&report, &diagnostic->notes[i].place, style_note, "note", NULL, diagnostic->notes[i].text);
    if (diagnostic->help)
    {
        report_label(&report, style_help, "help", NULL);
        report_text(&report, diagnostic->help);
        report_text(&report, "\n");
    }
    vec_push(arena, report.text, '\0');
    return report.text.at;
}
