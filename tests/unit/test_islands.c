// Islands and events from outside, as a program sees them that embeds the library. Expected values are closed forms.
#include "kairos/kairos.h"
#include "unit/load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// Two decays that know nothing of each other. `door` sets the first back.
static const char text[] = "model Decay { param k = 1; state x = 1; x' = -k*x; discrete n = 0\n"
                           "  event low = down(x - 0.5)\n"
                           "  when low { n := n + 1 } }\n"
                           "model M {\n"
                           "  input event door\n"
                           "  input u = 2\n"
                           "  a : Decay\n"
                           "  b : Decay(k = 0.1)\n"
                           "  discrete got = 0, opened = 0\n"
                           "  signal total = a.x + b.x\n"
                           "  when door { a.x := 1; got := door; opened := opened + 1 }\n"
                           "}\n"
                           "experiment apart of M { stop = 10; islands = auto; rtol = 1e-10 }\n"
                           "experiment whole of M { stop = 10; islands = one; rtol = 1e-10 }\n";

typedef struct Run
{
    kaiModel* model;
    kaiSim* sim;
} Run;

static Run start_text(const char* source, const char* experiment)
{
    LoadOptions options = load_default();
    options.path = "text.kai";
    options.text = source;
    options.experiment = experiment;
    Run run = {0};
    kaiProgram* messages = NULL;
    kaiError failure;
    assert_int_equal(load_model(&options, &run.model, &messages), KAI_OK);
    kaiProgram_Free(messages);
    kaiSimOptions sim = kaiModel_SimOptions(run.model);
    run.sim = kaiSim_Create(run.model, &sim, &failure);
    assert_non_null(run.sim);
    return run;
}

static Run start(const char* experiment)
{
    return start_text(text, experiment);
}

static void end(Run* run)
{
    kaiSim_Free(run->sim);
    kaiModel_Free(run->model);
}

static int variable(const Run* run, const char* name)
{
    int v = kaiModel_FindVariable(run->model, name);
    assert_true(v >= 0);
    return v;
}

static double get(const Run* run, const char* name)
{
    double value = NAN;
    assert_true(kaiSim_Get(run->sim, variable(run, name), &value));
    return value;
}

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-8))
        print_message("%.17g instead of %.17g\n", value, expected);
    assert_true(fabs(value - expected) <= 1e-8);
}

// Posted before the start, at one time twice, and taken back; b never notices.
static void posted_events_come(void** state)
{
    const char* const experiments[] = {"whole", "apart"};
    (void)state;
    for (int i = 0; i < 2; i++)
    {
        Run run = start(experiments[i]);
        uint64_t handle, other;
        int door = variable(&run, "door");
        assert_int_equal(kaiSim_Post(run.sim, door, 7, 2, &other), KAI_OK);
        assert_int_equal(kaiSim_Post(run.sim, door, 5, 1, &handle), KAI_OK);
        assert_int_equal(kaiSim_Post(run.sim, door, 6, 9, NULL), KAI_OK);
        assert_true(kaiSim_Cancel(run.sim, other));
        assert_false(kaiSim_Cancel(run.sim, other));
        assert_int_equal(kaiSim_Run(run.sim), KAI_END);
        assert_false(kaiSim_Cancel(run.sim, handle));  // it has come
        assert_true(get(&run, "opened") == 2 && get(&run, "got") == 6);
        near(get(&run, "a.x"), exp(-1));
        near(get(&run, "b.x"), exp(-1));
        near(get(&run, "total"), 2 * exp(-1));
        end(&run);
    }
}

// At the present it shares the instant; in the past it is refused by name, and the run goes on.
static void the_past_is_closed(void** state)
{
    const char* const experiments[] = {"whole", "apart"};
    (void)state;
    for (int i = 0; i < 2; i++)
    {
        Run run = start(experiments[i]);
        int door = variable(&run, "door");
        assert_int_equal(kaiSim_Step(run.sim), KAI_INSTANT);
        assert_int_equal(kaiSim_Step(run.sim), KAI_INSTANT);
        near(kaiSim_Now(run.sim).t, log(2));
        assert_int_equal(kaiSim_Post(run.sim, door, 1, 0.5, NULL), KAI_ERR_USAGE);
        assert_non_null(strstr(kaiSim_Failure(run.sim)->message, "door is posted for t = 0.5"));
        assert_string_equal(kaiSim_Failure(run.sim)->place.file, "text.kai");
        assert_int_equal(kaiSim_Failure(run.sim)->place.line, 5);
        assert_int_equal(kaiSim_Post(run.sim, variable(&run, "a.x"), 1, 5, NULL), KAI_ERR_USAGE);  // no input
        assert_int_equal(kaiSim_Post(run.sim, door, 3, kaiSim_Now(run.sim).t, NULL), KAI_OK);
        assert_int_equal(kaiSim_Step(run.sim), KAI_INSTANT);
        near(kaiSim_Now(run.sim).t, log(2));
        near(get(&run, "a.x"), 1);
        assert_int_equal(kaiSim_Run(run.sim), KAI_END);
        near(get(&run, "a.x"), 2 * exp(-10));
        assert_true(get(&run, "got") == 3 && get(&run, "a.n") == 2);
        end(&run);
    }
}

