// A circuit that goes through the same sets of modes again and again follows ways that it has kept (kernel/passage.c),
// where nobody looks at its tags. Whether somebody looks must not matter: random circuits whose switches follow clocks,
// with every tag shown and with none, come to the same bits, with the same number of instants, tags, switches and
// crossings, and are refused at the same time with the same words. KAIROS_PASSAGES gives another number of them.
#include "kernel/bonds.h"
#include "kernel/brief.h"
#include "run/sim.h"
#include "unit/api_fixture.h"
#include "unit/network_random.h"

enum
{
    STATES = 16,
    LETTERS = 8000
};

typedef struct Seen
{
    kaiStatus status;
    double x[STATES], t;
    kaiCounters counters;
    int64_t located;
    uint32_t known;  // ways that are kept
    uint64_t gone;   // instants that went the same way again
    char message[400];
} Seen;

static kaiStatus ignore(void* user, const kaiRow* row)
{
    (void)user, (void)row;
    return KAI_OK;
}

static uint32_t known_ways(const kaiSim* sim)
{
    uint32_t known = 0;
    const Bonds* bonds = sim->kernel.bonds;
    for (uint32_t i = 0; bonds != NULL && i < bonds->passages.count; i++)
        for (uint32_t k = 0; k < bonds->passages.sets[i]->way_count; k++)
            known += bonds->passages.sets[i]->ways[k].known;
    return known;
}

static int64_t count_located(const kaiSim* sim)
{
    const char* text;
    kaiPlace place;
    int64_t located, touches, sum = 0;
    for (int i = 0; kaiSim_GuardCount(sim, i, &located, &touches, &text, &place); i++)
        sum += (i + 1) * located;
    return sum;
}

static Seen run(const kaiModel* model, const char* solver, bool shown)
{
    Seen seen = {0};
    int record[STATES], states = kaiModel_StateCount(model);
    for (int i = 0; i < states && i < STATES; i++)
        record[i] = kaiModel_StateVariable(model, i);
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.events = shown ? "tags" : "off";
    options.solver = solver != NULL ? solver : options.solver;
    options.record = record;
    options.record_count = states < STATES ? states : STATES;
    options.row = ignore;
    options.limits.tags = 200000;
    kaiSim* sim = create(model, &options);
    seen.status = kaiSim_Run(sim);
    seen.counters = kaiSim_Counters(sim);
    seen.located = count_located(sim);
    seen.known = known_ways(sim);
    seen.gone = sim->kernel.brief != NULL ? sim->kernel.brief->courses.gone : 0;
    for (int i = 0; i < options.record_count; i++)
        if (!kaiSim_Get(sim, record[i], &seen.x[i]))
            seen.x[i] = 0;
    const kaiError* failure = kaiSim_Failure(sim);
    snprintf(seen.message, sizeof seen.message, "%s", failure->message != NULL ? failure->message : "");
    seen.t = failure->tag.t;
    kaiSim_Free(sim);
    return seen;
}

// ---- random circuits

typedef struct Drawing
{
    char text[LETTERS];
    size_t length;
    int parts, nodes, end[2][24];
    bool stores;  // the first part is a capacitor
} Drawing;

static void __attribute__((format(printf, 2, 3))) say(Drawing* d, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    d->length += (size_t)vsnprintf(d->text + d->length, sizeof d->text - d->length, format, arguments);
    va_end(arguments);
}

