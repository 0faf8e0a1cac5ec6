// How a name with letters outside ASCII is spelt in ASCII.
#ifndef KAIROS_LANG_SPELLING_H
#define KAIROS_LANG_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

enum
{
    SPELLING_SIZE = 64
};

// "ω_rad" → "omega_rad", "Größe" → "Groesse", "x₁" → "x1", "∞" → "inf". False: it is too long, or has a letter that is
// not known here.
bool spelling_ascii(const char* text, size_t length, char spelt[SPELLING_SIZE]);

#endif
