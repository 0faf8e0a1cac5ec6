// FMUs inside models (src/guest, src/block): events with payloads both ways, of FMUs that Kairos made; clocks, arrays
// and slopes of FMUs that were written by hand (tests/fmi/arrays.c, stiff.c). Values are closed forms.
#include "guest_fixture.h"

static void write_bytes(const Guests* g, const char* name, const void* bytes, size_t size)
{
    char path[80];
    snprintf(path, sizeof path, "%s/%s", g->folder, name);
    FILE* out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

static void export_to(const Guests* g, const char* model, int version, const char* name)
{
    Bytes made = fmi_export(model, version);
    write_bytes(g, name, made.at, made.size);
    free(made.at);
}

// tests/fmi/NAME.xml with NAME.so, as NAME.fmu. `old` in the description becomes `new`; NULL: nothing does.
static void write_by_hand(const Guests* g, const char* name, const char* platform, const char* old, const char* new)
{
    char file[60];
    size_t size;
    jmp_buf no_memory;
    Arena arena;
    Bytes made = {NULL, 0, 0};
    kaiSink sink = {bytes_write, &made};
    arena_init(&arena, kaiDefaultAllocator(), &no_memory);
    ZipWriter zip = {.arena = &arena, .sink = &sink};
    snprintf(file, sizeof file, "tests/fmi/%s.xml", name);
    char* text = read_whole(file, &size);
    text[size] = 0;
    char* description = old != NULL ? changed(text, old, new) : changed(text, "<?xml", "<?xml");
    zip_add(&zip, "modelDescription.xml", description, strlen(description));
    snprintf(file, sizeof file, "%s.so", name);
    char* bytes = read_module(file, &size);
    snprintf(file, sizeof file, "binaries/%s/%s.so", platform, name);
    zip_add(&zip, file, bytes, size);
    assert_int_equal(zip_finish(&zip), KAI_OK);
    snprintf(file, sizeof file, "%s.fmu", name);
    write_bytes(g, file, made.at, made.size);
    free(text), free(description), free(bytes), free(made.at);
    arena_free(&arena);
}

// ---- events with payloads

#define PAIR(kind)                                                                                                     \
    "fmu Counter = \"b.fmu" kind "\"\nmodel M { a : Tank; b : Counter; a.kick = b.back; b.e = a.hit }\n"               \
    "experiment e of M { stop = 3; rtol = 1e-10; atol = 1e-12 }"

static void check_counts(Rig* rig)
{
    assert_int_equal(rig_go(rig, 3), KAI_END);
    rig_near(rig, "b.n", 4, 0);
    rig_near(rig, "a.hit_count", 4, 0);
    rig_near(rig, "b.back_count", 1, 0);
    rig_near(rig, "b.back_value", 2, 0);
    rig_near(rig, "a.kick_count", 1, 0);
}

// The third bounce is answered with a kick of 2, at its own instant: the fourth comes later by that.
static void check_pair(Rig* rig, double within)
{
    const double g = 9.81, v = sqrt(2 * g), third = sqrt(2 / g) + 2 * (0.8 + 0.64) * v / g;
    const double up = 0.512 * v + 2, fourth = third + 2 * up / g, left = 3 - fourth;
    check_counts(rig);
    rig_near(rig, "b.age", left, within);
    rig_near(rig, "a.y", 0.8 * up * left - g / 2 * left * left, within);
}

static void events_go_both_ways(void** state)
{
    const Guests* g = *state;
    for (int version = 2; version <= 3; version++)
    {
        export_to(g, "tests/fmi/ball.kai", version, "a.fmu");
        export_to(g, "tests/fmi/counter.kai", version, "b.fmu");
        for (int isolate = 0; isolate < 2; isolate++)
        {
            Rig rig = rig_make(g, "a.fmu", PAIR(""), isolate);
            check_pair(&rig, 1e-8);
            rig_free(&rig);
        }
    }
    Rig rig = rig_make(g, "a.fmu:cs", PAIR(":cs"), false);  // 3.0: it stops where events are
    check_pair(&rig, 1e-6);
    rig_free(&rig);
}

// ---- by hand

static void arrays_and_clocks(void** state)
{
    const Guests* g = *state;
    write_by_hand(g, "arrays", "x86_64-linux", NULL, NULL);
    for (int isolate = 0; isolate < 2; isolate++)
    {
        Rig rig = rig_make(g, "arrays.fmu",
                           "model M { a : Tank(w_2 = 7); a.u_1 = time; event poke = clock(0.5, 0.5); a.poke = poke\n"
                           "  discrete on_ = 0, ticks = 0, last = 0; a.b = on_\n"
                           "  when a.tick { ticks := ticks + 1; last := a.number }\n"
                           "  when poke { on_ := 1 - on_ } }\n"
                           "experiment e of M { stop = 3.4; solver = rosenbrock; rtol = 1e-8 }",
                           isolate);
        assert_int_equal(rig_go(&rig, 3.4), KAI_END);
        rig_near(&rig, "a.x_1", 4, 1e-7);
        rig_near(&rig, "a.x_2", 7, 1e-7);
        rig_near(&rig, "a.y_1", 4 + 3.4, 1e-7);
        rig_near(&rig, "a.y_2", 7.25, 1e-7);
        rig_near(&rig, "ticks", 3, 0);
        rig_near(&rig, "last", 3, 0);  // the number of a tick is there with it
        rig_near(&rig, "a.pokes", 6, 0);
        rig_near(&rig, "a.not_b", 1, 0);
        rig_free(&rig);
    }
}

// x = cos t, and y' = -s (y - u) with s = 1e6: y is u soon, whatever the method.
static void slopes_of_its_own(void** state)
{
    const Guests* g = *state;
    write_by_hand(g, "stiff", "linux64", NULL, NULL);
    for (int isolate = 0; isolate < 2; isolate++)
    {
        Rig rig = rig_make(g, "stiff.fmu",
                           "model M { a : Tank; a.u = 3 }\n"
                           "experiment e of M { stop = 2; solver = rosenbrock; rtol = 1e-8 }",
                           isolate);
        assert_int_equal(rig_go(&rig, 2), KAI_END);
        rig_near(&rig, "a.x", cos(2), 1e-6);
        rig_near(&rig, "a.y", 3, 1e-6);
        assert_true(kaiSim_Counters(rig.sim).steps < 2000);  // an explicit method would take millions
        rig_free(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(events_go_both_ways, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(arrays_and_clocks, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(slopes_of_its_own, guests_make, guests_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
