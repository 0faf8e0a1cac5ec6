// FMUs: what export writes keeps the rules of the standard and says what the model says; descriptions that break a rule
// (FMI 2.0, section 2.2; 3.0, section 2.4) are told which, where. The descriptions that are broken here are written by
// hand after the standard.
#include "fmi_fixture.h"

#include <unistd.h>

static jmp_buf no_memory;

// ---- descriptions by hand

static const char good_2[] =
    "<?xml version=\"1.0\"?>\n"
    "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"M\" guid=\"1\" numberOfEventIndicators=\"0\">\n"
    "<ModelExchange modelIdentifier=\"M\"/><CoSimulation modelIdentifier=\"M\"/>\n"
    "<UnitDefinitions><Unit name=\"m\"/></UnitDefinitions>\n"
    "<TypeDefinitions><SimpleType name=\"T\"><Enumeration/></SimpleType></TypeDefinitions>\n"
    "<DefaultExperiment startTime=\"0\" stopTime=\"5\" tolerance=\"1e-6\"/>\n"
    "<ModelVariables>\n"
    "<ScalarVariable name=\"time\" valueReference=\"0\" causality=\"independent\"><Real/></ScalarVariable>\n"
    "<ScalarVariable name=\"p\" valueReference=\"1\" causality=\"parameter\" variability=\"fixed\"><Real unit=\"m\" "
    "start=\"2\" min=\"0\" max=\"3\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"x\" valueReference=\"2\" initial=\"exact\"><Real start=\"1\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"dx\" valueReference=\"3\"><Real derivative=\"3\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"y\" valueReference=\"4\" causality=\"output\"><Real/></ScalarVariable>\n"
    "<ScalarVariable name=\"u\" valueReference=\"5\" causality=\"input\"><Real start=\"0\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"b\" valueReference=\"6\" variability=\"discrete\"><Boolean/></ScalarVariable>\n"
    "<ScalarVariable name=\"k\" valueReference=\"7\" variability=\"constant\"><Integer start=\"4\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"n\" valueReference=\"8\" variability=\"discrete\"><Enumeration "
    "declaredType=\"T\"/></ScalarVariable>\n"
    "</ModelVariables>\n"
    "<ModelStructure><Outputs><Unknown index=\"5\" dependencies=\"3 6\" dependenciesKind=\"fixed "
    "dependent\"/></Outputs>"
    "<Derivatives><Unknown index=\"4\"/></Derivatives>"
    "<InitialUnknowns><Unknown index=\"4\"/><Unknown index=\"5\"/></InitialUnknowns></ModelStructure>\n"
    "</fmiModelDescription>\n";

static const char good_3[] =
    "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"M\" instantiationToken=\"1\">\n"
    "<CoSimulation modelIdentifier=\"M\"/>\n"
    "<ModelVariables>\n"
    "<Float64 name=\"time\" valueReference=\"0\" causality=\"independent\"/>\n"
    "<Float64 name=\"x\" valueReference=\"1\" initial=\"exact\" start=\"1\"/>\n"
    "<Float64 name=\"dx\" valueReference=\"2\" derivative=\"1\"/>\n"
    "<Float64 name=\"y\" valueReference=\"3\" causality=\"output\"/>\n"
    "<UInt32 name=\"n\" valueReference=\"4\" causality=\"structuralParameter\" start=\"2\"/>\n"
    "<Clock name=\"c\" valueReference=\"5\" intervalVariability=\"triggered\"/>\n"
    "<Float64 name=\"v\" valueReference=\"6\" causality=\"parameter\" start=\"1 2\"><Dimension "
    "start=\"2\"/></Float64>\n"
    "<UInt64 name=\"k\" valueReference=\"7\" causality=\"structuralParameter\" start=\"3\"/>\n"
    "<Float64 name=\"z\" valueReference=\"8\" initial=\"exact\" start=\"1 2 3 4 5 6\">"
    "<Dimension valueReference=\"7\"/><Dimension start=\"2\"/></Float64>\n"
    "<Float64 name=\"dz\" valueReference=\"9\" derivative=\"8\"><Dimension valueReference=\"7\"/><Dimension "
    "start=\"2\"/>"
    "</Float64>\n"
    "</ModelVariables>\n"
    "<ModelStructure><Output valueReference=\"3\" dependencies=\"1\"/><ContinuousStateDerivative valueReference=\"2\"/>"
    "<ContinuousStateDerivative valueReference=\"9\"/>"
    "<InitialUnknown valueReference=\"9\"/><InitialUnknown valueReference=\"2\"/><InitialUnknown valueReference=\"3\"/>"
    "<EventIndicator valueReference=\"3\"/></ModelStructure>\n"
    "</fmiModelDescription>\n";

