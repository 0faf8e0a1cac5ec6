// The table of settings as data, and the sentences about values that a setting cannot have.
#include "settings/settings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the table

#define X(name, word, about) {word, about},
static const kaiWord words_of_ODE_METHODS[] = {ODE_METHODS(X)};
static const kaiWord words_of_ROOT_METHODS[] = {ROOT_METHODS(X)};
static const kaiWord words_of_BREAKPOINT_WORDS[] = {BREAKPOINT_WORDS(X)};
static const kaiWord words_of_IMPULSE_WORDS[] = {IMPULSE_WORDS(X)};
static const kaiWord words_of_CHOICE_WORDS[] = {CHOICE_WORDS(X)};
static const kaiWord words_of_ISLAND_WORDS[] = {ISLAND_WORDS(X)};
static const kaiWord words_of_ZENO_WORDS[] = {ZENO_WORDS(X)};
static const kaiWord words_of_CLOCK_WORDS[] = {CLOCK_WORDS(X)};
static const kaiWord words_of_ROW_WORDS[] = {ROW_WORDS(X)};
static const kaiWord words_of_EVENT_WORDS[] = {EVENT_WORDS(X)};
#undef X

// The ends of a range fill two fields each: the number, and whether it is left out.
#define ABOVE(x) (x), true
#define FROM(x) (x), false
#define BELOW(x) (x), true
#define UP_TO(x) (x), false
#define NO_RANGE 0, false, 0, false
#define LIST(list) words_of_##list, (int)(sizeof words_of_##list / sizeof *words_of_##list)

static const kaiSetting settings[] = {
#define NUMBER(name, unit, low, high, value, otherwise, text)                                                          \
    {#name, KAI_SETTING_NUMBER, unit, low, high, NULL, 0, otherwise, text, false},
#define COUNT(name, from, to, value, otherwise, text)                                                                  \
    {#name, KAI_SETTING_COUNT, "", FROM(from), UP_TO(to), NULL, 0, otherwise, text, false},
#define WORD(name, list, value, otherwise, text)                                                                       \
    {#name, KAI_SETTING_WORD, "", NO_RANGE, LIST(list), otherwise, text, false},
#define MODEL_WORD(name, list, value, otherwise, text)                                                                 \
    {#name, KAI_SETTING_WORD, "", NO_RANGE, LIST(list), otherwise, text, true},
#define CONDITION(name, otherwise, text) {#name, KAI_SETTING_CONDITION, "", NO_RANGE, NULL, 0, otherwise, text, true},
#include "settings/settings.def"
};

int kaiSettings_Count(void)
{
    return SETTING_ID_COUNT;
}

const kaiSetting* kaiSettings_Get(int index)
{
    return index >= 0 && index < SETTING_ID_COUNT ? &settings[index] : NULL;
}

const kaiSetting* kaiSettings_Find(const char* name)
{
    for (int i = 0; name != NULL && i < SETTING_ID_COUNT; i++)
        if (strcmp(settings[i].name, name) == 0)
            return &settings[i];
    return NULL;
}

int setting_word(const kaiSetting* setting, const char* word)
{
    for (int i = 0; word != NULL && i < setting->word_count; i++)
        if (strcmp(setting->words[i].word, word) == 0)
            return i;
    return -1;
}

// ---- ranges in words

// A text of limited length that is written piece by piece.
typedef struct Line
{
    char* text;
    size_t size, length;
} Line;

__attribute__((format(printf, 2, 3))) static void put(Line* line, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line->text + line->length, line->size - line->length, format, args);
    va_end(args);
    size_t left = line->size - line->length - 1;
    line->length += length < 0 ? 0 : (size_t)length < left ? (size_t)length : left;
}

static void put_words(Line* line, const kaiSetting* s)
{
    for (int i = 0; i < s->word_count; i++)
        put(line, "%s%s", i == 0 ? "" : i + 1 < s->word_count ? ", " : " or ", s->words[i].word);
}

static void put_number_range(Line* line, const kaiSetting* s)
{
    bool low = isfinite(s->low), high = isfinite(s->high), positive = low && s->low == 0 && s->above_low;
    put(line, "a %s%s%s", positive ? "positive " : "", !high && s->below_high ? "finite " : "",
        strcmp(s->unit, "s") == 0 ? "time" : "number");
    if (low && !positive)
        put(line, " %s %g", s->above_low ? "above" : "from", s->low);
    if (high)
        put(line, "%s %s %g", low && !positive ? " and" : "", s->below_high ? "below" : "up to", s->high);
    else if (!s->below_high)
        put(line, " or inf");
}

static void put_range(Line* line, const kaiSetting* s)
{
    switch (s->kind)
    {
    case KAI_SETTING_NUMBER: put_number_range(line, s); break;
    case KAI_SETTING_COUNT: put(line, "a whole number from %.0f to %.0f", s->low, s->high); break;
    case KAI_SETTING_WORD: put_words(line, s); break;
    case KAI_SETTING_CONDITION: put(line, "a condition on the states"); break;
    }
}

void kaiSetting_Range(const kaiSetting* setting, char* text, size_t size)
{
    if (setting == NULL || text == NULL || size == 0)
        return;
    text[0] = 0;
    put_range(&(Line){text, size, 0}, setting);
}

// With as many digits as it takes: 1.0000000000000002 is not the 1 that would be in range.
static void put_shortest(Line* line, double value)
{
    char text[32];
    for (int digits = 6; digits <= 17; digits++)
    {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    put(line, "%s", text);
}

// ---- checks

static bool in_range(const kaiSetting* s, double value)
{
    bool above = s->above_low ? value > s->low : value >= s->low;
    bool below = s->below_high ? value < s->high : value <= s->high;
    return above && below && (s->kind != KAI_SETTING_COUNT || value == floor(value));
}

bool kaiSetting_CheckNumber(const kaiSetting* setting, double value, char* why, size_t size)
{
    if (setting == NULL || (why == NULL && size > 0))
        return false;
    bool number = setting->kind == KAI_SETTING_NUMBER || setting->kind == KAI_SETTING_COUNT;
    if (number && in_range(setting, value))
        return true;
    if (size == 0)
        return false;
    Line line = {why, size, 0};
    put(&line, "`%s` must be ", setting->name);
    put_range(&line, setting);
    put(&line, ", not ");
    put_shortest(&line, value);
    put(&line, " (default: %s)", setting->otherwise);
    return false;
}

bool kaiSetting_CheckWord(const kaiSetting* setting, const char* word, char* why, size_t size)
{
    if (setting == NULL || (why == NULL && size > 0))
        return false;
    if (setting_word(setting, word) >= 0)
        return true;
    if (size == 0)
        return false;
    Line line = {why, size, 0};
    put(&line, "`%s` must be ", setting->name);
    put_range(&line, setting);
    if (word != NULL)
        put(&line, ", not `%.40s`", word);
    else
        put(&line, ", and it is not set");
    put(&line, " (default: %s)", setting->otherwise);
    return false;
}
