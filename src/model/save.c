// A saved model: a head, then every field of every table in the order of the lists, without padding, so that equal
// models are equal files. The head has the version, the byte order, a signature of the lists (a file of a build with
// other fields is refused, whatever its version says), the length and a checksum. What passes the checksum is still
// validated: a file can be wrong as a whole.
#include "model/save.h"

#include "base/hash.h"
#include "model/fields.h"
#include "model/validate.h"

enum
{
    SAVE_VERSION = 1,
    BYTE_ORDER_MARK = 0x01020304
};

static const char MAGIC[8] = "KAIMODEL";

typedef struct SaveHead
{
    char magic[8];
    uint32_t version, order;
    uint64_t signature;  // of the lists
    uint64_t size;       // bytes after the head
    uint64_t checksum;   // of those
} SaveHead;

static uint64_t signature(void)
{
    uint64_t h = HASH_START;
    for (uint32_t t = 0; t < MODEL_TABLE_COUNT; t++)
    {
        h = hash_bytes(h, model_tables[t].name, strlen(model_tables[t].name));
        for (uint32_t i = 0; i < model_tables[t].field_count; i++)
        {
            const ModelField* f = &model_tables[t].fields[i];
            uint8_t kind[] = {f->role, f->array, (uint8_t)f->size};
            h = hash_bytes(h, f->name, strlen(f->name));
            h = hash_bytes(h, kind, sizeof kind);
        }
    }
    uint32_t ops = VM_OP_COUNT;
    return hash_bytes(h, &ops, sizeof ops);
}

static bool is_saved(const ModelField* field)
{
    return field->role != ROLE_POINTER;
}

static size_t saved_size(const ModelTable* table)
{
    size_t size = 0;
    for (uint32_t i = 0; i < table->field_count; i++)
        size += is_saved(&table->fields[i]) ? table->fields[i].size : 0;
    return size;
}

// ---- writing --------------------------------------------------------------------------------------------------------

static char* write_table(const kaiModel* model, const ModelTable* table, char* to)
{
    uint32_t count = table_count(model, table);
    if (!table->single)
    {
        memcpy(to, &count, sizeof count);
        to += sizeof count;
    }
    const char* record = table_at(model, table);
    if (saved_size(table) == table->size && table->field_count == 1)  // plain numbers
    {
        if (count > 0)
            memcpy(to, record, (size_t)count * table->size);
        return to + (size_t)count * table->size;
    }
    for (uint32_t i = 0; i < count; i++, record += table->size)
        for (uint32_t n = 0; n < table->field_count; n++)
        {
            const ModelField* f = &table->fields[n];
            if (!is_saved(f))
                continue;
            memcpy(to, record + f->offset, f->size);
            to += f->size;
        }
    return to;
}

void* model_save(const kaiModel* model, kaiAllocator allocator, size_t* size)
{
    *size = sizeof(SaveHead);
    for (uint32_t t = 0; t < MODEL_TABLE_COUNT; t++)
        *size += (model_tables[t].single ? 0 : sizeof(uint32_t)) +
                 saved_size(&model_tables[t]) * table_count(model, &model_tables[t]);
    char* bytes = allocator.alloc(allocator.user, NULL, 0, *size);
    if (bytes == NULL)
        return NULL;
    char* to = bytes + sizeof(SaveHead);
    for (uint32_t t = 0; t < MODEL_TABLE_COUNT; t++)
        to = write_table(model, &model_tables[t], to);
    SaveHead head = {.version = SAVE_VERSION, .order = BYTE_ORDER_MARK, .signature = signature()};
    memcpy(head.magic, MAGIC, sizeof MAGIC);
    head.size = *size - sizeof head;
    head.checksum = hash_bytes(HASH_START, bytes + sizeof head, (size_t)head.size);
    memcpy(bytes, &head, sizeof head);
    return bytes;
}

// ---- reading --------------------------------------------------------------------------------------------------------

static bool refuse(Text* why, const char* sentence)
{
    text_say(why, "%s", sentence);
    return false;
}

