// Filling in a caller's kaiError, and telling options that were made from options that were not.
#ifndef KAIROS_BASE_ERROR_H
#define KAIROS_BASE_ERROR_H

#include "kairos/error.h"

#include <stdbool.h>

// In every options struct, set by the function that makes it: a struct of zeros or of garbage does not have it.
#define KAI_COOKIE 0x4b616972u

// Fills in *error (or nothing, for NULL), with the text in its own buffer, and returns `status`.
kaiStatus error_set(kaiError* error, kaiStatus status, const char* format, ...) __attribute__((format(printf, 3, 4)));
// The same for memory that the allocator did not give: one status, one sentence.
kaiStatus error_memory(kaiError* error);
// Nothing went wrong.
void error_clear(kaiError* error);
// Copies an error that something else owns, its texts into the buffer as far as they fit. Notes stay behind.
kaiStatus error_copy(kaiError* error, const kaiError* from);
// The options are there and were made by `maker` ("kaiDefaultProgramOptions"); false: *error says it.
bool error_check_cookie(const uint32_t* cookie, const char* maker, kaiError* error);

#endif
