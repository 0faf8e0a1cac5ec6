// Limits of a question and of a run: time, memory, rows, tags, interrupts. Each ends in its status with a sentence,
// what came before it stays, and the program can be asked again.
#include "kairos/kairos.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char bouncing[] = "model M { state x = 1, v = 0; x' = v; v' = -1; discrete n = 0\n"
                               "  when down(x) { v := -v; n := n + 1 } }\n"
                               "experiment e of M { stop = 1000; record x every 0.5 }\n";

static kaiProgram* open_text(const char* text, kaiLimits limits, const volatile int* interrupt, kaiStatus expected)
{
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiProgram* program = NULL;
    kaiError error;
    options.path = "m.kai";
    options.text = text;
    options.limits = limits;
    options.interrupt = interrupt;
    assert_int_equal(kaiProgram_Open(&options, &program, &error), expected);
    if (expected < 0)
        assert_non_null(error.message);
    return program;
}

static kaiModel* compile(const char* text)
{
    kaiProgram* program = open_text(text, (kaiLimits){0}, NULL, KAI_OK);
    kaiCompileOptions options = kaiDefaultCompileOptions();
    kaiModel* model = NULL;
    options.experiment = "e";
    assert_int_equal(kaiProgram_Compile(program, &options, &model), KAI_OK);
    kaiProgram_Free(program);
    return model;
}

// A model of n states as text.
static char* large_text(int n)
{
    char* text = malloc((size_t)n * 40 + 100);
    int length = sprintf(text, "model M {\n");
    for (int i = 0; i < n; i++)
        length += sprintf(text + length, "state x%d = 0\nx%d' = 1\n", i, i);
    sprintf(text + length, "}\nexperiment e of M { stop = 1 }\n");
    return text;
}

static void memory_of_a_question(void** state)
{
    (void)state;
    char* text = large_text(3000);
    kaiCompileOptions options = kaiDefaultCompileOptions();
    kaiModel* model = NULL;
    options.experiment = "e";
    assert_null(open_text(text, (kaiLimits){.memory = 100000}, NULL, KAI_ERR_LIMIT));
    kaiProgram* program = open_text(text, (kaiLimits){.memory = 8000000}, NULL, KAI_OK);
    for (int again = 0; again < 3; again++)
    {
        assert_int_equal(kaiProgram_Compile(program, &options, &model), KAI_ERR_LIMIT);
        assert_null(model);
        assert_int_equal(kaiProgram_ErrorCount(program), 1);
        assert_string_equal(kaiProgram_Message(program, 0)->code, "K175");
        assert_non_null(strstr(kaiProgram_Message(program, 0)->message, "8 MB of memory"));
        assert_non_null(strstr(kaiProgram_MessageText(program, 0, false), "K175"));
    }
    assert_int_equal(kaiProgram_ExperimentCount(program), 1);  // what was read is still there
    kaiProgram_Free(program);
    free(text);
}

static void time_of_a_question(void** state)
{
    (void)state;
    char* text = large_text(20000);
    kaiProgram* program = NULL;
    kaiProgramOptions source = kaiDefaultProgramOptions();
    kaiError error;
    source.path = "m.kai";
    source.text = text;
    source.limits.seconds = 1e-9;
    assert_int_equal(kaiProgram_Open(&source, &program, &error), KAI_ERR_LIMIT);
    assert_non_null(strstr(error.message, "takes more than 1e-09 s"));
    free(text);
}

static void interrupted_question(void** state)
{
    (void)state;
    volatile int flag = 0;
    char* text = large_text(3000);
    kaiCompileOptions options = kaiDefaultCompileOptions();
    kaiModel* model = NULL;
    options.experiment = "e";
    kaiProgram* program = open_text(bouncing, (kaiLimits){0}, &flag, KAI_OK);
    assert_int_equal(kaiProgram_Compile(program, &options, &model), KAI_OK);
    kaiModel_Free(model);
    kaiProgram_Free(program);
    program = open_text(text, (kaiLimits){0}, &flag, KAI_OK);
    flag = 1;  // an interrupt waits 50 ms: this model takes longer in no build we know, so it may be compiled or not
    kaiStatus status = kaiProgram_Compile(program, &options, &model);
    assert_true(status == KAI_INTERRUPTED || status == KAI_OK);
    assert_int_equal(model != NULL, status == KAI_OK);
    kaiModel_Free(model);
    kaiProgram_Free(program);
    free(text);
}

// ---- runs

static kaiStatus count_row(void* user, const kaiRow* row)
{
    (void)row;
    ++*(int*)user;
    return KAI_OK;
}

