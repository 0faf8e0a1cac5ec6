// Runs the code of a kaiModel on an array of registers.
#ifndef KAIROS_VM_VM_H
#define KAIROS_VM_VM_H

#include "model/model.h"

// What code may ask of its surroundings.
typedef struct VmHost
{
    void* ctx;
    // What went into the delay at the time `at`, or a derivative of it.
    double (*delayed)(void* ctx, uint32_t delay, double at, uint32_t order);
    // For power series: the first `terms` coefficients of the same around `at`. False: there is no polynomial to read
    // them from. NULL: never.
    bool (*delayed_series)(void* ctx, uint32_t delay, double at, int terms, double* coefficients);
    // For ranges: what went in between two times, or a derivative of it, lies between *low and *high; the result is how
    // many polynomials tell of it. NULL: never.
    double (*delayed_range)(void* ctx, uint32_t delay, double from, double to, uint32_t order, double* low,
                            double* high);
    // A solver tries points beyond the level at which a relation would have switched. Where this is not NULL, roots,
    // logarithms and powers go on beyond their domain, continuously, as for |x|; the counter tells that they did.
    uint32_t* beyond;
    // Elsewhere they may lie as little beyond it as this, which rounding has left there. NULL: not at all.
    double (*rounding)(void* ctx);
    // What a block answers (src/block); `arguments` are registers. NULL: nothing, which is NaN.
    double (*block)(void* blocks, const External* question, const double* registers, const uint32_t* arguments);
    void* blocks;
    double*
        errors;  // room for a number per register, or NULL: what equations are solved to is not held against rounding
    struct NativeRoom* native;  // where programs that run often get code of the machine; NULL: nowhere
    int rounds;                 // of Newton's method for equations at most; 0 = as many as it takes
} VmHost;

// 0, or 1 + the index of the component that has no constructive solution.
uint32_t vm_run_words(const kaiModel* model, double* registers, const uint32_t* pc, const uint32_t* end,
                      const VmHost* host);
static inline uint32_t vm_run(const kaiModel* model, double* registers, CodeRange range, const VmHost* host)
{
    return vm_run_words(model, registers, model->code + range.start, model->code + range.end, host);
}

// Where a SWITCH goes on, by the mode in its register.
static inline const uint32_t* vm_switch_target(const double* registers, const uint32_t* pc)
{
    double at = registers[pc[1]];
    uint32_t count = pc[2], mode = at >= 0 && at < count ? (uint32_t)at : count;
    const uint32_t* base = pc + 3 + count + 1;
    uint32_t offset = mode < count ? pc[3 + mode] : NO_REG;
    return base + (offset != NO_REG ? offset : pc[3 + count]);
}

// A table at u, and its slope on the segment that u lies on.
double vm_table(const kaiModel* model, uint32_t table, double u);
double vm_table_slope(const kaiModel* model, uint32_t table, double u);

// Follows a NaN in register `reg` back to the operator that made it, through the code of `range` as it was last run.
// The register whose operator has no NaN among its arguments; reg_places tells where it stands.
uint32_t vm_trace_nan(const kaiModel* model, const double* registers, CodeRange range, uint32_t reg);

// The first operator of `range`, as it was last run, whose result is infinite though its operands are not; NO_REG:
// none.
uint32_t vm_trace_infinite(const kaiModel* model, const double* registers, CodeRange range);

// The operator that writes `reg`, with the values of its operands: ": sqrt(-0.5)", or "".
const char* vm_say_operator(const kaiModel* model, const double* registers, CodeRange range, uint32_t reg, char* text,
                            size_t size);

// What an operator takes as a count or an index stands in a constant. It is read where nothing writes, so that no code,
// however it was damaged, can change it under its check (model_validate).
static inline uint32_t vm_constant(const kaiModel* model, uint32_t reg)
{
    return (uint32_t)model->constants[reg - model->reg_first[REG_CONST]];
}

#endif
