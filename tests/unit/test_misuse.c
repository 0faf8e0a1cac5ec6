// Every public function with NULL, with options that nobody made, and with numbers out of range: a status or an empty
// answer and a sentence, never a crash. tests/cli/headers.sh holds the list of functions against the headers.
#include "kairos/kairos.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const int wrong[] = {-1, -2147483647 - 1, 1000000, 2147483647};

enum
{
    WRONG = sizeof wrong / sizeof *wrong
};

// A refusal has a status and a sentence.
static void refused(kaiStatus status, const kaiError* error)
{
    assert_int_equal(status, KAI_ERR_USAGE);
    assert_int_equal(error->status, KAI_ERR_USAGE);
    assert_non_null(error->message);
    assert_true(strlen(error->message) > 10);
}

typedef struct House
{
    kaiProgram* program;
    kaiModel* model;
    kaiSim* sim;
} House;

static House build(void)
{
    House h = {0};
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiCompileOptions compile = kaiDefaultCompileOptions();
    kaiError error;
    options.path = "m.kai";
    options.text = "model M { state x = 1; x' = -x; event low = down(x - 0.5)\n"
                   "  modes { initial mode a { on low -> b } mode b { } } }\n"
                   "experiment e of M { stop = 2; plot x; expect final(x) ~ exp(-2) within 1e-6 }\n";
    compile.experiment = "e";
    assert_int_equal(kaiProgram_Open(&options, &h.program, &error), KAI_OK);
    assert_int_equal(kaiProgram_Compile(h.program, &compile, &h.model), KAI_OK);
    kaiSimOptions run = kaiModel_SimOptions(h.model);
    h.sim = kaiSim_Create(h.model, &run, &error);
    assert_non_null(h.sim);
    return h;
}

static void tear_down(House* h)
{
    kaiSim_Free(h->sim);
    kaiModel_Free(h->model);
    kaiProgram_Free(h->program);
}

// ------------------------------------------------------------------------------------------------------------ program

static void test_open(void** state)
{
    (void)state;
    kaiProgram* program = (kaiProgram*)&program;
    kaiError error;
    kaiProgramOptions zero = {0}, fine = kaiDefaultProgramOptions();
    refused(kaiProgram_Open(NULL, &program, &error), &error);
    assert_null(program);
    assert_non_null(strstr(error.message, "kaiDefaultProgramOptions"));
    refused(kaiProgram_Open(&zero, &program, &error), &error);
    assert_non_null(strstr(error.message, "kaiDefaultProgramOptions"));
    refused(kaiProgram_Open(&fine, &program, &error), &error);  // neither file nor text
    refused(kaiProgram_Open(&fine, NULL, &error), &error);
    fine.path = "m.kai";
    fine.text = "model M { }";
    fine.allocator = (kaiAllocator){0};
    refused(kaiProgram_Open(&fine, &program, &error), &error);
    assert_int_equal(kaiProgram_Open(NULL, NULL, NULL), KAI_ERR_USAGE);
    kaiModel* model;
    refused(kaiModel_Load(NULL, NULL, &model, &error), &error);
    refused(kaiModel_Load("x.kai", NULL, NULL, &error), &error);
    kaiProgram_Free(NULL);
}

static void test_no_program(void** state)
{
    (void)state;
    kaiModel* model = NULL;
    kaiProof* proof = NULL;
    const char* text = NULL;
    char line[10];
    kaiError error;
    kaiCompileOptions compile = kaiDefaultCompileOptions();
    kaiDiagramOptions diagram = kaiDefaultDiagramOptions();
    kaiProveOptions prove = kaiDefaultProveOptions();
    diagram.path = "x.svg";
    assert_int_equal(kaiProgram_MessageCount(NULL), 0);
    assert_int_equal(kaiProgram_ErrorCount(NULL), 0);
    assert_null(kaiProgram_Message(NULL, 0));
    assert_string_equal(kaiProgram_MessageText(NULL, 0, false), "");
    assert_string_equal(kaiProgram_ErrorText(NULL, &(kaiError){.message = "x"}, false), "");
    assert_int_equal(kaiProgram_Check(NULL), KAI_ERR_USAGE);
    assert_int_equal(kaiProgram_Compile(NULL, &compile, &model), KAI_ERR_USAGE);
    assert_int_equal(kaiProgram_List(NULL, &compile, "flat", &text), KAI_ERR_USAGE);
    assert_int_equal(kaiProgram_Format(NULL, &text), KAI_ERR_USAGE);
    assert_int_equal(kaiProgram_Prove(NULL, &compile, &prove, &proof), KAI_ERR_USAGE);
    refused(kaiProgram_Diagram(NULL, &compile, &diagram, &error), &error);
    assert_int_equal(kaiProgram_ModelCount(NULL), 0);
    assert_null(kaiProgram_ModelName(NULL, 0));
    assert_int_equal(kaiProgram_ExperimentCount(NULL), 0);
    assert_false(kaiProgram_Experiment(NULL, 0, &(kaiExperiment){0}));
    assert_int_equal(kaiProgram_FileCount(NULL), 0);
    assert_null(kaiProgram_FileName(NULL, 0));
    assert_false(kaiProgram_HasRead(NULL, "m.kai"));
    assert_false(kaiProgram_SourceLine(NULL, "m.kai", 1, line, sizeof line));
    assert_int_equal(kaiProgram_SymbolCount(NULL), 0);
    assert_false(kaiProgram_Symbol(NULL, 0, &(kaiSymbol){0}));
    assert_int_equal(kaiProgram_OccurrenceCount(NULL), 0);
    assert_false(kaiProgram_Occurrence(NULL, 0, &(kaiOccurrence){0}));
    assert_int_equal(kaiProgram_SymbolAt(NULL, "m.kai", 1, 1), -1);
    assert_null(kaiProgram_ListingWord(-1));
    assert_null(kaiSymbolKind_Word((kaiSymbolKind)-1));
    assert_null(kaiSymbolKind_Word((kaiSymbolKind)99));
}

