// What writes, reads and keeps results, with NULL, with options that nobody made and with numbers out of range.
#include "kairos/kairos.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

// A refusal has a status and a sentence.
static void refused(const kaiError* error)
{
    assert_int_equal(error->status, KAI_ERR_USAGE);
    assert_non_null(error->message);
    assert_true(strlen(error->message) > 10);
}

static void test_writer(void** state)
{
    (void)state;
    kaiError error = {0};
    kaiRow row = {0};
    kaiWriterOptions none = {0}, options = kaiDefaultWriterOptions();
    assert_null(kaiWriter_Open(NULL, NULL, 0, &error));
    refused(&error);
    assert_null(kaiWriter_Open(&none, NULL, 0, &error));
    refused(&error);
    assert_null(kaiWriter_Open(&options, NULL, 3, &error));
    refused(&error);
    options.view = (kaiView)9;
    assert_null(kaiWriter_Open(&options, NULL, 0, &error));
    options = kaiDefaultWriterOptions();
    options.constant_count = 2;
    assert_null(kaiWriter_Open(&options, NULL, 0, &error));
    options = kaiDefaultWriterOptions();
    options.path = "x.unknown";
    assert_null(kaiWriter_Open(&options, NULL, 0, &error));
    refused(&error);
    assert_non_null(strstr(error.message, ".npz"));
    options.path = NULL;
    assert_null(kaiWriter_Open(&options, NULL, 0, NULL));
    assert_int_equal(kaiWriter_Row(NULL, &row), KAI_ERR_USAGE);
    kaiWriter_SetLead(NULL, NULL);
    assert_int_equal(kaiWriter_Flush(NULL), KAI_ERR_USAGE);
    assert_int_equal(kaiWriter_Close(NULL, NULL), KAI_ERR_USAGE);
    assert_null(kaiWriter_Csv(NULL));
    assert_int_equal(kaiCsv_Flush(NULL), KAI_ERR_USAGE);
    assert_int_equal(kaiFormat_Check(NULL, &error), KAI_ERR_USAGE);
    assert_null(kaiFormat_Ending(-1));
    assert_null(kaiFormat_Ending(1000));
    assert_null(kaiFormat_About(-1));
    assert_null(kaiFormat_About(1000));
}

static void test_recorder(void** state)
{
    (void)state;
    kaiError error = {0};
    kaiRow row = {0};
    kaiRecorderOptions none = {0}, options = kaiDefaultRecorderOptions();
    assert_null(kaiRecorder_Create(NULL, 1, &error));
    refused(&error);
    assert_null(kaiRecorder_Create(&none, 1, &error));
    refused(&error);
    assert_null(kaiRecorder_Create(&options, -1, &error));
    refused(&error);
    assert_int_equal(kaiRecorder_Row(NULL, &row), KAI_ERR_USAGE);
    assert_int_equal(kaiRecorder_Count(NULL), 0);
    assert_int_equal(kaiRecorder_ColumnCount(NULL), 0);
    assert_null(kaiRecorder_Times(NULL));
    assert_null(kaiRecorder_Jumps(NULL));
    assert_null(kaiRecorder_Reactions(NULL));
    kaiRecorder* recorder = kaiRecorder_Create(&options, 1, &error);
    assert_int_equal(kaiRecorder_Row(recorder, NULL), KAI_ERR_USAGE);
    assert_null(kaiRecorder_Column(recorder, 0));
    assert_null(kaiRecorder_Column(recorder, 1));
    assert_null(kaiRecorder_Column(recorder, -1));
    kaiRecorder_Free(recorder);
    kaiRecorder_Free(NULL);
    assert_true(kaiNumber_IsAbsent(kaiNumber_Absent()));
    assert_false(kaiNumber_IsAbsent(0));
    assert_false(kaiNumber_IsAbsent(__builtin_nan("")));
}

static void test_reader(void** state)
{
    (void)state;
    kaiError error = {0};
    assert_null(kaiReader_Open(NULL, kaiDefaultAllocator(), &error));
    refused(&error);
    assert_null(kaiReader_Open("x.csv", (kaiAllocator){0}, &error));
    refused(&error);
    assert_null(kaiReader_Open("no/such/file.npz", kaiDefaultAllocator(), &error));
    assert_int_equal(error.status, KAI_ERR_IO);
    assert_int_equal(kaiReader_Read(NULL, NULL, &error), KAI_ERR_USAGE);
    refused(&error);
    assert_null(kaiReader_Remark(NULL));
    kaiReader_SetInterrupt(NULL, NULL);
    kaiReader_Free(NULL);
}

