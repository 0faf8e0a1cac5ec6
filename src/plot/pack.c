// See pack.h.
#include "plot/pack.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum
{
    BYTE_ABSENT = 255
};

size_t pack_number(uint8_t* out, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(number >> 8 * i);
    return 4;
}

size_t pack_double(uint8_t* out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 8; i++)
        out[i] = (uint8_t)(bits >> 8 * i);
    return 8;
}

static size_t pack_float(uint8_t* out, double value)
{
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return pack_number(out, bits);
}

// ---- which kind

typedef struct Look
{
    int present;
    bool constant, bytes, floats;
} Look;

static bool is_exact_float(double value)
{
    return fabs(value) <= 3e38 && (double)(float)value == value;
}

static bool is_byte(double value)
{
    return value >= 0 && value < BYTE_ABSENT && value == floor(value) && !signbit(value);
}

static Look look_at(const double* values, int count)
{
    Look look = {0, true, true, true};
    for (int i = 0; i < count; i++)
    {
        double value = values[i];
        look.constant = look.constant && memcmp(&values[0], &values[i], sizeof *values) == 0;
        if (isnan(value))
            continue;
        look.present++;
        look.bytes = look.bytes && is_byte(value);
        look.floats = look.floats && is_exact_float(value);
    }
    return look;
}

static PackKind kind_of(const Look* look, int count)
{
    if (look->present == 0)
        return PACK_ABSENT;
    if (look->constant)
        return PACK_CONSTANT;
    size_t sparse = 4 + 10 * (size_t)look->present, width = look->bytes ? 1 : look->floats ? 4 : 8;
    if (sparse < width * (size_t)count)
        return PACK_SPARSE;
    return look->bytes ? PACK_BYTES : look->floats ? PACK_FLOATS : PACK_DOUBLES;
}

// ---- columns

static size_t pack_sparse(uint8_t* out, const double* values, int count, int present)
{
    size_t size = pack_number(out, (uint32_t)present);
    for (int i = 0; i < count; i++)
        if (!isnan(values[i]))
        {
            out[size++] = (uint8_t)i;
            out[size++] = (uint8_t)(i >> 8);
            size += pack_double(out + size, values[i]);
        }
    return size;
}

size_t pack_column(uint8_t* out, const double* values, int count)
{
    Look look = look_at(values, count);
    PackKind kind = kind_of(&look, count);
    size_t size = 1;
    out[0] = (uint8_t)kind;
    if (kind == PACK_SPARSE)
        return size + pack_sparse(out + size, values, count, look.present);
    if (kind == PACK_CONSTANT)
        return size + pack_double(out + size, values[0]);
    for (int i = 0; kind != PACK_ABSENT && i < count; i++)
        if (kind == PACK_BYTES)
            out[size++] = isnan(values[i]) ? BYTE_ABSENT : (uint8_t)values[i];
        else
            size += kind == PACK_FLOATS ? pack_float(out + size, values[i]) : pack_double(out + size, values[i]);
    return size;
}

// ---- text

size_t pack_base64(char* out, const uint8_t* bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t length = 0;
    for (size_t i = 0; i < size; i += 3)
    {
        uint32_t second = i + 1 < size ? bytes[i + 1] : 0, third = i + 2 < size ? bytes[i + 2] : 0;
        uint32_t group = (uint32_t)bytes[i] << 16 | second << 8 | third;
        out[length++] = digits[group >> 18];
        out[length++] = digits[group >> 12 & 63];
        out[length++] = i + 1 < size ? digits[group >> 6 & 63] : '=';
        out[length++] = i + 2 < size ? digits[group & 63] : '=';
    }
    return length;
}
