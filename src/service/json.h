// JSON, read into a tree and written into a growing text: what editors and pages speak. Both ends are strangers, so
// what is read is bounded: its depth, and with the arena its size.
#ifndef KAIROS_SERVICE_JSON_H
#define KAIROS_SERVICE_JSON_H

#include "base/arena.h"

#include <stdbool.h>

typedef enum JsonKind
{
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER,
    JSON_STRING,
    JSON_LIST,
    JSON_OBJECT,
} JsonKind;

typedef struct Json
{
    JsonKind kind;
    double number;     // of a BOOL 0 or 1
    const char* text;  // of a STRING: UTF-8, ended; U+0000 becomes U+FFFD
    size_t length;
    const char* key;  // in an object; otherwise NULL
    struct Json *first, *next;
} Json;

// The tree; NULL: it is not JSON, *trouble is a sentence in static memory.
const Json* json_read(Arena* arena, const char* text, size_t length, const char** trouble);

// A member; NULL: there is none, or it is no object. NULL is an object without members.
const Json* json_get(const Json* object, const char* key);
// A member as what it should be; `otherwise` if it is not.
const char* json_text(const Json* object, const char* key, const char* otherwise);
double json_number(const Json* object, const char* key, double otherwise);
int json_count(const Json* object, const char* key, int otherwise);

// ---- writing: `key` is NULL in a list. Numbers that are not finite are null.

typedef struct JsonWriter
{
    Arena* arena;
    VEC(char) text;
} JsonWriter;

void json_begin(JsonWriter* writer, const char* key, char bracket);         // '{' or '['
void json_end(JsonWriter* writer, char bracket);                            // '}' or ']'
void json_put_text(JsonWriter* writer, const char* key, const char* text);  // NULL: null
void json_put_number(JsonWriter* writer, const char* key, double value);
void json_put_count(JsonWriter* writer, const char* key, int64_t value);
void json_put_bool(JsonWriter* writer, const char* key, bool value);
void json_put_null(JsonWriter* writer, const char* key);
// A value that was read, as it was.
void json_put_value(JsonWriter* writer, const char* key, const Json* value);
// Numbers as base64 of their bytes, as this machine has them (all that build Kairos are little-endian).
void json_put_bytes(JsonWriter* writer, const char* key, const void* bytes, size_t size);
// A text that is JSON already.
void json_put_raw(JsonWriter* writer, const char* key, const char* text, size_t length);

#endif
