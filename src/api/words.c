// The words of the language, and words that are nearly right.
#include "elab/elab.h"
#include "kairos/program.h"
#include "kairos/settings.h"
#include "lang/diagnostics.h"

const char* kaiWord_Nearest(const char* word, const char* const* words, int count)
{
    return count > 0 && word != NULL && words != NULL ? diag_nearest(word, words, (uint32_t)count) : NULL;
}

static const char* const reserved[] = {
#define CLASS(name, text)
#define SIGN(name, text)
#define WORD(name, text) text,
#include "lang/tokens.def"
#undef CLASS
#undef SIGN
#undef WORD
};

enum
{
    RESERVED_COUNT = sizeof reserved / sizeof *reserved
};

bool kaiLanguage_Word(int index, kaiLanguageWord* word)
{
    if (index < 0 || word == NULL)
        return false;
    if (index < RESERVED_COUNT)
    {
        *word = (kaiLanguageWord){KAI_WORD_RESERVED, reserved[index], NULL};
        return true;
    }
    uint32_t name_count, at = (uint32_t)index - RESERVED_COUNT;
    const char* const* names = builtin_value_names(&name_count);
    *word = (kaiLanguageWord){.kind = at < name_count ? KAI_WORD_VALUE : KAI_WORD_FUNCTION};
    if (at < name_count)
        word->word = names[at];
    else
        word->usage = builtin_usage(at - name_count, &word->word);
    return word->word != NULL;
}