static void test_questions(void** state)
{
    (void)state;
    House h = build();
    kaiModel* model = NULL;
    kaiProof* proof = NULL;
    const char* text = NULL;
    kaiError error;
    kaiCompileOptions zero = {0}, fine = kaiDefaultCompileOptions();
    kaiDiagramOptions diagram = kaiDefaultDiagramOptions();
    kaiProveOptions prove = kaiDefaultProveOptions();
    const kaiCompileOptions* bad[] = {NULL, &zero};
    diagram.path = "x.svg";
    for (int i = 0; i < 2; i++)
    {
        assert_int_equal(kaiProgram_Compile(h.program, bad[i], &model), KAI_ERR_USAGE);
        assert_int_equal(kaiProgram_List(h.program, bad[i], "flat", &text), KAI_ERR_USAGE);
        assert_int_equal(kaiProgram_Prove(h.program, bad[i], &prove, &proof), KAI_ERR_USAGE);
        refused(kaiProgram_Diagram(h.program, bad[i], &diagram, &error), &error);
    }
    assert_int_equal(kaiProgram_Compile(h.program, &fine, NULL), KAI_ERR_USAGE);
    assert_int_equal(kaiProgram_List(h.program, &fine, NULL, &text), KAI_ERR_USAGE);
    assert_int_equal(kaiProgram_List(h.program, &fine, "flat", NULL), KAI_ERR_USAGE);
    assert_int_equal(kaiProgram_Format(h.program, NULL), KAI_ERR_USAGE);
    assert_int_equal(kaiProgram_Prove(h.program, &fine, &(kaiProveOptions){0}, &proof), KAI_ERR_USAGE);
    assert_int_equal(kaiProgram_Prove(h.program, &fine, NULL, &proof), KAI_ERR_USAGE);
    assert_int_equal(kaiProgram_Prove(h.program, &fine, &prove, NULL), KAI_ERR_USAGE);
    refused(kaiProgram_Diagram(h.program, &fine, &(kaiDiagramOptions){0}, &error), &error);
    refused(kaiProgram_Diagram(h.program, &fine, NULL, &error), &error);
    diagram.path = NULL;
    refused(kaiProgram_Diagram(h.program, &fine, &diagram, &error), &error);
    diagram.path = "x.svg";
    diagram.kind = (kaiDiagramKind)77;
    refused(kaiProgram_Diagram(h.program, &fine, &diagram, &error), &error);
    diagram.kind = KAI_DIAGRAM_ANY;
    diagram.mode_count = 1;
    refused(kaiProgram_Diagram(h.program, &fine, &diagram, &error), &error);
    fine.override_count = 1;
    assert_int_equal(kaiProgram_Compile(h.program, &fine, &model), KAI_ERR_USAGE);
    fine.overrides = &(kaiOverride){0};
    assert_int_equal(kaiProgram_Compile(h.program, &fine, &model), KAI_ERR_USAGE);
    fine.override_count = -1;
    assert_int_equal(kaiProgram_Compile(h.program, &fine, &model), KAI_ERR_USAGE);
    tear_down(&h);
}

static void test_indices(void** state)
{
    (void)state;
    House h = build();
    char line[10];
    for (int i = 0; i < WRONG; i++)
    {
        assert_null(kaiProgram_Message(h.program, wrong[i]));
        assert_string_equal(kaiProgram_MessageText(h.program, wrong[i], true), "");
        assert_string_equal(kaiProgram_ErrorText(h.program, NULL, true), "");
        assert_null(kaiProgram_ModelName(h.program, wrong[i]));
        assert_false(kaiProgram_Experiment(h.program, wrong[i], &(kaiExperiment){0}));
        assert_null(kaiProgram_FileName(h.program, wrong[i]));
        assert_false(kaiProgram_Symbol(h.program, wrong[i], &(kaiSymbol){0}));
        assert_false(kaiProgram_Occurrence(h.program, wrong[i], &(kaiOccurrence){0}));
        assert_int_equal(kaiProgram_SymbolAt(h.program, "m.kai", wrong[i], 1), -1);
        assert_false(kaiProgram_SourceLine(h.program, "m.kai", wrong[i], line, sizeof line));
        kaiProgram_SymbolAt(h.program, "m.kai", 1, wrong[i]);
    }
    assert_false(kaiProgram_Experiment(h.program, 0, NULL));
    assert_false(kaiProgram_Symbol(h.program, 0, NULL));
    assert_false(kaiProgram_Occurrence(h.program, 0, NULL));
    assert_false(kaiProgram_SourceLine(h.program, NULL, 1, line, sizeof line));
    assert_false(kaiProgram_SourceLine(h.program, "m.kai", 1, NULL, 10));
    assert_false(kaiProgram_SourceLine(h.program, "m.kai", 1, line, 0));
    assert_int_equal(kaiProgram_SymbolAt(h.program, NULL, 1, 1), -1);
    tear_down(&h);
}

