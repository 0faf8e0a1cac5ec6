// Models for tests of the library: loaded from a text or a file; what the compiler has to say is printed, and an error
// fails the test.
#ifndef KAIROS_TESTS_LOAD_FIXTURE_H
#define KAIROS_TESTS_LOAD_FIXTURE_H

#include "kairos/kairos.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static inline kaiModel* load_with(const kaiLoadOptions* options)
{
    kaiModel* model = NULL;
    kaiMessages* messages = NULL;
    kaiStatus status = kaiModel_Load(options, &model, &messages);
    for (int i = 0; i < kaiMessages_Count(messages); i++)
        print_message("%s\n", kaiMessages_Text(messages, i, false));
    kaiMessages_Free(messages);
    assert_int_equal(status, KAI_OK);
    assert_non_null(model);
    return model;
}

static inline kaiModel* load_file(const char* path, const char* experiment)
{
    kaiLoadOptions options = kaiDefaultLoadOptions();
    options.path = path;
    options.experiment = experiment;
    return load_with(&options);
}

static inline kaiModel* load_text(const char* text, const char* experiment)
{
    kaiLoadOptions options = kaiDefaultLoadOptions();
    options.path = "text.kai";
    options.text = text;
    options.experiment = experiment;
    return load_with(&options);
}

#endif
