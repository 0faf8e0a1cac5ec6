// For tests of the service: a question about a text, and what its answer has.
#ifndef KAIROS_TESTS_SERVICE_FIXTURE_H
#define KAIROS_TESTS_SERVICE_FIXTURE_H

#include "kairos/kairos.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char answer[400000];
static size_t answer_size;

static inline kaiStatus take(void* user, const char* bytes, size_t size)
{
    (void)user;
    if (answer_size + size >= sizeof answer)
        return KAI_ERR_IO;
    memcpy(answer + answer_size, bytes, size);
    answer_size += size;
    answer[answer_size] = 0;
    return KAI_OK;
}

static inline void put_escaped(char* to, const char* text)
{
    for (; *text != 0; text++)
    {
        if (*text == '"' || *text == '\\')
            *to++ = '\\';
        *to++ = *text == '\n' ? '\\' : *text;
        if (*text == '\n')
            *to++ = 'n';
    }
    *to = 0;
}

static inline void ask_with(const kaiServiceOptions* options, const char* what, const char* text)
{
    static char question[20000], escaped[10000];
    kaiSink sink = {take, NULL};
    answer_size = 0;
    answer[0] = 0;
    put_escaped(escaped, text);
    snprintf(question, sizeof question, "{%s,\"text\":\"%s\"}", what, escaped);
    assert_int_equal(kaiService_Answer(options, question, strlen(question), NULL, &sink), KAI_OK);
}

static inline void ask(const char* what, const char* text)
{
    kaiServiceOptions options = kaiDefaultServiceOptions();
    ask_with(&options, what, text);
}

static inline void has(const char* words)
{
    if (strstr(answer, words) == NULL)
        print_message("%.3000s\ninstead of %s\n", answer, words);
    assert_non_null(strstr(answer, words));
}

static inline void lacks(const char* words)
{
    if (strstr(answer, words) != NULL)
        print_message("%.3000s\nhas %s\n", answer, words);
    assert_null(strstr(answer, words));
}

#endif
