// HTTP as the studio sees it: requests come to one function, from several threads. The part `studio` (civet.c) does the
// rest.
#ifndef KAIROS_STUDIO_HTTP_H
#define KAIROS_STUDIO_HTTP_H

#include "part/part.h"

#include <stdbool.h>

// One request; `connection` belongs to the part.
typedef struct HttpRequest
{
    void* connection;
    const char *method, *path;  // path: as sent, without the query
    long long length;           // of the body; -1: not said
    // A header; NULL: it has none of that name.
    const char* (*header)(void* connection, const char* name);
    // Bytes of the body; 0: no more, < 0: the connection is broken.
    int (*read)(void* connection, void* bytes, size_t size);
    // The reply, once. `headers` are whole lines, ended by \r\n.
    void (*reply)(void* connection, int status, const char* headers, const void* body, size_t size);
} HttpRequest;

typedef void HttpHandler(void* user, const HttpRequest* request);

typedef struct HttpPart
{
    PartHead head;
    // Listens on 127.0.0.1. `port` 0: a free one, which it becomes. NULL: *why is a sentence in static memory.
    void* (*start)(int* port, int threads, HttpHandler* handler, void* user, const char** why);
    // Ends when all requests have been handled.
    void (*stop)(void* server);
} HttpPart;

#endif
