// Makes tapes (tape.h): a draft is walked (tape_walk.c), rid of what is
// made twice (tape_same.c), folded (tape_sums.c), its linear field taken out
// (tape_field.c), the rest laid out (tape_layout.c), then packed into one block that a series keeps.
#include "vm/tape_draft.h"

#include <string.h>

void* tape_draft_grown(TapeDraft* d, void* at, uint32_t* capacity, size_t size)
{
    kaiAllocator a = d->space->allocator;
    uint32_t next = *capacity < 32 ? 32 : 2 * *capacity;
    void* made = a.alloc(a.user, at, *capacity * size, next * size);
    if (made == NULL)
        d->failed = true;
    else
        *capacity = next;
    return made;
}

struct TapeDraft* tape_draft_create(SeriesSpace* space)
{
    kaiAllocator a = space->allocator;
    TapeDraft* d = a.alloc(a.user, NULL, 0, sizeof *d);
    if (d != NULL)
    {
        memset(d, 0, sizeof *d);
        d->space = space;
        d->model = space->model;
    }
    return d;
}

void tape_draft_free(SeriesSpace* space)
{
    TapeDraft* d = space->draft;
    kaiAllocator a = space->allocator;
    if (d == NULL)
        return;
#define X(type, name)                                                                                                  \
    if (d->name.at != NULL)                                                                                            \
        a.alloc(a.user, d->name.at, d->name.capacity * sizeof(type), 0);
    DRAFT_LISTS(X)
#undef X
    a.alloc(a.user, d, sizeof *d, 0);
}

// ---- packing
// ---------------------------------------------------------------------------------------------------------

// Where rows begin. What is needed at order 0 only has that alone.
static uint32_t number_rows(TapeDraft* d)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < d->slots.count; i++)
    {
        SlotInfo* slot = &d->slots.at[i];
        slot->place = slot->row || slot->first ? next : NO_REG;
        next += slot->row ? SERIES_TERMS : slot->first ? 1 : 0;
    }
    for (uint32_t i = 0; i < d->loads.count; i++)
    {
        const SlotInfo* slot = &d->slots.at[d->loads.at[i].slot];
        d->loads.at[i].row = slot->place;
        d->loads.at[i].constant = slot->constant;
        d->loads.at[i].turned = slot->turned;
    }
    return next;
}

static uint32_t number_matrices(TapeDraft* d)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < d->made.count; i++)
    {
        d->made.at[i].matrix = next;
        next += d->made.at[i].unknowns * (d->made.at[i].unknowns + 1);  // and the pivots
    }
    return next;
}

static void* take(char** next, const void* from, size_t bytes)
{
    void* to = *next;
    if (bytes > 0 && from != NULL)
        memcpy(to, from, bytes);
    *next += (bytes + 15) / 16 * 16;
    return to;
}

static uint32_t row_place(const TapeDraft* d, uint32_t slot)
{
    return d->slots.at[slot].place;
}

static void pack_lanes(const TapeDraft* d, Tape* t, char** next)
{
    t->quad_count = d->quads.count;
    t->quads = take(next, d->quads.at, sizeof(TapeQuad) * d->quads.count);
    t->groups = take(next, d->groups.at, sizeof(TapeGroup) * d->groups.count);
    *next += (16 - (uintptr_t)*next % 16) % 16;  // whatever the allocator has given
    t->lanes = take(next, NULL, sizeof(double) * tape_lane_place(d->quads.count));
    for (uint32_t i = 0; i < d->quads.count; i++)
    {
        TapeQuad* quad = &t->quads[i];
        quad->place = tape_lane_place(i);
        for (int k = 0; k < TAPE_LANES; k++)
        {
            const SlotInfo* slot = &d->slots.at[quad->slot[k]];
            quad->first[k] = slot->place;
            quad->slot[k] = slot->constant ? (uint32_t)TAPE_ZERO : quad->slot[k];
        }
    }
    for (uint32_t i = 0; i < d->groups.count; i++)
    {
        TapeGroup* g = &t->groups[i];
        g->own = tape_lane_place(g->own);
        g->x = tape_lane_place(g->x);
        g->y = tape_lane_place(g->y);
    }
}

