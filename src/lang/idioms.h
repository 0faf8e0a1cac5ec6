// What people bring from other languages, and how Kairos writes it.
#ifndef KAIROS_LANG_IDIOMS_H
#define KAIROS_LANG_IDIOMS_H

#include <stdbool.h>

// Each a sentence for `help`, or NULL.
const char* idiom_function(const char* name);  // called: ln(x)
const char* idiom_name(const char* name);      // read: t
const char* idiom_item(const char* word);      // at the start of an item: parameter

// A function of the language or of mathematics, so that `sin x` can be answered.
bool idiom_is_function(const char* name);

#endif
