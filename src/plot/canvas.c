// Drawing calls → backend, and what all backends share: colours and the width of text. Widths come from one table, not
// from the machine's fonts, so that a figure has the same layout everywhere and in every format. The table is that of
// DejaVu Sans, the font Cairo is asked for and the first that the SVG names; the others it names are as wide or
// narrower, so nothing is cut off where it is missing.
#include "plot/canvas.h"

#include "base/utf8.h"
#include "plot/figures.h"
#include "plot/widths.h"

#include <math.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// ---- opening and closing

bool canvas_format_of(const char* path, CanvasFormat* format)
{
    static const struct
    {
        const char* ending;
        CanvasFormat format;
    } known[] = {{".svg", CANVAS_SVG}, {".png", CANVAS_PNG}, {".pdf", CANVAS_PDF}};
    const char* dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof known / sizeof *known; i++)
        if (strcasecmp(dot, known[i].ending) == 0)
        {
            *format = known[i].format;
            return true;
        }
    return false;
}

static const Backend* backend_of(CanvasFormat format, const char** error)
{
    if (format == CANVAS_SVG || format == CANVAS_TERMINAL)
        return format == CANVAS_SVG ? &svg_backend : &terminal_backend;
    const FiguresPart* part = part_load(PART_FIGURES, sizeof *part, error);
    return part == NULL ? NULL : format == CANVAS_PNG ? part->png : part->pdf;
}

bool canvas_can(CanvasFormat format, const char** why)
{
    return backend_of(format, why) != NULL;
}

static void release(Canvas* c)
{
    kaiAllocator a = c->options.allocator;
    c->backend->end(c);
    output_free(&c->output, a);
    a.alloc(a.user, c, c->backend->size, 0);
}

Canvas* canvas_open(const CanvasOptions* options, const char** error)
{
    const Backend* backend = backend_of(options->format, error);
    if (backend == NULL)
        return NULL;
    Canvas* c = options->allocator.alloc(options->allocator.user, NULL, 0, backend->size);
    *error = "out of memory";
    if (c == NULL)
        return NULL;
    memset(c, 0, backend->size);
    c->backend = backend;
    c->options = *options;
    c->output.descriptor = -1;
    *error = output_open(&c->output, options->path, options->sink, options->allocator);
    if (*error == NULL && backend->begin(c) != KAI_OK)
        *error = "out of memory";
    if (*error == NULL)
        return c;
    canvas_discard(c);
    return NULL;
}

kaiStatus canvas_refusal(const char* why)
{
    return strcmp(why, "out of memory") == 0 ? KAI_ERR_MEMORY : KAI_ERR_IO;
}

kaiStatus canvas_close(Canvas* c)
{
    c->backend->finish(c);
    kaiStatus status = output_close(&c->output, c->status);
    if (status != KAI_OK && c->output.partial != NULL)
        unlink(c->output.partial);  // half a picture is of no use
    release(c);
    return status;
}

void canvas_discard(Canvas* c)
{
    if (c->output.partial != NULL && c->output.descriptor >= 0)
        unlink(c->output.partial);
    release(c);
}

void canvas_write(Canvas* c, const char* bytes, size_t size)
{
    if (c->status == KAI_OK)
        c->status = output_write(&c->output, bytes, size);
}

CanvasFormat canvas_format(const Canvas* c)
{
    return c->options.format;
}

double canvas_width(const Canvas* c)
{
    return c->options.width;
}

double canvas_height(const Canvas* c)
{
    return c->options.height;
}

// ---- colours

Colour colour_fade(Colour colour, double alpha)
{
    colour.alpha = (uint8_t)lround(alpha * colour.alpha);
    return colour;
}

// Blue, vermillion, green, purple, orange, sky blue, then black; the yellow of the eight is too pale for lines.
Colour colour_of(int index)
{
    static const uint32_t palette[PALETTE_COUNT] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                                    0xe69f00, 0x56b4e9, 0x000000};
    return COLOUR(palette[index % PALETTE_COUNT]);
}

