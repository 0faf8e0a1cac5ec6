// For tests of FMUs inside models: the tank of tests/fmi/tank.c as an archive in a folder of the test, with a
// description that can be changed, and models of it.
#ifndef KAIROS_TESTS_GUEST_FIXTURE_H
#define KAIROS_TESTS_GUEST_FIXTURE_H

#include "fmi/tank.h"
#include "fmi_fixture.h"

#include <math.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef KAIROS_COVERAGE
void __gcov_dump(void);
void _exit(int code)
{
    __gcov_dump();
    syscall(SYS_exit_group, code);
    __builtin_unreachable();
}
#endif

static const char tank_2[] =
    "<?xml version=\"1.0\"?>\n"
    "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"a tank\" guid=\"{tank}\" numberOfEventIndicators=\"1\">\n"
    "<ModelExchange modelIdentifier=\"tank\" canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\"/>\n"
    "<CoSimulation modelIdentifier=\"tank\" canHandleVariableCommunicationStepSize=\"true\" "
    "canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\"/>\n"
    "<UnitDefinitions><Unit name=\"1/min\"><BaseUnit s=\"-1\" factor=\"0.016666666666666666\"/></Unit>"
    "<Unit name=\"W\"><BaseUnit kg=\"1\" m=\"2\" s=\"-3\"/></Unit></UnitDefinitions>\n"
    "<TypeDefinitions><SimpleType name=\"Flow\"><Real unit=\"W\" nominal=\"3\"/></SimpleType></TypeDefinitions>\n"
    "<DefaultExperiment startTime=\"0\" stopTime=\"1\" tolerance=\"1e-8\" stepSize=\"0.05\"/>\n"
    "<ModelVariables>\n"
    "<ScalarVariable name=\"x\" valueReference=\"0\" causality=\"output\" variability=\"continuous\" "
    "initial=\"exact\"><Real start=\"1\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"der(x)\" valueReference=\"1\" causality=\"local\" variability=\"continuous\"><Real "
    "derivative=\"1\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"k\" valueReference=\"2\" causality=\"parameter\" variability=\"fixed\" "
    "initial=\"exact\"><Real start=\"1\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"u\" valueReference=\"3\" causality=\"input\" variability=\"continuous\"><Real "
    "start=\"0\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"rings\" valueReference=\"4\" causality=\"output\" variability=\"discrete\" "
    "initial=\"exact\"><Integer start=\"0\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"trouble\" valueReference=\"5\" causality=\"parameter\" variability=\"fixed\" "
    "initial=\"exact\"><Real start=\"0\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"b\" valueReference=\"6\" causality=\"input\" variability=\"discrete\"><Boolean "
    "start=\"true\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"not_b\" valueReference=\"7\" causality=\"output\" variability=\"discrete\" "
    "initial=\"calculated\"><Boolean/></ScalarVariable>\n"
    "<ScalarVariable name=\"i\" valueReference=\"20\" causality=\"input\" variability=\"discrete\"><Integer "
    "start=\"3\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"i1\" valueReference=\"30\" causality=\"output\" variability=\"discrete\" "
    "initial=\"calculated\"><Integer/></ScalarVariable>\n"
    "</ModelVariables>\n"
    "<ModelStructure><Outputs><Unknown index=\"1\" dependencies=\"1\"/><Unknown index=\"5\" dependencies=\"\"/>"
    "<Unknown index=\"8\"/><Unknown index=\"10\"/></Outputs><Derivatives><Unknown index=\"2\"/></Derivatives>"
    "<InitialUnknowns><Unknown index=\"2\"/><Unknown index=\"8\"/><Unknown "
    "index=\"10\"/></InitialUnknowns></ModelStructure>\n"
    "</fmiModelDescription>\n";

