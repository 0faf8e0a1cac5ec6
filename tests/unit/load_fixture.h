// Models for tests of the library: loaded from a text or a file; what the compiler has to say is printed, and an error
// fails the test.
#ifndef KAIROS_TESTS_LOAD_FIXTURE_H
#define KAIROS_TESTS_LOAD_FIXTURE_H

#include "unit/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static inline kaiModel* load_with(const LoadOptions* options)
{
    kaiModel* model = NULL;
    kaiProgram* messages = NULL;
    kaiStatus status = load_model(options, &model, &messages);
    for (int i = 0; i < kaiProgram_MessageCount(messages); i++)
        print_message("%s\n", kaiProgram_MessageText(messages, i, false));
    kaiProgram_Free(messages);
    assert_int_equal(status, KAI_OK);
    assert_non_null(model);
    return model;
}

static inline kaiModel* load_file(const char* path, const char* experiment)
{
    LoadOptions options = load_default();
    options.path = path;
    options.experiment = experiment;
    return load_with(&options);
}

static inline kaiModel* load_text(const char* text, const char* experiment)
{
    LoadOptions options = load_default();
    options.path = "text.kai";
    options.text = text;
    options.experiment = experiment;
    return load_with(&options);
}

#endif
