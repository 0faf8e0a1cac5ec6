// Programs that run again and again, as code of this machine. See native.c.
#ifndef KAIROS_VM_NATIVE_H
#define KAIROS_VM_NATIVE_H

#include "vm/vm.h"

typedef void NativeCode(double* registers);

typedef struct NativeRoom  // the pages of one run
{
    void* last;      // they are a list
    uint32_t count;  // of programs
    size_t used;     // bytes of code, in all
} NativeRoom;

// The code of a program that has nothing but plain arithmetic, comparisons and switches. NULL: it has more, or there
// are no such pages to be had. It leaves the bits that vm_run_words leaves.
NativeCode* native_make(NativeRoom* room, const kaiModel* model, const uint32_t* from, const uint32_t* to);
void native_free(NativeRoom* room);

typedef struct Hot  // what is remembered of a program that may run often
{
    NativeCode* code;  // NULL: it is interpreted
    uint32_t runs;
} Hot;

enum
{
    HOT_RUNS = 400,  // what it costs to make code is what these cost
};

void hot_make(Hot* hot, const kaiModel* model, const uint32_t* from, const uint32_t* to, const VmHost* host);

// As vm_run_words.
static inline uint32_t hot_run(Hot* hot, const kaiModel* model, double* R, const uint32_t* from, const uint32_t* to,
                               const VmHost* host)
{
    if (hot->code != NULL)
    {
        hot->code(R);
        return 0;
    }
    if (++hot->runs == HOT_RUNS)
        hot_make(hot, model, from, to, host);
    return vm_run_words(model, R, from, to, host);
}

#endif