static void test_drive(void** state)
{
    (void)state;
    kaiError error = {0};
    kaiDrive drive = {0};
    assert_int_equal(kaiInputs_Post(NULL, NULL, NULL, &error), KAI_ERR_USAGE);
    refused(&error);
    assert_int_equal(kaiDrive_At(NULL, 0), KAI_ERR_USAGE);
    assert_int_equal(kaiDrive_At(&drive, __builtin_nan("")), KAI_ERR_USAGE);
    assert_int_equal(kaiDrive_At(&drive, 1), KAI_OK);
    assert_int_equal(kaiSim_Drive(NULL, &drive), KAI_ERR_USAGE);
}

// A drive tells how far it is, and stops when it is told to.
static kaiStatus count_calls(void* user, double t)
{
    (void)t;
    return ++*(int*)user == 3 ? KAI_INTERRUPTED : KAI_OK;
}

static void test_progress(void** state)
{
    (void)state;
    kaiProgramOptions source = kaiDefaultProgramOptions();
    source.path = "m.kai";
    source.text = "model A { event tick = clock(1); discrete n = 0; when tick { n := n + 1 } }"
                  "experiment e of A { stop = 10 }";
    kaiProgram* program;
    kaiModel* model;
    assert_int_equal(kaiProgram_Open(&source, &program, NULL), KAI_OK);
    kaiCompileOptions which = kaiDefaultCompileOptions();
    which.experiment = "e";
    assert_int_equal(kaiProgram_Compile(program, &which, &model), KAI_OK);
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = kaiSim_Create(model, &options, NULL);
    int calls = 0;
    double n;
    kaiDrive drive = {.progress = count_calls, .user = &calls};
    assert_int_equal(kaiSim_Drive(sim, &drive), KAI_INTERRUPTED);
    assert_int_equal(calls, 3);
    assert_true(kaiSim_Get(sim, kaiModel_FindVariable(model, "n"), &n) && n == 3);
    assert_int_equal(kaiSim_Drive(sim, &drive), KAI_END);
    assert_int_equal(kaiSim_Post(sim, kaiModel_FindVariable(model, "n"), 1, 20, NULL), KAI_ERR_USAGE);
    kaiSim_Free(sim);
    kaiModel_Free(model);
    kaiProgram_Free(program);
}

static void test_compare(void** state)
{
    (void)state;
    kaiError error = {0};
    kaiComparison comparison;
    kaiCompareOptions none = {0}, options = kaiDefaultCompareOptions();
    assert_int_equal(kaiResult_Compare("a", "b", NULL, &comparison, &error), KAI_ERR_USAGE);
    refused(&error);
    assert_int_equal(kaiResult_Compare("a", "b", &none, &comparison, &error), KAI_ERR_USAGE);
    refused(&error);
    assert_int_equal(kaiResult_Compare(NULL, "b", &options, &comparison, &error), KAI_ERR_USAGE);
    assert_int_equal(kaiResult_Compare("a", "b", &options, NULL, &error), KAI_ERR_USAGE);
    refused(&error);
    options.relative = -1;
    assert_int_equal(kaiResult_Compare("a", "b", &options, &comparison, &error), KAI_ERR_USAGE);
    options = kaiDefaultCompareOptions();
    options.signal_count = 3;
    assert_int_equal(kaiResult_Compare("a", "b", &options, &comparison, NULL), KAI_ERR_USAGE);
    options = kaiDefaultCompareOptions();
    assert_int_equal(kaiResult_Compare("no/such", "b", &options, &comparison, &error), KAI_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writer),  cmocka_unit_test(test_recorder), cmocka_unit_test(test_reader),
        cmocka_unit_test(test_compare), cmocka_unit_test(test_drive),    cmocka_unit_test(test_progress),
    };
    return cmocka_run_group_tests_name("misuse of results", tests, NULL, NULL);
}