static void draw_part(Drawing* d, int i)
{
    double value = 0.1 + 0.2 * draw(10), first = 0.05 + 0.1 * draw(9), second = 0.05 + 0.1 * draw(9);
    int kind = draw(21);
    if (i == 0 && draw(2) == 0)
    {
        d->stores = true;
        say(d, "  p0 : Capacitor(C = %g)\n", value);
    }
    else if (kind == 20 && d->stores)
        say(d, "  p%d : ThresholdSwitch(on_above = %g, off_below = %g); p%d.u = p0.v\n", i, value, value - 0.3, i);
    else if (kind < 6)
        say(d, "  p%d : Diode%s\n", i, draw(4) == 0 ? "(drop = 0.3)" : "");
    else if (kind < 10)
        say(d, "  p%d : Resistor(R = %g)\n", i, value);
    else if (kind < 12)
        say(d, "  p%d : Capacitor(C = %g)\n", i, value);
    else if (kind < 15)
        say(d, "  p%d : Inductor(L = %g)\n", i, value);
    else if (kind < 17)
        say(d, "  p%d : VoltageSource; p%d.u = %g%s\n", i, i, 1 + value, draw(6) == 0 ? " + sin(time)" : "");
    else
        say(d,
            "  discrete s%d = true; when clock(1, %g) { s%d := true } when clock(1, %g) { s%d := false }\n"
            "  p%d : Switch; p%d.closed = s%d\n",
            i, first, i, first == second ? second + 0.03 : second, i, i, i, i);
    d->end[0][i] = i < d->nodes - 1 ? i + 1 : draw(d->nodes);
    do
        d->end[1][i] = i < d->nodes - 1 ? draw(i + 1) : draw(d->nodes);
    while (d->end[1][i] == d->end[0][i]);
    int turned = draw(2), a = d->end[turned][i];
    d->end[turned][i] = d->end[!turned][i];
    d->end[!turned][i] = a;
}

static void draw_circuit(Drawing* d, uint64_t number)
{
    seed = number * 104729 + 7;
    d->length = 0;
    d->stores = false;
    d->nodes = 3 + draw(4);
    d->parts = d->nodes + draw(8);
    say(d, "import \"electrical.kai\"\nmodel M {\n  g : Ground\n");
    for (int i = 0; i < d->parts; i++)
        draw_part(d, i);
    for (int n = 0; n < d->nodes; n++)
    {
        int ends = n == 0;
        say(d, "  connect %s", n == 0 ? "g.a" : "");
        for (int i = 0; i < d->parts; i++)
            for (int side = 0; side < 2; side++)
                if (d->end[side][i] == n)
                    say(d, "%sp%d.%c", ends++ > 0 ? ", " : "", i, "ab"[side]);
        say(d, "\n");
    }
    say(d, "}\nexperiment e of M { stop = 60.3 }\n");
}

static kaiModel* compile(const char* text)
{
    LoadOptions options = load_default();
    kaiModel* model = NULL;
    kaiProgram* messages = NULL;
    options.path = "text.kai";
    options.text = text;
    options.experiment = "e";
    if (load_model(&options, &model, &messages) != KAI_OK)
        model = NULL;
    kaiProgram_Free(messages);
    return model;
}

static void compare(const char* text, const Seen* shown, const Seen* blind)
{
    bool same = memcmp(shown->x, blind->x, sizeof shown->x) == 0 && shown->status == blind->status &&
                shown->t == blind->t && strcmp(shown->message, blind->message) == 0;
    same &= shown->counters.instants == blind->counters.instants && shown->counters.tags == blind->counters.tags &&
            shown->counters.switches == blind->counters.switches && shown->counters.jumps == blind->counters.jumps &&
            shown->located == blind->located;
    if (!same)
        fail_msg("%s: shown %d %s, x[0] = %.17g, %d instants, %d tags, %d switches, %d jumps; not shown %d %s, %.17g, "
                 "%d, %d, %d, %d",
                 text, shown->status, shown->message, shown->x[0], (int)shown->counters.instants,
                 (int)shown->counters.tags, (int)shown->counters.switches, (int)shown->counters.jumps, blind->status,
                 blind->message, blind->x[0], (int)blind->counters.instants, (int)blind->counters.tags,
                 (int)blind->counters.switches, (int)blind->counters.jumps);
}

static void test_random(void** state)
{
    (void)state;
    static Drawing d;
    const char* number = getenv("KAIROS_PASSAGES");
    int last = number != NULL ? atoi(number) : 300, ran = 0, followed = 0, went = 0;
    for (int k = 1; k <= last; k++)
    {
        draw_circuit(&d, (uint64_t)k);
        kaiModel* model = compile(d.text);
        if (model == NULL)
            continue;
        const char* solver = k % 4 == 0 ? "rk45" : NULL;
        Seen shown = run(model, solver, true), blind = run(model, solver, false);
        compare(d.text, &shown, &blind);
        assert_int_equal(shown.known, 0);
        assert_int_equal(shown.gone, 0);
        ran += blind.status == KAI_END;
        followed += blind.known > 1;
        went += blind.gone > 1;
        kaiModel_Free(model);
    }
    print_message("%d of %d circuits ran to their end, %d follow ways, %d go whole instants again\n", ran, last,
                  followed, went);
    assert_true(2 * ran > last / 2 && 4 * followed > ran && 8 * went > ran);
}

