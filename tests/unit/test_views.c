// What can be asked of a model without looking at its values: diagrams of every kind, listings, proofs with a picture
// of the phase space, reports as text, JSON and page, and messages with their places. Of every example something is
// drawn, listed and reported: nothing fails, what is written is whole, and it names what the model has.
#include "kairos/kairos.h"
#include "service/json.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char* page;
static size_t page_size, page_room;

static kaiStatus keep(void* user, const char* bytes, size_t size)
{
    (void)user;
    if (page_size + size + 1 > page_room)
        page = realloc(page, page_room = 2 * (page_size + size + 1));
    memcpy(page + page_size, bytes, size);
    page_size += size;
    page[page_size] = 0;
    return KAI_OK;
}

static kaiSink fresh(void)
{
    page_size = 0;
    keep(NULL, "", 0);
    return (kaiSink){keep, NULL};
}

static void has(const char* words)
{
    if (strstr(page, words) == NULL)
        print_message("%.2000s\nlacks %s\n", page, words);
    assert_non_null(strstr(page, words));
}

static kaiProgram* open_path(const char* path, const char* text)
{
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiProgram* program = NULL;
    options.path = path;
    options.text = text;
    options.policy.allow_external = true;
    assert_int_equal(kaiProgram_Open(&options, &program, NULL), KAI_OK);
    return program;
}

static kaiStatus draw(kaiProgram* program, const char* experiment, kaiDiagramKind kind, int depth, kaiError* error)
{
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiDiagramOptions options = kaiDefaultDiagramOptions();
    which.experiment = experiment;
    options.path = "x.svg";
    options.kind = kind;
    options.depth = depth;
    options.sink = fresh();
    return kaiProgram_Diagram(program, &which, &options, error);
}

typedef void Visit(const char* path, kaiProgram* program, const kaiExperiment* first);

