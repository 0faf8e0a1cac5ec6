// FMUs of others as files (src/guest): what a description makes of a block, what is refused and how, calls in the order
// of the standard (kaiFmu_Walk), an FMU alone as a text (kaiFmu_Text), and all of it where memory ends.
#include "guest/guest.h"
#include "guest_fixture.h"

static void path_of(const Guests* g, const char* name, char path[80])
{
    snprintf(path, 80, "%s/%s", g->folder, name);
}

// ---- descriptions

static const kaiBlock* block_of(const Guests* g, const char* description, const char* variant)
{
    char path[80];
    kaiError error = {0};
    const kaiBlock* block = NULL;
    path_of(g, "changed.fmu", path);
    write_fmu(path, description, NULL);
    if (guest_open(path, variant, false, kaiDefaultAllocator(), &block, &error) != KAI_OK)
        fail_msg("%s", error.message);
    return block;
}

// A flow in W by its declared type, k in 1/min: SI units, factors, nominal values and what outputs hang on at once.
static void units_become_si(void** state)
{
    const Guests* g = *state;
    char* a = changed(g->tank2, "<Real start=\"1\"/></ScalarVariable>\n<ScalarVariable name=\"der(x)\"",
                      "<Real start=\"1\" declaredType=\"Flow\"/></ScalarVariable>\n<ScalarVariable name=\"der(x)\"");
    char* b =
        changed(a, "initial=\"exact\"><Real start=\"1\"/>", "initial=\"exact\"><Real start=\"3\" unit=\"1/min\"/>");
    const kaiBlock* block = block_of(g, b, "");
    assert_string_equal(block->name, "a tank");
    assert_int_equal(block->parameter_count, 2);
    assert_string_equal(block->parameters[0].unit, "1/s");
    assert_true(fabs(block->parameters[0].start - 0.05) < 1e-15);
    assert_int_equal(block->state_count, 1);
    assert_string_equal(block->states[0].unit, "kg*m^2/s^3");
    assert_true(block->states[0].start == 3);  // nominal
    assert_null(block->parameters[1].unit);
    assert_true(block->usual.stop == 1 && block->usual.tolerance == 1e-8 && block->usual.step == 0.05);
    block->hold(block, -1);
    free(a), free(b);
}

// As Co-Simulation x is an output; degrees have an offset, and a difference of them has none.
static void an_offset_is_for_absolute_quantities(void** state)
{
    const Guests* g = *state;
    char* a = changed(g->tank2, "<UnitDefinitions>",
                      "<UnitDefinitions><Unit name=\"degC\"><BaseUnit K=\"1\" offset=\"273.15\"/></Unit>"
                      "<Unit name=\"odd\"><BaseUnit K=\"1\" factor=\"0\"/></Unit><Unit name=\"bare\"/>");
    char* b = changed(a, "<Real start=\"0\"/></ScalarVariable>\n<ScalarVariable name=\"rings\"",
                      "<Real start=\"20\" unit=\"degC\"/></ScalarVariable>\n<ScalarVariable name=\"rings\"");
    const kaiBlock* block = block_of(g, b, "cs");
    assert_int_equal(block->state_count, 0);
    assert_string_equal(block->parameters[2].name, "communication_step");
    assert_true(block->parameters[2].start == 0.05);
    assert_string_equal(block->inputs[0].unit, "K");
    assert_true(fabs(block->inputs[0].start - 293.15) < 1e-12);
    block->hold(block, -1);
    char* c = changed(b, "unit=\"degC\"", "unit=\"degC\" relativeQuantity=\"true\"");
    block = block_of(g, c, "");
    assert_true(block->inputs[0].start == 20);
    block->hold(block, -1);
    char* d = changed(b, "unit=\"degC\"", "unit=\"odd\"");  // what no number can be divided by is left alone
    block = block_of(g, d, "");
    assert_true(block->inputs[0].start == 20);
    block->hold(block, -1);
    char* e = changed(b, "unit=\"degC\"", "unit=\"bare\"");
    block = block_of(g, e, "");
    assert_null(block->inputs[0].unit);
    block->hold(block, -1);
    free(a), free(b), free(c), free(d), free(e);
}