// A value is up to date whenever it is asked for, though the instant has not touched it.
static void values_are_up_to_date(void** state)
{
    (void)state;
    Run run = start("apart");
    assert_int_equal(kaiSim_Step(run.sim), KAI_INSTANT);
    assert_int_equal(kaiSim_Step(run.sim), KAI_INSTANT);
    near(get(&run, "b.x"), exp(-0.1 * log(2)));
    near(get(&run, "total"), 0.5 + exp(-0.1 * log(2)));
    // A run that has begun takes inputs from outside; its states are its own.
    assert_int_equal(kaiSim_Set(run.sim, variable(&run, "b.x"), 3), KAI_ERR_USAGE);
    assert_int_equal(kaiSim_Run(run.sim), KAI_END);
    near(get(&run, "b.x"), exp(-0.1 * 10));
    near(get(&run, "a.x"), exp(-10));
    end(&run);
}

static void islands_have_counters(void** state)
{
    (void)state;
    Run run = start("apart");
    kaiIslandCounters a, b, none;
    assert_int_equal(kaiSim_Post(run.sim, variable(&run, "door"), 1, 4.321, NULL), KAI_OK);
    assert_int_equal(kaiSim_Run(run.sim), KAI_END);
    assert_true(kaiSim_IslandCount(run.sim, 0, &a) && kaiSim_IslandCount(run.sim, 1, &b));
    assert_false(kaiSim_IslandCount(run.sim, 2, &none));
    assert_string_equal(a.name, "a.x");
    assert_string_equal(b.name, "b.x");
    assert_true(a.states == 1 && b.states == 1 && a.steps > 0 && b.steps > 0 && b.ahead > 0);
    assert_int_equal(a.rollbacks, 1);  // nobody expected the door
    assert_int_equal(a.thrown, 1);
    assert_int_equal(b.rollbacks, 0);
    assert_int_equal(kaiSim_Counters(run.sim).rollbacks, 1);
    assert_int_equal(kaiSim_Counters(run.sim).steps, a.steps + b.steps);
    end(&run);
    run = start("whole");
    assert_false(kaiSim_IslandCount(run.sim, 0, &none));
    end(&run);
}

// An input that is set in the middle: what it starts is due from there on, and a `halt` it causes ends the run there.
static const char driven[] = "model M {\n"
                             "  input u = 0\n"
                             "  event tick = clock(0.5)\n"
                             "  discrete n = 0, entered = -1\n"
                             "  when tick { n := n + 1 }\n"
                             "  modes {\n"
                             "    initial mode a { on u > 0.5 -> b }\n"
                             "    mode b { on time >= 0.35 -> c { entered := time } }\n"
                             "    mode c {}\n"
                             "  }\n"
                             "  when u > 1.5 { halt }\n"
                             "}\n"
                             "experiment e of M { stop = 2 }\n";

static void inputs_act_at_once(void** state)
{
    (void)state;
    Run run = start_text(driven, "e");
    while (kaiSim_StepTo(run.sim, 0.25) == KAI_INSTANT)
        continue;
    near(kaiSim_Now(run.sim).t, 0.25);
    assert_int_equal(kaiSim_Set(run.sim, variable(&run, "u"), 1), KAI_OK);
    assert_int_equal(kaiSim_Step(run.sim), KAI_INSTANT);
    near(kaiSim_Now(run.sim).t, 0.35);  // not at the tick
    near(get(&run, "entered"), 0.35);
    while (kaiSim_StepTo(run.sim, 1.2) == KAI_INSTANT)
        continue;
    assert_int_equal(kaiSim_Set(run.sim, variable(&run, "u"), 2), KAI_OK);
    assert_int_equal(kaiSim_Step(run.sim), KAI_END);
    near(kaiSim_Now(run.sim).t, 1.2);
    near(get(&run, "n"), 3);  // 0, 0.5, 1
    end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(posted_events_come),    cmocka_unit_test(the_past_is_closed),
        cmocka_unit_test(values_are_up_to_date), cmocka_unit_test(islands_have_counters),
        cmocka_unit_test(inputs_act_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
