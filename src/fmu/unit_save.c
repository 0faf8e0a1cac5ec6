// See unit.h: the state of an instance, as a copy in this process (FMUstate) and as bytes (serialised). Between the
// tags of an instant a run cannot be copied: what is kept then is the copy from before the instant and what was done
// since, tags and inputs in their order; going back does it again, to the same bits.
#include "base/bytes.h"
#include "fmu/unit_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct PackHead
{
    size_t size, run;  // of all; of the run's own bytes (Model Exchange)
    UnitMode mode;
    bool exchange, ready, halted, unsettled;
    double t, start, tolerance, zeno_time;
    int zeno_count;
} PackHead;

// ---- a copy between instants
// ---------------------------------------------------------------------------------------------

static size_t rounded(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

typedef struct PackArray
{
    void* at;
    size_t size;
} PackArray;

enum
{
    PACK_ARRAYS = 5
};

static void list_arrays(Unit* unit, PackArray arrays[PACK_ARRAYS])
{
    size_t vars = (size_t)kaiModel_VariableCount(unit->model);
    arrays[0] = (PackArray){unit->x, sizeof *unit->x * (size_t)unit->states};
    arrays[1] = (PackArray){unit->given, sizeof *unit->given * vars};
    arrays[2] = (PackArray){unit->given_values, sizeof *unit->given_values * vars};
    arrays[3] = (PackArray){unit->inputs, sizeof *unit->inputs * vars};
    arrays[4] = (PackArray){unit->tallies, sizeof *unit->tallies * vars};
}

static size_t run_size(const Unit* unit)
{
    return unit->exchange && unit->ready ? kaiEval_SaveSize(unit->eval) : 0;
}

static size_t pack_size(Unit* unit)
{
    PackArray arrays[PACK_ARRAYS];
    list_arrays(unit, arrays);
    size_t size = rounded(sizeof(PackHead)) + run_size(unit);
    for (int i = 0; i < PACK_ARRAYS; i++)
        size += rounded(arrays[i].size);
    return size;
}

static void pack(Unit* unit, char* to, size_t size)
{
    PackArray arrays[PACK_ARRAYS];
    list_arrays(unit, arrays);
    memset(to, 0, size);
    PackHead* head = (PackHead*)(void*)to;
    head->size = size;
    head->run = run_size(unit);
    head->mode = unit->mode;
    head->exchange = unit->exchange;
    head->ready = unit->ready;
    head->halted = unit->halted;
    head->unsettled = unit->unsettled;
    head->t = unit->t;
    head->start = unit->experiment.start;
    head->tolerance = unit->experiment.tolerance;
    head->zeno_time = unit->zeno.time;
    head->zeno_count = unit->zeno.count;
    to += rounded(sizeof *head);
    for (int i = 0; i < PACK_ARRAYS; to += rounded(arrays[i++].size))
        memcpy(to, arrays[i].at, arrays[i].size);
    if (head->run > 0)
        kaiEval_Save(unit->eval, to, head->run);
}

// The run that a copy belongs to, if this instance has none or one of another start.
static bool have_run(Unit* unit, const PackHead* head)
{
    bool same = memcmp(&unit->experiment.start, &head->start, sizeof head->start) == 0 &&
                memcmp(&unit->experiment.tolerance, &head->tolerance, sizeof head->tolerance) == 0;
    unit->experiment.start = head->start;
    unit->experiment.tolerance = head->tolerance;
    if (!head->ready || (same && (unit->eval != NULL || unit->sim != NULL)))
        return true;
    return unit_make_run(unit);
}

static bool unpack(Unit* unit, const char* from)
{
    PackHead head;
    PackArray arrays[PACK_ARRAYS];
    memcpy(&head, from, sizeof head);
    list_arrays(unit, arrays);
    size_t size = rounded(sizeof head) + head.run;
    for (int i = 0; i < PACK_ARRAYS; i++)
        size += rounded(arrays[i].size);
    if (head.exchange != unit->exchange || head.size != size)
        return unit_refuse(unit, "the state is that of another FMU, or of the other kind of it");
    if (!have_run(unit, &head))
        return false;
    from += rounded(sizeof head);
    for (int i = 0; i < PACK_ARRAYS; from += rounded(arrays[i++].size))
        memcpy(arrays[i].at, from, arrays[i].size);
    unit->mode = head.mode;
    unit->ready = head.ready;
    unit->halted = head.halted;
    unit->unsettled = head.unsettled;
    unit->t = head.t;
    unit->zeno.time = head.zeno_time;
    unit->zeno.count = head.zeno_count;
    unit->looked = unit->inside = false;
    if (head.run > 0 && kaiEval_Restore(unit->eval, from, head.run) != KAI_OK)
        return unit_fail(unit, "the state cannot be restored");
    return true;
}

// ---- inside an instant
// -----------------------------------------------------------------------------------------------------

bool unit_keep_before(Unit* unit)
{
    size_t size = pack_size(unit);
    if (size > unit->instant.room)
    {
        char* more = realloc(unit->instant.before, size);
        if (more == NULL)
            return unit_fail(unit, "out of memory");
        unit->instant.before = more;
        unit->instant.room = size;
    }
    unit->instant.size = size;
    unit->instant.done_count = 0;
    pack(unit, unit->instant.before, size);
    return true;
}

bool unit_keep_done(Unit* unit, int reference, double value)
{
    if (unit->instant.done_count == unit->instant.done_room)
    {
        size_t room = 2 * unit->instant.done_room + 16;
        UnitDone* more = realloc(unit->instant.done, sizeof *more * room);
        if (more == NULL)
            return unit_fail(unit, "out of memory");
        unit->instant.done = more;
        unit->instant.done_room = room;
    }
    UnitDone* one = &unit->instant.done[unit->instant.done_count++];
    memset(one, 0, sizeof *one);
    one->reference = reference;
    one->value = value;
    return true;
}

static bool do_again(Unit* unit, const UnitDone* done, size_t count, UnitMode mode)
{
    unit->mode = mode;
    if (!unit_begin_instant(unit))
        return false;
    bool ok = true, more;
    for (size_t i = 0; i < count && ok; i++)
        ok = done[i].reference < 0 ? unit_one_tag(unit, &more)
                                   : unit_set(unit, (uint32_t)done[i].reference, done[i].value);
    return ok;
}

// ---- what importers hold
// ---------------------------------------------------------------------------------------------------

void unit_state_free(UnitState* state)
{
    if (state == NULL)
        return;
    kaiSnapshot_Free(state->snapshot);
    free(state->later);
    free(state->bytes);
    free(state);
}

// [sizes][copy][what was done since][structural parameters that were set]
typedef struct StateHead
{
    char magic[8];
    size_t copy, done, structure;  // bytes, entries, entries
    UnitMode mode;                 // inside an instant, if something was done
    bool inside;
} StateHead;

static const char state_magic[8] = "KAIFMU2";

// Structural parameters that were set, as shapes and values in SI units; `to` NULL: how many.
static size_t list_structure(const Unit* unit, UnitDone* to)
{
    size_t count = 0;
    for (uint32_t i = 0; i < unit->structure.shapes.list.count && unit->structure.configured; i++)
    {
        const Shape* s = &unit->structure.shapes.list.at[i];
        if (s->like.causality != FMI_STRUCTURAL || s->like.variable < 0 || s->count != 1)
            continue;
        int variable = unit->catalogue.list.at[unit->structure.shapes.elements[s->at]].variable;
        if (!unit->given[variable])
            continue;
        if (to != NULL)
            to[count] = (UnitDone){(int)i, unit->given_values[variable]};
        count++;
    }
    return count;
}

static UnitState* copy_state(Unit* unit)
{
    UnitState* state = calloc(1, sizeof *state);
    size_t copy = unit->inside ? unit->instant.size : pack_size(unit),
           done = unit->inside ? unit->instant.done_count : 0, structure = list_structure(unit, NULL);
    if (state == NULL)
        return NULL;
    state->size = rounded(sizeof(StateHead)) + copy + sizeof(UnitDone) * (done + structure);
    state->bytes = calloc(1, state->size);
    if (unit->sim != NULL && unit->ready)
        state->snapshot = kaiSim_Save(unit->sim);
    if (state->bytes == NULL || (unit->sim != NULL && unit->ready && state->snapshot == NULL))
    {
        unit_state_free(state);
        return NULL;
    }
    StateHead head;
    memset(&head, 0, sizeof head);
    memcpy(head.magic, state_magic, sizeof head.magic);
    head.copy = copy;
    head.done = done;
    head.structure = structure;
    head.mode = unit->mode;
    head.inside = unit->inside;
    memcpy(state->bytes, &head, sizeof head);
    char* to = state->bytes + rounded(sizeof head);
    if (unit->inside)
        memcpy(to, unit->instant.before, copy);
    else
        pack(unit, to, copy);
    if (done > 0)
        memcpy(to + copy, unit->instant.done, sizeof(UnitDone) * done);
    if (structure > 0)
        list_structure(unit, (UnitDone*)(void*)(to + copy + sizeof(UnitDone) * done));
    return state;
}

bool unit_state_save(Unit* unit, void** state)
{
    UnitState* saved = copy_state(unit);
    if (saved == NULL)
        return unit_refuse(unit, "there is no memory for the state");
    unit_state_free(*state);
    *state = saved;
    return true;
}

static bool has_structure(const Unit* unit, const UnitState* state)
{
    StateHead head;
    memcpy(&head, state->bytes, sizeof head);
    size_t count = list_structure(unit, NULL);
    UnitDone* here = malloc(sizeof *here * (count + 1));
    if (here == NULL || count != head.structure)
        return free(here), false;
    list_structure(unit, here);
    const char* there = state->bytes + rounded(sizeof head) + head.copy + sizeof(UnitDone) * head.done;
    bool same = true;
    for (size_t i = 0; i < count && same; i++)
    {
        UnitDone other;
        memcpy(&other, there + sizeof other * i, sizeof other);
        same = other.reference == here[i].reference && other.value == here[i].value;
    }
    free(here);
    return same;
}

// The model that a state is of: with the structural parameters that were set there.
static bool take_structure(Unit* unit, const UnitState* state)
{
    StateHead head;
    memcpy(&head, state->bytes, sizeof head);
    if (has_structure(unit, state))
        return true;
    const char* there = state->bytes + rounded(sizeof head) + head.copy + sizeof(UnitDone) * head.done;
    kaiOverride* list = malloc(sizeof *list * (head.structure + 1));
    bool ok = list != NULL;
    for (size_t i = 0; i < head.structure && ok; i++)
    {
        UnitDone one;
        memcpy(&one, there + sizeof one * i, sizeof one);
        ok = one.reference >= 0 && (uint32_t)one.reference < unit->structure.shapes.list.count &&
             unit->structure.shapes.list.at[one.reference].like.variable >= 0;
        if (!ok)
            break;
        const Shape* s = &unit->structure.shapes.list.at[one.reference];
        list[i] = (kaiOverride){s->name, unit_from_si(unit, s->like.variable, one.value)};
    }
    ok = ok ? unit_restructure(unit, list, (int)head.structure) : unit_refuse(unit, "the state is that of another FMU");
    free(list);
    return ok;
}

static bool take_snapshot(Unit* unit, const UnitState* state)
{
    kaiError error;
    if (state->later == NULL)
        return state->snapshot == NULL || kaiSim_Restore(unit->sim, state->snapshot) == KAI_OK ||
               unit_fail(unit, "the state cannot be restored");
    kaiSnapshot* snapshot = kaiSnapshot_Read(unit->model, state->later, state->later_size, &error);
    if (snapshot == NULL)
        return unit_fail(unit, "%s", error.message);
    bool ok = kaiSim_Restore(unit->sim, snapshot) == KAI_OK;
    kaiSnapshot_Free(snapshot);
    return ok || unit_fail(unit, "the state cannot be restored");
}

bool unit_state_restore(Unit* unit, const UnitState* state)
{
    StateHead head;
    memcpy(&head, state->bytes, sizeof head);
    const char* from = state->bytes + rounded(sizeof head);
    if (!take_structure(unit, state) || !unpack(unit, from) || !take_snapshot(unit, state))
        return false;
    unit->experiment.last = unit->t;
    if (!head.inside)
        return true;
    UnitDone* done = malloc(sizeof *done * head.done + 1);
    if (done == NULL)
        return unit_fail(unit, "out of memory");
    memcpy(done, from + head.copy, sizeof *done * head.done);  // doing it again keeps it again
    bool ok = do_again(unit, done, head.done, head.mode);
    free(done);
    return ok;
}

// ---- bytes
// -----------------------------------------------------------------------------------------------------------

// The size of the first part, the first part, the snapshot. false: no memory; to be freed.
static bool write_state(const UnitState* state, char** bytes, size_t* size)
{
    Bytes b = {NULL, 0, 0};
    uint64_t first = state->size;
    kaiSink sink = {bytes_add, &b};
    kaiStatus status = bytes_add(&b, (const char*)&first, sizeof first);
    if (status == KAI_OK)
        status = bytes_add(&b, state->bytes, state->size);
    if (status == KAI_OK && state->snapshot != NULL)
        status = kaiSnapshot_Write(state->snapshot, &sink);
    else if (status == KAI_OK && state->later != NULL)
        status = bytes_add(&b, state->later, state->later_size);
    if (status != KAI_OK)
        free(b.at);
    *bytes = status == KAI_OK ? b.at : NULL;
    *size = b.size;
    return status == KAI_OK;
}

bool unit_state_size(const UnitState* state, size_t* size)
{
    char* bytes = NULL;
    bool written = write_state(state, &bytes, size);
    free(bytes);
    return written;
}

bool unit_state_write(const UnitState* state, char* to, size_t room)
{
    char* bytes = NULL;
    size_t needed = 0;
    bool fits = write_state(state, &bytes, &needed) && needed <= room;
    if (fits)
        memcpy(to, bytes, needed);
    free(bytes);
    return fits;
}

static bool is_whole(const UnitState* state)
{
    StateHead head;
    if (state->size < rounded(sizeof head) + sizeof(PackHead))
        return false;
    memcpy(&head, state->bytes, sizeof head);
    size_t rest = state->size - rounded(sizeof head);
    return memcmp(head.magic, state_magic, sizeof head.magic) == 0 && head.copy <= rest &&
           head.copy >= sizeof(PackHead) && head.done <= rest && head.structure <= rest &&
           head.done + head.structure == (rest - head.copy) / sizeof(UnitDone);
}

static UnitState* read_state(Unit* unit, const char* bytes, size_t size)
{
    uint64_t first = 0;
    kaiError error;
    UnitState* state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    if (size > sizeof first)
        memcpy(&first, bytes, sizeof first);
    bool fits = first > 0 && first <= size - sizeof first;
    state->size = fits ? (size_t)first : 0;
    state->bytes = fits ? malloc(state->size) : NULL;
    if (state->bytes != NULL)
        memcpy(state->bytes, bytes + sizeof first, state->size);
    if (state->bytes == NULL || !is_whole(state))
    {
        unit_refuse(unit, "these bytes are no state of an FMU of Kairos, or damaged");
        unit_state_free(state);
        return NULL;
    }
    size_t rest = size - sizeof first - state->size;
    const char* from = bytes + sizeof first + state->size;
    bool here = has_structure(unit, state);
    if (rest > 0 && here)
        state->snapshot = kaiSnapshot_Read(unit->model, from, rest, &error);
    else if (rest > 0 && (state->later = malloc(rest)) != NULL)
        memcpy(state->later, from, state->later_size = rest);
    if (rest > 0 && state->snapshot == NULL && state->later == NULL)
    {
        unit_refuse(unit, "%s", here ? error.message : "out of memory");
        unit_state_free(state);
        return NULL;
    }
    return state;
}

bool unit_state_read(Unit* unit, const char* bytes, size_t size, void** state)
{
    UnitState* read = read_state(unit, bytes, size);
    if (read != NULL)
        *state = read;
    return read != NULL;
}
