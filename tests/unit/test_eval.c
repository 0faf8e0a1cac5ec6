// A model in the hands of a foreign integrator (kairos/eval.h): guards of time alone are told ahead, delayed signals
// are known where they are read, rates have derivatives, tags can be taken one by one. Everything against closed forms.
#include "unit/api_fixture.h"

enum
{
    STATES_MOST = 4
};

typedef struct Ride
{
    kaiModel* model;
    kaiEval* eval;
    double t, x[STATES_MOST];
} Ride;

static Ride begin(const char* text)
{
    Ride r = {.model = load(text, "e")};
    kaiSimOptions options = kaiModel_SimOptions(r.model);
    kaiError error = {0};
    r.eval = kaiEval_Create(r.model, &options, &error);
    if (r.eval == NULL)
        fail_msg("%s: %s", text, error.message);
    assert_true(kaiEval_StateCount(r.eval) <= STATES_MOST);
    return r;
}

static Ride start(const char* text)
{
    Ride r = begin(text);
    assert_int_equal(kaiEval_Start(r.eval, r.x), KAI_OK);
    return r;
}

static void end(Ride* r)
{
    kaiEval_Free(r->eval);
    kaiModel_Free(r->model);
}

static double get(const Ride* r, const char* name)
{
    double value = NAN;
    kaiEval_Get(r->eval, kaiModel_FindVariable(r->model, name), &value);
    return value;
}

static void near(double value, double wanted, double within)
{
    if (!(fabs(value - wanted) <= within))
        fail_msg("%.17g instead of %.17g", value, wanted);
}

// Classical Runge-Kutta over h.
static void move(Ride* r, double h)
{
    static const double part[] = {0, 0.5, 0.5, 1};
    double k[4][STATES_MOST], at[STATES_MOST];
    int n = kaiEval_StateCount(r->eval);
    memcpy(at, r->x, sizeof at);
    for (int s = 0; s < 4; s++)
    {
        for (int i = 0; s > 0 && i < n; i++)
            at[i] = r->x[i] + part[s] * h * k[s - 1][i];
        assert_int_equal(kaiEval_Rates(r->eval, r->t + part[s] * h, at, k[s]), KAI_OK);
    }
    for (int i = 0; i < n; i++)
        r->x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    r->t += h;
}

static void ride_to(Ride* r, double until, double h)
{
    while (r->t < until)
    {
        double due = kaiEval_Next(r->eval), to = fmin(fmin(r->t + h, due), until);
        move(r, to - r->t);
        r->t = to;
        if (r->t >= due && kaiEval_Pending(r->eval, r->t, r->x))
            assert_int_equal(kaiEval_Instant(r->eval, r->t, r->x), KAI_OK);
        else
            assert_int_equal(kaiEval_StepDone(r->eval, r->t, r->x), KAI_OK);
    }
}

// ---- guards of time alone

// sin(2 pi t) goes up through 1/2 at 1/12, 13/12, …, whatever the steps are.
static void test_ahead(void** state)
{
    (void)state;
    Ride r = start("model M { state x = 0; x' = 1; discrete n = 0; event e = up(sin(2*pi*time) - 0.5)\n"
                   "  when e { n := n + 1 } }\nexperiment e of M { stop = 10 }\n");
    for (int k = 0; k < 5; k++)
    {
        double due = kaiEval_Next(r.eval);
        near(due, k + 1. / 12, 1e-12);
        r.x[0] = due;
        assert_int_equal(kaiEval_Begin(r.eval, due, r.x), KAI_OK);
        for (bool more = true; more;)
            assert_int_equal(kaiEval_Tag(r.eval, r.x, &more), KAI_OK);
        near(get(&r, "n"), k + 1, 0);
        // It has to come back before it can fire again: an event time at which nothing happens.
        double back = kaiEval_Next(r.eval);
        near(back, k + 5. / 12, 1e-12);
        r.x[0] = back;
        assert_false(kaiEval_Pending(r.eval, back, r.x));
        assert_int_equal(kaiEval_Rearm(r.eval, back, r.x), KAI_OK);
        near(get(&r, "n"), k + 1, 0);
    }
    end(&r);
}

