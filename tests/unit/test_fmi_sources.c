// What else is in an archive: the C files of an FMU, complete and under one name each, with how they are built; which
// unknowns depend on what, through loops and equations as well; units, ports, and names that XML cannot hold.
#include "fmi_fixture.h"

#include <unistd.h>

static jmp_buf no_memory;

static Bytes export_text(const char* text, kaiFmuOptions options, kaiCompileOptions which)
{
    kaiProgramOptions source = kaiDefaultProgramOptions();
    Bytes made = {NULL, 0, 0};
    kaiError error = {0};
    source.path = "text.kai";
    source.text = text;
    which.experiment = which.model == NULL ? "e" : NULL;
    options.sink = (kaiSink){bytes_write, &made};
    if (kaiFmu_Export(&source, &which, &options, &error) != KAI_OK)
        fail_msg("%s: %s", text, error.message);
    return made;
}

static char* describe(Arena* arena, const char* text, int version, size_t* size)
{
    kaiFmuOptions options = kaiDefaultFmuOptions();
    options.version = version;
    Bytes fmu = export_text(text, options, kaiDefaultCompileOptions());
    char* description = fmi_part(arena, &fmu, "modelDescription.xml", size);
    free(fmu.at);
    return description;
}

static void holds(const char* text, const char* words)
{
    if (strstr(text, words) == NULL)
        fail_msg("%s\ndoes not say\n%s", text, words);
}

// ---- C files

// Whatever a file includes in quotes is there, in the same folder.
static void check_includes(Archive* archive, const char* text)
{
    for (const char* at = text; (at = strstr(at, "#include \"")) != NULL; at++)
    {
        char name[200];
        const char* from = at + strlen("#include \"");
        if (at > text && at[-1] != '\n')
            continue;
        snprintf(name, sizeof name, "sources/%.*s", (int)strcspn(from, "\""), from);
        if (archive_find(archive, name) == NULL)
            fail_msg("%s is included and not there", name);
    }
}

// Every C file of the folder is one that the importer is told to compile.
static void check_sources(Arena* arena, const Bytes* fmu, int version)
{
    Archive archive;
    int compiled = 0, others = 0;
    assert_true(archive_open(&archive, arena, fmu->at, fmu->size));
    char* told = fmi_part(arena, fmu, version == 2 ? "modelDescription.xml" : "sources/buildDescription.xml", NULL);
    for (uint32_t i = 0; i < archive.entries.count; i++)
    {
        const ArchiveEntry* e = &archive.entries.at[i];
        char quoted[200];
        size_t length = strlen(e->name);
        if (strncmp(e->name, "sources/", 8) != 0 || strcmp(e->name + length - 2, ".c") != 0)
            continue;
        assert_null(strchr(e->name + 8, '/'));
        snprintf(quoted, sizeof quoted, "<%s name=\"%s\"/>", version == 2 ? "File" : "SourceFile", e->name + 8);
        holds(told, quoted);
        check_includes(&archive, archive_read(&archive, e));
        compiled++;
        others += strstr(e->name, version == 2 ? "fmi3" : "fmi2") != NULL;
    }
    assert_true(compiled > 100);  // the compiler and the run
    assert_int_equal(others, 0);  // the functions of one version only
}

static void test_sources(void** state)
{
    (void)state;
    for (int version = 2; version <= 3; version++)
    {
        Arena arena;
        kaiFmuOptions options = kaiDefaultFmuOptions();
        kaiCompileOptions which = kaiDefaultCompileOptions();
        arena_init(&arena, kaiDefaultAllocator(), &no_memory);
        options.version = version;
        options.sources = true;
        kaiOverride over = {"k", 3};
        which.model = "M";
        which.overrides = &over;
        which.override_count = 1;
        Bytes fmu = export_text("model M { param k = 2; state x = 1; x' = -k*x }\n", options, which);
        check_sources(&arena, &fmu, version);
        holds(fmi_part(&arena, &fmu, "resources/kairos.txt", NULL), "model\tM\noverride\tk\t3\n");
        arena_free(&arena);
        free(fmu.at);
    }
}

// ---- dependencies