static const char tank_3[] =
    "<?xml version=\"1.0\"?>\n"
    "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"a tank\" instantiationToken=\"{tank}\">\n"
    "<ModelExchange modelIdentifier=\"tank\" needsCompletedIntegratorStep=\"true\" canGetAndSetFMUState=\"true\" "
    "canSerializeFMUState=\"true\"/>\n"
    "<CoSimulation modelIdentifier=\"tank\" hasEventMode=\"true\" canHandleVariableCommunicationStepSize=\"true\" "
    "canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" canReturnEarlyAfterIntermediateUpdate=\"true\"/>\n"
    "<DefaultExperiment startTime=\"0\" stopTime=\"1\"/>\n"
    "<ModelVariables>\n"
    "<Float64 name=\"x\" valueReference=\"0\" causality=\"output\" variability=\"continuous\" initial=\"exact\" "
    "start=\"1\"/>\n"
    "<Float64 name=\"der(x)\" valueReference=\"1\" causality=\"local\" variability=\"continuous\" derivative=\"0\"/>\n"
    "<Float64 name=\"k\" valueReference=\"2\" causality=\"parameter\" variability=\"fixed\" start=\"1\"/>\n"
    "<Float64 name=\"u\" valueReference=\"3\" causality=\"input\" variability=\"continuous\" start=\"0\"/>\n"
    "<Int32 name=\"rings\" valueReference=\"4\" causality=\"output\" variability=\"discrete\" initial=\"exact\" "
    "start=\"0\"/>\n"
    "<Float64 name=\"trouble\" valueReference=\"5\" causality=\"parameter\" variability=\"fixed\" start=\"0\"/>\n"
    "<Boolean name=\"b\" valueReference=\"6\" causality=\"input\" variability=\"discrete\" start=\"true\"/>\n"
    "<Boolean name=\"not_b\" valueReference=\"7\" causality=\"output\" variability=\"discrete\"/>\n"
    "<Clock name=\"tick\" valueReference=\"8\" causality=\"input\" variability=\"discrete\" "
    "intervalVariability=\"triggered\"/>\n"
    "<Clock name=\"tock\" valueReference=\"9\" causality=\"output\" variability=\"discrete\" "
    "intervalVariability=\"triggered\"/>\n"
    "$TYPES$"
    "<Float64 name=\"level\" valueReference=\"98\" causality=\"local\" variability=\"continuous\"/>\n"
    "<Float64 name=\"time_here\" valueReference=\"99\" causality=\"independent\" variability=\"continuous\"/>\n"
    "</ModelVariables>\n"
    "<ModelStructure><Output valueReference=\"0\" dependencies=\"0\"/><Output valueReference=\"4\"/>"
    "<Output valueReference=\"7\"/><Output valueReference=\"9\"/>$OUTPUTS$<ContinuousStateDerivative "
    "valueReference=\"1\"/><InitialUnknown valueReference=\"1\"/>$UNKNOWNS$<EventIndicator "
    "valueReference=\"98\"/></ModelStructure>\n"
    "</fmiModelDescription>\n";

typedef struct Guests
{
    char folder[40];
    char *tank2, *tank3;  // their descriptions, whole
} Guests;

static inline char* read_whole(const char* path, size_t* size)
{
    FILE* in = fopen(path, "rb");
    if (in == NULL)
        print_message("%s cannot be read\n", path);
    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    *size = (size_t)ftell(in);
    rewind(in);
    char* bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, in), *size);
    fclose(in);
    return bytes;
}

// A module beside this program.
static inline char* read_module(const char* name, size_t* size)
{
    char path[600];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 60);
    assert_true(length > 0);
    path[length] = 0;
    strcpy(strrchr(path, '/') + 1, name);
    return read_whole(path, size);
}

// The description with its first `old` replaced, into memory of its own.
static inline char* changed(const char* text, const char* old, const char* new)
{
    return fmi_replaced(text, old, new, 1);
}

static inline char* tank_3_whole(void)
{
    static const char* const types[] = {"Float32", "Int8",   "UInt8", "Int16", "UInt16",
                                        "Int32",   "UInt32", "Int64", "UInt64"};
    char list[4000] = "", outputs[1500] = "";
    for (int i = 0; i < TANK_TYPES; i++)
    {
        const char* kind = i == 0 ? "continuous" : "discrete";
        size_t used = strlen(list), more = strlen(outputs);
        snprintf(list + used, sizeof list - used,
                 "<%s name=\"i%d\" valueReference=\"%d\" causality=\"input\" variability=\"%s\" start=\"%d\"/>\n<%s "
                 "name=\"o%d\" valueReference=\"%d\" causality=\"output\" variability=\"%s\"/>\n",
                 types[i], i, TANK_IN + i, kind, i, types[i], i, TANK_OUT + i, kind);
        snprintf(outputs + more, sizeof outputs - more, "<Output valueReference=\"%d\"/>", TANK_OUT + i);
    }
    char unknowns[2000];
    snprintf(unknowns, sizeof unknowns, "<InitialUnknown valueReference=\"7\"/>");
    for (int i = 0; i < TANK_TYPES; i++)
        sprintf(unknowns + strlen(unknowns), "<InitialUnknown valueReference=\"%d\"/>", TANK_OUT + i);
    char *a = changed(tank_3, "$TYPES$", list), *b = changed(a, "$OUTPUTS$", outputs);
    char* made = changed(b, "$UNKNOWNS$", unknowns);
    free(a), free(b);
    return made;
}

