// Copies of a kaiEval: what the kernel holds, what the record remembers of the last tags, the indicators. Between
// instants only; the states belong to the caller.
#include "flow/flow.h"
#include "kernel/bonds.h"
#include "run/eval.h"

#include <string.h>

typedef struct SavedHead
{
    size_t size;  // of all
    bool started, told;
    double moment;  // time of the last question
} SavedHead;

static size_t indicators_size(const kaiEval* eval)
{
    return sizeof(Indicator) * eval->model->guards_count;
}

size_t kaiEval_SaveSize(const kaiEval* eval)
{
    if (eval == NULL || eval->inside)
        return 0;
    return sizeof(SavedHead) + kernel_save_size(&eval->kernel) + record_save_size(&eval->record) +
           indicators_size(eval);
}

kaiStatus kaiEval_Save(const kaiEval* eval, void* bytes, size_t size)
{
    if (eval == NULL || bytes == NULL || eval->inside || size != kaiEval_SaveSize(eval))
        return KAI_ERR_USAGE;
    SavedHead head;
    memset(&head, 0, sizeof head);
    head.size = size;
    head.started = eval->started;
    head.told = eval->told;
    head.moment = eval->kernel.R[eval->model->reg_time];
    char* at = bytes;
    memset(at, 0, size);  // what lies between fields goes into files too
    memcpy(at, &head, sizeof head);
    at += sizeof head;
    at = kernel_save(&eval->kernel, at);
    at = record_save(&eval->record, at);
    memcpy(at, eval->indicators, indicators_size(eval));
    return KAI_OK;
}

// The parameters that follow from others are not among what is saved: a start with the values of the copy makes them.
static kaiStatus derive(kaiEval* eval, const char* from)
{
    bool ok = true;
    kernel_load(&eval->kernel, from, &ok);
    if (!ok)
        return KAI_ERR_MEMORY;
    kernel_init_registers(&eval->kernel);
    return flow_prepare(&eval->kernel);
}

kaiStatus kaiEval_Restore(kaiEval* eval, const void* bytes, size_t size)
{
    SavedHead head;
    if (eval == NULL || bytes == NULL || size < sizeof head)
        return KAI_ERR_USAGE;
    memcpy(&head, bytes, sizeof head);
    if (head.size != size)
        return KAI_ERR_USAGE;
    const char* at = (const char*)bytes + sizeof head;
    kaiStatus status = head.started ? derive(eval, at) : KAI_OK;
    bool ok = status == KAI_OK;
    if (ok)
        at = kernel_load(&eval->kernel, at, &ok);
    if (!ok)
        return status != KAI_OK ? status : KAI_ERR_MEMORY;
    at = record_load(&eval->record, at);
    memcpy(eval->indicators, at, indicators_size(eval));
    eval->started = head.started;
    eval->told = head.told;
    eval->inside = eval->rated = false;
    touch_moment(&eval->kernel, head.moment);
    return head.started && eval->kernel.bonds != NULL ? bonds_resume(&eval->kernel) : KAI_OK;
}