static void test_no_proof(void** state)
{
    (void)state;
    assert_int_equal(kaiProof_Answer(NULL), KAI_UNKNOWN);
    assert_null(kaiProof_Text(NULL));
    assert_null(kaiProof_Experiment(NULL));
    assert_null(kaiProof_Replay(NULL));
    assert_null(kaiProof_NoFigure(NULL));
    kaiProof_Free(NULL);
    kaiProgramOptions zero = {0}, fine = kaiDefaultProgramOptions();
    kaiSpice* spice;
    kaiError error;
    refused(kaiSpice_Import(NULL, &spice, &error), &error);
    refused(kaiSpice_Import(&zero, &spice, &error), &error);
    refused(kaiSpice_Import(&fine, &spice, &error), &error);  // neither file nor text
    refused(kaiSpice_Import(&fine, NULL, &error), &error);
    assert_null(kaiSpice_Text(NULL));
    assert_null(kaiSpice_Message(NULL, 0));
    assert_int_equal(kaiSpice_MessageCount(NULL), 0);
    assert_string_equal(kaiSpice_MessageText(NULL, 0, false), "");
    kaiSpice_Free(NULL);
    kaiFmuOptions archive = kaiDefaultFmuOptions(), unmade = {0};
    kaiCompileOptions which = kaiDefaultCompileOptions();
    refused(kaiFmu_Export(NULL, &which, &archive, &error), &error);
    refused(kaiFmu_Export(&fine, NULL, &archive, &error), &error);
    refused(kaiFmu_Export(&fine, &which, &unmade, &error), &error);
    refused(kaiFmu_Export(&fine, &which, &archive, &error), &error);  // no path
    refused(kaiSsp_Export(NULL, &which, &archive, &error), &error);
    refused(kaiSsp_Export(&fine, NULL, &archive, &error), &error);
    refused(kaiSsp_Export(&fine, &which, &unmade, &error), &error);
    refused(kaiSsp_Export(&fine, &which, &archive, &error), &error);  // no path
    refused(kaiSsp_Read(NULL, NULL, kaiDefaultAllocator(), &error), &error);
    refused(kaiSsp_Read("x.ssp", NULL, (kaiAllocator){NULL, NULL}, &error), &error);
    kaiFmu* fmu;
    refused(kaiFmu_Open(NULL, kaiDefaultAllocator(), &fmu, &error), &error);
    refused(kaiFmu_Open("x.fmu", kaiDefaultAllocator(), NULL, &error), &error);
    assert_int_equal(kaiFmu_MessageCount(NULL), 0);
    assert_null(kaiFmu_Message(NULL, 0));
    kaiFmu_Free(NULL);
    kaiSink nowhere = {0};
    refused(kaiFmu_Text(NULL, "", &nowhere, &error), &error);
    refused(kaiFmu_Text("x.fmu", "", &nowhere, &error), &error);
    refused(kaiFmu_Text("x.fmu", "", NULL, &error), &error);
    refused(kaiFmu_Walk(NULL, 1, &error), &error);
    refused(kaiFmu_Walk("x.fmu", 0, &error), &error);
    kaiBlockProvider blocks = kaiFmu_Blocks(false);
    const kaiBlock* block;
    assert_int_equal(blocks.open(blocks.user, "no such file.fmu", "", kaiDefaultAllocator(), &block, &error),
                     KAI_ERR_IO);
    assert_null(block);
}

// -------------------------------------------------------------------------------------------------------------- model

static void ask_model(const kaiModel* model, int index)
{
    kaiVariable v;
    const uint32_t* variables;
    const double* values;
    int against, count;
    bool structural;
    assert_false(kaiModel_Variable(model, index, &v));
    assert_null(kaiModel_VariableName(model, index));
    assert_int_equal(kaiModel_StateVariable(model, index), -1);
    assert_int_equal(kaiModel_PlotVariables(model, index, &variables, &against), 0);
    assert_int_equal(kaiModel_SweepVariable(model, index, &values, &count, &structural), -1);
}

static void test_model(void** state)
{
    (void)state;
    House h = build();
    ask_model(NULL, 0);
    for (int i = 0; i < WRONG; i++)
        ask_model(h.model, wrong[i]);
    assert_false(kaiModel_Variable(h.model, 0, NULL));
    assert_int_equal(kaiModel_PlotVariables(h.model, 0, NULL, NULL), 0);
    assert_int_equal(kaiModel_RecordedVariables(h.model, NULL), 0);
    assert_int_equal(kaiModel_RecordedVariables(NULL, NULL), 0);
    kaiConversion c;
    assert_false(kaiUnit_Convert(NULL, "s", &c));
    assert_false(kaiUnit_Convert("s", NULL, &c));
    assert_false(kaiUnit_Convert("s", "s", NULL));
    assert_false(kaiUnit_Convert("", "]1[", &c));
    assert_false(kaiUnit_Convert("s", "m", &c));
    assert_int_equal(kaiModel_FindVariable(NULL, "x"), -1);
    assert_int_equal(kaiModel_FindVariable(h.model, NULL), -1);
    assert_null(kaiModel_NearestVariable(NULL, "x"));
    assert_null(kaiModel_NearestVariable(h.model, NULL));
    assert_string_equal(kaiModel_Name(NULL), "");
    assert_null(kaiModel_Experiment(NULL));
    assert_int_equal(kaiModel_VariableCount(NULL), 0);
    assert_int_equal(kaiModel_StateCount(NULL), 0);
    assert_int_equal(kaiModel_PlotCount(NULL), 0);
    assert_int_equal(kaiModel_SweepCount(NULL), 0);
    assert_int_equal(kaiModel_ExpectCount(NULL), 0);
    assert_null(kaiVariableKind_Word((kaiVariableKind)-1));
    assert_null(kaiWord_Nearest(NULL, NULL, 0));
    assert_null(kaiWord_Nearest("x", NULL, 3));
    kaiLanguageWord word;
    for (int i = 0; i < WRONG; i++)
        assert_false(kaiLanguage_Word(wrong[i], &word));
    assert_false(kaiLanguage_Word(0, NULL));
    kaiModel_Free(NULL);
    char text[20] = "";
    const kaiSetting* first = kaiSettings_Get(0);
    for (int i = 0; i < WRONG; i++)
        assert_null(kaiSettings_Get(wrong[i]));
    assert_true(kaiSettings_Count() > 0);
    assert_null(kaiSettings_Find(NULL));
    kaiSetting_Range(NULL, text, sizeof text);
    kaiSetting_Range(first, NULL, 0);
    assert_false(kaiSetting_CheckNumber(NULL, 1, text, sizeof text));
    assert_false(kaiSetting_CheckNumber(first, NAN, NULL, 0));
    assert_false(kaiSetting_CheckWord(NULL, "x", text, sizeof text));
    assert_false(kaiSetting_CheckWord(kaiSettings_Find("solver"), NULL, NULL, 0));
    assert_non_null(kaiVersion());
    assert_non_null(kaiDefaultAllocator().alloc);
    tear_down(&h);
}

