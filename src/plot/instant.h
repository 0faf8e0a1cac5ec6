// The tags of instants, kept whole: values at every tag and what fired there.
#ifndef KAIROS_PLOT_INSTANT_H
#define KAIROS_PLOT_INSTANT_H

#include "plot/figure.h"

enum
{
    INSTANT_TAGS = 4096,   // kept of one instant; more are only counted
    INSTANT_FIGURES = 24,  // instants in one picture
    FIRED_TEXT = 96,
    FIRED_SOURCE = 120
};

typedef struct FiredEntry
{
    int32_t p, m;
    kaiFiredKind kind;
    char text[FIRED_TEXT];
    const char* file;  // of the model, which outlives the view
    int line;
    char source[FIRED_SOURCE];  // the line itself, if the file can be read
} FiredEntry;

typedef struct TagEntry
{
    int32_t p, m;
} TagEntry;

typedef struct Instant
{
    double t;
    char* rows;  // one for each tag, of v->stride bytes: TagEntry, values, presence
    int tag_count, tag_capacity;
    int64_t more;  // tags that were not kept
    FiredEntry* fired;
    int fired_count, fired_capacity;
} Instant;

struct kaiInstants
{
    kaiFigureOptions options;
    CanvasFormat format;
    double at;  // NaN: all
    const kaiColumn* columns;
    int column_count;
    size_t stride;
    bool* shown;     // by name
    bool named;      // some were named
    bool* changing;  // scratch of drawing: columns to show of one instant
    int* widths;     // and how wide they are as text
    Instant current;
    bool has_current;
    Instant* kept;
    int count, capacity;
    bool out_of_memory, any;
    double first_t, last_t;
};

TagEntry instant_tag(const kaiInstants* v, const Instant* x, int tag);
bool instant_value(const kaiInstants* v, const Instant* x, int tag, int column, double* value);
// Something else than at the tag before.
bool instant_changed(const kaiInstants* v, const Instant* x, int tag, int column);
// Marks in v->changing what is to be shown of this instant; returns how many.
int instant_choose(kaiInstants* v, const Instant* x);
// The value as text, "absent" as "·".
void instant_cell(const kaiInstants* v, const Instant* x, int tag, int column, char* text, size_t size);
// The firings that belong to a recorded tag: those at it, and at tags after it that were not recorded.
bool instant_fired_at(const kaiInstants* v, const Instant* x, int tag, const FiredEntry* fired);
const char* instant_kind(kaiFiredKind kind);

// instant_text.c, instant_draw.c
kaiStatus instant_write(kaiInstants* v, kaiError* error);
kaiStatus instant_draw(kaiInstants* v, kaiError* error);

#endif
