// See json.h. RFC 8259, by recursive descent with a bound on the depth; numbers by strtod on the characters that a
// number may have, so that nothing else it knows (hexadecimal, infinities) comes in.
#include "service/json.h"

#include "base/utf8.h"
#include "kairos/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    DEPTH_MOST = 64,
    NUMBER_LONGEST = 60,
};

typedef struct Reader
{
    Arena* arena;
    const char *at, *end;
    const char* trouble;  // NULL: none yet
} Reader;

static Json* read_value(Reader* r, int depth);

static Json* fail(Reader* r, const char* why)
{
    if (r->trouble == NULL)
        r->trouble = why;
    return NULL;
}

static void skip_blanks(Reader* r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

static bool take(Reader* r, char sign)
{
    skip_blanks(r);
    if (r->at == r->end || *r->at != sign)
        return false;
    r->at++;
    return true;
}

static Json* new_value(Reader* r, JsonKind kind)
{
    Json* value = arena_new(r->arena, Json);
    value->kind = kind;
    return value;
}

// ---- strings

static bool read_hex(Reader* r, uint32_t* unit)
{
    *unit = 0;
    if (r->end - r->at < 4)
        return false;
    for (int i = 0; i < 4; i++, r->at++)
    {
        char c = *r->at;
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return false;
        *unit = *unit * 16 + (uint32_t)digit;
    }
    return true;
}

static char* put_code_point(char* out, uint32_t c)
{
    if (c < 0x80)
        *out++ = (char)c;
    else if (c < 0x800)
    {
        *out++ = (char)(0xC0 | (c >> 6));
        *out++ = (char)(0x80 | (c & 63));
    }
    else if (c < 0x10000)
    {
        *out++ = (char)(0xE0 | (c >> 12));
        *out++ = (char)(0x80 | ((c >> 6) & 63));
        *out++ = (char)(0x80 | (c & 63));
    }
    else
    {
        *out++ = (char)(0xF0 | (c >> 18));
        *out++ = (char)(0x80 | ((c >> 12) & 63));
        *out++ = (char)(0x80 | ((c >> 6) & 63));
        *out++ = (char)(0x80 | (c & 63));
    }
    return out;
}

// \uD83D\uDE00 is one character; half of a pair, and U+0000, which would end our texts, are replaced.
static char* read_unicode(Reader* r, char* out)
{
    uint32_t unit, low;
    if (!read_hex(r, &unit))
        return NULL;
    if (unit >= 0xD800 && unit < 0xDC00 && r->end - r->at >= 6 && r->at[0] == '\\' && r->at[1] == 'u')
    {
        const char* before = r->at;
        r->at += 2;
        if (!read_hex(r, &low))
            return NULL;
        if (low >= 0xDC00 && low < 0xE000)
            return put_code_point(out, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
        r->at = before;
    }
    bool lone = unit == 0 || (unit >= 0xD800 && unit < 0xE000);
    return put_code_point(out, lone ? 0xFFFD : unit);
}

static char* read_escape(Reader* r, char* out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = r->at < r->end ? *r->at++ : 0;
    if (c == 'u')
        return read_unicode(r, out);
    const char* found = c != 0 ? strchr(from, c) : NULL;
    if (found == NULL)
        return NULL;
    *out++ = to[found - from];
    return out;
}

// A text is never longer than what is written for it.
static const char* read_string(Reader* r, size_t* length)
{
    const char* close = r->at;
    while (close < r->end && *close != '"')
        close += *close == '\\' ? 2 : 1;
    if (close >= r->end)
        return (void)fail(r, "a string is not closed"), NULL;
    char *text = arena_alloc(r->arena, (size_t)(close - r->at) + 1), *out = text;
    while (r->at < close && out != NULL)
    {
        if ((unsigned char)*r->at < 32)
            return (void)fail(r, "a control character in a string"), NULL;
        if (*r->at == '\\')
        {
            r->at++;
            out = read_escape(r, out);
        }
        else
            *out++ = *r->at++;
    }
    if (out == NULL)
        return (void)fail(r, "an escape in a string that JSON does not have"), NULL;
    r->at = close + 1;
    *length = (size_t)(out - text);
    return text;
}

// ---- numbers, lists, objects

static Json* read_number(Reader* r)
{
    char text[NUMBER_LONGEST + 1], *end;
    size_t length = 0;
    while (r->at + length < r->end && length < NUMBER_LONGEST && r->at[length] != 0 &&
           strchr("+-.eE0123456789", r->at[length]) != NULL)
        length++;
    memcpy(text, r->at, length);
    text[length] = 0;
    Json* value = new_value(r, JSON_NUMBER);
    value->number = strtod(text, &end);
    if (length == 0 || *end != 0)
        return fail(r, "something that is no value of JSON");
    r->at += length;
    return value;
}

static Json* read_word(Reader* r, const char* word, JsonKind kind, double number)
{
    size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0)
        return fail(r, "something that is no value of JSON");
    r->at += length;
    Json* value = new_value(r, kind);
    value->number = number;
    return value;
}

static Json* read_members(Reader* r, Json* parent, int depth)
{
    char close = parent->kind == JSON_OBJECT ? '}' : ']';
    Json** last = &parent->first;
    if (take(r, close))
        return parent;
    do
    {
        const char* key = NULL;
        size_t length;
        if (parent->kind == JSON_OBJECT && (!take(r, '"') || (key = read_string(r, &length)) == NULL || !take(r, ':')))
            return fail(r, "an object has members \"key\": value");
        *last = read_value(r, depth + 1);
        if (*last == NULL)
            return NULL;
        (*last)->key = key;
        last = &(*last)->next;
    } while (take(r, ','));
    return take(r, close) ? parent : fail(r, "a list or an object is not closed");
}

static Json* read_value(Reader* r, int depth)
{
    if (depth > DEPTH_MOST)
        return fail(r, "lists and objects are nested too deep");
    if (take(r, '{'))
        return read_members(r, new_value(r, JSON_OBJECT), depth);
    if (take(r, '['))
        return read_members(r, new_value(r, JSON_LIST), depth);
    if (take(r, '"'))
    {
        Json* value = new_value(r, JSON_STRING);
        value->text = read_string(r, &value->length);
        return value->text != NULL ? value : NULL;
    }
    switch (r->at < r->end ? *r->at : 0)
    {
    case 't': return read_word(r, "true", JSON_BOOL, 1);
    case 'f': return read_word(r, "false", JSON_BOOL, 0);
    case 'n': return read_word(r, "null", JSON_NULL, 0);
    default: return read_number(r);
    }
}

const Json* json_read(Arena* arena, const char* text, size_t length, const char** trouble)
{
    Reader r = {.arena = arena, .at = text, .end = text + length};
    Json* value = read_value(&r, 0);
    skip_blanks(&r);
    if (value != NULL && r.at != r.end)
        value = fail(&r, "something follows the end");
    *trouble = r.trouble;
    return value;
}

// ---- asking

const Json* json_get(const Json* object, const char* key)
{
    if (object == NULL || object->kind != JSON_OBJECT)
        return NULL;
    for (const Json* member = object->first; member != NULL; member = member->next)
        if (strcmp(member->key, key) == 0)
            return member;
    return NULL;
}

const char* json_text(const Json* object, const char* key, const char* otherwise)
{
    const Json* value = json_get(object, key);
    return value != NULL && value->kind == JSON_STRING ? value->text : otherwise;
}

double json_number(const Json* object, const char* key, double otherwise)
{
    const Json* value = json_get(object, key);
    return value != NULL && value->kind == JSON_NUMBER ? value->number : otherwise;
}

int json_count(const Json* object, const char* key, int otherwise)
{
    double value = json_number(object, key, otherwise);
    return value >= -1e9 && value <= 1e9 ? (int)value : otherwise;
}

// ---- writing

static void put(JsonWriter* w, const char* text, size_t length)
{
    if (length > 0 && w->text.capacity - w->text.count >= length)
    {
        memcpy(w->text.at + w->text.count, text, length);
        w->text.count += (uint32_t)length;
        return;
    }
    for (size_t i = 0; i < length; i++)
        vec_push(w->arena, w->text, text[i]);
}

// Bytes that are no UTF-8 would make the whole message none.
static void put_string(JsonWriter* w, const char* text)
{
    size_t left = strlen(text);
    put(w, "\"", 1);
    while (left > 0)
    {
        char escape[8];
        uint32_t code_point;
        size_t length = utf8_length(text, left, &code_point);
        unsigned char c = (unsigned char)*text;
        if (length == 0)
            put(w, "\xEF\xBF\xBD", 3);
        else if (c == '"' || c == '\\')
            put(w, escape, (size_t)snprintf(escape, sizeof escape, "\\%c", c));
        else if (c == '\n')
            put(w, "\\n", 2);
        else if (c < 32)
            put(w, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", c));
        else
            put(w, text, length);
        text += length > 0 ? length : 1;
        left -= length > 0 ? length : 1;
    }
    put(w, "\"", 1);
}

static void put_key(JsonWriter* w, const char* key)
{
    char last = w->text.count > 0 ? w->text.at[w->text.count - 1] : '{';
    if (last != '{' && last != '[' && last != ':')
        put(w, ",", 1);
    if (key == NULL)
        return;
    put_string(w, key);
    put(w, ":", 1);
}

void json_begin(JsonWriter* w, const char* key, char bracket)
{
    put_key(w, key);
    put(w, &bracket, 1);
}

void json_end(JsonWriter* w, char bracket)
{
    put(w, &bracket, 1);
}

void json_put_raw(JsonWriter* w, const char* key, const char* text, size_t length)
{
    put_key(w, key);
    put(w, text, length);
}

void json_put_bytes(JsonWriter* w, const char* key, const void* bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char* at = bytes;
    put_key(w, key);
    put(w, "\"", 1);
    for (size_t i = 0; i < size; i += 3)
    {
        size_t left = size - i;
        uint32_t three = (uint32_t)at[i] << 16 | (left > 1 ? (uint32_t)at[i + 1] << 8 : 0) | (left > 2 ? at[i + 2] : 0);
        char four[4] = {digits[three >> 18], digits[three >> 12 & 63], left > 1 ? digits[three >> 6 & 63] : '=',
                        left > 2 ? digits[three & 63] : '='};
        put(w, four, 4);
    }
    put(w, "\"", 1);
}

void json_put_text(JsonWriter* w, const char* key, const char* text)
{
    put_key(w, key);
    if (text == NULL)
        put(w, "null", 4);
    else
        put_string(w, text);
}

void json_put_number(JsonWriter* w, const char* key, double value)
{
    char text[33];
    if (isfinite(value))
        json_put_raw(w, key, text, (size_t)kaiNumber_Write(text, value));
    else
        json_put_null(w, key);
}

void json_put_count(JsonWriter* w, const char* key, int64_t value)
{
    char text[24];
    json_put_raw(w, key, text, (size_t)snprintf(text, sizeof text, "%lld", (long long)value));
}

void json_put_bool(JsonWriter* w, const char* key, bool value)
{
    json_put_raw(w, key, value ? "true" : "false", value ? 4 : 5);
}

void json_put_null(JsonWriter* w, const char* key)
{
    json_put_raw(w, key, "null", 4);
}

void json_put_value(JsonWriter* w, const char* key, const Json* value)
{
    if (value == NULL || value->kind == JSON_NULL)
        json_put_null(w, key);
    else if (value->kind == JSON_NUMBER)
        json_put_number(w, key, value->number);
    else if (value->kind == JSON_BOOL)
        json_put_bool(w, key, value->number != 0);
    else if (value->kind == JSON_STRING)
        json_put_text(w, key, value->text);
    else
    {
        bool object = value->kind == JSON_OBJECT;
        json_begin(w, key, object ? '{' : '[');
        for (const Json* member = value->first; member != NULL; member = member->next)
            json_put_value(w, member->key, member);
        json_end(w, object ? '}' : ']');
    }
}
