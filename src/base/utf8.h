// Code points in UTF-8 text that may be malformed: a byte that starts nothing valid counts as one character.
#ifndef KAIROS_BASE_UTF8_H
#define KAIROS_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

// Bytes of the well-formed character at `text` (1-4), or 0 if there is none. Over-long forms and surrogates are not.
size_t utf8_length(const char* text, size_t available, uint32_t* code_point);

// Characters in [text, text + length), where a continuation byte belongs to the character before it. Linear, and
// eight bytes at a time, because a column on a line of ten megabytes must not be slow.
size_t utf8_count(const char* text, size_t length);

// Bytes that the first `count` characters take, at most `length`.
size_t utf8_offset(const char* text, size_t length, size_t count);

#endif
