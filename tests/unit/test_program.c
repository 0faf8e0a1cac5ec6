// A program that is asked many questions: symbols as an editor needs them, files from a callback, what a text may read,
// variables, memory that does not grow with the questions.
#include "kairos/kairos.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char shop_text[] =
    "function twice(x) = 2*x\n"
    "model Part \"a part\" {\n"
    "  param k [1/s] = 3 \"rate\"\n"
    "  state x [m] = 1 \"place\"\n"
    "  x' = -k*x\n"
    "}\n"
    "model Shop {\n"
    "  a : Part(k = 2)\n"
    "  row : Part[i in 1..3](k = i)\n"
    "  signal s [m] = a.x + sum(j in 1..3, row[j].x), y = twice(a.x)\n"
    "  event low = down(a.x - 0.5)\n"
    "  modes {\n"
    "    initial mode up { on low -> off }\n"
    "    mode off { discrete n = 0 }\n"
    "  }\n"
    "  modes {\n"
    "    initial mode off { on low -> up }\n"
    "    mode up { }\n"
    "  }\n"
    "}\n"
    "experiment e of Shop { stop = 1; record a.x, s; expect final(a.x) ~ exp(-2) within 1e-6 }\n";

static kaiProgram* open_text(const char* text)
{
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiProgram* program = NULL;
    options.path = "shop.kai";
    options.text = text;
    kaiProgram_Open(&options, &program, NULL);
    assert_non_null(program);
    return program;
}

static int find_symbol(kaiProgram* program, kaiSymbolKind kind, const char* name)
{
    kaiSymbol symbol;
    for (int i = 0; kaiProgram_Symbol(program, i, &symbol); i++)
        if (symbol.kind == kind && strcmp(symbol.name, name) == 0)
            return i;
    fail_msg("no symbol %s", name);
    return -1;
}

// ------------------------------------------------------------------------------------------------------------ symbols

static void test_symbols(void** state)
{
    (void)state;
    kaiProgram* program = open_text(shop_text);
    kaiSymbol symbol;
    assert_true(kaiProgram_Symbol(program, find_symbol(program, KAI_SYMBOL_STATE, "x"), &symbol));
    assert_string_equal(symbol.unit, "m");
    assert_string_equal(symbol.description, "place");
    assert_int_equal(symbol.place.line, 4);
    assert_int_equal(symbol.place.column, 9);
    assert_int_equal(symbol.place.end_column, 10);
    assert_true(kaiProgram_Symbol(program, symbol.parent, &symbol));
    assert_string_equal(symbol.name, "Part");
    assert_string_equal(symbol.description, "a part");
    assert_true(kaiProgram_Symbol(program, find_symbol(program, KAI_SYMBOL_INSTANCE, "row"), &symbol));
    assert_true(symbol.is_array);
    assert_string_equal(symbol.type, "Part");
    assert_true(kaiProgram_Symbol(program, find_symbol(program, KAI_SYMBOL_EXPERIMENT, "e"), &symbol));
    assert_string_equal(symbol.type, "Shop");
    assert_string_equal(kaiSymbolKind_Word(symbol.kind), "experiment");
    find_symbol(program, KAI_SYMBOL_ARGUMENT, "x");
    find_symbol(program, KAI_SYMBOL_INDEX, "i");
    find_symbol(program, KAI_SYMBOL_INDEX, "j");
    kaiProgram_Free(program);
}

// Go to definition: what stands under the cursor.
static void test_symbol_at(void** state)
{
    (void)state;
    kaiProgram* program = open_text(shop_text);
    int x = find_symbol(program, KAI_SYMBOL_STATE, "x"), k = find_symbol(program, KAI_SYMBOL_PARAM, "k");
    assert_int_equal(kaiProgram_SymbolAt(program, "shop.kai", 10, 20), x);  // a.x
    assert_int_equal(kaiProgram_SymbolAt(program, "shop.kai", 10, 21), x);  // right behind it
    assert_int_equal(kaiProgram_SymbolAt(program, "shop.kai", 10, 46), x);  // row[j].x
    assert_int_equal(kaiProgram_SymbolAt(program, "shop.kai", 8, 12), k);   // Part(k = 2)
    assert_int_equal(kaiProgram_SymbolAt(program, "shop.kai", 8, 8), find_symbol(program, KAI_SYMBOL_MODEL, "Part"));
    assert_int_equal(kaiProgram_SymbolAt(program, "shop.kai", 1, 23), find_symbol(program, KAI_SYMBOL_ARGUMENT, "x"));
    assert_int_equal(kaiProgram_SymbolAt(program, "shop.kai", 10, 57),
                     find_symbol(program, KAI_SYMBOL_FUNCTION, "twice"));
    assert_int_equal(kaiProgram_SymbolAt(program, "shop.kai", 21, 55), -1);  // final
    assert_int_equal(kaiProgram_SymbolAt(program, "shop.kai", 99, 1), -1);
    assert_int_equal(kaiProgram_SymbolAt(program, "other.kai", 1, 1), -1);
    kaiProgram_Free(program);
}

