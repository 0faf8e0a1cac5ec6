// Bytes → changes to the checkpoint of a run, with its checksum made right again, so that what is inside is looked at:
// its words, the mark in its result, its snapshot. It is refused with a sentence, or the run goes on.
#include "base/hash.h"
#include "fuzz/fuzz.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

enum
{
    CHECKSUM = 16,  // where study/checkpoint.c has it
    CONTENT = 56,   // and where what it counts begins
    CHANGES = 300,
};

static const char text[] = "model M { state x = 1, v = 0; x' = v; v' = -x; event e = clock(0.3), d = delay(e, 0.1)\n"
                           "  discrete n = 0; when d { n := n + 1 } }\nexperiment e of M { stop = 3 }\n";

static kaiModel* model;
static kaiSim* shape;  // whose columns results have
static char folder[] = "/dev/shm/kairos-fuzz-checkpoint-XXXXXX", result[80], partial[90], result_text[1 << 16];
static char* sound;  // a checkpoint
static size_t sound_size, result_size;

static kaiStatus on_row(void* user, const kaiRow* row)
{
    return kaiCsv_Row(user, row);
}

static void clean_up(void)
{
    char path[100];
    snprintf(path, sizeof path, "%s.checkpoint", result);
    unlink(path);
    unlink(partial);
    unlink(result);
    rmdir(folder);
}

static kaiSim* make_sim(kaiCsv* csv)
{
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.row = csv != NULL ? on_row : NULL;
    options.row_user = csv;
    options.limits = (kaiLimits){.seconds = 3, .memory = FUZZ_MEMORY, .rows = 500, .tags = 1000};
    kaiSim* sim = kaiSim_Create(model, &options, NULL);
    fuzz_demand(sim != NULL);
    return sim;
}

static size_t read_file(const char* path, char* bytes, size_t most)
{
    FILE* file = fopen(path, "rb");
    fuzz_demand(file != NULL);
    size_t size = fread(bytes, 1, most, file);
    fclose(file);
    return size;
}

static kaiCsv* open_result(const void* mark, size_t mark_size, kaiError* error)
{
    kaiCsvOptions options = kaiDefaultCsvOptions();
    int count;
    const kaiColumn* columns = kaiSim_Columns(shape, &count);
    options.path = result;
    options.mark = mark;
    options.mark_size = mark_size;
    return kaiCsv_Open(&options, columns, count, error);
}

// Half a run, its checkpoint, and the rows that it had by then.
static void prepare(void)
{
    static const char* const words[] = {"run", "model.kai", "--checkpoint", "1"};
    kaiProgram* program = fuzz_open(text);
    kaiCompileOptions options = kaiDefaultCompileOptions();
    options.experiment = "e";
    fuzz_demand(kaiProgram_Compile(program, &options, &model) == KAI_OK && mkdtemp(folder) != NULL);
    kaiProgram_Free(program);
    shape = make_sim(NULL);
    snprintf(result, sizeof result, "%s/r.csv", folder);
    snprintf(partial, sizeof partial, "%s.part", result);
    atexit(clean_up);
    kaiCsv* csv = open_result(NULL, 0, NULL);
    kaiSim* sim = make_sim(csv);
    kaiSim_StepTo(sim, 1);
    char path[100];
    snprintf(path, sizeof path, "%s.checkpoint", result);
    kaiCheckpointParts parts = {.words = words, .word_count = 4, .csv = csv, .sim = sim};
    fuzz_demand(kaiCheckpoint_Write(path, &parts, NULL) == KAI_OK);
    sound = malloc(1 << 20);
    fuzz_demand(sound != NULL);
    sound_size = read_file(path, sound, 1 << 20);
    result_size = read_file(partial, result_text, sizeof result_text);
    kaiSim_Free(sim);
    kaiCsv_Close(csv, NULL);
    fuzz_demand(sound_size > CONTENT && result_size > 0);
}

// Each three bytes of the input: where (16 bits), and what.
static char* changed(const uint8_t* bytes, size_t size, size_t* length)
{
    char* copy = malloc(sound_size);
    fuzz_demand(copy != NULL);
    memcpy(copy, sound, sound_size);
    for (size_t i = 1; i + 3 <= size && i < CHANGES; i += 3)
        copy[(size_t)(bytes[i] | bytes[i + 1] << 8) % sound_size] ^= (char)bytes[i + 2];
    *length = size > 0 && bytes[0] >= 128 ? sound_size - (bytes[0] - 128u) % sound_size : sound_size;
    if (*length < CONTENT)
        return copy;
    uint64_t rest = *length - CONTENT, sum = hash_bytes(HASH_START, copy + CONTENT, rest);
    memcpy(copy + CHECKSUM, &sum, sizeof sum);
    if (size > 0 && bytes[0] % 2 == 1)
        memcpy(copy + 8, &rest, sizeof rest);
    return copy;
}

static void go_on(const kaiCheckpoint* checkpoint)
{
    kaiError error = {0};
    size_t size = 0;
    const void* mark = kaiCheckpoint_Mark(checkpoint, &size);
    for (int i = 0; i < kaiCheckpoint_WordCount(checkpoint); i++)
        fuzz_demand(kaiCheckpoint_Word(checkpoint, i) != NULL &&
                    strlen(kaiCheckpoint_Word(checkpoint, i)) < sound_size);
    FILE* file = fopen(partial, "wb");
    fuzz_demand(file != NULL && fwrite(result_text, 1, result_size, file) == result_size && fclose(file) == 0);
    kaiCsv* csv = mark != NULL ? open_result(mark, size, &error) : NULL;
    fuzz_demand(mark == NULL || csv != NULL || error.message != NULL);
    kaiSim* sim = make_sim(csv);
    kaiStatus status = kaiCheckpoint_Restore(checkpoint, model, sim, &error);
    fuzz_demand(status == KAI_OK || error.message != NULL);
    if (status == KAI_OK)
        status = kaiSim_Run(sim);
    fuzz_demand(status == KAI_END || status < 0);
    kaiSim_Free(sim);
    if (csv != NULL)
        kaiCsv_Close(csv, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    if (model == NULL)
        prepare();
    char path[60];
    size_t length;
    kaiError error = {0};
    char* copy = changed(bytes, size, &length);
    int file = memfd_create("fuzz", MFD_CLOEXEC);
    fuzz_demand(file >= 0 && write(file, copy, length) == (ssize_t)length);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    kaiCheckpoint* checkpoint = kaiCheckpoint_Read(path, &error);
    fuzz_demand(checkpoint != NULL || error.message != NULL);
    if (checkpoint != NULL)
        go_on(checkpoint);
    kaiCheckpoint_Free(checkpoint);
    close(file);
    free(copy);
    return 0;
}