// No crossing to be found: no time, or one at which nothing is pending.
static void test_nothing_ahead(void** state)
{
    (void)state;
    static const char* const guards[] = {
        "up(exp(-time) - 2)", "up(sign(time + 1) - 2)", "up(sin(time) - 1.5)",
        "up(sqrt(time) - 1)", "up(u - 1 + 0*time)",     "up(delay(x, 0.25) + sin(time) - 9)",
    };
    for (size_t i = 0; i < sizeof guards / sizeof *guards; i++)
    {
        char text[300];
        snprintf(text, sizeof text,
                 "model M { input u = 0; state x = 0; x' = 1; discrete n = 0; when %s { n := n + 1 } }\n"
                 "experiment e of M { stop = 10 }\n",
                 guards[i]);
        Ride r = start(text);
        double next = kaiEval_Next(r.eval);
        assert_true(next > 0);
        if (isfinite(next) && i != 3)
            assert_false(kaiEval_Pending(r.eval, next, r.x));
        near(get(&r, "n"), 0, 0);
        end(&r);
    }
}

// Where there is no series (a root of 0) its indicator has to do.
static void test_indicator_of_time(void** state)
{
    (void)state;
    Ride r = start("model M { state x = 0; x' = 1; discrete n = 0; when up(sqrt(time) - 1) { n := n + 1 } }\n"
                   "experiment e of M { stop = 10 }\n");
    double z = NAN, g = NAN;
    assert_int_equal(kaiEval_IndicatorCount(r.eval), 1);
    assert_int_equal(kaiEval_Watch(r.eval, 0.81, r.x, &z), KAI_OK);
    assert_true(z > 0);
    assert_int_equal(kaiEval_Indicators(r.eval, 0.81, r.x, &g), KAI_OK);
    near(g, -0.1, 1e-15);
    assert_false(kaiEval_Crossed(r.eval, 0.81, r.x));
    assert_int_equal(kaiEval_Watch(r.eval, 1.21, r.x, &z), KAI_OK);
    assert_true(z <= 0);
    assert_true(kaiEval_Crossed(r.eval, 1.21, r.x));
    assert_int_equal(kaiEval_Instant(r.eval, 1.21, r.x), KAI_OK);
    near(get(&r, "n"), 1, 0);
    end(&r);
}

// ---- delays

// x' = -x(t - 1), x = cos before 0. On [0, 1]: x = 1 - sin(1) - sin(t - 1). On [1, 2] once more: x(2) = cos(1) - 1.
static void test_past(void** state)
{
    (void)state;
    Ride r = start("model M { state x = 1; x' = -delay(x, 1, cos(time)) }\nexperiment e of M { stop = 3 }\n");
    ride_to(&r, 0.5, 1. / 64);
    near(r.x[0], 1 - sin(1) - sin(-0.5), 1e-9);
    ride_to(&r, 1, 1. / 64);
    near(r.x[0], 1 - sin(1), 1e-9);
    ride_to(&r, 2, 1. / 64);
    near(r.x[0], cos(1) - 1, 1e-8);
    end(&r);
}

// Who goes back behind an accepted step takes it away: what is known of the signal is cut there, too.
static void test_going_back(void** state)
{
    (void)state;
    Ride r = start("model M { state x = 1; x' = -delay(x, 1, cos(time)) }\nexperiment e of M { stop = 3 }\n");
    ride_to(&r, 0.25, 1. / 64);
    Ride kept = r;
    ride_to(&r, 0.75, 1. / 64);
    r.x[0] = 100;  // a wrong turn
    assert_int_equal(kaiEval_StepDone(r.eval, r.t, r.x), KAI_OK);
    r = kept;
    assert_int_equal(kaiEval_StepDone(r.eval, r.t, r.x), KAI_OK);
    ride_to(&r, 2, 1. / 64);
    near(r.x[0], cos(1) - 1, 1e-7);
    end(&r);
}

// A delayed signal beside a delayed event: only signals are fed. The jump of u at 0.5 arrives at 1.5.
static void test_delayed_jump(void** state)
{
    (void)state;
    Ride r = start("model M { state x = 0; discrete u = 0; event a = clock(1, 0.5), b = delay(a, 0.25)\n"
                   "  x' = delay(u, 1); when a { u := u + 1 } discrete n = 0; when b { n := n + 1 } }\n"
                   "experiment e of M { stop = 3 }\n");
    ride_to(&r, 2.25, 1. / 16);
    near(r.x[0], 0.75, 1e-9);
    near(get(&r, "n"), 2, 0);
    end(&r);
}

// ---- derivatives and indicators

