// What people bring from other languages, and how Kairos writes it.
#ifndef KAIROS_LANG_IDIOMS_H
#define KAIROS_LANG_IDIOMS_H

#include <stdbool.h>

// Each a sentence for `help`, or NULL.
const char* idiom_function(const char* name);  // called: ln(x)
const char* idiom_name(const char* name);      // read: t
const char* idiom_item(const char* word);      // at the start of an item: parameter

bool idiom_is_type(const char* word);        // double, as a declaration of another language begins
bool idiom_is_derivative(const char* word);  // der, as a call

// Whether the word is one of the words, which have a blank on both sides.
bool idiom_lists(const char* words, const char* word);

// A function of the language or of mathematics, so that `sin x` can be answered.
bool idiom_is_function(const char* name);
bool idiom_is_own_function(const char* name);

#endif