static void pack_field(const TapeDraft* d, Tape* t, char** next)
{
    TapeField* f = &t->field;
    f->turn_count = d->turns.count;
    f->between_count = d->field_between;
    f->state_count = d->field_states;
    f->row_count = d->rows.count;
    f->idle = f->state_count + f->turn_count == 0;
    f->term_count = d->linear.count;
    f->first_sum = d->field_sums;
    f->turns = take(next, d->turns.at, sizeof(TapeTurn) * d->turns.count);
    f->rows = take(next, d->rows.at, sizeof(TapeRow) * d->rows.count);
    f->pieces = take(next, NULL, sizeof(TapePiece) * f->term_count);
    f->stream = take(next, NULL, sizeof(TapePiece) * (f->term_count + f->row_count));
    f->squares = take(next, NULL, 2 * sizeof(uint32_t) * f->term_count);
    f->pushes = take(next, NULL, 2 * sizeof(uint32_t) * d->pushes.count);
    f->push_count = d->pushes.count;
    for (uint32_t i = 0; i < f->term_count; i++)
    {
        const TapeSum* term = &d->linear.at[i];
        bool product = term->by != TAPE_ZERO;
        f->pieces[i].x = product ? row_place(d, term->slot) : term->slot;
        f->pieces[i].y = product ? row_place(d, term->by) : TAPE_ZERO;
    }
    for (uint32_t i = 0; i < f->push_count; i++)
    {
        f->pushes[2 * i] = d->pushes.at[i];
        f->pushes[2 * i + 1] = row_place(d, d->pushes.at[i]);
    }
    f->last_stream = f->stream;
    f->last_squares = f->squares;
    t->steady = d->made.count > 0 && d->made.at[0].last == STEADY_LAST;
    t->straight = d->made.count > t->steady;
    for (uint32_t i = t->steady; i < d->made.count; i++)
        t->straight &= d->made.at[i].rounds == 1 && d->made.at[i].unknowns == 0;
    t->alone = f->state_count == f->row_count && d->made.count == (t->steady ? 1 : 0);
    f->few = tape_few_serves(t, f->state_count - f->between_count) ? take(next, NULL, sizeof(FewField)) : NULL;
}

