// The field lists of tables.h and model.h as tables that a loop can go over: where a field lies and what it means.
// Relocation, validation, listing, saving and loading are such loops.
#ifndef KAIROS_MODEL_FIELDS_H
#define KAIROS_MODEL_FIELDS_H

#include "model/model.h"

#include <stddef.h>
#include <string.h>

typedef enum FieldRole
{
    ROLE_NUMBER,
    ROLE_FLAG,
    ROLE_KIND,
    ROLE_SIGN,
    ROLE_SIZE,
    ROLE_LOCAL,
    ROLE_REG,
    ROLE_REG_MAYBE,
    ROLE_REG_FOR,
    ROLE_REG_WITH,
    ROLE_REGS,
    ROLE_REGS_SQUARE,
    ROLE_STRING,
    ROLE_PLACE,
    ROLE_CODE,
    ROLE_WORD,
    ROLE_INDEX,
    ROLE_INDEX_MAYBE,
    ROLE_INDEX_PLUS,
    ROLE_INDEX_ZERO,
    ROLE_RANGE,
    ROLE_FIRST,
    ROLE_OFFSET,
    ROLE_BELOW,
    ROLE_STATE,
    ROLE_POINTER,
} FieldRole;

typedef enum ModelArrayId
{
#define X(type, name, ...) ARRAY_##name,
    MODEL_ARRAYS(X)
#undef X
        MODEL_ARRAY_COUNT
} ModelArrayId;

typedef struct ModelField
{
    const char* name;
    uint16_t offset, size;
    uint8_t role;    // FieldRole
    uint8_t array;   // ModelArrayId: what an index counts in
    uint8_t set;     // registers: the classes they may be in, as bits; 0: any
    uint16_t other;  // offset of the field with the count, the limit, the kind, or the other register
    uint32_t limit;  // KIND; REG_FOR: the kinds, as bits
} ModelField;

// Records of one kind: the fields of each, how many there can be, and where they lie in a kaiModel.
typedef struct ModelTable
{
    const char* name;
    const ModelField* fields;
    uint32_t field_count;
    uint32_t size;   // of a record
    uint16_t at;     // an array: offset of its pointer; otherwise of the record itself
    uint16_t count;  // an array: offset of its count
    bool single;     // one record, inside kaiModel
} ModelTable;

enum
{
    SET_PARAM = 1 << REG_PARAM,
    SET_STATE = 1 << REG_STATE,
    SET_MEMORY = 1 << REG_MEMORY,
    SET_TEMP = 1 << REG_TEMP,
    SET_KEPT = SET_STATE | SET_MEMORY,
    SET_GIVEN = SET_PARAM | SET_KEPT,
    SET_WRITTEN = ((1 << REG_CLASS_COUNT) - 1) & ~(1 << REG_CONST)
};

enum
{
    MODEL_SINGLES = 3,  // scalars, settings, programs
    MODEL_TABLE_COUNT = MODEL_ARRAY_COUNT + MODEL_SINGLES
};

// The arrays in the order of MODEL_ARRAYS, then the singles.
extern const ModelTable model_tables[MODEL_TABLE_COUNT];

static inline uint32_t table_count(const kaiModel* model, const ModelTable* table)
{
    uint32_t count = 1;
    if (!table->single)
        memcpy(&count, (const char*)model + table->count, sizeof count);
    return count;
}

static inline uint32_t array_count(const kaiModel* model, uint32_t array)
{
    return table_count(model, &model_tables[array]);
}

// The first record of a table.
static inline const char* table_at(const kaiModel* model, const ModelTable* table)
{
    const char* at = (const char*)model + table->at;
    if (!table->single)
        memcpy(&at, (const char*)model + table->at, sizeof at);
    return at;
}

// A field of at most 32 bits.
static inline uint32_t field_get(const char* record, const ModelField* field)
{
    uint32_t wide;
    if (field->size == 1)
        return (uint8_t)record[field->offset];
    memcpy(&wide, record + field->offset, sizeof wide);
    return wide;
}

static inline uint32_t field_other(const char* record, const ModelField* field)
{
    uint32_t value;
    memcpy(&value, record + field->other, sizeof value);
    return value;
}

static inline bool field_is_register(const ModelField* field)
{
    return field->role >= ROLE_REG && field->role <= ROLE_REGS_SQUARE;
}

#endif