// Renames every symbol of the text in turn, by its occurrences alone. The renamed program means the same: it has no
// errors, and as many symbols and occurrences; and the old name stands only where another symbol has it.
static char* rename_symbol(kaiProgram* program, const char* text, int symbol, const char* to)
{
    char* made = calloc(1, 3 * strlen(text) + 1);
    size_t length = 0;
    const char* at = text;
    kaiOccurrence o;
    for (int i = 0; kaiProgram_Occurrence(program, i, &o); i++)
    {
        if (o.symbol != symbol)
            continue;
        const char* line = text;
        for (int n = 1; n < o.place.line; n++)
            line = strchr(line, '\n') + 1;
        const char* name = line + o.place.column - 1;
        assert_true(name >= at);
        length += (size_t)sprintf(made + length, "%.*s%s", (int)(name - at), at, to);
        at = name + (o.place.end_column - o.place.column);
    }
    strcpy(made + length, at);
    return made;
}

static void test_rename(void** state)
{
    (void)state;
    kaiProgram* program = open_text(shop_text);
    assert_int_equal(kaiProgram_Check(program), KAI_OK);
    int count = kaiProgram_SymbolCount(program), occurrences = kaiProgram_OccurrenceCount(program);
    assert_int_equal(count, 19);  // counted by hand, and 29 uses of them
    assert_int_equal(occurrences, 19 + 29);
    for (int i = 0; i < count; i++)
    {
        kaiSymbol symbol;
        kaiProgram_Symbol(program, i, &symbol);
        char* text = rename_symbol(program, shop_text, i, "renamed_here");
        kaiProgram* renamed = open_text(text);
        if (kaiProgram_Check(renamed) != KAI_OK)
            fail_msg("%s renamed: %s", symbol.name, kaiProgram_MessageText(renamed, 0, false));
        assert_int_equal(kaiProgram_SymbolCount(renamed), count);
        assert_int_equal(kaiProgram_OccurrenceCount(renamed), occurrences);
        kaiProgram_Free(renamed);
        free(text);
    }
    kaiProgram_Free(program);
}

// A text that is being written: what is readable is known.
static void test_symbols_of_a_broken_text(void** state)
{
    (void)state;
    kaiProgram* program = open_text("model M {\n  param a = 1\n  state x = a\n  x' = -a *\n}\n");
    assert_true(kaiProgram_ErrorCount(program) > 0);
    assert_int_equal(kaiProgram_SymbolAt(program, "shop.kai", 3, 13), find_symbol(program, KAI_SYMBOL_PARAM, "a"));
    kaiProgram_Free(program);
}

// -------------------------------------------------------------------------------------------------------------- files

typedef struct Drawer
{
    int reads, releases;
    const char* last_importer;
} Drawer;

static kaiStatus read_drawer(void* user, const kaiFileRequest* request, const char** text, size_t* length,
                             const char** why)
{
    Drawer* drawer = user;
    drawer->reads++;
    drawer->last_importer = request->importer;
    *text = strcmp(request->path, "box/main.kai") == 0 ? "import \"../parts/p.kai\"\nimport \"./other.kai\"\n"
                                                         "model M { p : P; o : O; signal y = table(\"t.csv\", 0.5) }\n"
            : strcmp(request->path, "box/../parts/p.kai") == 0
                ? "import \"../box/other.kai\"\nmodel P { param a = 1 }\n"
            : strcmp(request->path, "box/./other.kai") == 0 ? "model O { param b = 2 }\n"
            : strcmp(request->path, "box/t.csv") == 0       ? "0,1\n1,3\n"
                                                            : NULL;
    *why = "the drawer does not have it";
    *length = *text != NULL ? strlen(*text) : 0;
    return *text != NULL ? KAI_OK : KAI_ERR_IO;
}

