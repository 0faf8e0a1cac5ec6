// What is done with FMUs of others (open, check, import into a model and run it) and with systems of them (export,
// read), with an allocator that gives nothing once, at each of its calls: no crash, nothing left behind, and a status
// that says so.
#include "kairos/kairos.h"
#include "unit/heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char inside[] = "model Spring { param k = 4; input u; state x = 1, v = 0; x' = v; v' = u - k*x\n"
                             "  output y = x; discrete n = 0; when down(x) { n := n + 1 } }\n"
                             "experiment e of Spring { stop = 1 }\n";
static const char importing[] = "fmu Spring = \"spring.fmu\"\n"
                                "model M { s : Spring(k = 9); s.u = sin(time); state z = 0; z' = s.y }\n"
                                "experiment e of M { stop = 0.5 }\n";
static const char connected[] = "model A { param k = 1; output y = sin(k*time) }\n"
                                "model B { input u; state x = 0; x' = u; output y = x }\n"
                                "model M { a : A(k = 2); b : B; b.u = a.y; output y = b.y }\n"
                                "experiment e of M { stop = 1 }\n";

static char folder[] = "/tmp/kairos-scarce-XXXXXX";
static char fmus[2][64], model[64], ssp[64];

static const char* in_folder(char* path, const char* name)
{
    snprintf(path, 64, "%s/%s", folder, name);
    return path;
}

static kaiProgramOptions source_of(const char* path, const char* text, kaiAllocator allocator)
{
    kaiProgramOptions source = kaiDefaultProgramOptions();
    source.path = path;
    source.text = text;
    source.allocator = allocator;
    source.policy.allow_external = true;
    source.blocks = kaiFmu_Blocks(false);
    return source;
}

static kaiStatus export_to(const char* path, const char* text, int version, kaiAllocator allocator)
{
    kaiProgramOptions source = source_of("m.kai", text, allocator);
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiFmuOptions options = kaiDefaultFmuOptions();
    kaiError error = {0};
    which.experiment = "e";
    options.path = path;
    options.version = version;
    options.sources = version == 3;  // a long archive: memory runs out in its midst, too
    kaiStatus status = version == 0 ? KAI_OK : kaiFmu_Export(&source, &which, &options, &error);
    if (version == 0)
    {
        options.version = 2;
        status = kaiSsp_Export(&source, &which, &options, &error);
    }
    if (status != KAI_OK && status != KAI_ERR_MEMORY)
        print_message("%s\n", error.message);
    return status;
}

// ---- doors: each gives a status

static kaiStatus open_fmu(const char* path, kaiAllocator allocator)
{
    kaiFmu* fmu = NULL;
    kaiStatus status = kaiFmu_Open(path, allocator, &fmu, NULL);
    kaiFmu_Free(fmu);
    return status;
}

static kaiStatus open_fmu2(kaiAllocator allocator)
{
    return open_fmu(fmus[0], allocator);
}

static kaiStatus open_fmu3(kaiAllocator allocator)
{
    return open_fmu(fmus[1], allocator);
}

// What is not whole is not left beside it.
static kaiStatus export_alone(const char* path, const char* text, int version, kaiAllocator allocator)
{
    char partial[72];
    kaiStatus status = export_to(path, text, version, allocator);
    snprintf(partial, sizeof partial, "%s.part", path);
    if (access(partial, F_OK) == 0)
        fail_msg("%s is left", partial);
    return status;
}

static kaiStatus export_fmu(kaiAllocator allocator)
{
    return export_alone(fmus[1], inside, 3, allocator);
}

static kaiStatus export_system(kaiAllocator allocator)
{
    return export_alone(ssp, connected, 0, allocator);
}

static kaiStatus read_system(kaiAllocator allocator)
{
    return kaiSsp_Read(ssp, folder, allocator, NULL);
}

static kaiStatus run(const kaiModel* made, kaiAllocator allocator)
{
    kaiSimOptions options = kaiModel_SimOptions(made);
    kaiError error = {0};
    options.allocator = allocator;
    kaiSim* sim = kaiSim_Create(made, &options, &error);
    kaiStatus status = sim != NULL ? kaiSim_Run(sim) : error.status;
    kaiSim_Free(sim);
    return status == KAI_END ? KAI_OK : status;
}

static kaiStatus import(kaiAllocator allocator)
{
    kaiProgramOptions source = source_of(model, importing, allocator);
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiProgram* program = NULL;
    kaiModel* made = NULL;
    which.experiment = "e";
    kaiStatus status = kaiProgram_Open(&source, &program, NULL);
    if (status == KAI_OK)
        status = kaiProgram_Compile(program, &which, &made);
    if (status != KAI_OK && status != KAI_ERR_MEMORY && program != NULL && kaiProgram_MessageCount(program) > 0)
        print_message("%s\n", kaiProgram_Message(program, 0)->message);
    if (status == KAI_OK)
        status = run(made, allocator);
    kaiModel_Free(made);
    kaiProgram_Free(program);
    return status;
}

// ---- the sweep

typedef kaiStatus Door(kaiAllocator allocator);

static void sweep(const char* name, Door* door, long step)
{
    Heap heap = {.fail_at = -1};
    assert_int_equal(door((kaiAllocator){heap_alloc, &heap}), KAI_OK);
    assert_int_equal(heap.live, 0);
    long calls = heap.calls;
    for (long n = 0; n < calls; n += n + 10 < calls ? step : 1)  // the last ones each: most is begun there
    {
        heap = (Heap){.fail_at = n};
        kaiStatus status = door((kaiAllocator){heap_alloc, &heap});
        if (heap.live != 0 || (status != KAI_ERR_MEMORY && status != KAI_OK))
            print_message("%s: call %ld of %ld: status %d, %ld bytes left\n", name, n, calls, status, heap.live);
        assert_int_equal(heap.live, 0);
        assert_true(status == KAI_ERR_MEMORY || status == KAI_OK);
    }
    print_message("%s: %ld calls\n", name, calls);
}

static void each_door(void** state)
{
    (void)state;
    long step = getenv("KAIROS_SCARCE") != NULL ? 1 : 7;  // an export has a few thousand, each time with a new archive
    sweep("FMU 2.0", open_fmu2, 1);
    sweep("FMU 3.0", open_fmu3, 1);
    sweep("import", import, step);
    sweep("export", export_fmu, step);
    sweep("system", export_system, step);
    sweep("reading a system", read_system, 1);
}

static int make_files(void** state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    in_folder(model, "model.kai");
    in_folder(ssp, "system.ssp");
    return export_to(in_folder(fmus[0], "spring.fmu"), inside, 2, kaiDefaultAllocator()) != KAI_OK ||
           export_to(in_folder(fmus[1], "spring3.fmu"), inside, 3, kaiDefaultAllocator()) != KAI_OK ||
           export_to(ssp, connected, 0, kaiDefaultAllocator()) != KAI_OK;
}

static int remove_files(void** state)
{
    static const char* const names[] = {"spring.fmu", "spring3.fmu", "system.ssp",
                                        "system.kai", "part1.fmu",   "part2.fmu"};
    char path[64];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(in_folder(path, names[i]));
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_door)};
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