// Reads a description and returns how many errors it has; all messages go to `text`.
static int read_errors(const char* description, char* text, size_t size, Described* d, Arena* arena)
{
    Bytes fmu = fmi_archive(arena, description);
    size_t used = 0;
    text[0] = 0;
    described_read(d, arena, fmu.at, fmu.size);
    for (uint32_t i = 0; i < d->messages.count && used + 300 < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%d: %s\n", d->messages.at[i]->place.line,
                                 d->messages.at[i]->message);
    free(fmu.at);
    return d->errors;
}

static void test_good(void** state)
{
    (void)state;
    char text[4000];
    Described d;
    Arena arena;
    arena_init(&arena, kaiDefaultAllocator(), &no_memory);
    assert_int_equal(read_errors(good_2, text, sizeof text, &d, &arena), 0);
    assert_non_null(strstr(text, "there is no binary for this machine, binaries/linux64/M.so"));
    assert_int_equal(d.version, 2);
    assert_int_equal(d.variables.count, 9);
    assert_int_equal(d.rates.count, 1);
    assert_true(d.states[2] && !d.states[3]);
    assert_true(d.start == 0 && d.stop == 5 && d.step != d.step);
    assert_int_equal(read_errors(good_3, text, sizeof text, &d, &arena), 0);
    assert_int_equal(d.version, 3);
    assert_int_equal(d.indicators, 1);
    assert_int_equal(described_find(&d, 6), 6);
    assert_int_equal(described_find(&d, 10), -1);
    assert_int_equal(d.variables.at[8].rank, 2);
    assert_int_equal(d.variables.at[8].elements, 6);
    arena_free(&arena);
}

typedef struct Broken
{
    const char *text, *old, *new, *says;
    int times;
} Broken;