// ---------------------------------------------------------------------------------------------------------------- sim

static void test_create(void** state)
{
    (void)state;
    House h = build();
    kaiSimOptions zero = {0}, fine = kaiModel_SimOptions(h.model), none = kaiModel_SimOptions(NULL);
    kaiError error = {0};
    assert_null(kaiSim_Create(h.model, NULL, &error));
    refused(error.status, &error);
    assert_null(kaiSim_Create(h.model, &zero, &error));
    refused(error.status, &error);
    assert_non_null(strstr(error.message, "kaiModel_SimOptions"));
    assert_null(kaiSim_Create(h.model, &none, &error));
    refused(error.status, &error);
    assert_null(kaiSim_Create(NULL, &fine, &error));
    refused(error.status, &error);
    for (int i = 0; i < WRONG; i++)
    {
        fine.record = &wrong[i];
        fine.record_count = 1;
        assert_null(kaiSim_Create(h.model, &fine, &error));
        refused(error.status, &error);
    }
    fine = kaiModel_SimOptions(h.model);
    fine.allocator = (kaiAllocator){0};
    assert_null(kaiSim_Create(h.model, &fine, NULL));
    tear_down(&h);
}

static void ask_sim(kaiSim* sim, int index)
{
    double value;
    int64_t count, touches;
    const char* text;
    kaiPlace place;
    kaiIslandCounters island;
    kaiDecision decision;
    kaiExpectResult expect;
    assert_int_equal(kaiSim_Set(sim, index, 1), KAI_ERR_USAGE);
    assert_false(kaiSim_Get(sim, index, &value));
    assert_int_equal(kaiSim_Post(sim, index, 1, 1, NULL), KAI_ERR_USAGE);
    assert_false(kaiSim_GuardCount(sim, index, &count, &touches, &text, &place));
    assert_null(kaiSim_GuardName(sim, index));
    assert_false(kaiSim_GuardTouched(sim, index, &value));
    assert_false(kaiSim_Slide(sim, index, &value, &value, &text, &place));
    assert_false(kaiSim_IslandCount(sim, index, &island));
    kaiMethodChange change;
    assert_false(kaiSim_MethodChange(sim, index, 0, &change));
    assert_false(kaiSim_MethodSteps(sim, index, 0, &text, &count));
    assert_false(kaiSim_StateLimits(sim, index, &count, &touches));
    assert_false(kaiSim_Decision(sim, index, &decision));
    assert_null(kaiSim_Warning(sim, index));
    assert_int_equal(kaiSim_Expect(sim, index, &expect), KAI_ERR_USAGE);
}

static void test_eval(void** state)
{
    (void)state;
    House h = build();
    kaiError error;
    double x[8] = {0}, value;
    assert_null(kaiEval_Create(NULL, NULL, &error));
    refused(error.status, &error);
    assert_null(kaiEval_Create(h.model, NULL, &error));
    assert_null(kaiEval_Create(h.model, &(kaiSimOptions){0}, NULL));
    kaiSimOptions options = kaiModel_SimOptions(h.model);
    bool more;
    int order;
    kaiEval* made = kaiEval_Create(h.model, &options, &error);
    for (int i = 0; i < 2; i++)  // none, and one that has not started
    {
        kaiEval* eval = i == 0 ? NULL : made;
        assert_int_equal(kaiEval_Rates(eval, 0, x, x), KAI_ERR_USAGE);
        assert_int_equal(kaiEval_RatesAlong(eval, 0, x, x, x), KAI_ERR_USAGE);
        assert_int_equal(kaiEval_Indicators(eval, 0, x, x), KAI_ERR_USAGE);
        assert_false(kaiEval_Crossed(eval, 0, x));
        assert_int_equal(kaiEval_StepDone(eval, 0, x), KAI_ERR_USAGE);
        assert_int_equal(kaiEval_Instant(eval, 0, x), KAI_ERR_USAGE);
        assert_int_equal(kaiEval_Set(eval, -1, 0), KAI_ERR_USAGE);
        assert_int_equal(kaiEval_Flow(eval, 0, 0), KAI_ERR_USAGE);
        assert_int_equal(kaiEval_Look(eval, 0, x), KAI_ERR_USAGE);
        assert_int_equal(kaiEval_Watch(eval, 0, x, x), KAI_ERR_USAGE);
        assert_false(kaiEval_Pending(eval, 0, x));
        assert_int_equal(kaiEval_Rearm(eval, 0, x), KAI_ERR_USAGE);
        assert_int_equal(kaiEval_Begin(eval, 0, x), KAI_ERR_USAGE);
        assert_int_equal(kaiEval_Tag(eval, x, &more), KAI_ERR_USAGE);
        assert_int_equal(kaiEval_Post(eval, 0, 0), KAI_ERR_USAGE);
        assert_int_equal(kaiEval_Save(eval, x, 1), KAI_ERR_USAGE);
        assert_int_equal(kaiEval_Restore(eval, x, 1), KAI_ERR_USAGE);
        assert_int_equal(kaiEval_ColumnVariable(eval, -1, &order), -1);
        assert_false(kaiEval_Get(eval, 100000, &value));
    }
    assert_int_equal(kaiEval_StateCount(NULL), 0);
    assert_int_equal(kaiEval_IndicatorCount(NULL), 0);
    assert_int_equal(kaiEval_SaveSize(NULL), 0);
    assert_int_equal(kaiEval_Prepare(NULL, x), KAI_ERR_USAGE);
    assert_int_equal(kaiEval_Prepare(made, NULL), KAI_ERR_USAGE);
    assert_int_equal(kaiEval_Start(NULL, x), KAI_ERR_USAGE);
    assert_int_equal(kaiEval_Start(made, NULL), KAI_ERR_USAGE);
    assert_true(kaiEval_Next(NULL) == INFINITY);
    assert_true(kaiEval_Now(NULL).t == 0);
    assert_false(kaiEval_Halted(NULL));
    assert_null(kaiEval_Failure(NULL));
    kaiEval_Free(made);
    kaiEval_Free(NULL);
    tear_down(&h);
}

