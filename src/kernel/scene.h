// A scene: all that an ordinary instant of one guard or clock can touch, found once and kept. See scene.c.
#ifndef KAIROS_KERNEL_SCENE_H
#define KAIROS_KERNEL_SCENE_H

#include "kernel/kernel.h"
#include "vm/slice.h"

#include <string.h>

typedef struct ScenePiece  // of code
{
    const uint32_t *from, *to;
} ScenePiece;

// A transition that may be taken from one of the modes.
typedef struct SceneMove
{
    uint32_t fire;        // not 0 where it is enabled
    uint32_t machine;     // whose modes it changes
    uint32_t transition;  // NO_REG: one that has more to enter than the mode itself
    const Scene* next;    // of the modes after it, where it alone is taken; NULL: not known yet
} SceneMove;

struct Scene
{
    bool none;                                         // its instants are not ordinary
    uint32_t size;                                     // of the whole, in bytes
    uint32_t guards, whens, islands, signals, reacts;  // how many; of the last two, pieces of code
    uint32_t first_level, levels;                      // in `at`: relations whose left limits the reaction reads
    uint32_t moves;                                    // how many transitions
    SceneMove* move;                                   // they, behind `at`
    uint32_t first_context, contexts;                  // in `at`, of a fused model: the contexts that are active
    Slice* program;       // of the reaction in these modes, as far as it is read; NULL: there is none
    Slice* looks;         // of what guards are armed with, the same
    Routine* routine;     // its instants as one record; NULL: they are no routine
    const uint32_t* at;   // guards, whens, islands, levels, contexts, one after the other
    ScenePiece pieces[];  // signals, reacts
};

static inline const uint32_t* scene_guards(const Scene* scene)
{
    return scene->at;
}
static inline const uint32_t* scene_whens(const Scene* scene)
{
    return scene->at + scene->guards;
}
static inline const uint32_t* scene_islands(const Scene* scene)
{
    return scene_whens(scene) + scene->whens;
}
// Code of signals that the reaction reads and the instant does not change; then that of the reaction.
static inline const ScenePiece* scene_signals(const Scene* scene)
{
    return scene->pieces;
}
static inline const ScenePiece* scene_reacts(const Scene* scene)
{
    return scene->pieces + scene->signals;
}
static inline const uint32_t* scene_contexts(const Scene* scene)
{
    return scene->at + scene->first_context;
}
static inline const uint32_t* scene_levels(const Scene* scene)
{
    return scene->at + scene->first_level;
}

// Whether any instant of this run can have one: kernel->simple. False: no memory.
bool scenes_begin(Kernel* kernel);
// That of a guard, or behind the guards of a clock, whose instant is at t; of a fused model that of its modes. NULL:
// its instants are not ordinary, or there is no memory.
const Scene* scene_of(Kernel* kernel, uint32_t place, double t);
// Those of all guards, before any has crossed, where the run stands.
void scenes_make(Kernel* kernel);
// What it touches becomes what the instant in work has touched (touch.c), for those who go on from there. Nothing,
// where that is so already.
void scene_spread(Kernel* kernel);
void scenes_free(Kernel* kernel);

// What scene.c and scene_modes.c share.
// Room for pieces of code, and behind them for words. NULL: no memory.
Scene* scene_allocate(Kernel* kernel, uint32_t pieces, uint32_t words);
static inline uint32_t* scene_put(uint32_t* to, const uint32_t* from, uint32_t count)  // returns the place behind
{
    if (count > 0)
        memcpy(to, from, sizeof *to * count);
    return to + count;
}
bool scene_takes_reaction(const kaiModel* model, const Reaction* reaction);

// scene_modes.c: scenes of fused models, which hold all that is active.
bool scene_serves_modes(const Kernel* kernel, bool* serves);  // whether such a model can have any; false: no memory
const Scene* scene_of_modes(Kernel* kernel);
// The modes have changed, by `move` alone (NULL: by more): contexts and lists are those of the modes after it, and so
// is the scene that is returned, as by scene_of_modes.
const Scene* scene_after(Kernel* kernel, SceneMove* move);
// The same where the modes are known to be those of the scene.
void scene_adopt(Kernel* kernel, const Scene* scene);

#endif