static const Broken broken[] = {
    {good_2, "fmiVersion=\"2.0\"", "fmiVersion=\"1.0\"", "2: fmiVersion is \"1.0\": 2.0 and 3.0 are understood", 1},
    {good_2, "fmiModelDescription", "fmuModelDescription", "2: the root is <fmuModelDescription> instead", 2},
    {good_2, " guid=", " gold=", "2: guid is missing", 1},
    {good_2, " modelName=", " modelname=", "2: modelName is missing", 1},
    {good_3, " instantiationToken=", " token=", "1: instantiationToken is missing", 1},
    {good_2, "modelIdentifier=\"M\"", "modelIdentifier=\"../M\"",
     "3: ModelExchange needs a modelIdentifier that is a name of C, not \"../M\"", 1},
    {good_2, "modelIdentifier=\"M\"", "", "3: ModelExchange needs a modelIdentifier that is a name of C, not \"\"", 1},
    {good_3, "<CoSimulation modelIdentifier=\"M\"/>", "", "there is neither ModelExchange nor CoSimulation", 1},
    {good_2, "stopTime=\"5\"", "stopTime=\"-5\"", "6: stopTime -5 is not behind startTime 0", 1},
    {good_2, "stopTime=\"5\"", "stopTime=\"soon\"", "6: stopTime = \"soon\" is no number", 1},
    {good_2, "tolerance=\"1e-6\"", "tolerance=\"0\"", "6: the tolerance 0 is not positive", 1},
    {good_2, "ModelVariables>", "ModelVariabeln>", "ModelVariables is missing", 2},
    {good_2, "ModelStructure>", "ModelStruktur>", "ModelStructure is missing", 2},
    {good_2, "<ModelVariables>", "<ModelVariables><Scalar/>", "7: <Scalar> is no variable", 1},
    {good_2, "<Boolean/>", "", "14: variable b has 0 types instead of one", 1},
    {good_2, "name=\"u\"", "name=\"\"", "13: a variable has no name", 1},
    {good_2, "valueReference=\"5\"", "valueReference=\"-5\"",
     "13: variable u has no valueReference, or one that is no number", 1},
    {good_2, "valueReference=\"5\"", "valueReference=\"4294967296\"", "13: variable u has no valueReference", 1},
    {good_2, "causality=\"output\"", "causality=\"outlet\"", "12: y: there is no causality \"outlet\"", 1},
    {good_2, "variability=\"constant\"", "variability=\"steady\"", "15: k: there is no variability \"steady\"", 1},
    {good_2, "initial=\"exact\"", "initial=\"about\"", "10: x: there is no initial \"about\"", 1},
    {good_2, "variability=\"discrete\"", "variability=\"continuous\"",
     "14: b is continuous, which only real numbers are", 1},
    {good_2, "causality=\"parameter\" variability=\"fixed\"", "causality=\"parameter\" variability=\"discrete\"",
     "9: p: a parameter is fixed or tunable, not discrete", 1},
    {good_2, "causality=\"input\"", "causality=\"input\" variability=\"fixed\"",
     "13: u: an input variable cannot be fixed", 1},
    {good_2, "causality=\"output\"", "causality=\"output\" variability=\"tunable\"",
     "12: y: an output cannot be tunable", 1},
    {good_2, "causality=\"input\"", "causality=\"input\" initial=\"exact\"", "13: u: an input variable has no initial",
     1},
    {good_2, "variability=\"constant\"", "variability=\"constant\" initial=\"approx\"",
     "15: k: a constant is known exactly, not approx", 1},
    {good_2, "variability=\"fixed\"", "variability=\"fixed\" initial=\"calculated\"",
     "9: p: a parameter is known exactly, not calculated", 1},
    {good_2, " start=\"0\"", "", "13: u needs a start value", 1},
    {good_2, " initial=\"exact\"", "", "10: x is calculated and must not have a start value", 1},
    {good_2, "independent\"><Real", "independent\"><Real start=\"0\"",
     "8: time is independent and must not have a start value", 1},
    {good_2, "start=\"4\"", "start=\"four\"", "15: k: the start value \"four\" is none of its type", 1},
    {good_2, "start=\"2\"", "start=\"9\"", "9: p: the start value 9 is outside of 0 to 3", 1},
    {good_2, "unit=\"m\"", "unit=\"knots\"", "9: p: the unit \"knots\" is not defined", 1},
    {good_2, "unit=\"m\"", "displayUnit=\"km\"", "9: p has a displayUnit and no unit", 1},
    {good_2, "declaredType=\"T\"", "declaredType=\"colours\"", "16: n: the type \"colours\" is not defined", 1},
    {good_2, " declaredType=\"T\"", "", "16: n is an enumeration without a declaredType", 1},
    {good_2, "declaredType=\"T\"", "", "16: n is an enumeration without a declaredType", 1},
    {good_2, "derivative=\"3\"", "derivative=\"30\"", "11: dx: derivative = \"30\" refers to no variable", 1},
    {good_2, "derivative=\"3\"", "derivative=\"8\"", "11: dx is the derivative of k, which is not continuous", 1},
    {good_2, "derivative=\"3\"", "derivative=\"4\"", "11: dx is a derivative of itself, in a cycle", 1},
    {good_2, "name=\"u\"", "name=\"x\"", "13: two variables are called x", 1},
    {good_2, "causality=\"output\"", "causality=\"independent\"", "0: 2 variables are independent: there is one time",
     1},
    {good_2, "<Unknown index=\"4\"/>", "", "11: dx is missing in Derivatives of ModelStructure", 1},
    {good_2, "<Unknown index=\"4\"/>", "<Unknown index=\"4\"/><Unknown index=\"4\"/>", "dx is in Derivatives twice", 1},
    {good_2, "<Unknown index=\"4\"/>", "<Unknown index=\"2\"/>", "p does not belong into Derivatives", 1},
    {good_2, "<Unknown index=\"4\"/>", "<Unknown index=\"0\"/>",
     "index = \"0\" in ModelStructure refers to no variable", 1},
    {good_2, "<Unknown index=\"4\"/>", "<Unknown/>", "index = \"\" in ModelStructure refers to no variable", 1},
    {good_2, "dependencies=\"3 6\"", "dependencies=\"3 66\"", "dependencies = \"3 66\" refers to no variable", 1},
    {good_2, "\"fixed dependent\"", "\"fixed\"", "there are not as many dependenciesKind as dependencies", 1},
    {good_2, "Indicators=\"0\"", "Indicators=\"-1\"", "2: numberOfEventIndicators = \"-1\" is no number", 1},
    {good_3, "valueReference=\"6\"", "valueReference=\"5\"", "10: v: another variable has the value reference 5", 1},
    {good_3, "derivative=\"1\"", "derivative=\"17\"", "6: dx: derivative = \"17\" refers to no variable", 1},
    {good_3, "<EventIndicator valueReference=\"3\"", "<EventIndicator valueReference=\"5\"",
     "c does not belong into the event indicators", 1},
    {good_3, "dependencies=\"1\"", "dependencies=\"77\"", "dependencies = \"77\" refers to no variable", 1},
    {good_3, "<UInt32 name", "<UInt31 name", "8: <UInt31> is no variable", 1},
    {good_3, "</Float64>", "", "modelDescription.xml is no XML: an element ends that is not the one that began last",
     1},
    {good_3, "valueReference=\"7\"/><D", "valueReference=\"77\"/><D", "z: the dimension \"77\" refers to no variable",
     1},
    {good_3, "valueReference=\"7\"/><D", "valueReference=\"4\"/><D", "or constant, which n is not", 1},
    {good_3, "valueReference=\"7\"/><D", "/><D", "z: a dimension has a start or a valueReference, one of them", 1},
    {good_3, "<Dimension start=\"2\"/>", "<Dimension start=\"two\"/>", "v: the dimension \"two\" is no number", 1},
    {good_3, "start=\"1 2\"", "start=\"1 2 3\"", "10: v has 3 start values for 2 elements", 1},
    {good_3, "start=\"1 2\"", "start=\"1 x\"", "10: v: the start value \"x\" is none of its type", 1},
    {good_3, " start=\"1 2\"", "", "10: v needs a start value", 1},
    {good_3, "<Dimension start=\"2\"/></Float64>\n<Float64 name=\"d",
     "<Dimension start=\"3\"/></Float64>\n<Float64 name=\"d",
     "dz has 6 elements, and z, of which it is the derivative, 9", 1},
    {good_3, "<Dimension start=\"2\"/>", "<Dimension start=\"4000000000\"/>", "v has more than 1073741824 elements", 1},
};

