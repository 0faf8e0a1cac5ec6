// Models and snapshots as bytes: a run that goes on in a model loaded from bytes, from a snapshot loaded from bytes,
// gives the rows of the run that was never interrupted, bit for bit; damaged bytes are refused with a sentence.
#include "load_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Islands, modes, a queue of delayed events, the history of a delayed signal, draws and a counter of events.
static const char text[] = "model M {\n"
                           "  state x = 1, v = 0, s = 0, late = 0\n"
                           "  discrete n = 0, got = 0, r = 0\n"
                           "  event hit = down(x), tick = clock(0.3), back = delay(hit, 0.45)\n"
                           "  x' = v\n"
                           "  v' = -9.81\n"
                           "  s' = cos(3*time)\n"
                           "  late' = delay(s, 0.2) - late\n"
                           "  when hit { v := -0.8*v; x := 0; n := n + 1 }\n"
                           "  when back { got := got + 1 }\n"
                           "  when tick { r := r + uniform(0, 1) }\n"
                           "}\n"
                           "experiment plain of M { stop = 3 }\n"
                           "experiment apart of M { stop = 3; islands = auto }\n"
                           "experiment series of M { stop = 3; solver = rosenbrock }\n"
                           "experiment stiff of M { stop = 3; solver = cvode_bdf }\n";

typedef struct Bytes
{
    char* at;
    size_t size, room;
} Bytes;

static kaiStatus append(void* user, const char* bytes, size_t size)
{
    Bytes* b = user;
    if (b->size + size > b->room)
        b->at = realloc(b->at, b->room = 2 * (b->size + size));
    memcpy(b->at + b->size, bytes, size);
    b->size += size;
    return KAI_OK;
}

static kaiStatus keep_row(void* user, const kaiRow* row)
{
    append(user, (const char*)&row->t, sizeof row->t);
    append(user, (const char*)&row->p, sizeof row->p);
    append(user, (const char*)&row->m, sizeof row->m);
    return append(user, (const char*)row->values, sizeof(double) * 7);
}

static kaiSim* start(const kaiModel* model, Bytes* rows)
{
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.row = keep_row;
    options.row_user = rows;
    kaiSim* sim = kaiSim_Create(model, &options, NULL);
    assert_non_null(sim);
    return sim;
}

static kaiModel* compile(const char* experiment)
{
    LoadOptions options = load_default();
    options.text = text;
    options.path = "saved.kai";
    options.experiment = experiment;
    return load_with(&options);
}

static void goes_on(const char* experiment, int instants)
{
    Bytes whole = {0}, rest = {0}, saved_model = {0}, saved_run = {0};
    kaiModel* model = compile(experiment);
    kaiSim* sim = start(model, &whole);
    for (int i = 0; i < instants; i++)
        assert_int_equal(kaiSim_Step(sim), KAI_INSTANT);
    size_t before = whole.size;
    kaiSnapshot* snapshot = kaiSim_Save(sim);
    assert_int_equal(kaiModel_Save(model, &(kaiSink){append, &saved_model}), KAI_OK);
    assert_int_equal(kaiSnapshot_Write(snapshot, &(kaiSink){append, &saved_run}), KAI_OK);
    assert_int_equal(kaiSim_Run(sim), KAI_END);
    kaiSim_Free(sim);
    kaiSnapshot_Free(snapshot);
    kaiModel_Free(model);

    kaiError error;
    assert_int_equal(kaiModel_LoadSaved(saved_model.at, saved_model.size, false, &model, &error), KAI_OK);
    snapshot = kaiSnapshot_Read(model, saved_run.at, saved_run.size, &error);
    assert_non_null(snapshot);
    sim = start(model, &rest);
    assert_int_equal(kaiSim_Restore(sim, snapshot), KAI_OK);
    assert_int_equal(kaiSim_Run(sim), KAI_END);
    assert_true(rest.size > 0);
    assert_int_equal(rest.size, whole.size - before);
    assert_memory_equal(rest.at, whole.at + before, rest.size);
    kaiSim_Free(sim);
    kaiSnapshot_Free(snapshot);
    kaiModel_Free(model);
    free(whole.at), free(rest.at), free(saved_model.at), free(saved_run.at);
}

static void test_goes_on(void** state)
{
    (void)state;
    for (int instants = 1; instants <= 9; instants += 4)
    {
        goes_on("plain", instants);
        goes_on("apart", instants);
        goes_on("series", instants);
        goes_on("stiff", instants);
    }
}

static void test_damaged(void** state)
{
    (void)state;
    Bytes saved = {0}, rows = {0};
    kaiError error;
    kaiModel *model = compile("plain"), *other = compile("apart");
    kaiSim* sim = start(model, &rows);
    assert_int_equal(kaiSim_Step(sim), KAI_INSTANT);
    kaiSnapshot* snapshot = kaiSim_Save(sim);
    kaiSnapshot_Write(snapshot, &(kaiSink){append, &saved});
    assert_null(kaiSnapshot_Read(other, saved.at, saved.size, &error));  // of another model
    for (size_t i = 0; i < saved.size; i += i < 64 ? 1 : saved.size / 50)
    {
        saved.at[i] ^= 16;
        assert_null(kaiSnapshot_Read(model, saved.at, saved.size, &error));
        assert_int_equal(error.status, KAI_ERR_IO);
        assert_non_null(error.message);
        saved.at[i] ^= 16;
        assert_null(kaiSnapshot_Read(model, saved.at, i, &error));
    }
    kaiSnapshot* fine = kaiSnapshot_Read(model, saved.at, saved.size, &error);
    assert_non_null(fine);
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.solver = "cvode_bdf";
    kaiSim* unlike = kaiSim_Create(model, &options, NULL);
    assert_int_equal(kaiSim_Restore(unlike, fine), KAI_ERR_USAGE);  // another solver, another layout
    kaiSim_Free(unlike);
    kaiSnapshot_Free(fine);
    kaiSnapshot_Free(snapshot);
    kaiSim_Free(sim);
    kaiModel_Free(model);
    kaiModel_Free(other);
    free(saved.at), free(rows.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_goes_on), cmocka_unit_test(test_damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