// An output that is no state: its dependencies are numbers of states and inputs; without them it hangs on all.
static void outputs_hang_on_what_they_say(void** state)
{
    static const char local[] = "name=\"der(x)\" valueReference=\"1\" causality=\"local\"";
    const Guests* g = *state;
    char* a = changed(g->tank2, local, "name=\"der(x)\" valueReference=\"1\" causality=\"output\"");
    char* b = changed(a, "<Unknown index=\"5\" dependencies=\"\"/>",
                      "<Unknown index=\"2\" dependencies=\"1 3 4\"/><Unknown index=\"5\" dependencies=\"\"/>");
    const kaiBlock* block = block_of(g, b, "");
    assert_string_equal(block->outputs[0].name, "der(x)");
    assert_int_equal(block->outputs[0].read_count, 2);  // x and u; k is a parameter
    assert_int_equal(block->outputs[0].reads[0], 0);
    assert_int_equal(block->outputs[0].reads[1], 1);
    block->hold(block, -1);
    char* c = changed(b, "index=\"2\" dependencies=\"1 3 4\"", "index=\"2\"");
    block = block_of(g, c, "");
    assert_null(block->outputs[0].reads);
    block->hold(block, -1);
    free(a), free(b), free(c);
}

// Strings are no numbers, and what is called _ or has another name already is not looked at.
static void what_is_no_number_is_left_out(void** state)
{
    const Guests* g = *state;
    char* a = changed(g->tank2, "</ModelVariables>",
                      "<ScalarVariable name=\"text\" valueReference=\"50\" causality=\"parameter\" "
                      "variability=\"fixed\" initial=\"exact\"><String start=\"hello\"/></ScalarVariable>\n"
                      "<ScalarVariable name=\"_hidden\" valueReference=\"51\" causality=\"local\" "
                      "variability=\"continuous\"><Real/></ScalarVariable>\n"
                      "<ScalarVariable name=\"shown\" valueReference=\"1\" causality=\"local\" "
                      "variability=\"continuous\"><Real/></ScalarVariable>\n</ModelVariables>");
    const kaiBlock* block = block_of(g, a, "");
    assert_int_equal(block->parameter_count, 2);
    assert_int_equal(block->output_count, 3);
    block->hold(block, -1);
    free(a);
}

// ---- refusals

static void refused(const Guests* g, const char* description, const char* few, const char* variant, const char* words)
{
    char path[80], file[40];
    path_of(g, "changed.fmu", path);
    write_fmu(path, description, few);
    snprintf(file, sizeof file, "changed.fmu%s%s", variant[0] != 0 ? ":" : "", variant);
    Rig rig = rig_make(g, file, "model M { t : Tank }\nexperiment e of M { stop = 1 }", false);
    if (rig.sim != NULL)
        rig_fails(&rig, words);
    else if (strstr(rig.why, words) == NULL)
        fail_msg("\"%s\" instead of \"%s\"", rig.why, words);
    rig_free(&rig);
}

static void refused_changed(const Guests* g, const char* whole, const char* old, const char* new, const char* few,
                            const char* variant, const char* words)
{
    char* made = changed(whole, old, new);
    refused(g, made, few, variant, words);
    free(made);
}

#define EXCHANGE_2                                                                                                     \
    "<ModelExchange modelIdentifier=\"tank\" canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\"/>\n"