// The references of the states and inputs that the unknown `of` depends on, as the description lists them.
static void depends(const char* description, const char* of, const char* const* on, int count)
{
    char quoted[100], list[300];
    snprintf(quoted, sizeof quoted, " name=\"%s\" valueReference=\"", of);
    const char* at = strstr(description, quoted);
    assert_non_null(at);
    int reference = atoi(at + strlen(quoted));
    snprintf(quoted, sizeof quoted, "valueReference=\"%d\" dependencies=\"", reference);
    at = strstr(strstr(description, "<ModelStructure>"), quoted);
    if (at == NULL)
        fail_msg("%s has no dependencies in %s", of, description);
    snprintf(list, sizeof list, " %.*s ", (int)strcspn(at + strlen(quoted), "\""), at + strlen(quoted));
    int found = 0;
    for (const char* blank = list; (blank = strchr(blank + 1, ' ')) != NULL;)
        found++;
    assert_int_equal(found, count);
    for (int i = 0; i < count; i++)
    {
        snprintf(quoted, sizeof quoted, " name=\"%s\" valueReference=\"", on[i]);
        const char* known = strstr(description, quoted);
        assert_non_null(known);
        snprintf(quoted, sizeof quoted, " %d ", atoi(known + strlen(quoted)));
        if (strstr(list, quoted) == NULL)
            fail_msg("%s does not depend on %s: %s", of, on[i], list);
    }
}

static void test_dependencies(void** state)
{
    (void)state;
    Arena arena;
    arena_init(&arena, kaiDefaultAllocator(), &no_memory);
    // An equation, a loop that is settled by one side, a truth, and a sum without either.
    char* text = describe(&arena,
                          "model M { input u = 0, w = 1; state x = 1, y = 2, z = 3\n"
                          "  unknown q = 0.5; equation q + q^3 == x + u; output by_equation = q\n"
                          "  signal a = if y > 0 then y else b, b = if y > 0 then 2*a else w; output by_loop = b\n"
                          "  input lit = false; output dark = not lit; output plain = 2*z + w\n"
                          "  x' = -q; y' = -b; z' = 1 }\nexperiment e of M { stop = 1 }\n",
                          3, NULL);
    depends(text, "by_equation", (const char* const[]){"x", "u"}, 2);
    depends(text, "by_loop", (const char* const[]){"y", "w"}, 2);
    depends(text, "dark", (const char* const[]){"lit"}, 1);
    depends(text, "plain", (const char* const[]){"z", "w"}, 2);
    depends(text, "der(x)", (const char* const[]){"x", "u"}, 2);
    depends(text, "der(y)", (const char* const[]){"y", "w"}, 2);
    arena_free(&arena);
}

// ---- words

static void test_words(void** state)
{
    (void)state;
    Arena arena;
    arena_init(&arena, kaiDefaultAllocator(), &no_memory);
    char* text = describe(&arena,
                          "model M { param warm [degC] = 20 \"hot & \\\"cold\\\"\"; state x [km] = 1\n"
                          "  x' = 0[km/s] }\nexperiment e of M { stop = 1 }\n",
                          3, NULL);
    holds(text, "hot &amp; &quot;cold&quot;");
    holds(text, "<DisplayUnit name=\"degC\" offset=\"-273.1");  // degC = K - 273.15
    holds(text, "<DisplayUnit name=\"km\" factor=\"0.001\"/>");
    arena_free(&arena);
}

// A variable of the root model becomes an output because the caller says so.
static void test_outputs(void** state)
{
    (void)state;
    Arena arena;
    arena_init(&arena, kaiDefaultAllocator(), &no_memory);
    static const char text[] = "model M { state x = 1; signal s = 2*x; x' = -x }\nexperiment e of M { stop = 1 }\n";
    kaiFmuOptions options = kaiDefaultFmuOptions();
    const char* const names[] = {"s"};
    options.version = 3;
    assert_null(strstr(describe(&arena, text, 3, NULL), "<Output valueReference"));
    options.outputs = names;
    options.output_count = 1;
    Bytes fmu = export_text(text, options, kaiDefaultCompileOptions());
    char* description = fmi_part(&arena, &fmu, "modelDescription.xml", NULL);
    holds(description, "<Output valueReference");
    depends(description, "s", (const char* const[]){"x"}, 1);
    free(fmu.at);
    arena_free(&arena);
}

static void test_places(void** state)
{
    (void)state;
    kaiProgramOptions source = kaiDefaultProgramOptions();
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiFmuOptions options = kaiDefaultFmuOptions();
    kaiError error = {0};
    source.path = "examples/ball/model.kai";
    which.experiment = "bounce";
    options.path = "/tmp";
    assert_int_equal(kaiFmu_Export(&source, &which, &options, &error), KAI_ERR_IO);
    holds(error.message, "/tmp cannot be written: it is no file");
    options.path = "/nowhere/at/all.fmu";
    assert_int_equal(kaiFmu_Export(&source, &which, &options, &error), KAI_ERR_IO);
    holds(error.message, "/nowhere/at/all.fmu cannot be written: ");
    options.path = "/dev/full";
    assert_int_equal(kaiFmu_Export(&source, &which, &options, &error), KAI_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sources), cmocka_unit_test(test_dependencies),
                                       cmocka_unit_test(test_words), cmocka_unit_test(test_outputs),
                                       cmocka_unit_test(test_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
