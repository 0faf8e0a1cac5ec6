// What the files of an instance share.
#ifndef KAIROS_BLOCK_INSTANCE_INSIDE_H
#define KAIROS_BLOCK_INSTANCE_INSIDE_H

#include "block/instance.h"

#include <string.h>

// Other bits: a NaN is the same as itself.
static inline bool differs(double a, double b)
{
    return memcmp(&a, &b, sizeof a) != 0;
}

// Keeps the first reason. Always NaN.
double block_fail(BlockInstance* b, const char* call);
// Whether the call did what it was asked. KAI_ERR_LIMIT is no failure: a place that a solver tried.
bool block_went(BlockInstance* b, kaiStatus status, const char* call);
// How many numbers a view has; its arrays lie one after the other, from `states` on.
size_t block_view_size(const kaiBlock* b);
void block_forget_values(BlockView* view);
// `a`: time and knowns. `reads` NULL: all of them.
bool block_move_to(BlockInstance* b, const double* R, const uint32_t* a, const uint32_t* reads, uint32_t count);
bool block_stands_at(const BlockInstance* b, const BlockView* view, const double* R, const uint32_t* a,
                     const uint32_t* reads, uint32_t count);
// Its values of one kind, or of all, are in b->now.
bool block_fetch(BlockInstance* b, BlockQuestion question);
bool block_fetch_all(BlockInstance* b);

// commit.c. `a`: reacting, touched, number, inputs, inputs before. 0: nothing is due.
double block_ask_due(const BlockInstance* b, const double* R, const uint32_t* a);
// `a`: reacting, touched, number, time, states, inputs that it reads, and the same before.
double block_ask_tag(BlockInstance* b, uint32_t index, const double* R, const uint32_t* a);
// `a`: due, number, time, states, inputs.
double block_ask_commit(BlockInstance* b, uint32_t index, const double* R, const uint32_t* a);

#endif