// Every `step`th of them.
static void visit_examples(Visit* visit, size_t step)
{
    glob_t found;
    assert_int_equal(glob("examples/*/model.kai", 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= 60);
    for (size_t i = 0; i < found.gl_pathc; i += step)
    {
        kaiProgram* program = open_path(found.gl_pathv[i], NULL);
        kaiExperiment first = {0};
        kaiProgram_Experiment(program, 0, &first);
        visit(found.gl_pathv[i], program, &first);
        kaiProgram_Free(program);
    }
    globfree(&found);
}

static void draw_example(const char* path, kaiProgram* program, const kaiExperiment* first)
{
    for (int kind = KAI_DIAGRAM_ANY; kind <= KAI_DIAGRAM_SCHEMATIC; kind++)
    {
        kaiError error = {0};
        kaiStatus status = draw(program, first->name, (kaiDiagramKind)kind, -1, &error);
        if (status != KAI_OK && strstr(error.message, " to draw") == NULL && strstr(error.message, "more than") == NULL)
            print_message("%s: %s\n", path, error.message);
        assert_true(status == KAI_OK || strstr(error.message, " to draw") != NULL ||
                    strstr(error.message, "more than") != NULL);
        if (status != KAI_OK)
            continue;
        has("</svg>");
        has(first->model);
    }
}

static void test_diagrams(void** state)
{
    (void)state;
    visit_examples(draw_example, 4);
}

static void test_diagram_words(void** state)
{
    (void)state;
    kaiError error;
    kaiProgram* program = open_path("examples/cradle/model.kai", NULL);
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiDiagramOptions options = kaiDefaultDiagramOptions();
    kaiModeChoice modes[] = {{"F12", "slip"}, {"F13", "contact"}};
    which.experiment = "table1";
    options.path = "x.svg";
    options.modes = modes;
    options.mode_count = 2;
    options.sink = fresh();
    assert_int_equal(kaiProgram_Diagram(program, &which, &options, &error), KAI_OK);
    has(">slip OFF<");
    has(">contact ON<");
    modes[0].mode = "glued";
    assert_int_equal(kaiProgram_Diagram(program, &which, &options, &error), KAI_ERR_MODEL);
    assert_non_null(strstr(error.message, "`F12` has no mode `glued`"));
    modes[0].machine = "F99";
    assert_int_equal(kaiProgram_Diagram(program, &which, &options, &error), KAI_ERR_MODEL);
    assert_non_null(strstr(error.message, "`F99` has no modes"));
    kaiProgram_Free(program);
    program = open_path("plain.kai", "model Plain { param p = 1 }\nexperiment e of Plain { stop = 1 }\n");
    static const char* const nothing[] = {"has nothing that changes to draw", "has nothing that changes to draw",
                                          "has no modes to draw", "has no bonds to draw",
                                          "has no parts with ports to draw"};
    for (int kind = 0; kind < 5; kind++)
    {
        assert_int_equal(draw(program, "e", (kaiDiagramKind)kind, -1, &error), KAI_ERR_MODEL);
        assert_non_null(strstr(error.message, nothing[kind]));
    }
    kaiProgram_Free(program);
    program = open_path("lib/electrical.kai", NULL);
    kaiProgram_Free(program);
}

// Every part of the library has a symbol of its own, and its name stands beside it.
static void test_symbols(void** state)
{
    (void)state;
    static const char* const libraries[] = {"electrical.kai", "translational.kai", "rotational.kai", "thermal.kai",
                                            "hydraulic.kai"};
    for (size_t l = 0; l < sizeof libraries / sizeof *libraries; l++)
    {
        char path[100];
        static char text[20000];
        size_t used = 0;
        int parts = 0;
        snprintf(path, sizeof path, "lib/%s", libraries[l]);
        if (access(path, R_OK) != 0)
            continue;
        kaiProgram* library = open_path(path, NULL);
        used += (size_t)sprintf(text, "import \"%s\"\nmodel All {\n", libraries[l]);
        for (int i = 0; i < kaiProgram_ModelCount(library); i++)
        {
            kaiSymbol s;
            int ports = 0;
            const char* name = kaiProgram_ModelName(library, i);
            for (int k = 0, model = -1; kaiProgram_Symbol(library, k, &s); k++)
            {
                if (s.kind == KAI_SYMBOL_MODEL)
                    model = strcmp(s.name, name) == 0 ? k : -1;
                ports += model >= 0 && s.parent == model && s.kind == KAI_SYMBOL_PORT &&
                         (strcmp(s.name, "a") == 0 || strcmp(s.name, "b") == 0);
            }
            if (ports != 2)
                continue;
            used += (size_t)sprintf(text + used, "  p%d : %s()\n", parts, name);
            if (parts > 0)
                used += (size_t)sprintf(text + used, "  connect p%d.b, p%d.a\n", parts - 1, parts);
            parts++;
        }
        sprintf(text + used, "}\nexperiment e of All { stop = 1 }\n");
        kaiProgram_Free(library);
        kaiProgram* program = open_path("all.kai", text);
        kaiError error = {0};
        if (parts > 1 && draw(program, "e", KAI_DIAGRAM_SCHEMATIC, -1, &error) == KAI_OK)
        {
            has("</svg>");
            has(">p0");
        }
        kaiProgram_Free(program);
    }
}

// ---- listings

static void list_example(const char* path, kaiProgram* program, const kaiExperiment* first)
{
    kaiCompileOptions which = kaiDefaultCompileOptions();
    const char* word;
    which.experiment = first->name;
    for (int i = 0; (word = kaiProgram_ListingWord(i)) != NULL; i++)
    {
        const char* text = NULL;
        kaiStatus status = kaiProgram_List(program, &which, word, &text);
        if (status != KAI_OK)
            print_message("%s: %s\n", path, word);
        assert_int_equal(status, KAI_OK);
        assert_non_null(text);
        assert_true(strcmp(word, "flat") != 0 || strlen(text) > 0);
    }
    const char* text = NULL;
    assert_int_equal(kaiProgram_List(program, &which, "nonsense", &text), KAI_ERR_USAGE);
}

static void test_listings(void** state)
{
    (void)state;
    visit_examples(list_example, 1);
}

// ---- reports

static void report_example(const char* path, kaiProgram* program, const kaiExperiment* first)
{
    static jmp_buf fail;
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiReportOptions options = kaiDefaultReportOptions();
    kaiModel* model = NULL;
    kaiError error = {0};
    which.experiment = first->name;
    kaiGiven stop = {"stop", "0.3"};
    which.settings = &stop;
    which.setting_count = 1;
    if (kaiProgram_Compile(program, &which, &model) != KAI_OK)
        return;  // of another language than ours: a function that is not built here
    options.estimate_accuracy = true;
    kaiReport* report = kaiReport_Create(program, model, &which, &options, &error);
    if (report == NULL)
        print_message("%s: %s\n", path, error.message);
    assert_non_null(report);
    kaiSink sink = fresh();
    assert_int_equal(kaiReport_Write(report, KAI_REPORT_TEXT, &sink), KAI_OK);
    has(first->model);
    sink = fresh();
    assert_int_equal(kaiReport_Write(report, KAI_REPORT_HTML, &sink), KAI_OK);
    has("</html>");
    sink = fresh();
    assert_int_equal(kaiReport_Write(report, KAI_REPORT_JSON, &sink), KAI_OK);
    Arena arena;
    const char* trouble = NULL;
    arena_init(&arena, kaiDefaultAllocator(), &fail);
    const Json* json = json_read(&arena, page, page_size, &trouble);
    if (json == NULL)
        print_message("%s: %s\n%s\n", path, trouble, page);
    assert_non_null(json);
    arena_free(&arena);
    kaiReport_Free(report);
    kaiModel_Free(model);
}

static void test_reports(void** state)
{
    (void)state;
    visit_examples(report_example, 3);
}

// ---- proofs

static void prove(const char* path, const char* experiment, const char* x, const char* y, kaiAnswer answer,
                  const char* no_figure)
{
    char figure[] = "/tmp/kairos-phase-XXXXXX.svg";
    kaiProgram* program = open_path(path, NULL);
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiProveOptions options = kaiDefaultProveOptions();
    kaiProof* proof = NULL;
    close(mkstemps(figure, 4));
    which.experiment = experiment;
    options.timeout = 20;
    options.plot_x = x;
    options.plot_y = y;
    options.figure = figure;
    assert_int_equal(kaiProgram_Prove(program, &which, &options, &proof), KAI_OK);
    assert_int_equal(kaiProof_Answer(proof), answer);
    assert_true((kaiProof_Experiment(proof) != NULL) == (answer == KAI_REFUTED));
    if (no_figure == NULL)
    {
        assert_null(kaiProof_NoFigure(proof));
        FILE* in = fopen(figure, "r");
        page_size = 0;
        for (int c; (c = fgetc(in)) != EOF;)
            keep(NULL, &(char){(char)c}, 1);
        fclose(in);
        has("</svg>");
        has(x);
    }
    else
        assert_non_null(strstr(kaiProof_NoFigure(proof), no_figure));
    unlink(figure);
    kaiProof_Free(proof);
    kaiProgram_Free(program);
}

static void test_proofs(void** state)
{
    (void)state;
    prove("examples/relay/model.kai", "loops", "C1.q", "C2.q", KAI_REFUTED, NULL);
    prove("examples/relay/model.kai", "strict", "C1.q", "C2.q", KAI_PROVED, NULL);
    prove("examples/relay/model.kai", "strict", "C1.q", "nothing", KAI_PROVED, "nothing");
}

// ---- messages of a run, shown in the text

static void test_error_text(void** state)
{
    (void)state;
    static const char text[] =
        "import \"electrical.kai\"\n"
        "model M { gnd : Ground(); u : VoltageSource(u = 1); s : Switch(closed = time > 1); v : VoltageSource(u = 2)\n"
        "  connect u.a, s.a; connect s.b, v.a; connect u.b, gnd.a; connect v.b, gnd.a }\n"
        "experiment e of M { stop = 2 }\n";
    kaiProgram* program = open_path("own.kai", text);
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiModel* model = NULL;
    which.experiment = "e";
    assert_int_equal(kaiProgram_Compile(program, &which, &model), KAI_OK);
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = kaiSim_Create(model, &options, NULL);
    assert_true(kaiSim_Run(sim) < 0);  // two sources against each other
    const char* said = kaiProgram_ErrorText(program, kaiSim_Failure(sim), false);
    assert_non_null(strstr(said, "error"));
    assert_string_equal(kaiProgram_ErrorText(NULL, kaiSim_Failure(sim), false), "");
    kaiError own = {.message = "s.a.e is wrong",
                    .place = {"lib/electrical.kai", 3, 1, 3, 2},
                    .severity = KAI_ERROR,
                    .status = KAI_ERR_RUN};
    said = kaiProgram_ErrorText(program, &own, false);
    assert_non_null(strstr(said, "own.kai:2:"));  // the instance in the user's own text comes first
    assert_non_null(strstr(said, "here, in the part"));
    kaiSim_Free(sim);
    kaiModel_Free(model);
    kaiProgram_Free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diagrams),   cmocka_unit_test(test_diagram_words), cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_listings),   cmocka_unit_test(test_reports),       cmocka_unit_test(test_proofs),
        cmocka_unit_test(test_error_text),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(page);
    return failed;
}
