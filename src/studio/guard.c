// See guard.h. Any page in the same browser can send requests to any port of this computer. It cannot know the word;
// and should it, what it sends carries its own origin, or, where a name of its own was pointed at this computer,
// another host.
#include "studio/guard.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

bool guard_init(Guard* g)
{
    unsigned char bytes[TOKEN_LENGTH / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        sprintf(g->token + 2 * i, "%02x", bytes[i]);
    return true;
}

static bool is_host(const Guard* g, const char* host)
{
    char ours[40];
    snprintf(ours, sizeof ours, "127.0.0.1:%d", g->port);
    if (strcmp(host, ours) == 0)
        return true;
    snprintf(ours, sizeof ours, "localhost:%d", g->port);
    return strcmp(host, ours) == 0;
}

static bool is_origin(const Guard* g, const char* origin)
{
    return strncmp(origin, "http://", 7) == 0 && is_host(g, origin + 7);
}

// Browsers say where a request comes from; a page typed into the address line comes from nowhere.
static bool is_from_here(const Guard* g, const HttpRequest* r)
{
    const char *host = r->header(r->connection, "Host"), *origin = r->header(r->connection, "Origin");
    const char* site = r->header(r->connection, "Sec-Fetch-Site");
    if (host == NULL || !is_host(g, host) || (origin != NULL && !is_origin(g, origin)))
        return false;
    bool asks = strcmp(r->method, "POST") == 0;
    return site == NULL || strcmp(site, "same-origin") == 0 || (!asks && strcmp(site, "none") == 0);
}

// In a time that does not tell how much of it was right.
static bool is_token(const Guard* g, const char* path)
{
    unsigned char differs = 0;
    if (strlen(path) < TOKEN_LENGTH + 2 || path[0] != '/' || path[TOKEN_LENGTH + 1] != '/')
        return false;
    for (int i = 0; i < TOKEN_LENGTH; i++)
        differs = (unsigned char)(differs | (path[i + 1] ^ g->token[i]));
    return differs == 0;
}

const char* guard_admit(const Guard* g, const HttpRequest* r, int* status)
{
    *status = 403;
    if (!is_token(g, r->path) || !is_from_here(g, r))
        return NULL;
    return r->path + TOKEN_LENGTH + 2;
}
