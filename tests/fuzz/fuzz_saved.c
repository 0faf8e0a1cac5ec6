// Bytes → changes to a saved model and to a saved snapshot. The checksum of the model is made right again, so that what
// is inside is looked at: it is refused with a sentence, or it runs. A snapshot whose bytes changed is refused.
#include "base/hash.h"
#include "fuzz/fuzz.h"

static const char text[] = "model M { param k = 1; state x = 1, v = 0; x' = v; v' = -k*x; discrete n = 0\n"
                           "  event e = clock(0.3), d = delay(e, 0.1); signal h = delay(x, 0.2)\n"
                           "  when down(x) { n := n + 1 }\n  modes { initial mode a { on n > 2 -> b } mode b { } } }\n"
                           "experiment e of M { stop = 3; expect final(n) > 0 }\n";

typedef struct Store
{
    char* at;
    size_t size;
} Store;

static Store model_bytes, snapshot_bytes;
static kaiModel* model;

static kaiStatus store(void* user, const char* bytes, size_t size)
{
    Store* s = user;
    s->at = realloc(s->at, s->size + size);
    fuzz_demand(s->at != NULL);
    memcpy(s->at + s->size, bytes, size);
    s->size += size;
    return KAI_OK;
}

// Made once: the target changes copies.
static void prepare(void)
{
    kaiProgram* program = fuzz_open(text);
    kaiCompileOptions options = kaiDefaultCompileOptions();
    options.experiment = "e";
    fuzz_demand(kaiProgram_Compile(program, &options, &model) == KAI_OK);
    kaiProgram_Free(program);
    fuzz_demand(kaiModel_Save(model, &(kaiSink){store, &model_bytes}) == KAI_OK);
    kaiSimOptions run = kaiModel_SimOptions(model);
    kaiSim* sim = kaiSim_Create(model, &run, NULL);
    kaiSim_StepTo(sim, 1);
    kaiSnapshot* snapshot = kaiSim_Save(sim);
    fuzz_demand(kaiSnapshot_Write(snapshot, &(kaiSink){store, &snapshot_bytes}) == KAI_OK);
    kaiSnapshot_Free(snapshot);
    kaiSim_Free(sim);
}

// Each three bytes of the input: where (16 bits), and what.
static Store changed(const Store* from, const uint8_t* bytes, size_t size, bool* same)
{
    Store copy = {malloc(from->size), from->size};
    fuzz_demand(copy.at != NULL);
    memcpy(copy.at, from->at, from->size);
    for (size_t i = 0; i + 3 <= size && i < 300; i += 3)
        copy.at[(size_t)(bytes[i] | bytes[i + 1] << 8) % copy.size] ^= (char)bytes[i + 2];
    *same = memcmp(copy.at, from->at, from->size) == 0;
    return copy;
}

static void try_model(Store copy)
{
    enum
    {
        CHECKSUM = 32,  // where model/save.c has it, and where the content begins
        CONTENT = 40
    };
    kaiModel* loaded = NULL;
    kaiError error = {0};
    uint64_t sum = hash_bytes(HASH_START, copy.at + CONTENT, copy.size - CONTENT);
    memcpy(copy.at + CHECKSUM, &sum, sizeof sum);
    kaiStatus status = kaiModel_LoadSaved(copy.at, copy.size, false, &loaded, &error);
    fuzz_demand((status == KAI_OK) == (loaded != NULL) && (status == KAI_OK || error.message != NULL));
    if (loaded != NULL)
        fuzz_run_model(loaded);
    kaiModel_Free(loaded);
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    if (model == NULL)
        prepare();
    bool same;
    kaiError error = {0};
    Store copy = changed(&model_bytes, bytes, size, &same);
    try_model(copy);
    free(copy.at);
    copy = changed(&snapshot_bytes, bytes, size, &same);
    kaiSnapshot* snapshot = kaiSnapshot_Read(model, copy.at, copy.size, &error);
    fuzz_demand((snapshot != NULL) == same && (same || error.message != NULL));
    kaiSnapshot_Free(snapshot);
    free(copy.at);
    return 0;
}