// A run may be over its time before it has been made, if others have the machine: then it gets more.
static kaiSim* create_limited(const kaiModel* model, kaiSimOptions* options)
{
    kaiError error;
    kaiSim* sim = kaiSim_Create(model, options, &error);
    while (sim == NULL && options->limits.seconds > 0 && options->limits.seconds < 100)
    {
        assert_int_equal(error.status, KAI_ERR_LIMIT);
        options->limits.seconds *= 10;
        sim = kaiSim_Create(model, options, &error);
    }
    return sim;
}

static kaiStatus run_limited(const kaiModel* model, kaiLimits limits, int* rows, char* message)
{
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.limits = limits;
    options.row = count_row;
    options.row_user = rows;
    *rows = 0;
    kaiSim* sim = create_limited(model, &options);
    assert_non_null(sim);
    kaiStatus status = kaiSim_Run(sim);
    const kaiError* failure = kaiSim_Failure(sim);
    assert_int_equal(failure->status, status < 0 ? status : KAI_OK);
    snprintf(message, 300, "%s", failure->message != NULL ? failure->message : "");
    assert_int_equal(kaiSim_Run(sim), status);  // and it stays so
    kaiSim_Free(sim);
    return status;
}

static void rows_and_tags_of_a_run(void** state)
{
    (void)state;
    kaiModel* model = compile(bouncing);
    char message[300];
    int rows, all;
    assert_int_equal(run_limited(model, (kaiLimits){0}, &all, message), KAI_END);
    assert_int_equal(run_limited(model, (kaiLimits){.rows = 100}, &rows, message), KAI_ERR_LIMIT);
    assert_int_equal(rows, 100);
    assert_non_null(strstr(message, "more than 100 rows"));
    assert_int_equal(run_limited(model, (kaiLimits){.rows = (uint64_t)all}, &rows, message), KAI_END);
    assert_int_equal(run_limited(model, (kaiLimits){.tags = 50}, &rows, message), KAI_ERR_LIMIT);
    assert_true(rows > 10 && rows < all);
    assert_non_null(strstr(message, "more than 50 tags"));
    kaiModel_Free(model);
}

static void time_of_a_run(void** state)
{
    (void)state;
    kaiModel* model = compile("model M { state x = 1, v = 0; x' = v; v' = -x }\n"
                              "experiment e of M { stop = inf; max_step = 1e-3; record x every 1 }\n");
    char message[300];
    int rows;
    assert_int_equal(run_limited(model, (kaiLimits){.seconds = 1e-9}, &rows, message), KAI_ERR_LIMIT);
    assert_non_null(strstr(message, "the run takes more than "));
    kaiModel_Free(model);
}

static void memory_of_a_run(void** state)
{
    (void)state;
    kaiModel* model = compile("model M { state x = 1; x' = -delay(x, 1e6) }\n"
                              "experiment e of M { stop = 1e9; max_step = 1e-3; record x every 1 }\n");
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiError error;
    char message[300];
    int rows;
    assert_int_equal(run_limited(model, (kaiLimits){.memory = 2000000}, &rows, message), KAI_ERR_LIMIT);
    assert_non_null(strstr(message, "more than 2 MB of memory"));
    assert_true(rows > 2);
    options.limits.memory = 100;
    assert_null(kaiSim_Create(model, &options, &error));
    assert_int_equal(error.status, KAI_ERR_LIMIT);
    kaiModel_Free(model);
}

// A snapshot outlives its sim, and is restored in one with a limit.
static void snapshots_of_a_limited_run(void** state)
{
    (void)state;
    kaiModel* model = compile(bouncing);
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.limits.memory = 10000000;
    kaiSim* sim = kaiSim_Create(model, &options, NULL);
    assert_int_equal(kaiSim_StepTo(sim, 1), KAI_INSTANT);
    kaiSnapshot* snapshot = kaiSim_Save(sim);
    kaiSim_Free(sim);
    sim = kaiSim_Create(model, &options, NULL);
    assert_int_equal(kaiSim_Restore(sim, snapshot), KAI_OK);
    kaiSnapshot_Free(snapshot);
    assert_int_equal(kaiSim_Run(sim), KAI_END);
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_a_question),
        cmocka_unit_test(time_of_a_question),
        cmocka_unit_test(interrupted_question),
        cmocka_unit_test(rows_and_tags_of_a_run),
        cmocka_unit_test(time_of_a_run),
        cmocka_unit_test(memory_of_a_run),
        cmocka_unit_test(snapshots_of_a_limited_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