static Tape* pack(TapeDraft* d, const Series* s, int degree)
{
    kaiAllocator a = d->space->allocator;
    uint32_t rows = number_rows(d), matrices = number_matrices(d);
    uint32_t terms = d->linear.count;
    size_t size = sizeof(Tape) + 16 * 29 + sizeof(double) * ((size_t)d->slots.count + matrices) +
                  sizeof(double) * (rows + (size_t)tape_lane_place(d->quads.count)) +
                  sizeof(TapeQuad) * d->quads.count + sizeof(TapeGroup) * d->groups.count +
                  sizeof(uint32_t) * (2 * (size_t)d->slots.count + d->words.count + d->modes.count + d->loops.count +
                                      s->output_count + 2 * d->pushes.count) +
                  sizeof(TapePiece) * (2 * (size_t)terms + d->rows.count) + 2 * sizeof(uint32_t) * terms +
                  sizeof(TapeRow) * d->rows.count + sizeof(TapeTurn) * d->turns.count +
                  sizeof(TapePart) * d->made.count + sizeof(TapeLoad) * d->loads.count +
                  sizeof(TapeSide) * d->sides.count + sizeof(TapeTerm) * d->terms.count +
                  sizeof(TapeSum) * d->sums.count + sizeof(uint32_t) * d->factors.count +
                  (degree == SERIES_WHOLE ? sizeof(FewField) : 0);
    Tape* t = a.alloc(a.user, NULL, 0, size);
    if (t == NULL)
        return NULL;
    memset(t, 0, size);
    char* next = (char*)t + (sizeof(Tape) + 15) / 16 * 16;
    t->size = size;
    t->now = take(&next, NULL, sizeof(double) * d->slots.count);
    t->rows = take(&next, NULL, sizeof(double) * rows);
    t->matrices = take(&next, NULL, sizeof(double) * matrices);
    t->parts = take(&next, d->made.at, sizeof(TapePart) * d->made.count);
    t->loads = take(&next, d->loads.at, sizeof(TapeLoad) * d->loads.count);
    t->sides = take(&next, d->sides.at, sizeof(TapeSide) * d->sides.count);
    t->terms = take(&next, d->terms.at, sizeof(TapeTerm) * d->terms.count);
    t->sums = take(&next, d->sums.at, sizeof(TapeSum) * d->sums.count);
    t->factors = take(&next, d->factors.at, sizeof(uint32_t) * d->factors.count);
    t->words = take(&next, d->words.at, sizeof(uint32_t) * d->words.count);
    t->modes = take(&next, d->modes.at, sizeof(uint32_t) * d->modes.count);
    t->loops = take(&next, d->loops.at, sizeof(uint32_t) * d->loops.count);
    t->row_of = take(&next, NULL, sizeof(uint32_t) * d->slots.count);
    t->first_at = take(&next, NULL, sizeof(uint32_t) * d->slots.count);
    t->outputs = take(&next, NULL, sizeof(uint32_t) * s->output_count);
    pack_lanes(d, t, &next);
    t->degree = degree;
    pack_field(d, t, &next);
    t->degree = degree == SERIES_WHOLE && !t->alone ? SERIES_ENDLESS : degree;  // what is beside it has terms, too
    for (uint32_t i = 0; i < d->slots.count; i++)
    {
        t->row_of[i] = d->slots.at[i].row ? d->slots.at[i].place : NO_REG;
        t->first_at[i] = d->slots.at[i].place;
    }
    for (uint32_t i = 0; i < s->output_count; i++)
        t->outputs[i] = tape_moving(d, s->outputs[i]);
    t->mode_count = d->modes.count / 2;
    t->part_count = d->made.count;
    t->load_count = d->loads.count;
    t->constant_count = d->constants;
    t->side_count = d->sides.count;
    t->matrix_count = matrices;
    t->term_count = d->terms.count;
    t->sum_count = d->sums.count;
    t->time_slot = d->time_slot;
    t->obstacle = d->obstacle;
    return t;
}

void tape_free(SeriesSpace* space, Tape* tape)
{
    if (tape != NULL)
        space->allocator.alloc(space->allocator.user, tape, tape->size, 0);
}

static void begin_draft(TapeDraft* d, const Series* s, const double* R)
{
#define X(type, name) d->name.count = 0;
    DRAFT_LISTS(X)
#undef X
    d->R = R;
    d->failed = d->dry = d->broken = false;
    d->block = 0;
    d->obstacle = NO_REG;
    tape_add_slot(d, NO_REG, false);
    for (uint32_t i = 0; i < s->input_count; i++)
        d->space->slot_of[s->inputs[i]] = tape_add_slot(d, s->inputs[i], false);
    d->time_slot = tape_add_slot(d, d->model->reg_time, false);
    d->space->slot_of[d->model->reg_time] = d->time_slot;
    for (uint32_t i = PART_STEADY; i <= PART_FIRST; i++)
        APPEND(d, parts, (PartInfo){.rounds = 1});
}

Tape* tape_make(Series* series, const double* registers)
{
    TapeDraft* d = series->space->draft;
    begin_draft(d, series, registers);
    tape_walk(d, series->code, series->end);
    Tape* tape = NULL;
    if (!d->failed)
    {
        tape_find_live(d, series);
        tape_keep_terms(d);
        tape_find_same(d);
        tape_find_live(d, series);
        tape_fold_sums(d, series);
        tape_find_live(d, series);
        int degree = tape_find_degree(d, series);
        tape_find_field(d, series);
        tape_keep_sums(d);
        degree = degree == SERIES_ENDLESS && d->whole ? SERIES_WHOLE : degree;
        tape_lay_out(d, series);
        tape = d->failed ? NULL : pack(d, series, degree);
    }
    for (uint32_t i = 0; i < d->slots.count; i++)
        if (d->slots.at[i].reg != NO_REG)
            d->space->slot_of[d->slots.at[i].reg] = d->space->constant_of[d->slots.at[i].reg] = NO_REG;
    for (uint32_t i = 0; i < d->aliases.count; i++)
        d->space->slot_of[d->aliases.at[i]] = NO_REG;
    return tape;
}
