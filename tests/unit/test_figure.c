// Figures as a program makes them that embeds the library: rows of a run go straight into a picture; rows inside the
// steps and reports of what fires do not change the run; every allocation may fail.
#include "kairos/kairos.h"
#include "unit/load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char text[] = "model Ball {\n"
                           "  param g [m/s^2] = 9.81\n"
                           "  state y [m] = 1, v [m/s] = 0\n"
                           "  event hit = down(y)\n"
                           "  signal F = delta(hit, -2*pre(v))\n"
                           "  y' = v\n"
                           "  v' = -g + F\n"
                           "  discrete n = 0\n"
                           "  when hit { n := n + 1 }\n"
                           "  modes { initial mode few { on n >= 2 -> many }\n"
                           "          mode many { } }\n"
                           "}\n"
                           "experiment e of Ball { stop = 4; record n every 1; plot y, v; plot v against y }\n";

static kaiModel* load(void)
{
    kaiModel* model = NULL;
    kaiProgram* messages = NULL;
    LoadOptions options = load_default();
    options.path = "ball.kai";
    options.text = text;
    options.experiment = "e";
    assert_int_equal(load_model(&options, &model, &messages), KAI_OK);
    kaiProgram_Free(messages);
    return model;
}

// ---- runs for pictures

typedef struct Seen
{
    int rows, fired;
    double worst_y, widest_gap, last_t, hits[10];
    int hit_count;
    char story[2000];
} Seen;

// Between the bounces y = h(t - t0) in closed form: t0 = sqrt(2/g), period 2 t0, elastic.
static double height(double t)
{
    double t1 = sqrt(2 / 9.81), phase = fmod(t + t1, 2 * t1) - t1;
    return 1 - 9.81 * phase * phase / 2;
}

static kaiStatus on_row(void* user, const kaiRow* row)
{
    Seen* s = user;
    s->rows++;
    s->worst_y = fmax(s->worst_y, fabs(row->values[0] - height(row->t)));
    s->widest_gap = fmax(s->widest_gap, row->t - s->last_t);
    s->last_t = row->t;
    return KAI_OK;
}

static void on_fired(void* user, const kaiFired* fired)
{
    Seen* s = user;
    size_t length = strlen(s->story);
    s->fired++;
    if (fired->kind == KAI_FIRED_CROSSING)
        s->hits[s->hit_count++] = fired->tag.t;
    if (s->hit_count == 2)
        snprintf(s->story + length, sizeof s->story - length, "%d,%d %d %s:%d %s\n", fired->tag.p, fired->tag.m,
                 (int)fired->kind, fired->place.file, fired->place.line, fired->text);
}

static Seen run(const kaiModel* model, double gap)
{
    Seen seen = {0};
    kaiError failure;
    int y = kaiModel_FindVariable(model, "y");
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.row = on_row;
    options.row_user = &seen;
    options.record = &y;
    options.record_count = 1;
    options.row_gap = gap;
    options.rows = gap > 0 ? "curve" : "steps";  // a gap is what the caller chose
    options.fired = on_fired;
    options.fired_user = &seen;
    kaiSim* sim = kaiSim_Create(model, &options, &failure);
    int count;
    const kaiColumn* columns = kaiSim_Columns(sim, &count);
    assert_int_equal(count, 1);
    assert_string_equal(columns[0].name, "y");
    assert_string_equal(columns[0].unit, "m");
    assert_int_equal(kaiSim_Run(sim), KAI_END);
    kaiSim_Free(sim);
    return seen;
}

static void rows_inside_steps(void** state)
{
    (void)state;
    kaiModel* model = load();
    Seen plain = run(model, 0), dense = run(model, 0.004);
    assert_true(plain.widest_gap > 0.1);  // `record … every 1` does not count: the caller chose the rows
    assert_true(dense.widest_gap <= 0.004 + 1e-12);
    assert_true(dense.rows > 1000);
    assert_true(plain.worst_y < 1e-9 && dense.worst_y < 1e-7);
    assert_int_equal(plain.hit_count, 4);                            // sqrt(2/9.81) (2k - 1) <= 4
    assert_memory_equal(plain.hits, dense.hits, sizeof plain.hits);  // to the bit
    kaiModel_Free(model);
}

// The second bounce: the crossing, the reaction, and one tag later the transition that it makes possible.
static void what_fires(void** state)
{
    (void)state;
    kaiModel* model = load();
    Seen seen = run(model, 0);
    assert_string_equal(seen.story, "0,0 0 ball.kai:4 down(y)\n"
                                    "0,0 2 ball.kai:9 n\n"
                                    "1,0 3 ball.kai:10 -> many\n");
    kaiModel_Free(model);
}

