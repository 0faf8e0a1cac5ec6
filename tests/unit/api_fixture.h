// Models and helpers that the tests of the public functions share.
#ifndef KAIROS_TESTS_API_FIXTURE_H
#define KAIROS_TESTS_API_FIXTURE_H

#include "kairos/kairos.h"
#include "unit/heap.h"
#include "unit/load.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char ball_text[] = "model Ball {\n"
                                "  param g [m/s^2] = 9.81, e = 0.8, v_rest [m/s] = 0.01\n"
                                "  state y [m] = 1, v [m/s] = 0\n"
                                "  event hit = down(y)\n"
                                "  modes {\n"
                                "    initial mode falling {\n"
                                "      y' = v\n"
                                "      v' = -g\n"
                                "      when hit { v := -e*v }\n"
                                "      on hit if abs(v) < v_rest -> sitting { y := 0 }\n"
                                "    }\n"
                                "    mode sitting { y' = 0; v' = 0 }\n"
                                "  }\n"
                                "}\n"
                                "experiment bounce of Ball {\n"
                                "  stop = 5\n"
                                "  expect time_of(hit, 1) ~ 0.451523640985731 within 1e-12\n"
                                "  expect final(y) ~ 1 within 1e-9 \"it does not fly\"\n"
                                "  expect time_of(hit, 1000) ~ 5 within 1\n"
                                "}\n";

// Modes, clocks, events that are emitted, sampled, held and delayed, crossings, a state that is assigned.
static const char plant_text[] = "model Plant {\n"
                                 "  input u = 1\n"
                                 "  param k = 2, T = 0.25\n"
                                 "  state x = 0, w = 1, z = 0\n"
                                 "  discrete n = 0, last = 0\n"
                                 "  event tick = clock(T), up_x = up(x - 0.6), report, echo = delay(report, 0.1)\n"
                                 "  event s = sample(x, tick)\n"
                                 "  signal h = hold(s, -1), far = delay(x, 0.3)\n"
                                 "  x' = k*(u*(if far > 0.7 then 0.2 else 1.5) - x)\n"
                                 "  w' = z\n"
                                 "  z' = -25*w\n"
                                 "  when tick { n := n + 1; emit report(x) }\n"
                                 "  when echo { last := echo }\n"
                                 "  when up_x { z := 0.99*z }\n"
                                 "  modes {\n"
                                 "    initial mode low { signal a = x; on n >= 6 and w > 0 -> high }\n"
                                 "    mode high { signal b = -x; state c = 3; c' = -c; on w < -0.9 -> low }\n"
                                 "  }\n"
                                 "}\n"
                                 "experiment e of Plant { stop = 6; step = 0.01 }\n"
                                 "experiment apart of Plant { stop = 6; step = 0.01; islands = auto }\n";

static inline LoadOptions text_options(const char* text, const char* experiment)
{
    LoadOptions options = load_default();
    options.path = "text.kai";
    options.text = text;
    options.experiment = experiment;
    return options;
}

static inline kaiModel* load_for(const char* text, const char* experiment, const char* solver)
{
    LoadOptions options = text_options(text, experiment);
    options.solver = solver;
    kaiModel* model = NULL;
    kaiProgram* messages = NULL;
    kaiStatus status = load_model(&options, &model, &messages);
    for (int i = 0; i < kaiProgram_MessageCount(messages); i++)
        print_message("%s\n", kaiProgram_MessageText(messages, i, false));
    kaiProgram_Free(messages);
    assert_int_equal(status, KAI_OK);
    assert_non_null(model);
    return model;
}

static inline kaiModel* load(const char* text, const char* experiment)
{
    return load_for(text, experiment, NULL);
}

static inline kaiSim* create(const kaiModel* model, const kaiSimOptions* options)
{
    kaiError failure = {0};
    kaiSim* sim = kaiSim_Create(model, options, &failure);
    if (sim == NULL)
        print_message("%s\n", failure.message);
    assert_non_null(sim);
    return sim;
}

// Rows, packed: t, p, m, then value and presence of each column.
typedef struct Rows
{
    int columns;
    size_t count, capacity;  // doubles
    double* at;
} Rows;

static inline void put_number(Rows* rows, double value)
{
    if (rows->count == rows->capacity)
    {
        rows->capacity = rows->capacity > 0 ? 2 * rows->capacity : 4096;
        rows->at = realloc(rows->at, rows->capacity * sizeof *rows->at);
        if (rows->at == NULL)
            abort();
    }
    rows->at[rows->count++] = value;
}

static inline kaiStatus keep_row(void* user, const kaiRow* row)
{
    Rows* rows = user;
    put_number(rows, row->t);
    put_number(rows, row->p);
    put_number(rows, row->m);
    for (int i = 0; i < rows->columns; i++)
    {
        put_number(rows, row->present[i] ? row->values[i] : 0);
        put_number(rows, row->present[i]);
    }
    return KAI_OK;
}

static inline kaiSim* create_recorded(const kaiModel* model, kaiSimOptions options, Rows* rows)
{
    options.row = keep_row;
    options.row_user = rows;
    kaiSim* sim = create(model, &options);
    kaiSim_Columns(sim, &rows->columns);
    return sim;
}

static inline void run_to_end(kaiSim* sim)
{
    kaiStatus status = kaiSim_Run(sim);
    if (status != KAI_END)
        print_message("%s\n", kaiSim_Failure(sim)->message != NULL ? kaiSim_Failure(sim)->message : "no reason given");
    assert_int_equal(status, KAI_END);
}

static inline void assert_same_rows(const double* a, const double* b, size_t count_a, size_t count_b)
{
    assert_int_equal(count_a, count_b);
    for (size_t i = 0; i < count_a; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0)
        {
            print_message("number %zu of %zu differs: %.17g and %.17g\n", i, count_a, a[i], b[i]);
            fail();
        }
}

#endif
