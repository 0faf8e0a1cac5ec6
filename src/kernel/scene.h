// A scene: all that an ordinary instant of one guard or clock can touch, found once and kept. See scene.c.
#ifndef KAIROS_KERNEL_SCENE_H
#define KAIROS_KERNEL_SCENE_H

#include "kernel/kernel.h"

typedef struct ScenePiece  // of code
{
    const uint32_t *from, *to;
} ScenePiece;

struct Scene
{
    bool none;                                         // its instants are not ordinary
    uint32_t size;                                     // of the whole, in bytes
    uint32_t guards, whens, islands, signals, reacts;  // how many; of the last two, pieces of code
    const uint32_t* at;                                // guards, whens, islands, one after the other
    ScenePiece pieces[];                               // signals, reacts
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

// Whether any instant of this run can have one.
bool scenes_serve(const Kernel* kernel);
// That of a guard, or behind the guards of a clock, whose instant is at t. NULL: its instants are not ordinary, or
// there is no memory.
const Scene* scene_of(Kernel* kernel, uint32_t place, double t);
// Those of all guards, before any has crossed, where the run stands.
void scenes_make(Kernel* kernel);
// What it touches becomes what the instant in work has touched (touch.c), for those who go on from there. Nothing,
// where that is so already.
void scene_spread(Kernel* kernel);
void scenes_free(Kernel* kernel);

#endif
