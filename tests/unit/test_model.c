// Compiled models as data: every model that the compiler makes is whole (model_validate), survives saving and loading
// bit by bit and runs the same; damaged and foreign files are refused with a sentence. The trajectories that are
// compared come from the model that was never saved.
#include "base/hash.h"
#include "load_fixture.h"
#include "model/print.h"
#include "model/save.h"
#include "model/validate.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

enum
{
    HEAD = 40,  // bytes of the head of a saved model
    CHECKSUM_AT = HEAD - 8
};

static const char small_text[] = "model Small {\n"
                                 "  state x = 1; discrete n = 0; event e = down(x)\n"
                                 "  modes { initial mode a { x' = -1; on e -> b { n := n + 1 } } mode b { x' = 0 } }\n"
                                 "}\n"
                                 "experiment s of Small { stop = 2 }\n";

// Models that also run twice: loops, Newton's method, maps, junctions, tables, delays, queues, draws, islands.
static const char* const files[] = {
    "examples/ball/model.kai",
    "examples/cradle/model.kai",
    "tests/models/choose_first.kai",
    "examples/impulsive-ball/model.kai",
    "tests/models/island_farm.kai",
    "tests/models/delay_continuous.kai",
    "tests/models/lib_queue.kai",
    "tests/models/random_draws.kai",
    "tests/models/table_linear.kai",
    "tests/models/bond_law_loop.kai",
    "tests/models/bond_multiport_c.kai",
    "tests/models/reaction_cyclic.kai",
    "examples/step-derivatives/model.kai",
};

typedef struct Saved
{
    void* bytes;
    size_t size;
} Saved;

static Saved save(const kaiModel* model)
{
    Saved saved;
    saved.bytes = model_save(model, kaiDefaultAllocator(), &saved.size);
    assert_non_null(saved.bytes);
    return saved;
}

static void drop(Saved saved)
{
    kaiAllocator allocator = kaiDefaultAllocator();
    allocator.alloc(allocator.user, saved.bytes, saved.size, 0);
}

static kaiModel* reload(Saved saved)
{
    Text why = {0};
    kaiModel* model = model_load(saved.bytes, saved.size, kaiDefaultAllocator(), &why);
    if (model == NULL)
        print_message("%s\n", why.at);
    assert_non_null(model);
    assert_true(model_bind(model));
    return model;
}

static void hash_line(void* user, const char* text)
{
    uint64_t* hash = user;
    *hash = hash_bytes(*hash, text, strlen(text) + 1);
}

static uint64_t listing_hash(const kaiModel* model)
{
    uint64_t hash = HASH_START;
    model_print(model, hash_line, &hash);
    return hash;
}

typedef struct Rows
{
    uint64_t hash;
    int columns;
    long count;
} Rows;

static kaiStatus hash_row(void* user, const kaiRow* row)
{
    Rows* rows = user;
    rows->hash = hash_bytes(rows->hash, &row->t, sizeof row->t);
    for (int i = 0; i < rows->columns; i++)
    {
        rows->hash = hash_bytes(rows->hash, &row->present[i], sizeof row->present[i]);
        if (row->present[i])
            rows->hash = hash_bytes(rows->hash, &row->values[i], sizeof row->values[i]);
    }
    rows->count++;
    return KAI_OK;
}

static Rows run(const kaiModel* model)
{
    Rows rows = {.hash = HASH_START};
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.row = hash_row;
    options.row_user = &rows;
    kaiSim* sim = kaiSim_Create(model, &options, NULL);
    assert_non_null(sim);
    kaiSim_Columns(sim, &rows.columns);
    kaiSim_Run(sim);
    kaiSim_Free(sim);
    return rows;
}

static void round_trip(const char* path, kaiModel* model, bool runs)
{
    Text why = {0};
    if (!model_validate(model, &why))
        fail_msg("%s: %s", path, why.at);
    Saved saved = save(model);
    kaiModel* loaded = reload(saved);
    Saved again = save(loaded);
    assert_int_equal(again.size, saved.size);
    assert_memory_equal(again.bytes, saved.bytes, saved.size);
    assert_int_equal(listing_hash(loaded), listing_hash(model));
    if (runs)
    {
        Rows before = run(model), after = run(loaded);
        if (before.count == 0)
            fail_msg("%s: no rows", path);
        assert_int_equal(after.count, before.count);
        assert_int_equal(after.hash, before.hash);
    }
    drop(saved);
    drop(again);
    kaiModel_Free(loaded);
    kaiModel_Free(model);
}

static void test_runs(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        round_trip(files[i], load_file(files[i], NULL), true);
}

static void test_all(void** state)
{
    (void)state;
    glob_t found;
    assert_int_equal(glob("tests/models/*.kai", 0, NULL, &found), 0);
    assert_int_equal(glob("examples/*/model.kai", GLOB_APPEND, NULL, &found), 0);
    int models = 0;
    for (size_t i = 0; i < found.gl_pathc; i++)
    {
        LoadOptions options = load_default();
        options.path = found.gl_pathv[i];
        kaiModel* model = NULL;
        kaiProgram* messages = NULL;
        kaiStatus status = load_model(&options, &model, &messages);
        kaiProgram_Free(messages);
        if (status != KAI_OK)  // it only imports some, or has experiments for others
            continue;
        round_trip(options.path, model, false);
        models++;
    }
    assert_true(models > 200);
    globfree(&found);
}