// A constructive loop has no Jacobian of its own: f = -2x for x > 0, by a difference along v.
static void test_along(void** state)
{
    (void)state;
    Ride r = start("model M { state x = 3, y = 1; signal a = if x > 0 then x else b, b = if x > 0 then 2*a else x\n"
                   "  x' = -b; y' = x*y }\nexperiment e of M { stop = 1 }\n");
    double v[2] = {3, 0.5}, out[2], still[2] = {0, 0};
    assert_int_equal(kaiEval_RatesAlong(r.eval, 0, r.x, v, out), KAI_OK);
    near(out[0], -6, 1e-6);
    near(out[1], 3 * 1 + 3 * 0.5, 1e-6);
    assert_int_equal(kaiEval_RatesAlong(r.eval, 0, r.x, still, out), KAI_OK);
    near(out[0], 0, 0);
    near(out[1], 0, 0);
    assert_int_equal(kaiEval_Rates(r.eval, 0, r.x, out), KAI_OK);  // the question has left nothing
    near(out[0], -6, 0);
    end(&r);
}

// The guard of a mode that is not active gives 1.
static void test_inactive(void** state)
{
    (void)state;
    Ride r =
        start("model M { state x = 0; x' = 1; modes { initial mode a { on x > 2 -> b } mode b { on x > 7 -> a } } }\n"
              "experiment e of M { stop = 9 }\n");
    double g[2] = {NAN, NAN}, at[1] = {1.5};
    assert_int_equal(kaiEval_IndicatorCount(r.eval), 2);
    assert_int_equal(kaiEval_Indicators(r.eval, 1.5, at, g), KAI_OK);
    near(fabs(g[0]), 0.5, 1e-15);
    near(g[1], 1, 0);
    assert_int_equal(kaiEval_Indicators(r.eval, 1.5, at, NULL), KAI_ERR_USAGE);
    end(&r);
}

// ---- tag by tag

// An input that is set between two tags is seen by the next one.
static void test_between_tags(void** state)
{
    (void)state;
    Ride r = start("model M { input u = 1; state x = 0; x' = 1; discrete n = 0, seen = 0; event a = clock(1, 1)\n"
                   "  when a { n := n + 1 } when n == 1 { seen := u; n := 2 } }\nexperiment e of M { stop = 3 }\n");
    int u = kaiModel_FindVariable(r.model, "u");
    bool more = false;
    r.x[0] = 1;
    assert_int_equal(kaiEval_Begin(r.eval, 1, r.x), KAI_OK);
    assert_int_equal(kaiEval_Rates(r.eval, 1, r.x, r.x), KAI_ERR_USAGE);  // nothing else may be asked now
    assert_int_equal(kaiEval_Flow(r.eval, u, 2), KAI_ERR_USAGE);
    assert_int_equal(kaiEval_Tag(r.eval, r.x, &more), KAI_OK);
    assert_true(more);
    assert_int_equal(kaiEval_Set(r.eval, u, 7), KAI_OK);
    while (more)
        assert_int_equal(kaiEval_Tag(r.eval, r.x, &more), KAI_OK);
    near(get(&r, "seen"), 7, 0);
    assert_int_equal(kaiEval_Tag(r.eval, r.x, &more), KAI_ERR_USAGE);
    end(&r);
}

static void test_inputs(void** state)
{
    (void)state;
    Ride r = begin("model M { input u = 1; input event push; param k = 2; signal s = 3; state x = 0; x' = k*u\n"
                   "  discrete n = 0; when push { n := n + push } }\nexperiment e of M { stop = 3 }\n");
    int u = kaiModel_FindVariable(r.model, "u"), push = kaiModel_FindVariable(r.model, "push");
    int k = kaiModel_FindVariable(r.model, "k"), s = kaiModel_FindVariable(r.model, "s");
    double dx = NAN;
    assert_int_equal(kaiEval_Post(r.eval, push, 1), KAI_ERR_USAGE);  // not before the start
    assert_int_equal(kaiEval_Flow(r.eval, u, 1), KAI_ERR_USAGE);
    assert_int_equal(kaiEval_Set(r.eval, k, 5), KAI_OK);
    assert_int_equal(kaiEval_Set(r.eval, s, 5), KAI_ERR_USAGE);
    assert_int_equal(kaiEval_Start(r.eval, r.x), KAI_OK);
    assert_int_equal(kaiEval_Set(r.eval, k, 6), KAI_ERR_USAGE);  // not after it
    assert_int_equal(kaiEval_Flow(r.eval, k, 6), KAI_ERR_USAGE);
    assert_int_equal(kaiEval_Flow(r.eval, push, 6), KAI_ERR_USAGE);
    assert_int_equal(kaiEval_Post(r.eval, u, 1), KAI_ERR_USAGE);
    assert_int_equal(kaiEval_Flow(r.eval, u, 1), KAI_OK);  // where it is
    assert_int_equal(kaiEval_Flow(r.eval, u, 3), KAI_OK);
    assert_int_equal(kaiEval_Rates(r.eval, 0.5, r.x, &dx), KAI_OK);
    near(dx, 15, 0);
    assert_int_equal(kaiEval_Post(r.eval, push, 4), KAI_OK);
    assert_true(kaiEval_Pending(r.eval, 0.5, r.x));
    assert_int_equal(kaiEval_Instant(r.eval, 0.5, r.x), KAI_OK);
    near(get(&r, "n"), 4, 0);
    assert_int_equal(kaiEval_Instant(r.eval, 0.25, r.x), KAI_ERR_USAGE);  // time does not go back behind an instant
    end(&r);
}