// An archive with the binary under the identifier "tank", and "few" if there is another one for Co-Simulation.
static inline void write_fmu(const char* path, const char* description, const char* few)
{
    jmp_buf no_memory;
    Arena arena;
    Bytes made = {NULL, 0, 0};
    kaiSink sink = {bytes_write, &made};
    arena_init(&arena, kaiDefaultAllocator(), &no_memory);
    ZipWriter zip = {.arena = &arena, .sink = &sink};
    bool two = strstr(description, "fmiVersion=\"2.0\"") != NULL;
    size_t size;
    char name[60], other[60], *bytes = read_module("tank.so", &size);
    zip_add(&zip, "modelDescription.xml", description, strlen(description));
    snprintf(name, sizeof name, "binaries/%s/tank.so", two ? "linux64" : "x86_64-linux");
    zip_add(&zip, name, bytes, size);
    free(bytes);
    zip_add(&zip, "resources/deep/note.txt", "a note", 6);
    zip_add(&zip, "documentation/index.html", "nobody reads it", 15);
    if (few != NULL)
    {
        bytes = read_module(few, &size);
        snprintf(other, sizeof other, "binaries/%s/few.so", two ? "linux64" : "x86_64-linux");
        zip_add(&zip, other, bytes, size);
        free(bytes);
    }
    assert_int_equal(zip_finish(&zip), KAI_OK);
    FILE* out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(made.at, 1, made.size, out), made.size);
    assert_int_equal(fclose(out), 0);
    free(made.at);
    arena_free(&arena);
}

static inline int guests_make(void** state)
{
    Guests* g = calloc(1, sizeof *g);
    strcpy(g->folder, "/tmp/kairos-unit-XXXXXX");
    assert_non_null(mkdtemp(g->folder));
    setenv("TMPDIR", g->folder, 1);  // what is unpacked is seen
    char path[80];
    g->tank2 = changed(tank_2, "a tank", "a tank");
    g->tank3 = tank_3_whole();
    snprintf(path, sizeof path, "%s/tank2.fmu", g->folder);
    write_fmu(path, g->tank2, NULL);
    snprintf(path, sizeof path, "%s/tank3.fmu", g->folder);
    write_fmu(path, g->tank3, NULL);
    *state = g;
    return 0;
}

// Nothing is left of what was unpacked.
static inline int guests_remove(void** state)
{
    Guests* g = *state;
    char command[120];
    snprintf(command, sizeof command, "ls -d %s/kairos-fmu-* 2>/dev/null", g->folder);
    bool left = system(command) == 0;
    snprintf(command, sizeof command, "rm -r %s", g->folder);
    assert_int_equal(system(command), 0);
    free(g->tank2), free(g->tank3), free(g);
    return left ? -1 : 0;
}

// ---- models

typedef struct Rig
{
    kaiModel* model;
    kaiSim* sim;
    char why[400];  // it was not made
} Rig;

// `fmu Tank = FILE`, and the text after it, with an experiment e.
static inline Rig rig_make(const Guests* g, const char* file, const char* text, bool isolate)
{
    Rig rig = {.model = NULL};
    char path[80], whole[1000];
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiProgram* program = NULL;
    snprintf(path, sizeof path, "%s/rig.kai", g->folder);
    snprintf(whole, sizeof whole, "fmu Tank = \"%s\"\n%s\n", file, text);
    options.path = path;
    options.text = whole;
    options.policy.allow_external = true;
    options.blocks = kaiFmu_Blocks(isolate);
    which.experiment = "e";
    if (kaiProgram_Open(&options, &program, NULL) == KAI_OK)
        kaiProgram_Compile(program, &which, &rig.model);
    if (rig.model == NULL && kaiProgram_MessageCount(program) > 0)
        snprintf(rig.why, sizeof rig.why, "%s", kaiProgram_Message(program, 0)->message);
    kaiProgram_Free(program);
    if (rig.model == NULL)
        return rig;
    kaiSimOptions run = kaiModel_SimOptions(rig.model);
    kaiError error = {0};
    rig.sim = kaiSim_Create(rig.model, &run, &error);
    if (rig.sim == NULL)
        snprintf(rig.why, sizeof rig.why, "%s", error.message);
    return rig;
}

static inline void rig_free(Rig* rig)
{
    kaiSim_Free(rig->sim);
    kaiModel_Free(rig->model);
}

// Through all instants until t, or until it fails.
static inline kaiStatus rig_go(Rig* rig, double t)
{
    kaiStatus status = KAI_INSTANT;
    if (rig->sim == NULL)
        fail_msg("%s", rig->why);
    while (status == KAI_INSTANT)
        status = kaiSim_StepTo(rig->sim, t);
    return status;
}

static inline double rig_value(Rig* rig, const char* name)
{
    double got = NAN;
    if (!kaiSim_Get(rig->sim, kaiModel_FindVariable(rig->model, name), &got))
        fail_msg("there is no %s", name);
    return got;
}

static inline void rig_near(Rig* rig, const char* name, double wanted, double within)
{
    double got = rig_value(rig, name);
    if (!(fabs(got - wanted) <= within))
        fail_msg("%s is %.17g instead of %.17g", name, got, wanted);
}

// It fails in its run with these words.
static inline void rig_fails(Rig* rig, const char* words)
{
    kaiStatus status = rig_go(rig, 1);
    const char* said = kaiSim_Failure(rig->sim)->message;
    if (status >= 0 || said == NULL || strstr(said, words) == NULL)
        fail_msg("status %d, \"%s\" instead of \"%s\"", status, said != NULL ? said : "", words);
}

#endif
