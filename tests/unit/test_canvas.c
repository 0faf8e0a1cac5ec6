// The canvas: SVG that a parser accepts whatever the text, whole files or none, the same drawing in every format.
#include "plot/canvas.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/kairos-canvas-XXXXXX";

static int make_folder(void** state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void** state)
{
    (void)state;
    return rmdir(folder);  // fails if a test left a file
}

static const char* path_of(const char* name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

// The bytes of a file, which is then removed.
static size_t take(const char* name, char* bytes, size_t size)
{
    FILE* file = fopen(path_of(name), "rb");
    assert_non_null(file);
    size_t count = fread(bytes, 1, size - 1, file);
    bytes[count] = 0;
    fclose(file);
    unlink(path_of(name));
    return count;
}

static Canvas* open_canvas(const char* name, CanvasFormat format)
{
    const char* error = NULL;
    CanvasOptions options = {path_of(name), format, 80, 40, "a < b", false, {0}, kaiDefaultAllocator()};
    Canvas* c = canvas_open(&options, &error);
    assert_null(error);
    assert_non_null(c);
    return c;
}

static const Paint line = {.stroke = {0, 0, 0, 255}, .width = 1};
static const TextStyle plain = {.size = 10, .colour = {0, 0, 0, 255}};

static void svg_escapes(void** state)
{
    (void)state;
    char text[4000];
    Canvas* c = open_canvas("a.svg", CANVAS_SVG);
    canvas_text(c, 1, 2, "a<b>&\"c\" \x01 \xff δ′", &plain);
    assert_int_equal(canvas_close(c), KAI_OK);
    take("a.svg", text, sizeof text);
    assert_non_null(strstr(text, "<title>a &lt; b</title>"));
    assert_non_null(strstr(text, ">a&lt;b&gt;&amp;&quot;c&quot; \xef\xbf\xbd \xef\xbf\xbd δ′</text>"));
}

static void svg_numbers_are_short(void** state)
{
    (void)state;
    char text[4000];
    Canvas* c = open_canvas("a.svg", CANVAS_SVG);
    canvas_line(c, 1.0 / 3, -0.001, 100, 1e300, &line);
    assert_int_equal(canvas_close(c), KAI_OK);
    take("a.svg", text, sizeof text);
    assert_non_null(strstr(text, "points=\"0.33,0 100,1000000\""));
}

static void formats_by_name(void** state)
{
    (void)state;
    CanvasFormat format;
    assert_true(canvas_format_of("x.y/a.SVG", &format));
    assert_int_equal(format, CANVAS_SVG);
    assert_true(canvas_format_of("a.png", &format));
    assert_int_equal(format, CANVAS_PNG);
    assert_true(canvas_format_of("a.pdf", &format));
    assert_int_equal(format, CANVAS_PDF);
    assert_false(canvas_format_of("a.jpg", &format));
    assert_false(canvas_format_of("svg", &format));
}

static void draw_all(Canvas* c)
{
    const CanvasPoint bow[] = {{1, 1}, {10, 30}, {20, 30}, {30, 1}};
    canvas_group(c, "all");
    canvas_clip(c, 0, 0, 40, 40);
    canvas_lines(c, bow, 4, &line);
    canvas_polygon(c, bow, 4, &line);
    canvas_curve(c, bow, 4, false, &line);
    canvas_ellipse(c, 20, 20, 5, 4, &line);
    canvas_unclip(c);
    canvas_text(c, 40, 20, "text", &plain);
    canvas_ungroup(c);
}

static void png_and_pdf_are_what_they_say(void** state)
{
    (void)state;
    static char bytes[100000];
    Canvas* c = open_canvas("a.png", CANVAS_PNG);
    draw_all(c);
    assert_int_equal(canvas_close(c), KAI_OK);
    take("a.png", bytes, sizeof bytes);
    // Signature, then the IHDR chunk: 160 by 80 pixels, two for each unit.
    assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\xa0\0\0\0\x50", 24);
    c = open_canvas("a.pdf", CANVAS_PDF);
    draw_all(c);
    assert_int_equal(canvas_close(c), KAI_OK);
    size_t size = take("a.pdf", bytes, sizeof bytes);
    assert_memory_equal(bytes, "%PDF-", 5);
    assert_memory_equal(bytes + size - 6, "%%EOF\n", 6);
    for (size_t i = 0; i + 12 < size; i++)
        assert_memory_not_equal(bytes + i, "CreationDate", 12);  // the same figure is the same file on every day
}

static void discarded_leaves_nothing(void** state)
{
    (void)state;
    const CanvasFormat formats[] = {CANVAS_SVG, CANVAS_PNG, CANVAS_PDF, CANVAS_TERMINAL};
    for (int i = 0; i < 4; i++)
    {
        Canvas* c = open_canvas("a", formats[i]);
        draw_all(c);
        canvas_discard(c);
        assert_int_not_equal(access(path_of("a"), F_OK), 0);
        assert_int_not_equal(access(path_of("a.part"), F_OK), 0);
    }
}

static void terminal_dots(void** state)
{
    (void)state;
    char text[4000];
    Canvas* c = open_canvas("a", CANVAS_TERMINAL);
    canvas_line(c, 0, 0, 3, 0, &line);  // the upper dots of two cells: bits 1 and 8
    canvas_line(c, 0, 4, 0, 7, &line);  // the left column of the cell below: bits 1, 2, 4, 64
    canvas_text(c, 20, 3, "δ!", &plain);
    assert_int_equal(canvas_close(c), KAI_OK);
    take("a", text, sizeof text);
    assert_string_equal(text, "⠉⠉        δ!\n⡇\n\n\n\n\n\n\n\n\n");  // ten lines of four dots
}

static void no_folder(void** state)
{
    (void)state;
    const char* error = NULL;
    CanvasOptions options = {path_of("none/a.svg"), CANVAS_SVG, 80, 40, NULL, false, {0}, kaiDefaultAllocator()};
    assert_null(canvas_open(&options, &error));
    assert_string_equal(error, "the folder it should be in does not exist");
}

// The widths are those of the font, in thousandths of its size.
static void widths(void** state)
{
    (void)state;
    Canvas* c = open_canvas("a.svg", CANVAS_SVG);
    assert_true(fabs(canvas_text_width(c, "m = 1", &plain) - (974 + 318 + 838 + 318 + 636) / 100.0) < 1e-9);
    assert_true(fabs(canvas_text_width(c, "δ²", &plain) - (612 + 401) / 100.0) < 1e-9);
    canvas_discard(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(svg_escapes),
        cmocka_unit_test(svg_numbers_are_short),
        cmocka_unit_test(formats_by_name),
        cmocka_unit_test(png_and_pdf_are_what_they_say),
        cmocka_unit_test(discarded_leaves_nothing),
        cmocka_unit_test(terminal_dots),
        cmocka_unit_test(no_folder),
        cmocka_unit_test(widths),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