static void test_broken(void** state)
{
    (void)state;
    char text[8000];
    Described d;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
    {
        Arena arena;
        arena_init(&arena, kaiDefaultAllocator(), &no_memory);
        char* description = fmi_replaced(broken[i].text, broken[i].old, broken[i].new, broken[i].times);
        int errors = read_errors(description, text, sizeof text, &d, &arena);
        if (errors == 0 || strstr(text, broken[i].says) == NULL)
            print_message("%zu: %sinstead of %s\n", i, text, broken[i].says);
        assert_true(errors > 0);
        assert_non_null(strstr(text, broken[i].says));
        free(description);
        arena_free(&arena);
    }
}

// Two hundred messages are enough for anybody; all of them are counted.
static void test_many(void** state)
{
    (void)state;
    static char list[60000], text[8000];
    size_t used = 0;
    for (int i = 0; i < 300; i++)
        used += (size_t)sprintf(list + used,
                                "<ScalarVariable name=\"v%d\" valueReference=\"x\"><Real/></ScalarVariable>\n", i);
    sprintf(list + used, "</ModelVariables>");
    Described d;
    Arena arena;
    arena_init(&arena, kaiDefaultAllocator(), &no_memory);
    char* description = fmi_replaced(good_2, "</ModelVariables>", list, 1);
    assert_true(read_errors(description, text, sizeof text, &d, &arena) >= 300);
    assert_int_equal(d.messages.count, 200);
    free(description);
    arena_free(&arena);
}

// ---- export

static const char* value_of(const Described* d, const char* name, const char* attribute)
{
    for (uint32_t i = 0; i < d->variables.count; i++)
        if (strcmp(d->variables.at[i].name, name) == 0)
        {
            const char* text = xml_value(d->variables.at[i].element, attribute);
            return text != NULL ? text : xml_value(d->variables.at[i].type, attribute);
        }
    return NULL;
}

