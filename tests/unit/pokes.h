// A compiled model with one field set to a hostile value, for test_fields.c and the fuzzers: the lists of fields say
// where fields are, so that none is left out. Every array is a block of its own, so that a sanitizer sees its end.
#ifndef KAIROS_UNIT_POKES_H
#define KAIROS_UNIT_POKES_H

#include "kairos/kairos.h"
#include "model/fields.h"
#include "model/print.h"
#include "model/validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline char* pokes_record(kaiModel* model, const ModelTable* table, uint32_t record)
{
    return (char*)(uintptr_t)table_at(model, table) + (size_t)record * table->size;
}

static inline void pokes_free(kaiModel* model)
{
    for (uint32_t t = 0; model != NULL && t < MODEL_ARRAY_COUNT; t++)
        free(pokes_record(model, &model_tables[t], 0));
    free(model);
}

// Without start values and libraries.
static inline kaiModel* pokes_copy(const kaiModel* model)
{
    kaiModel* copy = malloc(sizeof *copy);
    if (copy == NULL)
        abort();
    *copy = *model;
    copy->start_values = NULL;
    for (uint32_t t = 0; t < MODEL_ARRAY_COUNT; t++)
    {
        const ModelTable* table = &model_tables[t];
        size_t size = (size_t)table_count(model, table) * table->size;
        char* block = malloc(size > 0 ? size : 1);
        if (block == NULL)
            abort();
        if (size > 0)
            memcpy(block, table_at(model, table), size);
        memcpy((char*)copy + table->at, &block, sizeof block);
    }
    return copy;
}

// Words of a field: the two of a range, the seven of the layout of registers; a double and a byte are one.
static inline uint32_t pokes_words(const ModelField* field)
{
    bool parted = field->role == ROLE_RANGE || field->role == ROLE_CODE || field->size > sizeof(double);
    return parted ? field->size / (uint32_t)sizeof(uint32_t) : 1;
}

enum
{
    POKES_VALUES = 16
};

// The n-th hostile value in place of `old`.
static inline uint32_t pokes_word(const kaiModel* model, const ModelField* field, uint32_t old, uint32_t n)
{
    const uint32_t values[POKES_VALUES] = {0,
                                           1,
                                           2,
                                           3,
                                           old + 1,
                                           old - 1,
                                           0x7fffffff,
                                           0x80000000,
                                           NO_REG,
                                           NO_REG - 1,
                                           model->reg_count - 1,
                                           model->reg_count,
                                           model->reg_first[REG_STATE],
                                           model->reg_first[REG_TEMP],
                                           array_count(model, field->array),
                                           255};
    return values[n % POKES_VALUES];
}

static inline double pokes_double(double old, uint32_t n)
{
    const double values[] = {0, 1, -1, NAN, INFINITY, -INFINITY, 1e308, -1e308, 4e-324, 1e17, -old, old + 1};
    return values[n % (sizeof values / sizeof *values)];
}

// Sets one word of one field to its n-th hostile value. False: it is what it was.
static inline bool pokes_set(kaiModel* model, char* record, const ModelField* field, uint32_t word, uint32_t n)
{
    char* at = record + field->offset + (size_t)word * sizeof(uint32_t);
    char before[sizeof(double)];
    uint32_t size = field->size == 1 ? 1 : field->role == ROLE_NUMBER && field->size == sizeof(double) ? 8 : 4;
    memcpy(before, at, size);
    if (size == 8)
    {
        double old;
        memcpy(&old, at, sizeof old);
        old = pokes_double(old, n);
        memcpy(at, &old, sizeof old);
    }
    else
    {
        uint32_t old = size == 1 ? (uint8_t)*at : 0;
        if (size == 4)
            memcpy(&old, at, sizeof old);
        old = pokes_word(model, field, old, n);
        memcpy(at, &old, size);  // the lowest byte comes first
    }
    return memcmp(before, at, size) != 0;
}

// Asks and runs it for a moment: whatever is accepted must bear that.
static inline void pokes_use(const kaiModel* model)
{
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiError error;
    kaiVariable variable;
    kaiExpectResult result;
    for (int i = 0; kaiModel_Variable(model, i, &variable); i++)
        (void)strlen(variable.name);
    options.limits = (kaiLimits){.seconds = 0.05, .memory = 16 << 20, .rows = 60, .tags = 60};
    kaiSim* sim = kaiSim_Create(model, &options, &error);
    if (sim == NULL)
        return;
    if (strcmp(options.choice, "all") == 0)
    {
        kaiExploreEvents events = {NULL, NULL, NULL};
        kaiExploration found;
        kaiSim_Explore(model, sim, &events, &found);
    }
    else
        kaiSim_Run(sim);
    for (int i = 0; i < kaiModel_ExpectCount(model); i++)
        kaiSim_Expect(sim, i, &result);
    kaiSim_Free(sim);
}

#endif