static void what_is_missing_is_told(void** state)
{
    const Guests* g = *state;
    static const char apart[] = "<CoSimulation modelIdentifier=\"few\"";
    refused(g, g->tank2, NULL, "fast", "\":fast\" is neither \":me\" nor \":cs\"");
    refused_changed(g, g->tank2, EXCHANGE_2, "", NULL, "me", "has no Model Exchange");
    refused_changed(g, g->tank2, "<CoSimulation", "<Other", NULL, "cs", "has neither Model Exchange nor Co-Simulation");
    refused_changed(g, g->tank2, "<CoSimulation modelIdentifier=\"tank\"", apart, NULL, "cs",
                    "has no binary for Linux on x86_64");
    refused_changed(g, g->tank2, "<CoSimulation modelIdentifier=\"tank\"", apart, "few.so", "cs",
                    "its binary has no function fmi2DoStep");
    refused_changed(g, g->tank3, "<CoSimulation modelIdentifier=\"tank\"", apart, "few.so", "cs",
                    "its binary has no function fmi3DoStep");
    refused_changed(g, g->tank2, "{tank}", "{bucket}", NULL, "", "block t fails in its opening at t = 0");
    refused_changed(g, g->tank3, "{tank}", "{bucket}", NULL, "", "another token");
    refused_changed(g, g->tank2, "modelName=\"a tank\" ", "", NULL, "", "modelDescription.xml:2: modelName is missing");
    refused_changed(g, g->tank2, "modelIdentifier=\"tank\"", "modelIdentifier=\"cup\"", NULL, "",
                    "has no binary for Linux on x86_64");
}

// Model Exchange of the small binary: types without functions, and states that cannot be copied.
static void a_small_binary(void** state)
{
    const Guests* g = *state;
    char path[80], *a = changed(g->tank3, "modelIdentifier=\"tank\"", "modelIdentifier=\"few\""),
                   *b = changed(a, "<CoSimulation", "<Other");
    refused(g, b, "few.so", "", "its binary has no function for a type of its variables");
    char *c = changed(g->tank2, "modelIdentifier=\"tank\"", "modelIdentifier=\"few\""),
         *d = changed(c, "<CoSimulation", "<Other");
    path_of(g, "changed.fmu", path);
    write_fmu(path, d, "few.so");
    Rig rig = rig_make(g, "changed.fmu", "model M { t : Tank }\nexperiment e of M { stop = 1 }", false);
    assert_int_equal(rig_go(&rig, 0.2), KAI_OK);
    rig_near(&rig, "t.x", exp(-0.2), 1e-5);
    kaiSnapshot* copy = kaiSim_Save(rig.sim);
    assert_true(copy == NULL || kaiSim_Restore(rig.sim, copy) != KAI_OK);
    kaiSnapshot_Free(copy);
    rig_free(&rig);
    free(a), free(b), free(c), free(d);
}

static void start_values_that_cannot_be_given(void** state)
{
    const Guests* g = *state;
    char path[80],
        *a = changed(g->tank2, "variability=\"continuous\" initial=\"exact\"><Real start=\"1\"/>",
                     "variability=\"continuous\" initial=\"calculated\"><Real/>"),
        *b = changed(a, "<InitialUnknowns>", "<InitialUnknowns><Unknown index=\"1\"/>");
    path_of(g, "changed.fmu", path);
    write_fmu(path, b, NULL);
    Rig rig = rig_make(g, "changed.fmu", "model M { t : Tank(x = 3) }\nexperiment e of M { stop = 1 }", false);
    rig_fails(&rig, "the start value of x cannot be given: the FMU calculates it");
    rig_free(&rig);
    rig = rig_make(g, "tank2.fmu:cs", "model M { t : Tank(communication_step = 0) }\nexperiment e of M { stop = 1 }",
                   false);
    rig_fails(&rig, "communication_step is not above 0");
    rig_free(&rig);
    free(a), free(b);
}

static void files_that_are_none(void** state)
{
    const Guests* g = *state;
    char path[80];
    const kaiBlock* block = NULL;
    kaiError error = {0};
    kaiAllocator a = kaiDefaultAllocator();
    path_of(g, "none.fmu", path);
    assert_int_equal(guest_open(path, "", false, a, &block, &error), KAI_ERR_IO);
    assert_non_null(strstr(error.message, "none.fmu cannot be read: No such file"));
    assert_int_equal(guest_open(g->folder, "", false, a, &block, &error), KAI_ERR_IO);
    assert_non_null(strstr(error.message, "it is a folder"));
    assert_int_equal(guest_open("README.md", "", false, a, &block, &error), KAI_ERR_MODEL);
    assert_non_null(strstr(error.message, "README.md: "));
    assert_null(block);
}

