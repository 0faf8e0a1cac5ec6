// Bytes → changes to fields of compiled models, up to eight at once: each four bytes choose a table, a record, a field
// and its hostile value (tests/unit/pokes.h). The model is refused, or it runs.
#include "fuzz/fuzz.h"
#include "unit/pokes.h"

static const char* const texts[] = {
    "model M { param k = 1; state x = 1, v = 0; x' = v; v' = -k*x; discrete n = 0\n"
    "  event e = clock(0.3), d = delay(e, 0.1); signal h = delay(x, 0.2)\n"
    "  when down(x) { n := n + 1 }\n  modes { initial mode a { on n > 2 -> b } mode b { } } }\n"
    "experiment e of M { stop = 3; expect final(n) > 0 }\n",
    "model M { param r = 2; s : Se(e = 10); c : C(c = 1); d : R(r = r); bond s -> j; bond j -> c; bond j -> d\n"
    "  j : J1 switched { initial mode a : ON { on c.q > 1 -> b } mode b : OFF { } } }\nexperiment e of M { stop = 1 "
    "}\n",
    "model M { state x = 1; discrete n = 0, k = 0; x' = -x\n"
    "  choose { when time >= 0.2 and n == 0 { n := 1 } when time >= 0.2 and k == 0 { k := n + 1 } } }\n"
    "experiment e of M { stop = 1; choice = all }\n",
    ("model M { state x = 0, y = 1; unknown z = 1; equation z^2 == 2 + x; x' = z; y' = -100*y; signal s = floor(3*x) "
     "}\n"
     "experiment e of M { stop = 1; solver = rosenbrock; islands = auto }\n"),
};

enum
{
    TEXTS = sizeof texts / sizeof *texts
};

static kaiModel* models[TEXTS];

static void prepare(void)
{
    for (int i = 0; i < TEXTS; i++)
    {
        kaiProgram* program = fuzz_open(texts[i]);
        kaiCompileOptions options = kaiDefaultCompileOptions();
        options.experiment = "e";
        kaiProgram_Compile(program, &options, &models[i]);
        for (int n = 0; models[i] == NULL && n < kaiProgram_MessageCount(program); n++)
            fprintf(stderr, "%s\n", kaiProgram_MessageText(program, n, false));
        fuzz_demand(models[i] != NULL);
        kaiProgram_Free(program);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    Text why = {0};
    if (models[0] == NULL)
        prepare();
    if (size < 5)
        return -1;
    kaiModel* copy = pokes_copy(models[bytes[0] % TEXTS]);
    for (size_t i = 1; i + 4 <= size && i < 33; i += 4)
    {
        const ModelTable* table = &model_tables[bytes[i] % MODEL_TABLE_COUNT];
        const ModelField* field = &table->fields[bytes[i + 2] % table->field_count];
        uint32_t count = table_count(copy, table);
        if (count > 0 && field->role != ROLE_POINTER)
            pokes_set(copy, pokes_record(copy, table, bytes[i + 1] % count), field,
                      (bytes[i + 3] >> 4) % pokes_words(field), bytes[i + 3] & 15);
    }
    if (model_validate(copy, &why))
        pokes_use(copy);
    else
        fuzz_demand(why.length > 0);
    pokes_free(copy);
    return 0;
}
