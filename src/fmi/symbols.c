// Whether the binary of an FMU has the functions of the standard: read from its table of symbols, so that a stranger's
// code need not be loaded to be asked.
#include "fmi/described.h"

#include <elf.h>
#include <string.h>

// The functions that every binary of the version must have; those of the kinds that it says it has come after.
static const char* const common_2[] = {"GetTypesPlatform",
                                       "GetVersion",
                                       "SetDebugLogging",
                                       "Instantiate",
                                       "FreeInstance",
                                       "SetupExperiment",
                                       "EnterInitializationMode",
                                       "ExitInitializationMode",
                                       "Terminate",
                                       "Reset",
                                       "GetReal",
                                       "GetInteger",
                                       "GetBoolean",
                                       "GetString",
                                       "SetReal",
                                       "SetInteger",
                                       "SetBoolean",
                                       "SetString",
                                       NULL};
static const char* const exchange_2[] = {"EnterEventMode",
                                         "NewDiscreteStates",
                                         "EnterContinuousTimeMode",
                                         "CompletedIntegratorStep",
                                         "SetTime",
                                         "SetContinuousStates",
                                         "GetDerivatives",
                                         "GetEventIndicators",
                                         "GetContinuousStates",
                                         "GetNominalsOfContinuousStates",
                                         NULL};
static const char* const steps_2[] = {"DoStep", "CancelStep", "GetStatus", NULL};
static const char* const common_3[] = {"GetVersion",
                                       "SetDebugLogging",
                                       "FreeInstance",
                                       "EnterInitializationMode",
                                       "ExitInitializationMode",
                                       "EnterEventMode",
                                       "Terminate",
                                       "Reset",
                                       "GetFloat64",
                                       "SetFloat64",
                                       "GetInt64",
                                       "SetInt64",
                                       "GetBoolean",
                                       "SetBoolean",
                                       "GetClock",
                                       "SetClock",
                                       "UpdateDiscreteStates",
                                       "EvaluateDiscreteStates",
                                       NULL};
static const char* const exchange_3[] = {"InstantiateModelExchange",
                                         "EnterContinuousTimeMode",
                                         "CompletedIntegratorStep",
                                         "SetTime",
                                         "SetContinuousStates",
                                         "GetContinuousStateDerivatives",
                                         "GetEventIndicators",
                                         "GetContinuousStates",
                                         "GetNominalsOfContinuousStates",
                                         "GetNumberOfEventIndicators",
                                         "GetNumberOfContinuousStates",
                                         NULL};
static const char* const steps_3[] = {"InstantiateCoSimulation", "EnterStepMode", "DoStep", NULL};

typedef struct Symbols
{
    const char* bytes;
    size_t size;
    Elf64_Shdr table, texts;
} Symbols;

static bool has_section(const Symbols* s, const Elf64_Shdr* section)
{
    return section->sh_offset <= s->size && section->sh_size <= s->size - section->sh_offset;
}

// False: it is no shared object for x86_64, or its tables lie outside of it.
static bool find_symbols(Symbols* s)
{
    Elf64_Ehdr head;
    if (s->size < sizeof head)
        return false;
    memcpy(&head, s->bytes, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_machine != EM_X86_64 || head.e_type != ET_DYN || head.e_shentsize != sizeof(Elf64_Shdr) ||
        head.e_shoff > s->size || s->size - head.e_shoff < (size_t)head.e_shnum * sizeof(Elf64_Shdr))
        return false;
    for (uint32_t i = 0; i < head.e_shnum; i++)
    {
        memcpy(&s->table, s->bytes + head.e_shoff + i * sizeof s->table, sizeof s->table);
        if (s->table.sh_type != SHT_DYNSYM || s->table.sh_link >= head.e_shnum)
            continue;
        memcpy(&s->texts, s->bytes + head.e_shoff + s->table.sh_link * sizeof s->texts, sizeof s->texts);
        return has_section(s, &s->table) && has_section(s, &s->texts);
    }
    return false;
}

static bool has_function(const Symbols* s, const char* prefix, const char* name)
{
    size_t length = strlen(prefix) + strlen(name) + 1;
    for (size_t at = 0; at + sizeof(Elf64_Sym) <= s->table.sh_size; at += sizeof(Elf64_Sym))
    {
        Elf64_Sym symbol;
        memcpy(&symbol, s->bytes + s->table.sh_offset + at, sizeof symbol);
        if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= s->texts.sh_size ||
            s->texts.sh_size - symbol.st_name < length)
            continue;
        const char* text = s->bytes + s->texts.sh_offset + symbol.st_name;
        if (memcmp(text, prefix, strlen(prefix)) == 0 && memcmp(text + strlen(prefix), name, strlen(name) + 1) == 0)
            return true;
    }
    return false;
}

static void want(Described* d, const Symbols* s, const char* const* names, const char* file)
{
    for (; *names != NULL; names++)
        if (!has_function(s, d->version == 2 ? "fmi2" : "fmi3", *names))
            described_say(d, 0, KAI_ERROR, "%.150s lacks the function fmi%d%s", file, d->version, *names);
}

static void check_file(Described* d, const char* identifier, bool exchange)
{
    char* file = arena_printf(d->arena, "binaries/%s/%s.so", d->platform, identifier);
    const ArchiveEntry* entry = archive_find(&d->archive, file);
    if (entry == NULL)
    {
        described_say(d, 0, KAI_WARNING, "there is no binary for this machine, %.150s", file);
        return;
    }
    Symbols s = {.bytes = archive_read(&d->archive, entry), .size = entry->size};
    if (s.bytes == NULL)
        described_say(d, 0, KAI_ERROR, "%s", d->archive.why);
    else if (!find_symbols(&s))
        described_say(d, 0, KAI_ERROR, "%.150s is no shared object for x86_64", file);
    else
    {
        want(d, &s, d->version == 2 ? common_2 : common_3, file);
        want(d, &s, d->version == 2 ? (exchange ? exchange_2 : steps_2) : (exchange ? exchange_3 : steps_3), file);
    }
}

void validate_binary(Described* d)
{
    d->platform = d->version == 2 ? "linux64" : "x86_64-linux";
    bool any = false;
    for (uint32_t i = 0; i < d->archive.entries.count; i++)
        any |= strncmp(d->archive.entries.at[i].name, "binaries/", 9) == 0 ||
               strncmp(d->archive.entries.at[i].name, "sources/", 8) == 0;
    if (!any)
        described_say(d, 0, KAI_ERROR, "the FMU has neither binaries nor sources");
    if (any && d->exchange != NULL)
        check_file(d, d->exchange, true);
    if (any && d->cosimulation != NULL && d->exchange == NULL)
        check_file(d, d->cosimulation, false);
    else if (any && d->cosimulation != NULL && strcmp(d->cosimulation, d->exchange) == 0)
    {
        const ArchiveEntry* entry =
            archive_find(&d->archive, arena_printf(d->arena, "binaries/%s/%s.so", d->platform, d->cosimulation));
        Symbols s = {.bytes = entry != NULL ? archive_read(&d->archive, entry) : NULL,
                     .size = entry != NULL ? entry->size : 0};
        if (s.bytes != NULL && find_symbols(&s))
            want(d, &s, d->version == 2 ? steps_2 : steps_3, entry->name);
    }
}