static bool check_head(const char* bytes, size_t size, Text* why)
{
    SaveHead head;
    if (size < sizeof head || memcmp(bytes, MAGIC, sizeof MAGIC) != 0)
        return refuse(why, "this is no saved model");
    memcpy(&head, bytes, sizeof head);
    if (head.order != BYTE_ORDER_MARK)
        return refuse(why, "the model was saved on a machine with another byte order: compile it here");
    if (head.version != SAVE_VERSION || head.signature != signature())
        return refuse(why, "the model was saved by another version of Kairos: compile it again");
    if (head.size != size - sizeof head)
        return refuse(why, "the saved model is cut off, or something follows it");
    if (head.checksum != hash_bytes(HASH_START, bytes + sizeof head, (size_t)head.size))
        return refuse(why, "the saved model is damaged: its checksum is wrong");
    return true;
}

// The bytes of a table that begins at `from`; 0: it does not end before `end`.
static size_t table_length(const ModelTable* table, const char* from, const char* end, uint32_t* count)
{
    size_t head = table->single ? 0 : sizeof *count, room = (size_t)(end - from);
    *count = 1;
    if (room < head)
        return 0;
    if (!table->single)
        memcpy(count, from, sizeof *count);
    size_t each = saved_size(table);
    return *count > (room - head) / each ? 0 : head + each * *count;
}

static void read_records(const ModelTable* table, const char* from, uint32_t count, char* record)
{
    if (saved_size(table) == table->size && table->field_count == 1)
    {
        if (count > 0)
            memcpy(record, from, (size_t)count * table->size);
        return;
    }
    for (uint32_t i = 0; i < count; i++, record += table->size)
        for (uint32_t n = 0; n < table->field_count; n++)
        {
            const ModelField* f = &table->fields[n];
            if (!is_saved(f))
                continue;
            memcpy(record + f->offset, from, f->size);
            from += f->size;
        }
}

// Where each table begins, and the size of the block that all of them need.
typedef struct Reading
{
    const char* from[MODEL_TABLE_COUNT];
    uint32_t counts[MODEL_TABLE_COUNT];
    size_t block;
} Reading;

static bool measure(Reading* r, const char* from, const char* end)
{
    r->block = model_align(sizeof(kaiModel));
    for (uint32_t t = 0; t < MODEL_TABLE_COUNT; t++)
    {
        const ModelTable* table = &model_tables[t];
        size_t length = table_length(table, from, end, &r->counts[t]);
        if (length == 0)
            return false;
        r->from[t] = from + (table->single ? 0 : sizeof(uint32_t));
        from += length;
        if (!table->single)
            r->block += model_align((size_t)table->size * r->counts[t]);
    }
    return from == end;
}

static void fill(kaiModel* model, const Reading* r)
{
    char* next = (char*)model + model_align(sizeof *model);
    for (uint32_t t = 0; t < MODEL_TABLE_COUNT; t++)
    {
        const ModelTable* table = &model_tables[t];
        char* at = table->single ? (char*)model + table->at : next;
        read_records(table, r->from[t], r->counts[t], at);
        if (table->single)
            continue;
        memcpy((char*)model + table->at, &at, sizeof at);
        memcpy((char*)model + table->count, &r->counts[t], sizeof r->counts[t]);
        next += model_align((size_t)table->size * r->counts[t]);
    }
}

kaiModel* model_load(const void* bytes, size_t size, kaiAllocator allocator, Text* why)
{
    const char* at = bytes;
    Reading r;
    if (!check_head(at, size, why))
        return NULL;
    if (!measure(&r, at + sizeof(SaveHead), at + size))
    {
        refuse(why, "the saved model is damaged: its tables do not fit");
        return NULL;
    }
    kaiModel* model = allocator.alloc(allocator.user, NULL, 0, r.block);
    if (model == NULL)
    {
        refuse(why, "out of memory");
        return NULL;
    }
    memset(model, 0, r.block);
    model->allocator = allocator;
    model->size = r.block;
    fill(model, &r);
    Text found = {0};
    if (model_validate(model, &found))
        return model;
    text_say(why, "%s%.400s", found.length > 0 ? "the saved model is damaged: " : "out of memory", found.at);
    model_free(model);
    return NULL;
}
