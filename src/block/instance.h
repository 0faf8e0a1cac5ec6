// An instance of a block in a run: what it was last set to and said, so that the questions of the model (text.h) come
// out as few calls. Its discrete state is numbered; a question that names a number before the last commit is answered
// from what was kept of it, or refused.
#ifndef KAIROS_BLOCK_INSTANCE_H
#define KAIROS_BLOCK_INSTANCE_H

#include "block/memory.h"
#include "block/text.h"

typedef struct BlockView  // all that can be said at one place
{
    double time;
    double *states, *inputs, *rates, *outputs, *indicators;
    bool has_rates, has_outputs, has_indicators, has_slopes;
} BlockView;

// The Jacobian of the rates where it is set, a column for each of the plain knowns and one for time, made when asked
// for.
typedef struct BlockSlopes
{
    double* columns;  // NULL: never asked for
    bool* has;
    size_t size;
} BlockSlopes;

typedef struct BlockInstance
{
    const kaiBlock* block;
    kaiBlockHost host;
    void* it;  // NULL: not open
    bool started;
    double number;  // of its discrete state
    bool pending;   // a commit is to follow, whatever happens
    bool between;   // … since the last one wanted another round
    double next, end;
    double* start_arguments;
    double* after;           // the states after the last commit
    BlockView now, before;   // where it is set; at the last commit, before it
    BlockView tag;           // its outputs at the tag of the commit that comes, from the inputs known so far
    double tag_number;       // of the discrete state that `tag` is about; NaN: there is none
    double commit_time;      // of the last one
    double* reference;       // its indicators after that
    double *told, *waiting;  // events of this tag that were told; that came too late for it and are told at the next
    bool waits;              // some are waiting
    BlockSlopes slopes;
    BlockMemory memory;
    uint32_t *plain, plain_count;      // states and inputs without events
    uint32_t *inputs_of, *outputs_of;  // the carriers of block_carriers
    double before_number, after_number;
    bool committed;  // there is a `before`
    char said[240];  // what it logged last as an error
    char why[400];   // "": it has not failed
    bool scarce;     // … for want of memory
    size_t room;     // of the one allocation that all arrays lie in
} BlockInstance;

// False: no memory.
bool block_make(BlockInstance* b, const kaiBlock* block, const kaiBlockHost* host);
void block_free(BlockInstance* b);
// Before another start.
void block_reset(BlockInstance* b);
// The answer; NaN: `why` says so, or the place cannot be evaluated. `a` are the registers of the arguments in R.
double block_ask(BlockInstance* b, BlockQuestion question, uint32_t index, const double* R, const uint32_t* a);
// A step of the solver ended here, where the model says that the block is. *event: it wants an instant.
kaiStatus block_step(BlockInstance* b, bool* event);
// The instance as bytes: 0 or what save_size says, which is only to be asked right before. False: it cannot be.
bool block_save_size(BlockInstance* b, size_t* size);
bool block_save(BlockInstance* b, char* bytes, size_t size);
bool block_restore(BlockInstance* b, const char* bytes, size_t size);

#endif