static void release_drawer(void* user, const char* text, size_t length)
{
    (void)text, (void)length;
    ((Drawer*)user)->releases++;
}

// Nothing of this is in any file system. `./other.kai` and `../box/other.kai` are one file.
static void test_provider(void** state)
{
    (void)state;
    Drawer drawer = {0};
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiProgram* program = NULL;
    kaiError error;
    options.path = "box/main.kai";
    options.files = (kaiFileProvider){read_drawer, release_drawer, &drawer};
    assert_int_equal(kaiProgram_Open(&options, &program, &error), KAI_OK);
    assert_int_equal(drawer.reads, 3);
    assert_int_equal(kaiProgram_FileCount(program), 3);
    assert_int_equal(kaiProgram_ModelCount(program), 3);
    assert_string_equal(drawer.last_importer, "box/main.kai");
    kaiCompileOptions compile = kaiDefaultCompileOptions();
    compile.model = "M";
    kaiModel* model = NULL;
    assert_int_equal(kaiProgram_Compile(program, &compile, &model), KAI_OK);
    assert_int_equal(drawer.reads, 4);
    assert_int_equal(drawer.releases, 4);
    kaiModel_Free(model);
    kaiProgram_Free(program);

    options.path = "box/none.kai";
    assert_int_equal(kaiProgram_Open(&options, &program, &error), KAI_ERR_IO);
    assert_null(program);
    assert_string_equal(error.message, "box/none.kai cannot be read: the drawer does not have it");
}

