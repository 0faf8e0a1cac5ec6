// FMUs of others inside models (src/guest): the tank of tests/fmi/tank.c in both versions and kinds, against its closed
// form, in this process and in one of its own; numbers of every type; copies; and a sentence for whatever goes wrong.
#include "guest_fixture.h"

#define STOP "experiment e of M { stop = 1; rtol = 1e-9; atol = 1e-12 }"
static const char plain[] = "model M { t : Tank }\n" STOP;

// ---- values

static void check_tank(Rig* rig, double within)
{
    assert_int_equal(rig_go(rig, 0.5), KAI_OK);
    rig_near(rig, "t.x", exp(-0.5), within);
    rig_near(rig, "t.rings", 1, 0);
    assert_int_equal(rig_go(rig, 0.9), KAI_OK);
    rig_near(rig, "t.x", 3 * exp(-0.9), within);
    rig_near(rig, "t.rings", 2, 0);
    rig_near(rig, "t.not_b", 0, 0);
}

static void a_tank_leaks_and_is_filled(void** state)
{
    static const char* const files[] = {"tank2.fmu", "tank3.fmu", "tank2.fmu:me", "tank3.fmu:me"};
    static const char* const steps[] = {"tank2.fmu:cs", "tank3.fmu:cs"};
    for (int isolate = 0; isolate < 2; isolate++)
    {
        for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        {
            Rig rig = rig_make(*state, files[i], plain, isolate);
            check_tank(&rig, 1e-8);
            rig_free(&rig);
        }
        for (size_t i = 0; i < sizeof steps / sizeof *steps;
             i++)  // by its closed form, at communication points of 0.05
        {
            Rig rig = rig_make(*state, steps[i], "model M { t : Tank(communication_step = 0.05) }\n" STOP, isolate);
            check_tank(&rig, 1e-12);
            rig_free(&rig);
        }
    }
}

// Start values, parameters, an input that jumps, numbers and truths; u is known to Co-Simulation from the next point
// on.
static void values_go_in_and_come_out(void** state)
{
    static const char both[] = "model M { t : Tank(x = 4, k = 2); t.u = if time < 0.5 then 8 else 2\n"
                               "  t.i = if time < 0.5 then 6 else 9; t.b = if time < 0.5 then 1 else 0 }\n" STOP;
    for (int isolate = 0; isolate < 2; isolate++)
    {
        Rig rig = rig_make(*state, "tank2.fmu", both, isolate);
        assert_int_equal(rig_go(&rig, 0.25), KAI_OK);
        rig_near(&rig, "t.x", 4, 1e-9);
        rig_near(&rig, "t.i1", 7, 0);
        rig_near(&rig, "t.not_b", 0, 0);
        assert_int_equal(rig_go(&rig, 0.75), KAI_OK);
        rig_near(&rig, "t.x", 1 + 3 * exp(-0.5), 1e-8);
        rig_near(&rig, "t.i1", 10, 0);
        rig_near(&rig, "t.not_b", 1, 0);
        rig_free(&rig);
    }
    Rig rig = rig_make(*state, "tank2.fmu:cs", "model M { t : Tank(k = 2, communication_step = 0.25); t.u = 2 }\n" STOP,
                       false);
    assert_int_equal(rig_go(&rig, 0.8), KAI_OK);
    rig_near(&rig, "t.x", 1, 1e-12);  // it stays where its inflow keeps it
    rig_free(&rig);
}

// Each type comes back one larger; what lies between two whole numbers goes in rounded; a tick in is a tick out.
static void every_type_has_its_calls(void** state)
{
    static const char* const kinds[] = {"tank3.fmu", "tank3.fmu:cs"};
    for (size_t k = 0; k < 2; k++)
    {
        Rig rig = rig_make(*state, kinds[k],
                           "model M { t : Tank; t.i0 = 0.5; t.i1 = -7; t.i2 = 200; t.i3 = -300; t.i4 = 60000\n"
                           "  t.i5 = -70000; t.i6 = 4e9; t.i7 = 2.6; t.i8 = 9e15; t.b = 0\n"
                           "  event now = clock(0.25, 0.25); discrete n = 0, k = 0; when now { n := 1 - n }\n"
                           "  t.tick = now; when t.tock { k := k + 1 } }\n" STOP,
                           false);
        static const double wanted[] = {1.5, -6, 201, -299, 60001, -69999, 4e9 + 1, 4, 9e15 + 1};
        assert_int_equal(rig_go(&rig, 0.6), KAI_OK);
        for (int i = 0; i < TANK_TYPES; i++)
        {
            char name[24];
            snprintf(name, sizeof name, "t.o%d", i);
            rig_near(&rig, name, wanted[i], 0);
        }
        rig_near(&rig, "t.not_b", 1, 0);
        rig_near(&rig, "n", 0, 0);  // at 0.25 and 0.5
        rig_near(&rig, "k", 2, 0);
        rig_free(&rig);
    }
}