static void check_ball(const Described* d, int version)
{
    assert_int_equal(d->errors, 0);
    assert_int_equal(d->messages.count, 0);
    assert_int_equal(d->version, version);
    assert_string_equal(d->name, "Ball");
    assert_true(d->start == 0 && d->stop == 5);
    assert_int_equal(d->rates.count, 2);
    assert_int_equal(d->indicators, 1);
    assert_string_equal(value_of(d, "g", "causality"), "parameter");
    assert_string_equal(value_of(d, "g", "unit"), "m/s^2");
    assert_string_equal(value_of(d, "v_rest", "start"), "0.01");
    assert_string_equal(value_of(d, "y", "start"), "1");
    assert_string_equal(value_of(d, "hit.count", "variability"), "discrete");
    assert_string_equal(value_of(d, "mode", "declaredType"), "modes of mode");
}

static void test_export(void** state)
{
    (void)state;
    Bytes fmu[2];
    for (int version = 2; version <= 3; version++)
    {
        Arena arena;
        Described d;
        size_t size = 0;
        Bytes again = fmi_export("examples/ball/model.kai", version);
        fmu[version - 2] = fmi_export("examples/ball/model.kai", version);
        assert_int_equal(again.size, fmu[version - 2].size);
        assert_memory_equal(again.at, fmu[version - 2].at, again.size);  // the same text, the same archive
        arena_init(&arena, kaiDefaultAllocator(), &no_memory);
        assert_true(described_read(&d, &arena, again.at, again.size));
        check_ball(&d, version);
        assert_non_null(strstr(fmi_part(&arena, &again, "resources/model.kai", &size), "model Ball"));
        free(again.at);
        arena_free(&arena);
    }
    assert_true(fmu[0].size != fmu[1].size);
    free(fmu[0].at);
    free(fmu[1].at);
}

