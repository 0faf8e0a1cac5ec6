// Sampled systems against computations of their own: the plant between two samples has a closed form, so that bits and
// trajectories can be computed without any integration (long double). Paper 004, chapter 5.
#include "load_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The values of two events, in order.
typedef struct Events
{
    int column[2];
    size_t count[2], capacity;
    double* value[2];
    double* time[2];
} Events;

static kaiStatus keep_events(void* user, const kaiRow* row)
{
    Events* events = user;
    for (int i = 0; i < 2; i++)
        if (row->present[events->column[i]])
        {
            assert_true(events->count[i] < events->capacity);
            events->value[i][events->count[i]] = row->values[events->column[i]];
            events->time[i][events->count[i]++] = row->t;
        }
    return KAI_OK;
}

static int find_column(const kaiSim* sim, const char* name)
{
    int count;
    const kaiColumn* columns = kaiSim_Columns(sim, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(columns[i].name, name) == 0)
            return i;
    fail_msg("no column %s", name);
    return -1;
}

static Events run_events(const char* path, const char* experiment, const char* first, const char* second, size_t most)
{
    kaiModel* model = load_file(path, experiment);
    kaiSimOptions options = kaiModel_SimOptions(model);
    Events events = {.capacity = most};
    for (int i = 0; i < 2; i++)
    {
        events.value[i] = calloc(most, sizeof(double));
        events.time[i] = calloc(most, sizeof(double));
    }
    options.row = keep_events;
    options.row_user = &events;
    kaiSim* sim = kaiSim_Create(model, &options, NULL);
    assert_non_null(sim);
    events.column[0] = find_column(sim, first);
    events.column[1] = find_column(sim, second);
    assert_int_equal(kaiSim_Run(sim), KAI_END);
    kaiSim_Free(sim);
    kaiModel_Free(model);
    return events;
}

static void free_events(Events* events)
{
    for (int i = 0; i < 2; i++)
    {
        free(events->value[i]);
        free(events->time[i]);
    }
}

// ---------------------------------------------------------------------------------------------------- accelerometer

// x'' + 2.5 x' + 250 x = 50 sin(t/2) - 20 q with q constant from t to t + h: particular plus damped oscillation.
typedef struct Beam
{
    long double x, v;
} Beam;

static Beam beam_after(Beam from, long double t, long double h, long double q)
{
    const long double w = 0.5L, k = 250, b = 2.5L, d = sqrtl(k - b * b / 4);
    const long double gain = 50 / ((k - w * w) * (k - w * w) + b * b * w * w);
    const long double in = gain * (k - w * w), out = -gain * b * w, rest = -20 * q / k;
    long double x = from.x - (in * sinl(w * t) + out * cosl(w * t) + rest);
    long double v = from.v - w * (in * cosl(w * t) - out * sinl(w * t));
    long double decay = expl(-b / 2 * h), c = cosl(d * h), s = sinl(d * h) / d;
    long double x1 = decay * (x * (c + b / 2 * s) + v * s), v1 = decay * (v * (c - b / 2 * s) - k * x * s);
    t += h;
    return (Beam){x1 + in * sinl(w * t) + out * cosl(w * t) + rest, v1 + w * (in * cosl(w * t) - out * sinl(w * t))};
}

typedef struct Bits
{
    signed char* bit;   // bit[k] at 0.02 k, k = 1 …
    double margin, at;  // the smallest |input of the quantizer|, and when; the exact zero of k = 1 does not count
} Bits;

static Bits compute_bits(int count)
{
    Bits bits = {.bit = calloc((size_t)count + 1, 1), .margin = INFINITY};
    Beam now = {0, 0};
    long double before = 0, q = 0;  // x one sample ago
    for (int k = 1; k <= count; k++)
    {
        long double sampled = now.x;
        now = beam_after(now, 0.02L * (k - 1), 0.02L, q);
        long double u = 0.7L * sampled + 0.3L * before;
        before = sampled;
        q = u > 0 ? 1 : -1;
        bits.bit[k] = (signed char)q;
        if (k > 1 && fabsl(u) < bits.margin)
        {
            bits.margin = (double)fabsl(u);
            bits.at = 0.02 * k;
        }
    }
    return bits;
}

// In twentieths and thousandths: whole numbers, exact.
static double average_ending_at(const Bits* bits, int k)
{
    long total = 0;
    for (int n = k - 49; n <= k; n++)
        for (int i = 0; i < 15 && n - i >= 1; i++)
            total += (i < 5 ? 2 : 1) * bits->bit[n - i];
    return (double)total / 1000;
}

static void check_bits(const Bits* exact, const Events* events, int count)
{
    assert_int_equal(events->count[0], count);
    for (int k = 1; k <= count; k++)
    {
        if (events->value[0][k - 1] != exact->bit[k])
            fail_msg("bit %d (t = %g) is %g instead of %d", k, 0.02 * k, events->value[0][k - 1], exact->bit[k]);
        if (fabs(events->time[0][k - 1] - 0.02 * k) > 1e-12 * k)
            fail_msg("bit %d comes at %.17g", k, events->time[0][k - 1]);
    }
}