static void test_no_sim(void** state)
{
    (void)state;
    House h = build();
    char text[20] = "";
    int count;
    kaiExploration found;
    ask_sim(NULL, 0);
    assert_false(kaiSim_Cancel(NULL, 1));
    assert_int_equal(kaiSim_Step(NULL), KAI_ERR_USAGE);
    assert_int_equal(kaiSim_StepTo(NULL, 1), KAI_ERR_USAGE);
    assert_int_equal(kaiSim_StepTo(h.sim, NAN), KAI_ERR_USAGE);
    assert_int_equal(kaiSim_RunTo(NULL, 1, 1), KAI_ERR_USAGE);
    assert_int_equal(kaiSim_RunTo(h.sim, NAN, 1), KAI_ERR_USAGE);
    assert_int_equal(kaiSim_RunTo(h.sim, 1, 0), KAI_ERR_USAGE);
    assert_int_equal(kaiSim_Run(NULL), KAI_ERR_USAGE);
    assert_true(kaiSim_Now(NULL).t == 0);
    assert_int_equal(kaiSim_Rates(NULL, NULL), KAI_ERR_USAGE);
    assert_null(kaiSim_HaltText(NULL));
    assert_null(kaiSim_Interrupt(NULL));
    assert_null(kaiSim_Failure(NULL));
    assert_int_equal(kaiSim_Counters(NULL).steps, 0);
    assert_int_equal(kaiSim_WorstState(NULL), -1);
    assert_false(kaiSim_Jump(NULL, &(kaiJump){0}));
    assert_null(kaiSim_Columns(NULL, &count));
    assert_int_equal(kaiSim_ColumnVariable(NULL, 0, &count), -1);
    assert_int_equal(kaiSim_ColumnVariable(h.sim, 100000, &count), -1);
    assert_null(kaiSim_Save(NULL));
    assert_int_equal(kaiSim_Restore(NULL, NULL), KAI_ERR_USAGE);
    assert_int_equal(kaiSim_Restore(h.sim, NULL), KAI_ERR_USAGE);
    assert_int_equal(kaiSim_Explore(h.model, NULL, &(kaiExploreEvents){0}, &found), KAI_ERR_USAGE);
    assert_int_equal(kaiSim_Explore(h.model, h.sim, NULL, &found), KAI_ERR_USAGE);
    assert_int_equal(kaiSim_Explore(h.model, h.sim, &(kaiExploreEvents){0}, NULL), KAI_ERR_USAGE);
    assert_int_equal(kaiSim_Follow(NULL, NULL, 0), KAI_ERR_USAGE);
    assert_int_equal(kaiSim_Follow(h.sim, NULL, 1), KAI_ERR_USAGE);
    assert_int_equal(kaiSim_Follow(h.sim, &count, -1), KAI_ERR_USAGE);
    kaiSim_OrderText(NULL, text, sizeof text);
    kaiSim_OutcomeText(NULL, 1, text, sizeof text);
    kaiSim_OrderText(h.sim, NULL, 0);
    kaiSim_OutcomeText(h.sim, 1, NULL, 0);
    kaiSim_Free(NULL);
    kaiSnapshot_Free(NULL);
    assert_int_equal(kaiSnapshot_Write(NULL, NULL), KAI_ERR_USAGE);
    assert_null(kaiSnapshot_Read(NULL, NULL, 0, NULL));
    assert_int_equal(kaiModel_Save(NULL, NULL), KAI_ERR_USAGE);
    assert_int_equal(kaiModel_Save(h.model, &(kaiSink){0}), KAI_ERR_USAGE);
    assert_int_equal(kaiModel_LoadSaved(NULL, 0, false, NULL, NULL), KAI_ERR_USAGE);
    assert_int_equal(kaiModel_LoadSavedBlocks(NULL, 0, true, NULL, NULL, NULL), KAI_ERR_USAGE);
    tear_down(&h);
}