// Inputs, outputs, events, enumerations, arrays, absent values, impulses, what is calculated: all kinds keep the rules.
static void test_all_kinds(void** state)
{
    (void)state;
    static const char* const paths[] = {"tests/fmi/both.kai", "tests/fmi/counter.kai", "examples/cradle/model.kai",
                                        "examples/sigma-delta/model.kai", "examples/impulsive-ball/model.kai"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        for (int version = 2; version <= 3; version++)
        {
            Arena arena;
            Described d;
            arena_init(&arena, kaiDefaultAllocator(), &no_memory);
            Bytes fmu = fmi_export(paths[i], version);
            bool fine = described_read(&d, &arena, fmu.at, fmu.size);
            for (uint32_t m = 0; m < d.messages.count; m++)
                print_message("%s: %s\n", paths[i], d.messages.at[m]->message);
            assert_true(fine);
            free(fmu.at);
            arena_free(&arena);
        }
}

static const char importing[] = "import \"electrical.kai\"\nmodel M { gnd : Ground()\n  u : VoltageSource(u = 1); r : "
                                "Resistor(R = 2); c : Capacitor(C = 1)\n"
                                "  connect u.a, r.a; connect r.b, c.a; connect c.b, gnd.a; connect u.b, gnd.a }\n"
                                "experiment e of M { stop = 1 }\n";

// A text that imports carries what it imports; one that is hidden carries no text.
static void test_resources(void** state)
{
    (void)state;
    kaiProgramOptions source = kaiDefaultProgramOptions();
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiFmuOptions options = kaiDefaultFmuOptions();
    kaiGiven given = {"r.R", "3"}, setting = {"rtol", "1e-5"};
    Bytes made = {NULL, 0, 0};
    kaiError error;
    Archive archive;
    Arena arena;
    arena_init(&arena, kaiDefaultAllocator(), &no_memory);
    source.path = "typed.kai";
    source.text = importing;
    which.experiment = "e";
    which.values = &given;
    which.value_count = 1;
    which.settings = &setting;
    which.setting_count = 1;
    options.sink = (kaiSink){bytes_write, &made};
    options.whole_instants = true;
    assert_int_equal(kaiFmu_Export(&source, &which, &options, &error), KAI_OK);
    const char* config = fmi_part(&arena, &made, "resources/kairos.txt", NULL);
    assert_non_null(
        strstr(config, "whole\nexperiment\te\nset\tr.R\t3\nsetting\trtol\t1e-5\nfile\tmodel.kai\tmodel.kai\n"));
    assert_string_equal(fmi_part(&arena, &made, "resources/model.kai", NULL), importing);
    assert_non_null(fmi_part(&arena, &made, "resources/1-electrical.kai", NULL));
    free(made.at);

    made = (Bytes){NULL, 0, 0};
    options.hide = true;
    assert_int_equal(kaiFmu_Export(&source, &which, &options, &error), KAI_OK);
    assert_true(archive_open(&archive, &arena, made.at, made.size));
    assert_null(archive_find(&archive, "resources/model.kai"));
    assert_non_null(archive_find(&archive, "resources/model.bin"));
    free(made.at);
    arena_free(&arena);
}

// ---- files and refusals

static void test_files(void** state)
{
    (void)state;
    char folder[] = "/tmp/kairos-fmi-XXXXXX", path[100], part[110];
    kaiProgramOptions source = kaiDefaultProgramOptions();
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiFmuOptions options = kaiDefaultFmuOptions();
    kaiError error;
    kaiFmu* fmu = NULL;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/ball.fmu", folder);
    snprintf(part, sizeof part, "%s.part", path);
    source.path = "examples/ball/model.kai";
    options.path = path;
    assert_int_equal(kaiFmu_Export(&source, &which, &options, &error), KAI_OK);
    assert_int_not_equal(access(part, F_OK), 0);
    assert_int_equal(kaiFmu_Open(path, kaiDefaultAllocator(), &fmu, &error), KAI_OK);
    assert_int_equal(kaiFmu_MessageCount(fmu), 0);
    assert_null(kaiFmu_Message(fmu, 0));
    kaiFmu_Free(fmu);
    assert_int_equal(truncate(path, 3000), 0);
    assert_int_equal(kaiFmu_Open(path, kaiDefaultAllocator(), &fmu, &error), KAI_ERR_MODEL);
    assert_string_equal(error.message, "this is no zip archive, or it is cut off");
    assert_string_equal(kaiFmu_Message(fmu, 0)->message, error.message);
    kaiFmu_Free(fmu);
    assert_int_equal(kaiFmu_Open(folder, kaiDefaultAllocator(), &fmu, &error), KAI_ERR_IO);
    assert_non_null(strstr(error.message, "it is a folder"));
    unlink(path);
    assert_int_equal(kaiFmu_Open(path, kaiDefaultAllocator(), &fmu, &error), KAI_ERR_IO);
    assert_non_null(strstr(error.message, "ball.fmu cannot be read: No such file"));
    assert_null(fmu);
    rmdir(folder);
    assert_int_equal(kaiFmu_Export(&source, &which, &options, &error), KAI_ERR_IO);
    assert_non_null(strstr(error.message, "ball.fmu cannot be written: No such file"));
}

static void test_refusals(void** state)
{
    (void)state;
    kaiProgramOptions source = kaiDefaultProgramOptions();
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiFmuOptions options = kaiDefaultFmuOptions();
    kaiError error;
    kaiFmu* fmu = NULL;
    Bytes made = {NULL, 0, 0};
    options.sink = (kaiSink){bytes_write, &made};
    assert_int_equal(kaiFmu_Export(NULL, &which, &options, &error), KAI_ERR_USAGE);
    assert_int_equal(kaiFmu_Export(&source, &which, &options, &error), KAI_ERR_USAGE);
    assert_string_equal(error.message, "an FMU needs a model, a path, an allocator, and 2 or 3 as its version");
    source.text = "model M { state x = ; }";
    source.path = "m.kai";
    assert_int_equal(kaiFmu_Export(&source, &which, &options, &error), KAI_ERR_MODEL);
    assert_int_equal(error.place.line, 1);
    source.text = NULL;
    source.path = "nowhere.kai";
    assert_int_equal(kaiFmu_Export(&source, &which, &options, &error), KAI_ERR_IO);
    source.path = "examples/external/model.kai";
    source.policy.allow_external = true;
    assert_int_equal(kaiFmu_Export(&source, &which, &options, &error), KAI_ERR_USAGE);
    assert_int_equal(made.size, 0);
    assert_int_equal(kaiFmu_Open(NULL, kaiDefaultAllocator(), &fmu, &error), KAI_ERR_USAGE);
    assert_int_equal(kaiFmu_MessageCount(NULL), 0);
    kaiFmu_Free(NULL);
}

// ---- the binary

static void with_binary(const char* description, const char* name, const char* bytes, size_t size, const char* says)
{
    char text[4000] = "";
    Arena arena;
    Described d;
    Bytes made = {NULL, 0, 0};
    kaiSink sink = {bytes_write, &made};
    arena_init(&arena, kaiDefaultAllocator(), &no_memory);
    ZipWriter zip = {.arena = &arena, .sink = &sink};
    zip_add(&zip, "modelDescription.xml", description, strlen(description));
    if (name != NULL)
        zip_add(&zip, name, bytes, size);
    assert_int_equal(zip_finish(&zip), KAI_OK);
    described_read(&d, &arena, made.at, made.size);
    for (uint32_t i = 0; i < d.messages.count && strlen(text) < 3000; i++)
        strncat(strncat(text, d.messages.at[i]->message, 300), "\n", 2);
    if (strstr(text, says) == NULL)
        print_message("%s instead of %s\n", text, says);
    assert_non_null(strstr(text, says));
    free(made.at);
    arena_free(&arena);
}

static char* replace_bytes(const char* bytes, size_t size, const char* old, const char* new)
{
    char* made = malloc(size);
    memcpy(made, bytes, size);
    for (size_t i = 0; i + strlen(old) + 1 < size; i++)
        if (memcmp(made + i, old, strlen(old) + 1) == 0)
            memcpy(made + i, new, strlen(new));
    return made;
}

static void test_binary(void** state)
{
    (void)state;
    Arena arena;
    size_t size = 0;
    arena_init(&arena, kaiDefaultAllocator(), &no_memory);
    Bytes fmu = fmi_export("examples/ball/model.kai", 2);
    const char* binary = fmi_part(&arena, &fmu, "binaries/linux64/Ball.so", &size);
    const char file[] = "binaries/linux64/M.so";
    with_binary(good_2, NULL, NULL, 0, "the FMU has neither binaries nor sources");
    with_binary(good_2, file, "hello", 5, "binaries/linux64/M.so is no shared object for x86_64");
    with_binary(good_2, file, binary, 4000, "binaries/linux64/M.so is no shared object for x86_64");
    char* other = replace_bytes(binary, size, "fmi2DoStep", "fmi2DoStop");
    with_binary(good_2, file, other, size, "binaries/linux64/M.so lacks the function fmi2DoStep");
    free(other);
    other = replace_bytes(binary, size, "fmi2SetTime", "fmi2SatTime");
    with_binary(good_2, file, other, size, "binaries/linux64/M.so lacks the function fmi2SetTime");
    with_binary(good_3, "binaries/x86_64-linux/M.so", other, size, "lacks the function fmi3InstantiateCoSimulation");
    free(other);
    free(fmu.at);
    arena_free(&arena);
}

// ---- memory

static void test_memory(void** state)
{
    (void)state;
    char path[] = "/tmp/kairos-fmu-XXXXXX";
    kaiFmuOptions options = kaiDefaultFmuOptions();
    int file = mkstemp(path);
    Bytes fmu = fmi_export("tests/fmi/both.kai", 3);
    assert_int_equal(write(file, fmu.at, fmu.size), fmu.size);
    close(file);
    for (int door = 0; door < 2; door++)
        for (long n = -1, calls = 0; n < calls; n++)
        {
            Heap heap = {.fail_at = n};
            kaiAllocator allocator = {heap_alloc, &heap};
            kaiError error = {0};
            kaiFmu* opened = NULL;
            Bytes made = {NULL, 0, 0};
            kaiStatus status = door == 0 ? kaiFmu_Open(path, allocator, &opened, &error)
                                         : fmi_export_with("tests/fmi/both.kai", 2, options, allocator, &made, &error);
            kaiFmu_Free(opened);
            free(made.at);
            assert_int_equal(heap.live, 0);
            assert_int_equal(status, n < 0 ? KAI_OK : KAI_ERR_MEMORY);
            calls = n < 0 ? heap.calls : calls;
        }
    unlink(path);
    free(fmu.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),   cmocka_unit_test(test_broken),    cmocka_unit_test(test_many),
        cmocka_unit_test(test_export), cmocka_unit_test(test_all_kinds), cmocka_unit_test(test_resources),
        cmocka_unit_test(test_files),  cmocka_unit_test(test_refusals),  cmocka_unit_test(test_binary),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
