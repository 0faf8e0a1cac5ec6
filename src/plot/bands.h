// Which mode was active when: the stripes above the panels. Of fixed size, like a track: modes that change faster than
// the figure can show become one piece that knows which took part.
#ifndef KAIROS_PLOT_BANDS_H
#define KAIROS_PLOT_BANDS_H

#include <stdbool.h>
#include <stdint.h>

enum
{
    BAND_MAX = 4096,
    BAND_ABSENT = -1,
    BAND_MIXED = -2
};

typedef struct Bands
{
    int count;
    double ends_at;
    struct
    {
        double from;
        int mode;
        uint32_t modes;  // MIXED: which took part, as bits
    } pieces[BAND_MAX];
} Bands;

// The mode from t on, as its right limit: at one t the last call counts.
void bands_value(Bands* bands, double t, int mode);

#endif
