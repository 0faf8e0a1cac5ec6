// What a kind of canvas must be able to do. Only the canvas itself and its backends include this.
#ifndef KAIROS_PLOT_BACKEND_H
#define KAIROS_PLOT_BACKEND_H

#include "plot/canvas.h"
#include "result/output.h"

typedef enum PathKind
{
    PATH_OPEN,
    PATH_CLOSED,
    PATH_CURVE,         // Bézier pieces
    PATH_CURVE_CLOSED,  // the same, filled
} PathKind;

typedef struct Backend
{
    size_t size;                    // of its struct, whose first member is a Canvas
    kaiStatus (*begin)(Canvas* c);  // KAI_ERR_MEMORY; what it took until then `end` frees
    void (*path)(Canvas* c, PathKind kind, const CanvasPoint* points, int count, const Paint* paint);
    void (*ellipse)(Canvas* c, CanvasPoint centre, CanvasPoint radius, const Paint* paint);
    void (*text)(Canvas* c, CanvasPoint at, const char* text, const TextStyle* style);
    void (*clip)(Canvas* c, CanvasPoint corner, CanvasPoint size);
    void (*unclip)(Canvas* c);
    void (*group)(Canvas* c, const char* name);  // NULL: has no groups
    void (*ungroup)(Canvas* c);
    void (*finish)(Canvas* c);  // writes the rest; sets c->status
    void (*end)(Canvas* c);     // frees
} Backend;

struct Canvas
{
    const Backend* backend;
    CanvasOptions options;
    Output output;
    kaiStatus status;  // the first failure; nothing is written after it
};

extern const Backend svg_backend, terminal_backend;

// To the output, unless something has failed.
void canvas_write(Canvas* c, const char* bytes, size_t size);

#endif