static void plot_lines(void** state)
{
    (void)state;
    kaiModel* model = load();
    const uint32_t* variables;
    int against;
    kaiVariable v;
    assert_int_equal(kaiModel_PlotCount(model), 2);
    assert_int_equal(kaiModel_PlotVariables(model, 0, &variables, &against), 2);
    assert_int_equal(against, -1);
    assert_int_equal(kaiModel_PlotVariables(model, 1, &variables, &against), 1);
    assert_true(kaiModel_Variable(model, (int)variables[0], &v));
    assert_string_equal(v.column, "v");
    assert_string_equal(v.unit, "m/s");
    assert_int_equal(against, kaiModel_FindVariable(model, "y"));
    assert_true(kaiModel_Variable(model, kaiModel_FindVariable(model, "g"), &v));
    assert_null(v.column);
    kaiModel_Free(model);
}

// ---- memory

static int budget, blocks;

static void* scarce(void* user, void* block, size_t old_size, size_t size)
{
    (void)user;
    if (size == 0)
    {
        blocks--;
        free(block);
        return NULL;
    }
    if (budget-- <= 0)
        return NULL;
    blocks += block == NULL;
    assert_true(block != NULL || old_size == 0);
    return realloc(block, size);
}

typedef struct Picture
{
    kaiFigure* figure;
    kaiInstants* instants;
} Picture;

static kaiStatus to_picture(void* user, const kaiRow* row)
{
    Picture* p = user;
    return p->figure != NULL ? kaiFigure_Row(p->figure, row) : kaiInstants_Row(p->instants, row);
}

static void picture_fired(void* user, const kaiFired* fired)
{
    Picture* p = user;
    if (p->instants != NULL)
        kaiInstants_Fired(p->instants, fired);
    else
        kaiFigure_Fired(p->figure, fired);
}

// One figure or one view of instants with an allocator that gives out after `budget` blocks.
static kaiStatus draw(const kaiModel* model, const char* path, bool instants, kaiError* error)
{
    Picture picture = {0};
    kaiError failure;
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.row = to_picture;
    options.row_user = &picture;
    options.fired = picture_fired;
    options.fired_user = &picture;
    options.record = (int[]){kaiModel_FindVariable(model, "y"), kaiModel_FindVariable(model, "F"),
                             kaiModel_FindVariable(model, "mode")};
    options.record_count = 3;
    kaiSim* sim = kaiSim_Create(model, &options, &failure);
    int count;
    const kaiColumn* columns = kaiSim_Columns(sim, &count);
    kaiFigureOptions figure = kaiDefaultFigureOptions();
    figure.path = path;
    figure.allocator = (kaiAllocator){scarce, NULL};
    kaiPanel panels[] = {{(const char* const[]){"y"}, 1, NULL}, {(const char* const[]){"F"}, 1, "y"}};
    if (instants)
        picture.instants = kaiInstants_Create(&figure, NAN, columns, count, error);
    else
        picture.figure = kaiFigure_Create(&figure, columns, count, panels, 2, error);
    kaiStatus status = KAI_ERR_MEMORY;
    if (picture.figure != NULL || picture.instants != NULL)
    {
        status = kaiSim_Run(sim);
        if (status == KAI_END)
            status = instants ? kaiInstants_Draw(picture.instants, error) : kaiFigure_Draw(picture.figure, error);
    }
    kaiFigure_Free(picture.figure);
    kaiInstants_Free(picture.instants);
    kaiSim_Free(sim);
    return status;
}

static void every_allocation_may_fail(void** state)
{
    (void)state;
    static const char* const endings[] = {"svg", "png", "pdf", "html"};
    kaiModel* model = load();
    for (int kind = 0; kind < 7; kind++)
    {
        char path[100];
        kaiError error;
        kaiStatus status = KAI_ERR_MEMORY;
        snprintf(path, sizeof path, "/tmp/kairos-figure-%d.%s", (int)getpid(), endings[kind == 6 ? 3 : kind % 3]);
        for (int n = 0; status != KAI_OK; n++)
        {
            assert_true(n < 200);
            budget = n;
            blocks = 0;
            status = draw(model, path, kind >= 3 && kind < 6, &error);
            assert_int_equal(blocks, 0);
            if (status != KAI_OK)
                assert_int_not_equal(access(path, F_OK), 0);  // no half figure
        }
        assert_int_equal(unlink(path), 0);
        strcat(path, ".part");
        assert_int_not_equal(access(path, F_OK), 0);
    }
    kaiModel_Free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_inside_steps),
        cmocka_unit_test(what_fires),
        cmocka_unit_test(plot_lines),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
