// Figures: rows in, a picture out (SVG, PNG, PDF, or characters for a terminal).
#ifndef KAIROS_PLOT_H
#define KAIROS_PLOT_H

#include "kairos/base.h"
#include "kairos/result.h"
#include "kairos/sim.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C"
{
#endif
#pragma GCC visibility push(default)

    typedef struct kaiFigureOptions
    {
        const char* path;       // ends in .svg, .png or .pdf; "-": characters on standard output
        double width, height;   // in 1/96 inch (a PNG has two pixels for each), of "-" in characters; 0: chosen
        const char* title;      // NULL: none
        double from, to;        // only these times; -inf, inf: all
        const char* time_unit;  // of the time axis, or NULL
        bool colour;            // of "-": with colour codes
        kaiAllocator allocator;
    } kaiFigureOptions;
    kaiFigureOptions kaiDefaultFigureOptions(void);

    // One panel: its signals, by the names of their columns, over time or against another signal.
    typedef struct kaiPanel
    {
        const char* const* signals;
        int count;
        const char* against;  // NULL: time
    } kaiPanel;

    // A figure of panels, one below the other. Columns of modes become bands above them. `columns` must outlive it.
    // NULL: `error` (a sentence) says why: no memory, a signal that there is not, an unknown ending of the path.
    typedef struct kaiFigure kaiFigure;
    kaiFigure* kaiFigure_Create(const kaiFigureOptions* options, const kaiColumn* columns, int column_count,
                                const kaiPanel* panels, int panel_count, char* error, size_t error_size);
    // A kaiRowFn. Memory does not grow with the rows: what the figure could not show apart is merged, extremes, jumps
    // and impulses stay.
    kaiStatus kaiFigure_Row(void* figure, const kaiRow* row);
    // The rows of another run follow; it is drawn over the others. The first run needs no call. KAI_ERR_USAGE: too
    // many.
    kaiStatus kaiFigure_BeginRun(kaiFigure* figure, const char* label);
    // KAI_OK: the file is there. KAI_ERR_USAGE: no rows to draw; KAI_ERR_IO; `error` says why.
    kaiStatus kaiFigure_Draw(kaiFigure* figure, char* error, size_t error_size);
    void kaiFigure_Free(kaiFigure* figure);

    // What happens inside instants: every tag ⟨p, m⟩ with the values that change, what fired and where it is written.
    // `at`: only the instant nearest to this time (NaN: all of them). Path "-": a table as text.
    typedef struct kaiInstants kaiInstants;
    kaiInstants* kaiInstants_Create(const kaiFigureOptions* options, double at, const kaiColumn* columns,
                                    int column_count, char* error, size_t error_size);
    kaiStatus kaiInstants_Row(void* instants, const kaiRow* row);
    void kaiInstants_Fired(void* instants, const kaiFired* fired);
    // Only these signals, by name, are shown (whether they change or not); with count 0 those that change.
    kaiStatus kaiInstants_Show(kaiInstants* instants, const char* const* signals, int count, char* error,
                               size_t error_size);
    kaiStatus kaiInstants_Draw(kaiInstants* instants, char* error, size_t error_size);
    void kaiInstants_Free(kaiInstants* instants);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
