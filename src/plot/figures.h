// The part `figures`: PNG and PDF through Cairo. cairo.c is in it, the rest of this room is not.
#ifndef KAIROS_PLOT_FIGURES_H
#define KAIROS_PLOT_FIGURES_H

#include "part/part.h"
#include "plot/backend.h"

typedef struct FiguresPart
{
    PartHead head;
    const Backend *png, *pdf;
} FiguresPart;

#endif
