// Words that are nearly right.
#include "kairos/settings.h"
#include "lang/diagnostics.h"

const char* kaiWord_Nearest(const char* word, const char* const* words, int count)
{
    return count > 0 && word != NULL && words != NULL ? diag_nearest(word, words, (uint32_t)count) : NULL;
}