// ---- what is refused

static void refused(const char* text, const char* words)
{
    kaiModel* model = load(text, "e");
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiError error = {0};
    assert_null(kaiEval_Create(model, &options, &error));
    assert_int_equal(error.status, KAI_ERR_USAGE);
    if (strstr(error.message, words) == NULL)
        fail_msg("%s instead of %s", error.message, words);
    kaiModel_Free(model);
}

static void test_refused(void** state)
{
    (void)state;
    refused("model M { state x = 1; x' = -delay(x, 1 + x*x) }\nexperiment e of M { stop = 1 }\n",
            "a `delay` that varies needs the steps");
    refused("model M { u : Se(e = 1); r : R(r = 1); c : C(c = 1); j : J1; bond u -> j; bond j -> r; bond j -> c }\n"
            "experiment e of M { stop = 1; balance = 1e-6 }\n",
            "`balance` is checked along steps");
    refused("model M { state x = 1; x' = -x }\nexperiment e of M { stop = 1; choice = all; islands = one }\n",
            "choice = all goes back in time");
    refused("model M { state x = 1; x' = -x }\nexperiment e of M { stop = 1; zeno = continue; islands = one }\n",
            "zeno = continue holds states");
    refused("model M { event k = clock(1, 1); state x = 1; x' = delta(k, 1) }\n"
            "experiment e of M { stop = 2; impulses = numeric; step = 0.1 }\n",
            "numeric impulses are made of steps");
}

// Bytes of a copy: of this model and this size only, and memory that is not there is said.
static void test_copies(void** state)
{
    (void)state;
    Ride r = begin("model M { state x = 1; x' = -delay(x, 1, cos(time)) }\nexperiment e of M { stop = 3 }\n");
    kaiSimOptions options = kaiModel_SimOptions(r.model);
    assert_int_equal(kaiEval_Start(r.eval, r.x), KAI_OK);
    ride_to(&r, 0.5, 1. / 16);
    size_t size = kaiEval_SaveSize(r.eval);
    char* bytes = malloc(size);
    assert_int_equal(kaiEval_Save(r.eval, bytes, size), KAI_OK);
    assert_int_equal(kaiEval_Restore(r.eval, bytes, size - 1), KAI_ERR_USAGE);
    assert_int_equal(kaiEval_Restore(r.eval, bytes, 3), KAI_ERR_USAGE);
    Ride kept = r;
    ride_to(&r, 2, 1. / 16);
    kaiStatus status = KAI_ERR_MEMORY;
    for (long n = 0; status == KAI_ERR_MEMORY; n++)
    {
        Heap heap = {.fail_at = -1};
        options.allocator = (kaiAllocator){heap_alloc, &heap};
        kaiEval* other = kaiEval_Create(r.model, &options, NULL);
        assert_non_null(other);
        heap.fail_at = heap.calls + n;
        status = kaiEval_Restore(other, bytes, size);
        Ride again = {r.model, other, kept.t, {kept.x[0]}};
        heap.fail_at = -1;
        if (status == KAI_OK)
        {
            ride_to(&again, 2, 1. / 16);
            assert_memory_equal(&again.x[0], &r.x[0], sizeof r.x[0]);
        }
        kaiEval_Free(other);
        assert_int_equal(heap.live, 0);
    }
    assert_int_equal(status, KAI_OK);
    free(bytes);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ahead),  cmocka_unit_test(test_nothing_ahead), cmocka_unit_test(test_indicator_of_time),
        cmocka_unit_test(test_past),   cmocka_unit_test(test_going_back),    cmocka_unit_test(test_delayed_jump),
        cmocka_unit_test(test_along),  cmocka_unit_test(test_inactive),      cmocka_unit_test(test_between_tags),
        cmocka_unit_test(test_inputs), cmocka_unit_test(test_refused),       cmocka_unit_test(test_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
