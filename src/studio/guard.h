// Who may ask: the word in the address, the host, and the origin of the page that asks.
#ifndef KAIROS_STUDIO_GUARD_H
#define KAIROS_STUDIO_GUARD_H

#include "studio/http.h"

enum
{
    TOKEN_LENGTH = 32
};

typedef struct Guard
{
    char token[TOKEN_LENGTH + 1];
    int port;
} Guard;

// A new word, of 128 random bits. False: the system gives none.
bool guard_init(Guard* guard);
// What follows "/TOKEN/" in the path of a request that may be answered; NULL: it may not, *status says how.
const char* guard_admit(const Guard* guard, const HttpRequest* request, int* status);

#endif
