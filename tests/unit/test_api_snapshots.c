// Snapshots: a run that is saved, restored and resumed gives the same bits, and a snapshot of another model is refused.
#include "unit/api_fixture.h"

// Run A straight on; run B saves in the middle, goes on, comes back, goes on again. All that follows the middle is the
// same, bit for bit. Taking a snapshot of CVODE starts it anew, so there A saves too.
static void check_snapshot(const char* text, const char* experiment, const char* solver)
{
    bool cvode = strncmp(solver, "cvode", 5) == 0;
    kaiModel* model = load_for(text, experiment, solver);
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.solver = solver;
    options.rtol = 1e-6;
    options.step = 0.005;
    options.stop = 4;
    Rows rows[2] = {{0}, {0}};
    kaiSim* a = create_recorded(model, options, &rows[0]);
    kaiSim* b = create_recorded(model, options, &rows[1]);
    kaiSnapshot* unused = NULL;
    for (int i = 0; i < 6; i++)
        assert_int_equal(kaiSim_Step(a), KAI_INSTANT);
    if (cvode)
        unused = kaiSim_Save(a);
    run_to_end(a);
    for (int i = 0; i < 6; i++)
        assert_int_equal(kaiSim_Step(b), KAI_INSTANT);
    size_t middle = rows[1].count;
    kaiSnapshot* snapshot = kaiSim_Save(b);
    assert_non_null(snapshot);
    kaiTag tag = kaiSim_Now(b);
    run_to_end(b);
    size_t end = rows[1].count;
    kaiCounters first = kaiSim_Counters(b);
    assert_same_rows(rows[0].at, rows[1].at, rows[0].count, rows[1].count);
    for (int again = 0; again < 2; again++)
    {
        assert_int_equal(kaiSim_Restore(b, snapshot), KAI_OK);
        assert_true(kaiSim_Now(b).t == tag.t && kaiSim_Now(b).p == tag.p && kaiSim_Now(b).m == tag.m);
        rows[1].count = end;
        run_to_end(b);
        assert_same_rows(rows[0].at + middle, rows[1].at + end, end - middle, rows[1].count - end);
        assert_int_equal(kaiSim_Counters(b).rows, first.rows);
        assert_int_equal(kaiSim_Counters(b).instants, first.instants);
    }
    // Into another sim of the same model, which has not started.
    Rows other_rows = {0};
    kaiSim* other = create_recorded(model, options, &other_rows);
    assert_int_equal(kaiSim_Restore(other, snapshot), KAI_OK);
    run_to_end(other);
    assert_same_rows(rows[0].at + middle, other_rows.at, end - middle, other_rows.count);
    kaiSnapshot_Free(snapshot);
    kaiSnapshot_Free(unused);
    kaiSim_Free(other);
    kaiSim_Free(a);
    kaiSim_Free(b);
    kaiModel_Free(model);
    free(rows[0].at);
    free(rows[1].at);
    free(other_rows.at);
}

static const char* const solvers[] = {"rk45",           "rk23",      "rosenbrock", "euler",
                                      "backward_euler", "trapezoid", "cvode_bdf",  "cvode_adams"};

enum
{
    SOLVERS = sizeof solvers / sizeof *solvers
};

static void test_snapshot_ball(void** state)
{
    (void)state;
    for (int i = 0; i < SOLVERS; i++)
    {
        print_message("%s\n", solvers[i]);
        check_snapshot(ball_text, "bounce", solvers[i]);
    }
}

static void test_snapshot_plant(void** state)
{
    (void)state;
    for (int i = 0; i < SOLVERS; i++)
    {
        print_message("%s\n", solvers[i]);
        check_snapshot(plant_text, "e", solvers[i]);
        check_snapshot(plant_text, "apart", solvers[i]);
    }
}

