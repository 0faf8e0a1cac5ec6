// What an experiment can be told, as data: every setting with its kind, range, words and default. The parser, the
// options of the program and the checks of kaiSimOptions use the same table, so that a front end that offers settings
// in a menu or a form need not know any by name.
//
//     kaiSetting_Range(kaiSettings_Find("rtol"), range, sizeof range);     // "a positive number up to 1"
//     for (int i = 0; i < kaiSettings_Count(); i++)
//         printf("%s: %s\n", kaiSettings_Get(i)->name, kaiSettings_Get(i)->text);
//
// Units. Each setting names its own; times are in seconds.
// Lifetime. The table is constant: what it hands out lives as long as the program.
// Threads. Any number of threads may read it.
#ifndef KAIROS_SETTINGS_H
#define KAIROS_SETTINGS_H

#include "kairos/base.h"

#include <stdbool.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C"
{
#endif

    typedef enum kaiSettingKind
    {
        KAI_SETTING_NUMBER,
        KAI_SETTING_COUNT,      // a whole number
        KAI_SETTING_WORD,       // one of `words`
        KAI_SETTING_CONDITION,  // an expression over the states of the model
    } kaiSettingKind;

    typedef struct kaiWord
    {
        const char* word;
        const char* about;  // a few words
    } kaiWord;

    typedef struct kaiSetting
    {
        const char* name;  // as in an experiment; the option of the program has `-` for `_`
        kaiSettingKind kind;
        const char* unit;  // "s", "" for a plain number, "state" for that of each state
        double low;        // the range of a NUMBER or COUNT, in that unit
        bool above_low;    // `low` itself does not belong to it
        double high;
        bool below_high;
        const kaiWord* words;  // of a WORD
        int word_count;
        const char* otherwise;  // what is taken if it is not given, in words: "rtol/100"
        const char* text;       // one line
        bool compiled;          // decides how a model is compiled; kaiSimOptions does not have it
    } kaiSetting;

    // All of them, in static memory.
    int kaiSettings_Count(void);
    const kaiSetting* kaiSettings_Get(int index);          // NULL: there is none
    const kaiSetting* kaiSettings_Find(const char* name);  // NULL: there is none

    // What it can be, in words: "a positive number up to 1", "first, random or all". Cut to `size`.
    void kaiSetting_Range(const kaiSetting* setting, char* text, size_t size);
    // Whether it can have this value. False: `why` is a sentence with the setting, the value, the range and what is
    // taken without it, cut to `size`. A word may be NULL, which is wrong too.
    bool kaiSetting_CheckNumber(const kaiSetting* setting, double value, char* why, size_t size);
    bool kaiSetting_CheckWord(const kaiSetting* setting, const char* word, char* why, size_t size);

    // The nearest of `count` words to `word`, for "did you mean …?"; NULL if none is near enough to be meant.
    const char* kaiWord_Nearest(const char* word, const char* const* words, int count);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