// There must be a place to unpack it.
static void no_place_to_unpack(void** state)
{
    const Guests* g = *state;
    static const char text[] = "model M { t : Tank }\nexperiment e of M { stop = 1 }";
    for (int isolate = 0; isolate < 2; isolate++)
    {
        setenv("TMPDIR", "/nowhere/at/all", 1);
        Rig rig = rig_make(g, "tank2.fmu", text, isolate);
        rig_fails(&rig, "cannot be unpacked into /nowhere/at/all/kairos-fmu-");
        setenv("TMPDIR", g->folder, 1);
        rig_free(&rig);
    }
}

// ---- the order of calls

static void walks(const Guests* g, const char* whole, int trouble, const char* words)
{
    char path[80], *made, number[40];
    kaiError error = {0};
    const char* old = strstr(whole, "\"2.0\"") != NULL
                          ? "<Real start=\"0\"/></ScalarVariable>\n<ScalarVariable name=\"b\""
                          : "variability=\"fixed\" start=\"0\"";
    snprintf(number, sizeof number, "start=\"%d\"", trouble);
    char* with = changed(old, "start=\"0\"", number);
    made = changed(whole, old, with);
    path_of(g, "walk.fmu", path);
    write_fmu(path, made, NULL);
    kaiStatus status = kaiFmu_Walk(path, trouble == TANK_HANGS ? 0.3 : 30, &error);
    if (words == NULL ? status != KAI_OK : status != KAI_ERR_MODEL || strstr(error.message, words) == NULL)
        fail_msg("trouble %d: status %d, \"%s\" instead of \"%s\"", trouble, status,
                 error.message != NULL ? error.message : "", words != NULL ? words : "nothing");
    free(with), free(made);
}