// ---- signs by rows

typedef struct Answer
{
    int sign;
    double tolerance, tie;
} Answer;

// In the set of modes that the net is in, with inputs that move nothing; `rows`: rows may answer.
static Answer ask(Kernel* kernel, const Transition* t, bool rows)
{
    BondRun* run = &kernel->bonds->runs[0];
    Answer answer = {0};
    bond_selection_judge(run->selection, (BondJudged){.storage = run->storage,
                                                      .area = run->area,
                                                      .b2 = run->b2,
                                                      .b1 = rows ? run->b1 : NULL,
                                                      .derivatives = true});
    answer.sign = bond_selection_sign(run->selection, select_asked(kernel, t), 1e-8, &answer.tolerance, &answer.tie);
    return answer;
}

// Currents and voltages of any size, half of them none but for rounding.
static void draw_inputs(BondRun* run)
{
    for (int i = 0; i < run->graph->input_count; i++)
    {
        static const double sizes[] = {0, 0, 1e-17, 1e-15, 0.3, 0.9};
        run->b1[i] = run->most[i] * sizes[draw(6)] * (draw(2) == 0 ? 1 : -1);
    }
}

static void compare_signs(const char* text, Kernel* kernel, int* slopes)
{
    BondRun* run = &kernel->bonds->runs[0];
    bool still;
    BondJump jump = {.b1 = run->b1, .b2 = run->b2, .most = run->most, .z0 = run->z0, .z1 = run->z1, .dx = run->dx};
    jump.still = &still;
    memset(run->b2, 0, sizeof(double) * (size_t)run->graph->input_count);
    bonds_clear_areas(kernel);
    for (int n = 0; n < 40; n++)
    {
        draw_inputs(run);
        if (!bond_selection_jump(run->selection, &jump) || !still)
            continue;
        for (uint32_t i = 0; i < kernel->model->transitions_count; i++)
        {
            const Transition* t = &kernel->model->transitions[i];
            if (t->one_way == 0)
                continue;
            Answer sums = ask(kernel, t, false), rows = ask(kernel, t, true);
            if (sums.sign != rows.sign || sums.tolerance != rows.tolerance || sums.tie != rows.tie)
                fail_msg("%s: transition %d has the sign %d (%g, %g), by rows %d (%g, %g)", text, (int)i, sums.sign,
                         sums.tolerance, sums.tie, rows.sign, rows.tolerance, rows.tie);
            BondReason reasons[BOND_REASONS];
            if (rows.sign == 0 || bond_net_has_dependents(run->net))
                continue;
            int count =
                bond_selection_reasons(run->selection, select_asked(kernel, t), 1e-8, rows.sign, run->dx, reasons);
            *slopes += count == 2 && reasons[0].below;
        }
    }
}

// What rows say of a sign, those of values and those of derivatives, is what the sums of the equations say, with the
// same tolerance: in the sets of modes in which random circuits end.
static void test_signs(void** state)
{
    (void)state;
    static Drawing d;
    int slopes = 0, last = 150;
    for (int k = 1; k <= last; k++)
    {
        draw_circuit(&d, (uint64_t)k);
        kaiModel* model = compile(d.text);
        if (model == NULL)
            continue;
        kaiSimOptions options = kaiModel_SimOptions(model);
        options.events = "off";
        options.stop = 1.3;
        kaiSim* sim = create(model, &options);
        if (kaiSim_Run(sim) == KAI_END && sim->kernel.bonds != NULL && sim->kernel.bonds->runs[0].selection != NULL)
            compare_signs(d.text, &sim->kernel, &slopes);
        kaiSim_Free(sim);
        kaiModel_Free(model);
    }
    print_message("%d signs of derivatives\n", slopes);
    assert_true(slopes > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_signs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