static void test_sim(void** state)
{
    (void)state;
    House h = build();
    for (int started = 0; started < 2; started++)
    {
        for (int i = 0; i < WRONG; i++)
            ask_sim(h.sim, wrong[i]);
        assert_false(kaiSim_Get(h.sim, 0, NULL));
        assert_false(kaiSim_GuardCount(h.sim, 0, NULL, NULL, NULL, NULL));
        assert_false(kaiSim_GuardTouched(h.sim, 0, NULL));
        assert_false(kaiSim_Slide(h.sim, 0, NULL, NULL, NULL, NULL));
        assert_false(kaiSim_IslandCount(h.sim, 0, NULL));
        assert_false(kaiSim_MethodChange(h.sim, 0, 0, NULL));
        assert_false(kaiSim_MethodSteps(h.sim, 0, 0, NULL, NULL));
        assert_false(kaiSim_StateLimits(h.sim, 0, NULL, NULL));
        assert_false(kaiSim_Decision(h.sim, 0, NULL));
        assert_false(kaiSim_Jump(h.sim, NULL));
        assert_null(kaiSim_Columns(h.sim, NULL));
        assert_int_equal(kaiSim_Expect(h.sim, 0, NULL), KAI_ERR_USAGE);
        assert_false(kaiSim_Cancel(h.sim, 12345));
        assert_int_equal(kaiSim_Step(h.sim), KAI_INSTANT);
    }
    House other = build();  // a snapshot belongs to its model
    kaiSnapshot* snapshot = kaiSim_Save(other.sim);
    assert_int_equal(kaiSim_Restore(h.sim, snapshot), KAI_ERR_USAGE);
    kaiSnapshot_Free(snapshot);
    tear_down(&other);
    assert_int_equal(kaiSim_Run(h.sim), KAI_END);  // nothing of it has done harm
    tear_down(&h);
}

// ------------------------------------------------------------------------------------------------- results and figures

static void misuse_lines(kaiError* error)
{
    char* line = NULL;
    size_t length = 0;
    assert_null(kaiLines_Open(NULL, NULL, kaiDefaultAllocator(), error));
    refused(error->status, error);
    assert_null(kaiLines_Open("x.csv", NULL, (kaiAllocator){0}, error));
    refused(error->status, error);
    refused(kaiLines_Next(NULL, &line, &length, error), error);
    kaiLines* lines = kaiLines_Open("/dev/null", NULL, kaiDefaultAllocator(), error);
    assert_non_null(lines);
    refused(kaiLines_Next(lines, NULL, &length, error), error);
    refused(kaiLines_Next(lines, &line, NULL, error), error);
    assert_int_equal(kaiLines_Next(lines, &line, &length, NULL), KAI_END);
    assert_int_equal(kaiLines_Number(lines) + kaiLines_Number(NULL), 0);
    kaiLines_SetInterrupt(NULL, NULL);
    kaiLines_Free(lines);
    kaiLines_Free(NULL);
}

static void test_results(void** state)
{
    (void)state;
    kaiError error = {0};
    kaiRow row = {0};
    kaiCsvOptions none = {0}, csv = kaiDefaultCsvOptions();
    assert_null(kaiCsv_Open(NULL, NULL, 0, &error));
    refused(error.status, &error);
    assert_null(kaiCsv_Open(&none, NULL, 0, &error));
    refused(error.status, &error);
    assert_null(kaiCsv_Open(&csv, NULL, 3, &error));
    csv.view = (kaiView)9;
    assert_null(kaiCsv_Open(&csv, NULL, 0, &error));
    refused(error.status, &error);
    csv = kaiDefaultCsvOptions();
    csv.lead_count = 2;
    assert_null(kaiCsv_Open(&csv, NULL, 0, &error));
    csv = kaiDefaultCsvOptions();
    csv.allocator = (kaiAllocator){0};
    assert_null(kaiCsv_Open(&csv, NULL, 0, NULL));
    assert_int_equal(kaiCsv_Row(NULL, &row), KAI_ERR_USAGE);
    kaiCsv_SetLead(NULL, NULL);
    assert_int_equal(kaiCsv_Mark(NULL, NULL), KAI_ERR_USAGE);
    assert_int_equal(kaiCsv_Close(NULL, NULL), KAI_ERR_USAGE);
    assert_null(kaiCsvReader_Open(NULL, kaiDefaultAllocator(), &error));
    refused(error.status, &error);
    assert_null(kaiCsvReader_Open("x.csv", (kaiAllocator){0}, &error));
    refused(kaiCsvReader_Read(NULL, NULL, &error), &error);
    assert_null(kaiCsvReader_Remark(NULL));
    kaiCsvReader_SetInterrupt(NULL, NULL);
    kaiCsvReader_Free(NULL);
    misuse_lines(&error);
    assert_int_equal(kaiNumber_Write(NULL, 1), 0);
}

static void test_figures(void** state)
{
    (void)state;
    kaiError error = {0};
    kaiRow row = {0};
    kaiFigureOptions zero = {0}, fine = kaiDefaultFigureOptions(), pathless = kaiDefaultFigureOptions();
    const kaiFigureOptions* bad[] = {NULL, &zero, &pathless};
    kaiPanel panel = {.count = 1};
    kaiColumn column = {.name = "x"};
    pathless.path = NULL;
    for (int i = 0; i < 3; i++)
    {
        assert_null(kaiFigure_Create(bad[i], NULL, 0, NULL, 0, &error));
        refused(error.status, &error);
        assert_null(kaiInstants_Create(bad[i], NAN, NULL, 0, &error));
        refused(error.status, &error);
    }
    assert_null(kaiFigure_Create(&fine, NULL, 2, NULL, 0, &error));
    assert_null(kaiFigure_Create(&fine, &column, 1, NULL, 2, &error));
    assert_null(kaiFigure_Create(&fine, &column, 1, &panel, 1, &error));
    assert_null(kaiFigure_Create(&fine, &column, 1, NULL, -1, NULL));
    assert_null(kaiInstants_Create(&fine, 0, NULL, 2, NULL));
    assert_int_equal(kaiFigure_Row(NULL, &row), KAI_ERR_USAGE);
    kaiFigure_Fired(NULL, NULL);
    assert_int_equal(kaiFigure_BeginRun(NULL, ""), KAI_ERR_USAGE);
    assert_int_equal(kaiFigure_BeginPoints(NULL, ""), KAI_ERR_USAGE);
    refused(kaiFigure_Draw(NULL, &error), &error);
    kaiFigure_Free(NULL);
    assert_int_equal(kaiInstants_Row(NULL, &row), KAI_ERR_USAGE);
    kaiInstants_Fired(NULL, NULL);
    refused(kaiInstants_Show(NULL, NULL, 0, &error), &error);
    refused(kaiInstants_Draw(NULL, &error), &error);
    kaiInstants_Free(NULL);
}

