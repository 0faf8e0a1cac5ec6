// Compiled models with foreign code inside, as bytes and back: FMUs and libraries of C are opened again from where they
// were, and what has become another one or is gone is told. Values are closed forms (tests/fmi/tank.c,
// tests/block/ball.c).
#include "guest_fixture.h"

static Bytes saved_of(kaiModel* model)
{
    Bytes made = {NULL, 0, 0};
    assert_int_equal(kaiModel_Save(model, &(kaiSink){bytes_write, &made}), KAI_OK);
    kaiModel_Free(model);
    return made;
}

// x' = -x from 1: ln 2 later it is 1/2 and filled up.
static void fmus_are_opened_again(void** state)
{
    const Guests* g = *state;
    static const char* const files[] = {"tank2.fmu", "tank3.fmu"};
    for (int i = 0; i < 4; i++)
    {
        Rig rig = rig_make(g, files[i % 2], "model M { t : Tank }\nexperiment e of M { stop = 1; rtol = 1e-9 }", false);
        assert_non_null(rig.sim);
        kaiSim_Free(rig.sim);
        Bytes bytes = saved_of(rig.model);
        kaiBlockProvider blocks = kaiFmu_Blocks(i >= 2);
        kaiError error = {0};
        rig.model = NULL;
        assert_int_equal(kaiModel_LoadSavedBlocks(bytes.at, bytes.size, true, &blocks, &rig.model, &error), KAI_OK);
        kaiSimOptions options = kaiModel_SimOptions(rig.model);
        rig.sim = kaiSim_Create(rig.model, &options, &error);
        assert_int_equal(rig_go(&rig, 0.5), KAI_OK);
        rig_near(&rig, "t.x", exp(-0.5), 1e-7);
        rig_free(&rig);
        free(bytes.at);
    }
}

static void refused(Bytes bytes, bool allowed, const kaiBlockProvider* blocks, kaiStatus status, const char* words)
{
    kaiModel* model = NULL;
    kaiError error = {0};
    assert_int_equal(kaiModel_LoadSavedBlocks(bytes.at, bytes.size, allowed, blocks, &model, &error), status);
    assert_null(model);
    if (strstr(error.message, words) == NULL)
        fail_msg("\"%s\" instead of \"%s\"", error.message, words);
}

static void what_is_not_there_is_told(void** state)
{
    const Guests* g = *state;
    char command[200];
    Rig rig = rig_make(g, "tank2.fmu", "model M { t : Tank }\nexperiment e of M { stop = 1 }", false);
    assert_non_null(rig.sim);
    kaiSim_Free(rig.sim);
    Bytes bytes = saved_of(rig.model);
    kaiBlockProvider blocks = kaiFmu_Blocks(false);
    kaiModel* model = NULL;
    refused(bytes, false, &blocks, KAI_ERR_USAGE, "which has not been allowed");
    refused(bytes, true, NULL, KAI_ERR_USAGE, "has FMUs in it, and nobody to open them");
    assert_int_equal(kaiModel_LoadSaved(bytes.at, bytes.size, true, &model, NULL), KAI_ERR_USAGE);
    snprintf(command, sizeof command, "mv %s/tank3.fmu %s/tank2.fmu", g->folder, g->folder);
    assert_int_equal(system(command), 0);
    refused(bytes, true, &blocks, KAI_ERR_IO, "tank2.fmu is another one than the saved model was compiled with");
    snprintf(command, sizeof command, "rm %s/tank2.fmu", g->folder);
    assert_int_equal(system(command), 0);
    kaiError error = {0};
    assert_true(kaiModel_LoadSavedBlocks(bytes.at, bytes.size, true, &blocks, &model, &error) < 0);
    assert_non_null(strstr(error.message, "tank2.fmu"));
    assert_int_equal(kaiModel_LoadSavedBlocks(NULL, 0, true, &blocks, NULL, NULL), KAI_ERR_USAGE);
    free(bytes.at);
}

// A ball of C falls for 0.4 s, before and after; then its library is gone.
static void libraries_are_opened_again(void** state)
{
    const Guests* g = *state;
    char path[80], library[80];
    size_t size;
    char* module = read_module("ball.so", &size);
    snprintf(library, sizeof library, "%s/ball.so", g->folder);
    FILE* out = fopen(library, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(module, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
    free(module);
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiProgram* program = NULL;
    Rig rig = {.model = NULL};
    snprintf(path, sizeof path, "%s/rig.kai", g->folder);
    options.path = path;
    options.text = "external Ball = \"ball:ball\"\nmodel M { b : Ball }\nexperiment e of M { stop = 1; rtol = 1e-9 }\n";
    options.policy.allow_external = true;
    which.experiment = "e";
    assert_int_equal(kaiProgram_Open(&options, &program, NULL), KAI_OK);
    assert_int_equal(kaiProgram_Compile(program, &which, &rig.model), KAI_OK);
    kaiProgram_Free(program);
    Bytes bytes = saved_of(rig.model);
    kaiError error = {0};
    assert_int_equal(kaiModel_LoadSaved(bytes.at, bytes.size, true, &rig.model, &error), KAI_OK);
    kaiSimOptions run = kaiModel_SimOptions(rig.model);
    rig.sim = kaiSim_Create(rig.model, &run, &error);
    assert_int_equal(rig_go(&rig, 0.4), KAI_OK);
    rig_near(&rig, "b.y", 1 - 9.81 / 2 * 0.16, 1e-8);
    rig_free(&rig);
    assert_int_equal(remove(library), 0);
    refused(bytes, true, NULL, KAI_ERR_IO, "ball.so, a block of the saved model, cannot be opened");
    free(bytes.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fmus_are_opened_again, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(what_is_not_there_is_told, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(libraries_are_opened_again, guests_make, guests_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
