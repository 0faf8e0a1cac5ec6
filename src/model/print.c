// See print.h: a loop over the field lists, and a walk through the code.
#include "model/print.h"

#include "model/code.h"
#include "model/fields.h"

static void print_long(const ModelField* field, const char* record, Text* text)
{
    IndexRange range;
    double number;
    if (field->role == ROLE_RANGE || field->role == ROLE_CODE)
    {
        memcpy(&range, record + field->offset, sizeof range);
        text_say(text, field->role == ROLE_CODE ? "%u..%u" : "%u+%u", range.first, range.count);
    }
    else if (field->size == sizeof number)
    {
        memcpy(&number, record + field->offset, sizeof number);
        text_say(text, "%.17g", number);
    }
    else
        for (uint32_t i = 0; i + sizeof(uint32_t) <= field->size; i += sizeof(uint32_t))
        {
            uint32_t value;
            memcpy(&value, record + field->offset + i, sizeof value);
            text_say(text, "%s%u", i > 0 ? "," : "", value);
        }
}

static void print_field(const kaiModel* model, const ModelField* field, const char* record, Text* text)
{
    if (field->name[0] != 0)
        text_say(text, " %s=", field->name);
    else
        text_say(text, " ");
    if (field->size > sizeof(uint32_t))
    {
        print_long(field, record, text);
        return;
    }
    uint32_t value = field_get(record, field);
    if (value == NO_REG && field->size == sizeof value)
        text_say(text, "-");
    else if (field_is_register(field))
        text_say(text, "r%u", value);
    else if (field->role == ROLE_STRING)
        text_say(text, "\"%.60s\"", model_string(model, value));
    else
        text_say(text, "%u", value);
}

static void print_table(const kaiModel* model, const ModelTable* table, void (*line)(void* user, const char* text),
                        void* user)
{
    const char* record = table_at(model, table);
    for (uint32_t i = 0; i < table_count(model, table); i++, record += table->size)
    {
        Text text = {0};
        text_say(&text, table->single ? "%s" : "%s[%u]", table->name, i);
        for (uint32_t n = 0; n < table->field_count; n++)
            if (table->fields[n].role != ROLE_POINTER)
                print_field(model, &table->fields[n], record, &text);
        line(user, text.at);
    }
}

void model_print(const kaiModel* model, void (*line)(void* user, const char* text), void* user)
{
    for (uint32_t t = 0; t < MODEL_TABLE_COUNT; t++)
        if (t != ARRAY_code && t != ARRAY_strings)
            print_table(model, &model_tables[t], line, user);
    CodeItem item;
    for (uint32_t at = 0; at < model->code_count && code_item(model->code, at, model->code_count, &item);
         at += item.words)
    {
        Text text = {0};
        text_say(&text, "%u: ", at);
        code_print(model->code, &item, &text);
        line(user, text.at);
    }
}