// ------------------------------------------------------------------------------------------------------------ studies

static void* count_threads(void* user)
{
    __atomic_fetch_add((int*)user, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void test_studies(void** state)
{
    (void)state;
    House h = build();
    kaiError error = {0};
    kaiCompileOptions compile = kaiDefaultCompileOptions(), zero = {0};
    kaiSweepOptions options = kaiDefaultSweepOptions(), none = {0};
    kaiSweepResult result;
    const kaiModel* model;
    double values[32];
    char text[20];
    kaiProgram* clone = NULL;
    assert_null(kaiSweep_Create(NULL, h.model, &compile, &error));
    refused(error.status, &error);
    assert_null(kaiSweep_Create(h.program, NULL, &compile, &error));
    refused(error.status, &error);
    assert_null(kaiSweep_Create(h.program, h.model, &zero, &error));
    refused(error.status, &error);
    assert_null(kaiSweep_Create(h.program, h.model, NULL, NULL));
    kaiSweep* sweep = kaiSweep_Create(h.program, h.model, &compile, &error);
    assert_int_equal(kaiSweep_PointCount(sweep), 1);
    kaiSweep* sweeps[] = {NULL, sweep};
    for (int i = 0; i < 2; i++)
    {
        assert_false(kaiSweep_Values(sweeps[i], -1, values));
        assert_false(kaiSweep_Values(sweeps[i], 1, values));
        assert_int_equal(kaiSweep_Model(sweeps[i], 1, &model), KAI_ERR_USAGE);
        assert_int_equal(kaiSweep_Set(sweeps[i], 7, h.model, h.sim), KAI_ERR_USAGE);
        assert_null(kaiSweep_ParameterName(sweeps[i], 0));
        kaiSweep_Describe(sweeps[i], 99, text, sizeof text);
        kaiSweep_Describe(sweeps[i], 0, NULL, 0);
        refused(kaiSweep_Run(sweeps[i], NULL, &result, &error), &error);
        refused(kaiSweep_Run(sweeps[i], &none, &result, &error), &error);
    }
    refused(kaiSweep_Run(NULL, &options, &result, &error), &error);
    refused(kaiSweep_Run(sweep, &options, NULL, &error), &error);
    assert_int_equal(kaiSweep_Model(sweep, 0, NULL), KAI_ERR_USAGE);
    assert_int_equal(kaiSweep_Set(sweep, 0, NULL, h.sim), KAI_ERR_USAGE);
    assert_int_equal(kaiSweep_Set(sweep, 0, h.model, NULL), KAI_ERR_USAGE);
    assert_int_equal(kaiSweep_PointCount(NULL), 0);
    assert_int_equal(kaiSweep_ParameterCount(NULL), 0);
    assert_false(kaiSweep_IsStructural(NULL));
    assert_int_equal(kaiSweep_Run(sweep, &options, &result, &error), KAI_OK);  // without callbacks it just runs
    assert_int_equal(result.complete, 1);
    kaiSweep_Free(sweep);
    kaiSweep_Free(NULL);
    assert_int_equal(kaiProgram_Clone(NULL, &clone), KAI_ERR_USAGE);
    assert_int_equal(kaiProgram_Clone(h.program, NULL), KAI_ERR_USAGE);
    tear_down(&h);
}

static void test_reports(void** state)
{
    (void)state;
    House h = build();
    kaiError error = {0};
    kaiCompileOptions compile = kaiDefaultCompileOptions();
    kaiReportOptions explain = kaiDefaultReportOptions(), nothing = {0};
    assert_null(kaiReport_Create(h.program, h.model, &compile, NULL, &error));
    refused(error.status, &error);
    assert_null(kaiReport_Create(h.program, h.model, &compile, &nothing, &error));
    assert_null(kaiReport_Create(NULL, h.model, &compile, &explain, &error));
    refused(error.status, &error);
    assert_null(kaiReport_Sim(NULL));
    assert_null(kaiReport_Model(NULL));
    assert_int_equal(kaiReport_Status(NULL), KAI_ERR_USAGE);
    assert_int_equal(kaiReport_LongestInstant(NULL, NULL), 0);
    assert_int_equal(kaiReport_SweepPoints(NULL), 0);
    assert_int_equal(kaiReport_AddFigure(NULL, "<svg/>"), KAI_ERR_USAGE);
    kaiReport* report = kaiReport_Create(h.program, h.model, &compile, &explain, &error);
    assert_non_null(report);
    assert_int_equal(kaiReport_AddFigure(report, NULL), KAI_ERR_USAGE);
    assert_int_equal(kaiReport_AddFigure(report, "no picture"), KAI_ERR_USAGE);
    assert_int_equal(kaiReport_Write(report, KAI_REPORT_TEXT, NULL), KAI_ERR_USAGE);
    assert_int_equal(kaiReport_Write(report, (kaiReportFormat)9, &(kaiSink){0}), KAI_ERR_USAGE);
    assert_int_equal(kaiReport_Write(NULL, KAI_REPORT_TEXT, &(kaiSink){0}), KAI_ERR_USAGE);
    kaiReport_Free(report);
    kaiReport_Free(NULL);

    int runs = 0;
    assert_int_equal(kaiThreads_Wanted(-5), 1);
    kaiThreads_Run(-3, count_threads, &runs);
    assert_int_equal(runs, 1);
    kaiThreads_Run(3, NULL, NULL);
    tear_down(&h);
}

static void checkpoints(void** state)
{
    (void)state;
    House h = build();
    kaiError error;
    size_t size = 0;
    refused(kaiCheckpoint_Write(NULL, NULL, &error), &error);
    refused(kaiCheckpoint_Write("x", &(kaiCheckpointParts){.sim = NULL}, &error), &error);
    refused(kaiCheckpoint_Write("x", &(kaiCheckpointParts){.sim = h.sim, .word_count = 2}, &error), &error);
    refused(kaiCheckpoint_Write("x", &(kaiCheckpointParts){.sim = h.sim, .word_count = -1}, &error), &error);
    assert_int_equal(kaiCheckpoint_Write("no/such/folder/x", &(kaiCheckpointParts){.sim = h.sim}, NULL), KAI_ERR_IO);
    assert_null(kaiCheckpoint_Read(NULL, &error));
    assert_int_equal(error.status, KAI_ERR_USAGE);
    assert_null(kaiCheckpoint_Read("README.md", &error));
    assert_int_equal(error.status, KAI_ERR_IO);
    assert_non_null(error.message);
    assert_int_equal(kaiCheckpoint_WordCount(NULL), 0);
    assert_null(kaiCheckpoint_Word(NULL, 0));
    assert_null(kaiCheckpoint_Mark(NULL, &size));
    refused(kaiCheckpoint_Restore(NULL, h.model, h.sim, &error), &error);
    kaiCheckpoint_Free(NULL);
    tear_down(&h);
}

static kaiStatus no_answer(void* user, const char* bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return KAI_ERR_IO;
}

static void test_service(void** state)
{
    (void)state;
    kaiServiceOptions options = kaiDefaultServiceOptions(), zeros = {0};
    kaiSink sink = {no_answer, NULL}, none = {NULL, NULL};
    kaiError error;
    assert_int_equal(kaiService_Answer(NULL, "{}", 2, NULL, &sink), KAI_ERR_USAGE);
    assert_int_equal(kaiService_Answer(&zeros, "{}", 2, NULL, &sink), KAI_ERR_USAGE);
    assert_int_equal(kaiService_Answer(&options, NULL, 2, NULL, &sink), KAI_ERR_USAGE);
    assert_int_equal(kaiService_Answer(&options, "{}", 2, NULL, NULL), KAI_ERR_USAGE);
    assert_int_equal(kaiService_Answer(&options, "{}", 2, NULL, &none), KAI_ERR_USAGE);
    assert_int_equal(kaiService_Answer(&options, "{}", 2, NULL, &sink), KAI_ERR_IO);
    assert_null(kaiLanguageServer_Create(NULL, &sink, &error));
    assert_null(kaiLanguageServer_Create(&zeros, &sink, NULL));
    assert_null(kaiLanguageServer_Create(&options, &none, &error));
    assert_null(kaiLanguageServer_Create(&options, NULL, &error));
    assert_int_equal(kaiLanguageServer_Message(NULL, "{}", 2), KAI_ERR_USAGE);
    assert_int_equal(kaiLanguageServer_Idle(NULL), KAI_ERR_USAGE);
    kaiLanguageServer* server = kaiLanguageServer_Create(&options, &sink, NULL);
    assert_int_equal(kaiLanguageServer_Message(server, NULL, 2), KAI_ERR_USAGE);
    assert_int_equal(kaiLanguageServer_Message(server, "{", 1), KAI_ERR_IO);
    kaiLanguageServer_Free(server);
    kaiLanguageServer_Free(NULL);
}

static void test_studio(void** state)
{
    (void)state;
    kaiStudioOptions options = kaiDefaultStudioOptions(), zeros = {0};
    kaiError error;
    assert_null(kaiStudio_Start(NULL, &error));
    assert_null(kaiStudio_Start(&zeros, NULL));
    options.folder = "no such folder";
    assert_null(kaiStudio_Start(&options, &error));
    assert_int_equal(error.status, KAI_ERR_IO);
    options.folder = ".";
    options.port = 100000;
    assert_null(kaiStudio_Start(&options, &error));
    options.port = 0;
    options.file_count = 3;
    assert_null(kaiStudio_Start(&options, &error));
    options.file_count = 0;
    options.service = (kaiServiceOptions){0};
    assert_null(kaiStudio_Start(&options, &error));
    assert_string_equal(kaiStudio_Address(NULL), "");
    kaiStudio_Stop(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open),    cmocka_unit_test(test_no_program), cmocka_unit_test(test_questions),
        cmocka_unit_test(test_indices), cmocka_unit_test(test_reports),    cmocka_unit_test(test_no_proof),
        cmocka_unit_test(test_model),   cmocka_unit_test(test_create),     cmocka_unit_test(test_no_sim),
        cmocka_unit_test(test_eval),    cmocka_unit_test(test_sim),        cmocka_unit_test(test_results),
        cmocka_unit_test(test_figures), cmocka_unit_test(test_studies),    cmocka_unit_test(checkpoints),
        cmocka_unit_test(test_service), cmocka_unit_test(test_studio),
    };
    return cmocka_run_group_tests_name("misuse", tests, NULL, NULL);
}