// Histories, what was given of the past, delays that vary, what is about to come out of them.
static void test_snapshot_delays(void** state)
{
    (void)state;
    const char* text = "model M {\n"
                       "  state x = 1, y = 1, z = 0\n"
                       "  x' = -2*delay(x, 0.7, cos(time))\n"
                       "  y' = -delay(y, 0.5 + 0.2*sin(3*time))\n"
                       "  z' = 1\n"
                       "  signal fast = delay(sin(20*time)*z, 0.4), jumps = delay(floor(5*z), 0.9 + z/10)\n"
                       "  event tick = clock(0.3, 0.1), up_fast = up(fast)\n"
                       "  discrete n = 0\n"
                       "  when tick { n := n + jumps; z := z/2 }\n"
                       "}\n"
                       "experiment e of M { stop = 4 }\n"
                       "experiment apart of M { stop = 4; islands = auto }\n";
    static const char* const names[] = {"rk45", "taylor", "rosenbrock", "cvode_bdf"};
    for (int i = 0; i < 4; i++)
    {
        print_message("%s\n", names[i]);
        check_snapshot(text, "e", names[i]);
        check_snapshot(text, "apart", names[i]);
    }
}

// Numeric impulses remember the step before: differences, pulses and the delayed ones.
static void test_snapshot_numeric(void** state)
{
    (void)state;
    static const char text[] =
        "model M {\n"
        "  event k = clock(0.3, 0.1), hit = down(y)\n"
        "  signal d = delta(k, 1), e = der(der(d)), late = delay(d, 0.2501)\n"
        "  state x = 0, z = 0, y = 1, v = 0\n"
        "  x' = e - x\n"
        "  z' = late + der(x)\n"
        "  y' = v\n"
        "  v' = delta(hit, -2*pre(v)) - 9.81\n"
        "}\n"
        "experiment plain of M { stop = 3; impulses = numeric; step = 0.005 }\n"
        "experiment ibe of M { stop = 3; impulses = numeric; step = 0.005; breakpoint_solver = ibe }\n";
    check_snapshot(text, "plain", "riemann");
    check_snapshot(text, "ibe", "riemann");
}

// Equations that are made anew at every shift are those of the ratio that was saved.
static void test_snapshot_between_shifts(void** state)
{
    (void)state;
    const char* text = "model M {\n"
                       "  discrete n = 0.7\n"
                       "  event tick = clock(0.25, 0.25)\n"
                       "  when tick { n := if n > 2 then 0.3 else 1.7*n }\n"
                       "  drive : Se(e = sin(3*time)); motor : I(i = 1.3, f0 = 1); wheel : I(i = 0.7); r : R(r = 0.1)\n"
                       "  t : TF(n = n); a : J1; b : J1\n"
                       "  bond drive -> a -> motor; bond a -> t -> b -> wheel; bond b -> r\n"
                       "}\n"
                       "experiment e of M { }\n";
    check_snapshot(text, "e", "rk45");
}

static void test_snapshot_of_another_model(void** state)
{
    (void)state;
    kaiModel *ball = load(ball_text, "bounce"), *plant = load(plant_text, "e");
    kaiSimOptions ball_options = kaiModel_SimOptions(ball), plant_options = kaiModel_SimOptions(plant);
    kaiSim *a = create(ball, &ball_options), *b = create(plant, &plant_options);
    kaiSnapshot* snapshot = kaiSim_Save(a);
    assert_int_equal(kaiSim_Restore(b, snapshot), KAI_ERR_USAGE);
    kaiSnapshot_Free(snapshot);
    kaiSim_Free(a);
    kaiSim_Free(b);
    kaiModel_Free(ball);
    kaiModel_Free(plant);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_snapshot_ball),           cmocka_unit_test(test_snapshot_plant),
        cmocka_unit_test(test_snapshot_delays),         cmocka_unit_test(test_snapshot_numeric),
        cmocka_unit_test(test_snapshot_between_shifts), cmocka_unit_test(test_snapshot_of_another_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