static void write_text(const char* path, const char* text)
{
    FILE* out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static kaiStatus open_with(const char* path, kaiPolicy policy, kaiError* error)
{
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiProgram* program = NULL;
    options.path = path;
    options.policy = policy;
    kaiStatus status = kaiProgram_Open(&options, &program, error);
    kaiProgram_Free(program);
    return status;
}

static void test_policy(void** state)
{
    (void)state;
    char folder[] = "/tmp/kairos-policy-XXXXXX", mine[100], near[100], other[100], file[200];
    assert_non_null(mkdtemp(folder));
    snprintf(mine, sizeof mine, "%s/mine", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    snprintf(near, sizeof near, "%s/mine2", folder);
    mkdir(mine, 0700), mkdir(other, 0700), mkdir(near, 0700);
    snprintf(file, sizeof file, "%s/o.kai", other);
    write_text(file, "model O { }\n");
    snprintf(file, sizeof file, "%s/o.kai", near);
    write_text(file, "model O { }\n");
    snprintf(file, sizeof file, "%s/m.kai", mine);
    write_text(file, "model M { }\nimport \"../other/o.kai\"\n");
    kaiError error;
    assert_int_equal(open_with(file, (kaiPolicy){0}, &error), KAI_ERR_MODEL);
    assert_string_equal(error.code, "K170");
    assert_int_equal(error.place.line, 2);
    assert_non_null(strstr(error.help, "--allow-files"));
    const char* folders[] = {"/nowhere", other};
    assert_int_equal(open_with(file, (kaiPolicy){.folders = folders, .folder_count = 1}, &error), KAI_ERR_MODEL);
    assert_int_equal(open_with(file, (kaiPolicy){.folders = folders, .folder_count = 2}, &error), KAI_OK);
    assert_int_equal(open_with(file, (kaiPolicy){.allow_files = true}, &error), KAI_OK);
    write_text(file, "import \"../mine2/o.kai\"\n");  // begins like the folder, but is another
    assert_int_equal(open_with(file, (kaiPolicy){0}, &error), KAI_ERR_MODEL);
    char command[200];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

// ---------------------------------------------------------------------------------------------------------- questions

// The lines that a view of instants shows come from the text that was compiled, however long they are.
static void test_source_lines(void** state)
{
    (void)state;
    char text[6000], line[40];
    int length = snprintf(text, sizeof text, "model M { param a = 1 // ");
    memset(text + length, 'x', 4000);
    strcpy(text + length + 4000, "\n  \tparam b = 2  \n}\n");
    kaiProgram* program = open_text(text);
    assert_true(kaiProgram_SourceLine(program, "shop.kai", 2, line, sizeof line));
    assert_string_equal(line, "param b = 2");
    assert_true(kaiProgram_SourceLine(program, "shop.kai", 1, line, 10));
    assert_string_equal(line, "model M {");
    assert_false(kaiProgram_SourceLine(program, "shop.kai", 9, line, sizeof line));
    kaiProgram_Free(program);
}

typedef struct Heap
{
    long live, most;
} Heap;

static void* heap_alloc(void* user, void* block, size_t old_size, size_t size)
{
    Heap* heap = user;
    heap->live += (long)size - (block != NULL ? (long)old_size : 0);
    heap->most = heap->live > heap->most ? heap->live : heap->most;
    if (size > 0)
        return realloc(block, size);
    free(block);
    return NULL;
}

// The models of a sweep over a structure, one after the other: the hundredth needs no more than the second.
static void test_questions_leave_nothing(void** state)
{
    (void)state;
    Heap heap = {0};
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiCompileOptions compile = kaiDefaultCompileOptions();
    kaiProgram* program = NULL;
    options.path = "n.kai";
    options.text = "model M { param n = 3; state x[i in 1..n] = i; for i in 1..n { x[i]' = -x[i] } }\n";
    options.allocator = (kaiAllocator){heap_alloc, &heap};
    assert_int_equal(kaiProgram_Open(&options, &program, NULL), KAI_OK);
    long after_second = 0;
    for (int i = 0; i < 100; i++)
    {
        kaiOverride size = {"n", 3 + i % 2};
        kaiModel* model = NULL;
        compile.overrides = &size;
        compile.override_count = 1;
        assert_int_equal(kaiProgram_Compile(program, &compile, &model), KAI_OK);
        assert_int_equal(kaiModel_StateCount(model), 3 + i % 2);
        kaiModel_Free(model);
        if (i == 1)
            after_second = heap.live;
    }
    assert_int_equal(heap.live, after_second);
    kaiProgram_Free(program);
    assert_int_equal(heap.live, 0);
}

// Messages of reading stay, those of a question go with the next.
static void test_messages_of_questions(void** state)
{
    (void)state;
    kaiProgram* program = open_text("model M { param a = 1 }\nmodel W { signal y = nobody }\n");
    kaiCompileOptions compile = kaiDefaultCompileOptions();
    kaiModel* model = NULL;
    const char* text = NULL;
    assert_int_equal(kaiProgram_Check(program), KAI_ERR_MODEL);
    assert_int_equal(kaiProgram_ErrorCount(program), 1);
    assert_string_equal(kaiProgram_Message(program, 0)->code, "K020");
    assert_int_equal(kaiProgram_Message(program, 0)->status, KAI_ERR_MODEL);
    compile.model = "M";
    assert_int_equal(kaiProgram_Compile(program, &compile, &model), KAI_OK);
    assert_int_equal(kaiProgram_MessageCount(program), 0);
    kaiModel_Free(model);
    assert_int_equal(kaiProgram_List(program, &compile, "flat", &text), KAI_OK);
    assert_true(strlen(text) > 0);
    assert_int_equal(kaiProgram_List(program, &compile, "nonsense", &text), KAI_ERR_USAGE);
    for (int i = 0; kaiProgram_ListingWord(i) != NULL; i++)
        assert_int_equal(kaiProgram_List(program, &compile, kaiProgram_ListingWord(i), &text), KAI_OK);
    kaiProgram_Free(program);

    program = open_text("import \"no_such.kai\"\nmodel M { param a = 1 }\n");
    assert_int_equal(kaiProgram_ErrorCount(program), 1);
    assert_int_equal(kaiProgram_Format(program, &text), KAI_OK);
    assert_int_equal(kaiProgram_ErrorCount(program), 1);
    kaiProgram_Free(program);
}

// ---------------------------------------------------------------------------------------------------------- variables

static kaiVariable variable(const kaiModel* model, const char* name)
{
    kaiVariable v;
    assert_true(kaiModel_Variable(model, kaiModel_FindVariable(model, name), &v));
    assert_string_equal(v.name, name);
    return v;
}

static void test_variables(void** state)
{
    (void)state;
    kaiProgram* program = open_text("model V {\n"
                                    "  param n = 2, a [km] = 3[km] \"length\", b = 2*a/1[m]\n"
                                    "  input u = 0.5\n"
                                    "  state x[i in 1..n] [m] = 10*i*1[m]\n"
                                    "  discrete d = 4\n"
                                    "  event tick = clock(1)\n"
                                    "  output out [m] = x[1]\n"
                                    "  for i in 1..n { x[i]' = -u*x[i]/1[s] }\n"
                                    "  modes { initial mode up { } mode down { } }\n"
                                    "}\n");
    kaiCompileOptions compile = kaiDefaultCompileOptions();
    kaiModel* model = NULL;
    kaiOverride more = {"a", 5};
    compile.overrides = &more;
    compile.override_count = 1;
    kaiStatus status = kaiProgram_Compile(program, &compile, &model);
    if (status != KAI_OK)
        fail_msg("%s", kaiProgram_MessageText(program, 0, false));
    kaiProgram_Free(program);
    kaiVariable v = variable(model, "a");
    assert_int_equal(v.kind, KAI_PARAM);
    assert_int_equal(v.causality, KAI_CAUSALITY_PARAMETER);
    assert_int_equal(v.variability, KAI_VARIABILITY_FIXED);
    assert_string_equal(v.unit, "km");
    assert_string_equal(v.description, "length");
    assert_true(v.start == 5 && v.scale == 1000 && v.offset == 0 && v.settable && v.column == NULL && v.size == 1);
    assert_int_equal(v.place.line, 2);
    v = variable(model, "b");
    assert_true(v.start == 10000 && v.scale == 1 && !v.settable);
    assert_int_equal(v.causality, KAI_CAUSALITY_CALCULATED_PARAMETER);
    v = variable(model, "n");
    assert_int_equal(v.variability, KAI_VARIABILITY_CONSTANT);
    assert_true(v.start == 2);
    v = variable(model, "u");
    assert_int_equal(v.causality, KAI_CAUSALITY_INPUT);
    assert_true(v.start == 0.5 && v.settable);
    v = variable(model, "x[2]");
    assert_int_equal(v.kind, KAI_STATE);
    assert_int_equal(v.variability, KAI_VARIABILITY_CONTINUOUS);
    assert_true(v.start == 20 && v.settable);
    assert_string_equal(v.column, "x[2]");
    v = variable(model, "d");
    assert_int_equal(v.variability, KAI_VARIABILITY_DISCRETE);
    assert_true(v.start == 4);
    v = variable(model, "out");
    assert_int_equal(v.causality, KAI_CAUSALITY_OUTPUT);
    assert_true(isnan(v.start));
    v = variable(model, "tick");
    assert_int_equal(v.kind, KAI_EVENT);
    assert_int_equal(v.column_kind, KAI_COLUMN_EVENT);
    v = variable(model, "mode");
    assert_int_equal(v.kind, KAI_MODE);
    assert_string_equal(kaiVariableKind_Word(v.kind), "mode");
    kaiModel_Free(model);
}

// ---------------------------------------------------------------------------------------------------- one-call loading

static void test_load(void** state)
{
    (void)state;
    kaiModel* model = NULL;
    kaiError error;
    assert_int_equal(kaiModel_Load("examples/ball/model.kai", NULL, &model, &error), KAI_OK);
    assert_string_equal(kaiModel_Name(model), "Ball");
    assert_non_null(kaiModel_Experiment(model));
    kaiModel_Free(model);
    assert_int_equal(kaiModel_Load("examples/ball/model.kai", "nobody", &model, &error), KAI_ERR_MODEL);
    assert_null(model);
    assert_string_equal(error.code, "K029");
    assert_int_equal(kaiModel_Load("no/such.kai", NULL, &model, &error), KAI_ERR_IO);
    assert_non_null(strstr(error.message, "no/such.kai cannot be read"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_symbol_at),
        cmocka_unit_test(test_rename),
        cmocka_unit_test(test_symbols_of_a_broken_text),
        cmocka_unit_test(test_provider),
        cmocka_unit_test(test_policy),
        cmocka_unit_test(test_source_lines),
        cmocka_unit_test(test_questions_leave_nothing),
        cmocka_unit_test(test_messages_of_questions),
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_load),
    };
    return cmocka_run_group_tests_name("program", tests, NULL, NULL);
}
