// For tests of figures: pictures into memory, and what is in them.
#ifndef KAIROS_TESTS_FIGURE_FIXTURE_H
#define KAIROS_TESTS_FIGURE_FIXTURE_H

#include "kairos/kairos.h"
#include "unit/heap.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char* page;
static size_t page_size, page_room;

static inline kaiStatus keep(void* user, const char* bytes, size_t size)
{
    (void)user;
    if (page_size + size + 1 > page_room)
        page = realloc(page, page_room = 2 * (page_size + size + 1));
    memcpy(page + page_size, bytes, size);
    page_size += size;
    page[page_size] = 0;
    return KAI_OK;
}

static inline kaiFigureOptions options_for(const char* path)
{
    kaiFigureOptions o = kaiDefaultFigureOptions();
    o.path = path;
    o.sink.write = keep;
    page_size = 0;
    if (page != NULL)
        page[0] = 0;
    return o;
}

static inline void has(const char* words)
{
    if (strstr(page, words) == NULL)
        print_message("there is no %s\n", words);
    assert_non_null(strstr(page, words));
}

#define PANEL(...)                                                                                                     \
    {                                                                                                                  \
        .signals = (const char* const[]){__VA_ARGS__}, .count = sizeof((const char*[]){__VA_ARGS__}) / sizeof(char*)   \
    }

#endif