// A clock that ticks where the initialization ends is an event of the first tag, and no other.
static void a_clock_may_tick_at_the_start(void** state)
{
    static const char* const kinds[] = {"tank3.fmu", "tank3.fmu:cs"};
    for (size_t k = 0; k < 4; k++)
    {
        char text[300];
        snprintf(text, sizeof text,
                 "model M { t : Tank(trouble = %d); discrete k = 0, at = -1; when t.tock { k := k + 1; at := time } "
                 "}\n" STOP,
                 TANK_TICKS_FIRST);
        Rig rig = rig_make(*state, kinds[k % 2], text, k >= 2);
        assert_int_equal(rig_go(&rig, 0.9), KAI_OK);
        rig_near(&rig, "k", 1, 0);
        rig_near(&rig, "at", 0, 0);
        rig_free(&rig);
    }
}

// ---- trouble

static void goes_wrong(const Guests* g, const char* file, int trouble, bool isolate, const char* words)
{
    char text[300];
    snprintf(text, sizeof text, "model M { t : Tank(trouble = %d) }\n" STOP, trouble);
    Rig rig = rig_make(g, file, text, isolate);
    rig_fails(&rig, words);
    rig_free(&rig);
}

static void what_goes_wrong_inside_is_told(void** state)
{
    static const struct
    {
        const char* file;
        int trouble;
        const char* words;
    } cases[] = {
        {"tank2.fmu", TANK_SILENT, "fmi2GetDerivatives answers Error"},
        {"tank3.fmu", TANK_SILENT, "answers Error"},
        {"tank2.fmu", TANK_STRANGE, "answers Error"},
        {"tank2.fmu", TANK_NO_START, "block t fails in its start at t = 0: the tap is stuck"},
        {"tank3.fmu", TANK_NO_START, "block t fails in its start at t = 0: the tap is stuck"},
        {"tank2.fmu:cs", TANK_NO_START, "the tap is stuck"},
        {"tank2.fmu:cs", TANK_SILENT, "fmi2GetReal answers Error"},
        {"tank2.fmu:cs", TANK_FATAL, "fmi2DoStep answers Fatal"},
        {"tank3.fmu:cs", TANK_FATAL, "fmi3DoStep answers Fatal"},
        {"tank2.fmu:cs", TANK_PENDING, "its steps are asynchronous, which is not supported"},
        {"tank2.fmu:cs", TANK_HALF_SILENT, "it discards a step and does not say how far it came"},
        {"tank2.fmu:cs", TANK_STANDS_STILL, "DoStep does not get ahead"},
        {"tank3.fmu:cs", TANK_STANDS_STILL, "DoStep does not get ahead"},
        {"tank3.fmu:cs", TANK_NO_COPY, "fmi3GetFMUState answers Error"},
        {"tank3.fmu:cs", TANK_NO_WAY_BACK, "there is no way back"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int isolate = 0; isolate < 2; isolate++)
            goes_wrong(*state, cases[i].file, cases[i].trouble, isolate, cases[i].words);
}

static void a_process_may_die(void** state)
{
    goes_wrong(*state, "tank2.fmu", TANK_CRASHES, true, "its process crashed in ");
    goes_wrong(*state, "tank3.fmu", TANK_LEAVES, true, ", with exit code 3");
}

// What hangs is left when the run is to end.
static void a_process_may_hang(void** state)
{
    char text[200];
    snprintf(text, sizeof text, "model M { t : Tank(trouble = %d) }\n" STOP, TANK_HANGS);
    Rig rig = rig_make(*state, "tank3.fmu", text, true);
    kaiSimOptions options = kaiModel_SimOptions(rig.model);
    kaiSim_Free(rig.sim);
    options.limits.seconds = 0.2;
    rig.sim = kaiSim_Create(rig.model, &options, NULL);
    assert_non_null(rig.sim);
    assert_true(kaiSim_Run(rig.sim) < 0);
    assert_non_null(strstr(kaiSim_Failure(rig.sim)->message, "it has not answered in "));
    rig_free(&rig);
}

// ---- what it may do

static void it_may_end_the_run(void** state)
{
    static const struct
    {
        const char* file;
        int trouble;
        double from, to;
    } cases[] = {{"tank2.fmu", TANK_ENDS, 0.8, 0.8},           {"tank3.fmu", TANK_ENDS, 0.8, 0.8},
                 {"tank2.fmu", TANK_STEP_ENDS, 0.7, 0.99},     {"tank3.fmu", TANK_STEP_ENDS, 0.7, 0.99},
                 {"tank2.fmu:cs", TANK_STEP_ENDS, 0.69, 0.99}, {"tank3.fmu:cs", TANK_STEP_ENDS, 0.69, 0.99}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        char text[200];
        snprintf(text, sizeof text, "model M { t : Tank(trouble = %d) }\n" STOP, cases[i].trouble);
        Rig rig = rig_make(*state, cases[i].file, text, false);
        assert_int_equal(rig_go(&rig, 1), KAI_END);
        double t = kaiSim_Now(rig.sim).t;
        if (t < cases[i].from - 1e-9 || t > cases[i].to + 1e-9)
            fail_msg("%s, %d: it ended at %.17g", cases[i].file, cases[i].trouble, t);
        assert_string_equal(kaiSim_HaltText(rig.sim), "Tank ends the run");
        rig_free(&rig);
    }
}

// Steps that it does by half bring it to the same place; so do events that it wants after steps of the solver, and
// places that it refuses make steps smaller until there is no way on.
static void it_may_go_its_own_way(void** state)
{
    static const struct
    {
        const char* file;
        int trouble;
    } cases[] = {{"tank2.fmu:cs", TANK_HALF}, {"tank2.fmu", TANK_STEP_EVENT}, {"tank3.fmu", TANK_STEP_EVENT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        char text[200];
        snprintf(text, sizeof text, "model M { t : Tank(trouble = %d) }\n" STOP, cases[i].trouble);
        Rig rig = rig_make(*state, cases[i].file, text, i == 1);
        assert_int_equal(rig_go(&rig, 0.5), KAI_OK);
        rig_near(&rig, "t.x", exp(-0.5), 1e-8);
        rig_free(&rig);
    }
    goes_wrong(*state, "tank2.fmu", TANK_DISCARDS, false, "");
}

static void a_warning_names_the_instance(void** state)
{
    char text[200];
    snprintf(text, sizeof text, "model M { t : Tank(trouble = %d) }\n" STOP, TANK_WARNS);
    for (int version = 2; version <= 3; version++)
    {
        Rig rig = rig_make(*state, version == 2 ? "tank2.fmu" : "tank3.fmu", text, version == 3);
        assert_int_equal(rig_go(&rig, 1), KAI_END);
        assert_non_null(kaiSim_Warning(rig.sim, 0));
        assert_non_null(strstr(kaiSim_Warning(rig.sim, 0)->message, "t says: the water is cold"));
        rig_free(&rig);
    }
}

// ---- copies

static void a_copy_goes_on_to_the_same_bits(void** state)
{
    static const char* const files[] = {"tank2.fmu", "tank3.fmu", "tank2.fmu:cs", "tank3.fmu:cs"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (int isolate = 0; isolate < 2; isolate++)
        {
            Rig rig = rig_make(*state, files[i], plain, isolate);
            assert_int_equal(rig_go(&rig, 0.55), KAI_OK);
            kaiSnapshot* copy = kaiSim_Save(rig.sim);
            assert_non_null(copy);
            assert_int_equal(rig_go(&rig, 1), KAI_END);
            double last = rig_value(&rig, "t.x");
            for (int k = 0; k < 2; k++)  // the same instance, then a new one
            {
                kaiSimOptions options = kaiModel_SimOptions(rig.model);
                kaiSim* sim = k == 0 ? rig.sim : kaiSim_Create(rig.model, &options, NULL);
                assert_int_equal(kaiSim_Restore(sim, copy), KAI_OK);
                Rig other = {.model = rig.model, .sim = sim};
                assert_int_equal(rig_go(&other, 1), KAI_END);
                assert_true(rig_value(&other, "t.x") == last);
                if (k == 1)
                    kaiSim_Free(sim);
            }
            kaiSnapshot_Free(copy);
            rig_free(&rig);
        }
}

static void what_cannot_be_copied_says_so(void** state)
{
    static const int troubles[] = {TANK_NO_COPY, TANK_NO_SIZE, TANK_GROWS};
    for (size_t i = 0; i < 3; i++)
        for (int isolate = 0; isolate < 2; isolate++)
            for (int version = 2; version <= 3; version++)
            {
                char text[200];
                snprintf(text, sizeof text, "model M { t : Tank(trouble = %d) }\n" STOP, troubles[i]);
                Rig rig = rig_make(*state, version == 2 ? "tank2.fmu" : "tank3.fmu", text, isolate);
                assert_int_equal(rig_go(&rig, 0.2), KAI_OK);
                kaiSnapshot* copy = kaiSim_Save(rig.sim);
                if (copy != NULL)
                    assert_int_not_equal(kaiSim_Restore(rig.sim, copy), KAI_OK);
                kaiSnapshot_Free(copy);
                rig_free(&rig);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_tank_leaks_and_is_filled, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(values_go_in_and_come_out, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(every_type_has_its_calls, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(a_clock_may_tick_at_the_start, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(what_goes_wrong_inside_is_told, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(a_process_may_die, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(a_process_may_hang, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(it_may_end_the_run, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(it_may_go_its_own_way, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(a_warning_names_the_instance, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(a_copy_goes_on_to_the_same_bits, guests_make, guests_remove),
        cmocka_unit_test_setup_teardown(what_cannot_be_copied_says_so, guests_make, guests_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