static void expect_refused(Saved saved, const char* sentence)
{
    Text why = {0};
    kaiModel* model = model_load(saved.bytes, saved.size, kaiDefaultAllocator(), &why);
    if (model != NULL || strstr(why.at, sentence) == NULL)
        print_message("expected `%s`, found `%s`\n", sentence, why.at);
    assert_null(model);
    assert_non_null(strstr(why.at, sentence));
}

static void test_foreign(void** state)
{
    (void)state;
    kaiModel* model = load_text(small_text, NULL);
    Saved saved = save(model);
    char* bytes = saved.bytes;
    expect_refused((Saved){"", 0}, "no saved model");
    bytes[0] ^= 1;
    expect_refused(saved, "no saved model");
    bytes[0] ^= 1;
    bytes[8] ^= 1;
    expect_refused(saved, "another version");
    bytes[8] ^= 1;
    bytes[12] ^= 5;
    expect_refused(saved, "another byte order");
    bytes[12] ^= 5;
    bytes[16] ^= 1;
    expect_refused(saved, "another version");
    bytes[16] ^= 1;
    expect_refused((Saved){bytes, saved.size - 1}, "cut off");
    bytes[saved.size - 1] ^= 1;
    expect_refused(saved, "checksum");
    drop(saved);
    kaiModel_Free(model);
}

// Nothing that is read lies outside: copies are exactly as long as what is given, so that a sanitizer sees it.
static void test_cut(void** state)
{
    (void)state;
    kaiModel* model = load_text(small_text, NULL);
    Saved saved = save(model);
    for (size_t size = 0; size < saved.size; size++)
    {
        char* copy = malloc(size + (size == 0));
        memcpy(copy, saved.bytes, size);
        Text why = {0};
        assert_null(model_load(copy, size, kaiDefaultAllocator(), &why));
        assert_true(why.length > 0);
        free(copy);
    }
    drop(saved);
    kaiModel_Free(model);
}

static void seal(Saved saved)
{
    uint64_t checksum = hash_bytes(HASH_START, (char*)saved.bytes + HEAD, saved.size - HEAD);
    memcpy((char*)saved.bytes + CHECKSUM_AT, &checksum, sizeof checksum);
}

// Every byte changed: refused. The same with a checksum that fits: refused, or a model that is whole and can be listed.
static void test_flipped(void** state)
{
    (void)state;
    static const unsigned char flips[] = {0x01, 0x80, 0xff};
    kaiModel* model = load_text(small_text, NULL);
    Saved saved = save(model);
    unsigned char* bytes = saved.bytes;
    size_t refused = 0, accepted = 0;
    for (size_t i = 0; i < saved.size; i++)
        for (size_t f = 0; f < sizeof flips; f++)
        {
            Text why = {0};
            bytes[i] ^= flips[f];
            assert_null(model_load(bytes, saved.size, kaiDefaultAllocator(), &why));
            assert_true(why.length > 0);
            why = (Text){0};
            seal(saved);
            kaiModel* other = i < HEAD ? NULL : model_load(bytes, saved.size, kaiDefaultAllocator(), &why);
            if (other != NULL)
                listing_hash(other);
            accepted += other != NULL;
            refused += other == NULL;
            kaiModel_Free(other);
            bytes[i] ^= flips[f];
            seal(saved);
        }
    assert_true(refused > accepted / 4);  // text, lines and literals can be anything
    print_message("%zu bytes: %zu changes refused by content, %zu harmless\n", saved.size, refused, accepted);
    kaiModel* whole = reload(saved);
    kaiModel_Free(whole);
    drop(saved);
    kaiModel_Free(model);
}

// A run of indices that begins inside its array and ends behind it.
static void assert_range(kaiModel* model, uint32_t* count, const char* what)
{
    Text why = {0};
    uint32_t before = *count;
    *count = 1000000;
    if (model_validate(model, &why))
        fail_msg("%s: a million of them were accepted", what);
    assert_non_null(strstr(why.at, "is out of range"));
    *count = before;
    assert_true(model_validate(model, &why));
}

static void test_ranges(void** state)
{
    (void)state;
    kaiModel* model = load_text(small_text, NULL);
    assert_range(model, (uint32_t*)(uintptr_t)&model->reactions[0].act_count, "actions of a reaction");
    assert_range(model, (uint32_t*)(uintptr_t)&model->modes[0].transition_count, "transitions of a mode");
    assert_range(model, (uint32_t*)(uintptr_t)&model->guards[0].state_count, "states of a guard");
    kaiModel_Free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs), cmocka_unit_test(test_all),     cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_cut),  cmocka_unit_test(test_flipped), cmocka_unit_test(test_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