// ---- shapes

void canvas_lines(Canvas* c, const CanvasPoint* points, int count, const Paint* paint)
{
    if (count > 1)
        c->backend->path(c, PATH_OPEN, points, count, paint);
}

void canvas_line(Canvas* c, double x0, double y0, double x1, double y1, const Paint* paint)
{
    canvas_lines(c, (CanvasPoint[]){{x0, y0}, {x1, y1}}, 2, paint);
}

void canvas_polygon(Canvas* c, const CanvasPoint* points, int count, const Paint* paint)
{
    if (count > 1)
        c->backend->path(c, PATH_CLOSED, points, count, paint);
}

void canvas_curve(Canvas* c, const CanvasPoint* points, int count, bool closed, const Paint* paint)
{
    if (count > 3)
        c->backend->path(c, closed ? PATH_CURVE_CLOSED : PATH_CURVE, points, count, paint);
}

void canvas_rectangle(Canvas* c, double x, double y, double width, double height, const Paint* paint)
{
    const CanvasPoint corners[] = {{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}};
    canvas_polygon(c, corners, 4, paint);
}

void canvas_ellipse(Canvas* c, double x, double y, double radius_x, double radius_y, const Paint* paint)
{
    c->backend->ellipse(c, (CanvasPoint){x, y}, (CanvasPoint){radius_x, radius_y}, paint);
}

void canvas_clip(Canvas* c, double x, double y, double width, double height)
{
    c->backend->clip(c, (CanvasPoint){x, y}, (CanvasPoint){width, height});
}

void canvas_unclip(Canvas* c)
{
    c->backend->unclip(c);
}

void canvas_group(Canvas* c, const char* name)
{
    if (c->backend->group != NULL)
        c->backend->group(c, name);
}

void canvas_ungroup(Canvas* c)
{
    if (c->backend->ungroup != NULL)
        c->backend->ungroup(c);
}

// ---- text

void canvas_text(Canvas* c, double x, double y, const char* text, const TextStyle* style)
{
    if (text[0] != 0)
        c->backend->text(c, (CanvasPoint){x, y}, text, style);
}

// In thousandths of the size.
static int character_width(uint32_t code, bool bold)
{
    for (size_t i = 0; i < sizeof width_ranges / sizeof *width_ranges; i++)
        if (code >= width_ranges[i].first && code <= width_ranges[i].last)
            return width_ranges[i].widths[bold][code - width_ranges[i].first];
    for (size_t i = 0; i < sizeof width_signs / sizeof *width_signs; i++)
        if (code == width_signs[i].code)
            return width_signs[i].width[bold];
    return code >= 0x300 && code < 0x370 ? 0 : code >= 0x2e80 ? WIDTH_WIDE : WIDTH_OTHER;
}

double text_width(const char* text, const TextStyle* style)
{
    size_t left = strlen(text);
    if (style->mono)
        return (double)utf8_count(text, left) * WIDTH_MONO / 1000 * style->size;
    long sum = 0;
    while (left > 0)
    {
        uint32_t code = 0xfffd;
        size_t bytes = utf8_length(text, left, &code);
        sum += character_width(code, style->bold);
        bytes += bytes == 0;
        text += bytes;
        left -= bytes;
    }
    return (double)sum / 1000 * style->size;
}

double canvas_text_width(const Canvas* c, const char* text, const TextStyle* style)
{
    return c->options.format == CANVAS_TERMINAL ? 2.0 * (double)utf8_count(text, strlen(text))
                                                : text_width(text, style);
}

double canvas_line_height(const Canvas* c, const TextStyle* style)
{
    return c->options.format == CANVAS_TERMINAL ? 4 : 1.25 * style->size;
}

double canvas_ascent(const Canvas* c, const TextStyle* style)
{
    return c->options.format == CANVAS_TERMINAL ? 3 : 0.78 * style->size;
}
