// Bytes → the description of an FMU that a model takes in, in a sound archive: it is refused with a sentence, or it
// becomes a text of the language, and a model. Nothing of it is executed: no instance is made.
#include "fmi/zip.h"
#include "fuzz/fuzz.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct Store
{
    char bytes[4 * FUZZ_TEXT];
    size_t size;
} Store;

static kaiStatus store(void* user, const char* bytes, size_t size)
{
    Store* to = user;
    if (size >= sizeof to->bytes - to->size)
        return KAI_ERR_IO;
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
    return KAI_OK;
}

// What a binary must have, of either version: a table of these symbols is all that is read of it.
static const char functions[] =
    "GetTypesPlatform GetVersion SetDebugLogging Instantiate FreeInstance SetupExperiment "
    "EnterInitializationMode ExitInitializationMode Terminate Reset GetReal GetInteger GetBoolean "
    "GetString SetReal SetInteger SetBoolean SetString EnterEventMode NewDiscreteStates "
    "EnterContinuousTimeMode CompletedIntegratorStep SetTime SetContinuousStates GetDerivatives "
    "GetEventIndicators GetContinuousStates GetNominalsOfContinuousStates DoStep CancelStep "
    "GetStatus GetFloat64 SetFloat64 GetInt64 SetInt64 GetClock SetClock UpdateDiscreteStates "
    "EvaluateDiscreteStates InstantiateModelExchange GetContinuousStateDerivatives "
    "GetNumberOfEventIndicators GetNumberOfContinuousStates InstantiateCoSimulation EnterStepMode ";

static const Store* binary(void)
{
    static Store made;
    static Elf64_Sym symbols[2 * sizeof functions / 4];
    static char texts[4 * sizeof functions];
    size_t count = 0, used = 1;
    if (made.size > 0)
        return &made;
    for (char version = '2'; version <= '3'; version++)
        for (const char* at = functions; *at != 0; at += strcspn(at, " ") + 1)
        {
            symbols[count++] = (Elf64_Sym){.st_name = (Elf64_Word)used, .st_shndx = 1};
            used +=
                (size_t)snprintf(texts + used, sizeof texts - used, "fmi%c%.*s", version, (int)strcspn(at, " "), at) +
                1;
        }
    Elf64_Ehdr head = {.e_type = ET_DYN,
                       .e_machine = EM_X86_64,
                       .e_shoff = sizeof head,
                       .e_shentsize = sizeof(Elf64_Shdr),
                       .e_shnum = 2};
    memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    size_t content = sizeof head + 2 * sizeof(Elf64_Shdr), table = count * sizeof *symbols;
    const Elf64_Shdr sections[2] = {{.sh_type = SHT_DYNSYM, .sh_link = 1, .sh_offset = content, .sh_size = table},
                                    {.sh_type = SHT_STRTAB, .sh_offset = content + table, .sh_size = used}};
    store(&made, (const char*)&head, sizeof head);
    store(&made, (const char*)sections, sizeof sections);
    store(&made, (const char*)symbols, table);
    store(&made, texts, used);
    return &made;
}

// The name of the binary is what the description says, if that is a short word.
static void name_binary(const char* text, char* path, size_t size, const char* folder)
{
    static const char attribute[] = "modelIdentifier=\"";
    const char* at = strstr(text, attribute);
    int length = at != NULL ? (int)strcspn(at + sizeof attribute - 1, "\"/<") : 0;
    if (at == NULL || length < 1 || length > 40)
        snprintf(path, size, "binaries/%s/M.so", folder);
    else
        snprintf(path, size, "binaries/%s/%.*s.so", folder, length, at + sizeof attribute - 1);
}

static bool pack(Store* archive, const char* text)
{
    Arena arena;
    jmp_buf fail;
    volatile bool packed = false;
    char paths[2][80];  // kept until the archive is whole
    archive->size = 0;
    arena_init(&arena, kaiDefaultAllocator(), &fail);
    if (setjmp(fail) == 0)
    {
        kaiSink sink = {store, archive};
        ZipWriter zip = {.arena = &arena, .sink = &sink};
        zip_add(&zip, "modelDescription.xml", text, strlen(text));
        name_binary(text, paths[0], sizeof paths[0], "linux64");
        zip_add(&zip, paths[0], binary()->bytes, binary()->size);
        name_binary(text, paths[1], sizeof paths[1], "x86_64-linux");
        zip_add(&zip, paths[1], binary()->bytes, binary()->size);
        packed = zip_finish(&zip) == KAI_OK;
    }
    arena_free(&arena);
    return packed;
}

static void compile(const char* text)
{
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiProgram* program = NULL;
    kaiModel* model = NULL;
    options.path = "/proc/self/fd/fuzz.kai";
    options.text = text;
    options.limits = (kaiLimits){.seconds = 2, .memory = FUZZ_MEMORY};
    options.policy.allow_external = options.policy.allow_files = true;
    options.blocks = kaiFmu_Blocks(false);
    kaiExperiment first;
    kaiStatus status = kaiProgram_Open(&options, &program, NULL);
    if (status == KAI_OK && kaiProgram_Experiment(program, 0, &first))
        which.experiment = first.name;
    if (status == KAI_OK)
        status = kaiProgram_Compile(program, &which, &model);
    if (program != NULL)
        fuzz_read_messages(program, status);
    kaiModel_Free(model);
    kaiProgram_Free(program);
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    static Store archive, words;
    char path[60];
    kaiError error = {0};
    if (size < 2 || size > FUZZ_TEXT)
        return -1;
    char* text = fuzz_text(bytes, size);
    if (pack(&archive, text))
    {
        int file = memfd_create("fuzz.fmu", MFD_CLOEXEC);
        fuzz_demand(file >= 0 && write(file, archive.bytes, archive.size) == (ssize_t)archive.size);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        words.size = 0;
        kaiStatus status = kaiFmu_Text(path, "", &(kaiSink){store, &words}, &error);
        fuzz_demand(status == KAI_OK || (error.message != NULL && error.message[0] != 0));
        words.bytes[words.size] = 0;
        if (status == KAI_OK)
            compile(words.bytes);
        close(file);
    }
    free(text);
    return 0;
}
