// PNG and PDF through Cairo (docs of cairo_t: https://www.cairographics.org/manual). Files do not depend on the day
// they were made on: a PDF carries no date. This is the part `figures`.
#include "part_stamp.h"
#include "plot/figures.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <math.h>

static const double png_density = 2;            // pixels a unit: fit for a screen of high density and for print
static const double points_a_unit = 72.0 / 96;  // PDF counts in points

typedef struct CairoCanvas
{
    Canvas canvas;
    cairo_surface_t* surface;
    cairo_t* cairo;
} CairoCanvas;

static cairo_status_t write_bytes(void* user, const unsigned char* bytes, unsigned int size)
{
    Canvas* c = user;
    canvas_write(c, (const char*)bytes, size);
    return c->status == KAI_OK ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static void set_up(CairoCanvas* k, double scale)
{
    k->cairo = cairo_create(k->surface);
    cairo_scale(k->cairo, scale, scale);
    cairo_set_source_rgb(k->cairo, 1, 1, 1);
    cairo_paint(k->cairo);
    cairo_set_line_join(k->cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_font_options_t* options = cairo_font_options_create();
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_set_font_options(k->cairo, options);
    cairo_font_options_destroy(options);
}

static kaiStatus begin_status(const CairoCanvas* k)
{
    return cairo_status(k->cairo) == CAIRO_STATUS_SUCCESS ? KAI_OK : KAI_ERR_MEMORY;
}

static kaiStatus png_begin(Canvas* c)
{
    CairoCanvas* k = (CairoCanvas*)c;
    k->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(c->options.width * png_density),
                                            (int)ceil(c->options.height * png_density));
    set_up(k, png_density);
    return begin_status(k);
}

static kaiStatus pdf_begin(Canvas* c)
{
    CairoCanvas* k = (CairoCanvas*)c;
    k->surface = cairo_pdf_surface_create_for_stream(write_bytes, c, c->options.width * points_a_unit,
                                                     c->options.height * points_a_unit);
    cairo_pdf_surface_set_metadata(k->surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
    if (c->options.title != NULL)
        cairo_pdf_surface_set_metadata(k->surface, CAIRO_PDF_METADATA_TITLE, c->options.title);
    set_up(k, points_a_unit);
    return begin_status(k);
}

// ---- drawing

static void set_colour(CairoCanvas* k, Colour colour)
{
    cairo_set_source_rgba(k->cairo, colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0,
                          colour.alpha / 255.0);
}

// Fills and strokes the present path.
static void finish_path(CairoCanvas* k, const Paint* paint, bool filled)
{
    if (filled && paint->fill.alpha != 0)
    {
        set_colour(k, paint->fill);
        cairo_fill_preserve(k->cairo);
    }
    if (paint->stroke.alpha != 0)
    {
        set_colour(k, paint->stroke);
        cairo_set_line_width(k->cairo, paint->width);
        cairo_set_dash(k->cairo, paint->dash, paint->dash[0] > 0 ? 2 : 0, 0);
        cairo_stroke_preserve(k->cairo);
    }
    cairo_new_path(k->cairo);
}

static void cairo_backend_path(Canvas* c, PathKind kind, const CanvasPoint* p, int count, const Paint* paint)
{
    CairoCanvas* k = (CairoCanvas*)c;
    bool curve = kind == PATH_CURVE || kind == PATH_CURVE_CLOSED;
    bool closed = kind == PATH_CLOSED || kind == PATH_CURVE_CLOSED;
    cairo_move_to(k->cairo, p[0].x, p[0].y);
    for (int i = 1; i < count && !curve; i++)
        cairo_line_to(k->cairo, p[i].x, p[i].y);
    for (int i = 1; i + 2 < count && curve; i += 3)
        cairo_curve_to(k->cairo, p[i].x, p[i].y, p[i + 1].x, p[i + 1].y, p[i + 2].x, p[i + 2].y);
    if (closed)
        cairo_close_path(k->cairo);
    finish_path(k, paint, closed);
}

static void cairo_backend_ellipse(Canvas* c, CanvasPoint centre, CanvasPoint radius, const Paint* paint)
{
    CairoCanvas* k = (CairoCanvas*)c;
    if (!(radius.x > 0 && radius.y > 0))
        return;
    cairo_save(k->cairo);
    cairo_translate(k->cairo, centre.x, centre.y);
    cairo_scale(k->cairo, radius.x, radius.y);
    cairo_new_sub_path(k->cairo);
    cairo_arc(k->cairo, 0, 0, 1, 0, 2 * acos(-1));
    cairo_restore(k->cairo);
    finish_path(k, paint, true);
}

static void cairo_backend_text(Canvas* c, CanvasPoint at, const char* text, const TextStyle* style)
{
    CairoCanvas* k = (CairoCanvas*)c;
    cairo_select_font_face(k->cairo, style->mono ? "DejaVu Sans Mono" : "DejaVu Sans",
                           style->italic ? CAIRO_FONT_SLANT_ITALIC : CAIRO_FONT_SLANT_NORMAL,
                           style->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(k->cairo, style->size);
    set_colour(k, style->colour);
    cairo_text_extents_t extents;
    cairo_text_extents(k->cairo, text, &extents);
    cairo_save(k->cairo);
    cairo_translate(k->cairo, at.x, at.y);
    if (style->upward)
        cairo_rotate(k->cairo, -acos(-1) / 2);
    cairo_move_to(k->cairo, -extents.x_advance * (double)style->anchor / 2, 0);
    cairo_show_text(k->cairo, text);
    cairo_restore(k->cairo);
    cairo_new_path(k->cairo);
}

static void cairo_backend_clip(Canvas* c, CanvasPoint corner, CanvasPoint size)
{
    CairoCanvas* k = (CairoCanvas*)c;
    cairo_save(k->cairo);
    cairo_rectangle(k->cairo, corner.x, corner.y, size.x, size.y);
    cairo_clip(k->cairo);
}

static void cairo_backend_unclip(Canvas* c)
{
    cairo_restore(((CairoCanvas*)c)->cairo);
}

// ---- the end

// Cairo's own trouble; a failed write has set the status already.
static void note_status(CairoCanvas* k, cairo_status_t status)
{
    if (status != CAIRO_STATUS_SUCCESS && k->canvas.status == KAI_OK)
        k->canvas.status = status == CAIRO_STATUS_NO_MEMORY ? KAI_ERR_MEMORY : KAI_ERR_IO;
}

static void png_finish(Canvas* c)
{
    CairoCanvas* k = (CairoCanvas*)c;
    note_status(k, cairo_status(k->cairo));
    note_status(k, cairo_surface_write_to_png_stream(k->surface, write_bytes, c));
}

static void pdf_finish(Canvas* c)
{
    CairoCanvas* k = (CairoCanvas*)c;
    note_status(k, cairo_status(k->cairo));
    cairo_surface_finish(k->surface);
    note_status(k, cairo_surface_status(k->surface));
}

static void cairo_backend_end(Canvas* c)
{
    CairoCanvas* k = (CairoCanvas*)c;
    c->status = c->status == KAI_OK ? KAI_INTERRUPTED : c->status;  // a PDF that is discarded must not be written now
    if (k->cairo != NULL)
        cairo_destroy(k->cairo);
    if (k->surface != NULL)
        cairo_surface_destroy(k->surface);
}

#define CAIRO_BACKEND(kind)                                                                                            \
    {                                                                                                                  \
        .size = sizeof(CairoCanvas), .begin = kind##_begin, .path = cairo_backend_path,                                \
        .ellipse = cairo_backend_ellipse, .text = cairo_backend_text, .clip = cairo_backend_clip,                      \
        .unclip = cairo_backend_unclip, .finish = kind##_finish, .end = cairo_backend_end                              \
    }

static const Backend png_backend = CAIRO_BACKEND(png), pdf_backend = CAIRO_BACKEND(pdf);

static const FiguresPart part = {.head = {sizeof part, PART_STAMP}, .png = &png_backend, .pdf = &pdf_backend};

const PartHead* kairos_part(void)
{
    return &part.head;
}