static void test_accelerometer(void** state)
{
    (void)state;
    Bits exact = compute_bits(750);
    assert_true(fabs(exact.margin - 5.3e-6) < 0.05e-6);  // from another computation of the same bits
    assert_true(fabs(exact.at - 10.56) < 1e-9);
    Events events = run_events("examples/sigma-delta/model.kai", "fig24", "bit.y", "average.y", 2000);
    check_bits(&exact, &events, 750);
    assert_int_equal(events.count[1], 15);
    for (int n = 1; n <= 15; n++)
        if (!(fabs(events.value[1][n - 1] - average_ending_at(&exact, 50 * n)) < 1e-14))
            fail_msg("average %d is %.17g instead of %.17g", n, events.value[1][n - 1],
                     average_ending_at(&exact, 50 * n));
    free(exact.bit);
    free_events(&events);
}

static void test_accelerometer_long(void** state)
{
    (void)state;
    enum
    {
        COUNT = 100750
    };
    Bits exact = compute_bits(COUNT);
    Events events = run_events("examples/sigma-delta/model.kai", "long", "bit.y", "lead.y", COUNT + 10);
    print_message("smallest margin of %d bits: %g at t = %g\n", COUNT, exact.margin, exact.at);
    check_bits(&exact, &events, COUNT);
    free(exact.bit);
    free_events(&events);
}

// ------------------------------------------------------------------------------------------------------- sampled PI

// x' = u - x between ticks; the controller sees x 5 ms ago.
static long double pi_loop(long double T)
{
    long double x = 0, u = 0, s = 0, seen = 0;
    int count = (int)roundl(10 / T);
    for (int k = 0; k < count; k++)
    {
        long double e = (T * k >= 1 - 1e-9L ? 1 : 0) - seen;
        u = 2 * e + (s + T * e);
        s += T * e;
        seen = u + (x - u) * expl(-(T - 0.005L));
        x = u + (x - u) * expl(-T);
    }
    return x;
}

static double final_value(const char* path, const char* experiment, const char* name)
{
    kaiModel* model = load_file(path, experiment);
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = kaiSim_Create(model, &options, NULL);
    assert_non_null(sim);
    assert_int_equal(kaiSim_Run(sim), KAI_END);
    double value = NAN;
    assert_true(kaiSim_Get(sim, kaiModel_FindVariable(model, name), &value));
    kaiSim_Free(sim);
    kaiModel_Free(model);
    return value;
}

static void test_sampled_pi(void** state)
{
    (void)state;
    static const struct
    {
        const char* experiment;
        double T, published;
    } rows[] = {{"fast", 0.05, 0.9911176118}, {"middle", 0.2, 0.9910077163}, {"slow", 0.5, 0.9908813294}};
    for (int i = 0; i < 3; i++)
    {
        double exact = (double)pi_loop(rows[i].T);
        assert_true(fabs(exact - rows[i].published) < 1e-10);
        double x = final_value("examples/sampled-pi/model.kai", rows[i].experiment, "plant.x");
        if (!(fabs(x - exact) < 1e-9))
            fail_msg("T = %g: x(10) = %.17g instead of %.17g", rows[i].T, x, exact);
    }
}

// ------------------------------------------------------------------------------------------------------------ queue

static double get(const kaiModel* model, kaiSim* sim, const char* name)
{
    double value = NAN;
    assert_true(kaiSim_Get(sim, kaiModel_FindVariable(model, name), &value));
    return value;
}

// Who waits is part of a snapshot, values and order: the run goes on to the same bits.
static void test_queue_snapshot(void** state)
{
    (void)state;
    kaiModel* model = load_file("examples/queue/customers.kai", "thousands");
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.stop = 3000;
    kaiSim* sim = kaiSim_Create(model, &options, NULL);
    assert_non_null(sim);
    while (!(kaiSim_Now(sim).t > 500 && get(model, sim, "server.n") >= 5))
        assert_int_equal(kaiSim_Step(sim), KAI_INSTANT);
    kaiSnapshot* snapshot = kaiSim_Save(sim);
    double stay[2], area[2];
    for (int i = 0; i < 2; i++)
    {
        assert_int_equal(kaiSim_Run(sim), KAI_END);
        stay[i] = get(model, sim, "stay");
        area[i] = get(model, sim, "area");
        assert_int_equal(kaiSim_Restore(sim, snapshot), KAI_OK);
    }
    assert_true(stay[0] > 0 && stay[0] == stay[1] && area[0] == area[1]);
    kaiSnapshot_Free(snapshot);
    kaiSim_Free(sim);
    kaiModel_Free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accelerometer),
        cmocka_unit_test(test_accelerometer_long),
        cmocka_unit_test(test_sampled_pi),
        cmocka_unit_test(test_queue_snapshot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