static void calls_are_held_against_the_standard(void** state)
{
    const Guests* g = *state;
    static const struct
    {
        int trouble;
        const char* words;
    } cases[] = {{0, NULL},
                 {TANK_ENDS, NULL},
                 {TANK_STEP_EVENT, NULL},
                 {TANK_NO_START, "initialization fails at t = 0: the tap is stuck"},
                 {TANK_SILENT, " fails at t = "},
                 {TANK_ENDLESS, "its event iteration at t = 0 has no end"},
                 {TANK_STANDS, "at t = 0 it wants its next event at 0, which is not later"},
                 {TANK_REMEMBERS, "after it was asked about a later time, and was "},
                 {TANK_FORGETS, "after its state was restored, and was "},
                 {TANK_NO_COPY, "saving the state fails at t = "},
                 {TANK_GROWS, "saving the state fails at t = "},
                 {TANK_NO_WAY_BACK, "restoring the state fails at t = "},
                 {TANK_CRASHES, "its process crashed in "},
                 {TANK_HANGS, "it has not answered in "},
                 {TANK_STANDS_STILL, "DoStep does not get ahead"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        walks(g, g->tank2, cases[i].trouble, cases[i].words);
        walks(g, g->tank3, cases[i].trouble, cases[i].words);
    }
    kaiError error = {0};
    assert_int_equal(kaiFmu_Walk(NULL, 1, &error), KAI_ERR_USAGE);
    assert_int_equal(kaiFmu_Walk("x.fmu", 0, NULL), KAI_ERR_USAGE);
    assert_int_equal(kaiFmu_Walk("x.fmu", 1, &error), KAI_ERR_IO);
    refused_changed(g, g->tank2, "{tank}", "{bucket}", NULL, "", "opening");
    char path[80];
    path_of(g, "changed.fmu", path);
    assert_int_equal(kaiFmu_Walk(path, 30, &error), KAI_ERR_MODEL);
    assert_non_null(strstr(error.message, "instantiation fails at t = 0"));
}

// ---- alone

static void alone_it_is_a_text(void** state)
{
    const Guests* g = *state;
    char path[80];
    Bytes text = {NULL, 0, 0};
    kaiSink sink = {bytes_write, &text}, none = {NULL, NULL};
    kaiError error;
    path_of(g, "tank2.fmu", path);
    assert_int_equal(kaiFmu_Text(path, "", &sink, &error), KAI_OK);
    bytes_write(&text, "", 1);
    assert_string_equal(text.at, "fmu a_tank = \"tank2.fmu\"\nexperiment a_tank_alone of a_tank {\n  start = 0\n"
                                 "  stop = 1\n  rtol = 1e-08\n}\n");
    text.size = 0;
    path_of(g, "tank3.fmu", path);
    assert_int_equal(kaiFmu_Text(path, "cs", &sink, &error), KAI_OK);
    bytes_write(&text, "", 1);
    assert_string_equal(text.at, "fmu a_tank = \"tank3.fmu:cs\"\nexperiment a_tank_alone of a_tank {\n  start = 0\n"
                                 "  stop = 1\n}\n");
    assert_int_equal(kaiFmu_Text(NULL, "", &sink, &error), KAI_ERR_USAGE);
    assert_int_equal(kaiFmu_Text(path, NULL, &sink, &error), KAI_ERR_USAGE);
    assert_int_equal(kaiFmu_Text(path, "", &none, &error), KAI_ERR_USAGE);
    assert_int_equal(kaiFmu_Text("none.fmu", "", &sink, &error), KAI_ERR_IO);
    free(text.at);
}

// ---- memory

static void hear_nothing(void* user, bool error, const char* text)
{
    (void)user, (void)error, (void)text;
}

static bool never(void* user)
{
    return (void)user, false;
}

// Opened, started, one round, saved and closed, as the machine does it.
static kaiStatus live(const char* path, bool isolate, Heap* heap)
{
    const kaiBlock* block = NULL;
    kaiAllocator a = {heap_alloc, heap};
    kaiStatus status = guest_open(path, "", isolate, a, &block, NULL);
    if (status != KAI_OK)
        return status;
    kaiBlockHost host = {.instance = "t", .stop = 1, .tolerance = 1e-6, .allocator = a, .log = hear_nothing};
    host.interrupted = never;
    void* it = NULL;
    double parameters[] = {1, 0, 0}, inputs[20] = {0}, states[] = {NAN};
    kaiBlockEvents events = {0};
    size_t size = 0;
    status = block->open(block, &host, &it);
    if (status == KAI_OK)
    {
        status = block->begin(it, 0, parameters, inputs, states);
        if (status == KAI_OK)
            status = block->commit(it, 0, inputs, &events, states);
        if (status == KAI_OK)
            status = block->save(it, NULL, &size);
        block->close(it);
    }
    block->hold(block, -1);
    return status;
}

static void no_memory_is_a_status(void** state)
{
    for (int k = 0; k < 4; k++)
    {
        char path[80];
        path_of(*state, k % 2 == 0 ? "tank2.fmu" : "tank3.fmu", path);
        Heap all = {.fail_at = -1};
        assert_int_equal(live(path, k >= 2, &all), KAI_OK);
        assert_int_equal(all.live, 0);
        for (long n = 0; n < all.calls; n++)
        {
            Heap heap = {.fail_at = n};
            kaiStatus status = live(path, k >= 2, &heap);
            if (heap.live != 0 || (status != KAI_ERR_MEMORY && status != KAI_ERR_IO))
                fail_msg("call %ld of %ld: status %d, %ld bytes", n, all.calls, status, heap.live);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(units_become_si, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(an_offset_is_for_absolute_quantities, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(outputs_hang_on_what_they_say, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(what_is_no_number_is_left_out, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(what_is_missing_is_told, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(a_small_binary, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(start_values_that_cannot_be_given, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(files_that_are_none, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(no_place_to_unpack, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(calls_are_held_against_the_standard, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(alone_it_is_a_text, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(no_memory_is_a_status, guests_make, guests_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
