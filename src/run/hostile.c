// Part of the hostile build only (base/hostile.h, cmake/Core.cmake). Between two steps, at random: the run is saved,
// half of the time as bytes; kernel, flow and listeners are thrown away and made anew at the same addresses, so that
// nothing outlives a snapshot that is not in it; then it is restored and goes on. What callers may hold pointers to
// (columns, warnings) and what belongs to the exploration around the run stays.
#include "run/hostile.h"
#include "base/hostile.h"
#include "kernel/blocks.h"
#include "run/options.h"

#include <stdlib.h>
#include <string.h>

enum
{
    ODDS_EARLY = 3,  // in the first steps, where most models do what is special about them
    EARLY = 40,
    ODDS_LATE = 200,  // a long run must end
};

typedef struct Bytes
{
    char* at;
    size_t count;
} Bytes;

static kaiStatus add_bytes(void* user, const char* bytes, size_t count)
{
    Bytes* b = user;
    char* at = realloc(b->at, b->count + count);
    if (at == NULL)
        return KAI_ERR_MEMORY;
    memcpy(at + b->count, bytes, count);
    *b = (Bytes){at, b->count + count};
    return KAI_OK;
}

// To a file and back.
static kaiSnapshot* through_bytes(const kaiModel* model, kaiSnapshot* snapshot)
{
    Bytes bytes = {0};
    kaiSink sink = {.write = add_bytes, .user = &bytes};
    kaiStatus status = kaiSnapshot_Write(snapshot, &sink);
    kaiSnapshot_Free(snapshot);
    kaiSnapshot* read = status == KAI_OK ? kaiSnapshot_Read(model, bytes.at, bytes.count, NULL) : NULL;
    free(bytes.at);
    return read;
}

static bool is_time(kaiSim* sim)
{
    const kaiCounters* c = &sim->kernel.counters;
    if (sim->hostile == 0)
        sim->hostile = hostile_seed() + 1;
    return hostile_chance(&sim->hostile, c->instants < EARLY ? ODDS_EARLY : ODDS_LATE);
}

kaiStatus hostile_visit(kaiSim* sim)
{
    // Counters of a profile are not part of a snapshot.
    if (!sim->flow.started || sim->flow.ended || sim->options.profile || !is_time(sim))
        return KAI_OK;
    if (blocks_fixed(&sim->kernel, false, &(Text){0}))
        return KAI_OK;
    kaiSnapshot* snapshot = kaiSim_Save(sim);
    if (snapshot != NULL && hostile_chance(&sim->hostile, 2))
        snapshot = through_bytes(sim->model, snapshot);
    if (snapshot == NULL)
        return KAI_ERR_MEMORY;
    Warnings warnings = sim->kernel.warnings;  // whose texts callers may hold
    kaiStatus status = sim_remake(sim) ? kaiSim_Restore(sim, snapshot) : KAI_ERR_MEMORY;
    sim->kernel.warnings = warnings;
    kaiSnapshot_Free(snapshot);
    return status;
}
