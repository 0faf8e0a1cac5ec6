// Random bond graphs as models: the graphs of bond_random.h written as text, with junctions that time switches,
// compiled and run through the API, against the dense solution of bond_reference.h: extensities after every switching
// and at the end, to 1e-8. Sets of modes whose sources contradict each other end a run: graphs that meet one are left
// out.
#include "kairos/sim.h"
#include "unit/load.h"

#include "unit/bond_reference.h"

enum
{
    TEXT_SIZE = 200 * 1000,
    SETS = 5,
};

// How ratios are written.
typedef enum Ratios
{
    RATIOS_FIXED,
    RATIOS_STEP,  // times a discrete, which changes at every second time while the junctions stay
    RATIOS_VARY,  // times a state that stays 1: as if they changed between instants
} Ratios;

typedef struct Case
{
    Bench t;
    RandomGraph g;
    uint64_t seed;
    double slope[BENCH_NODES];
    bool on[SETS][BENCH_SWITCHES];
    double time[SETS + 1];  // when set k begins; the end
    double expected[SETS + 1][STATES], size[SETS + 1];
    double energy;  // its root, of the largest at the start
    Ratios ratios;
    double factor[SETS];  // of all ratios in set k
    int dependents, moved;
} Case;

// ----------------------------------------------------------------------------------------------------------
// expectation

static double intensity(const Bench* t, int node)
{
    return t->storage[t->graph->block_first[node]];
}

static void set_inputs(const Case* c, double time, Wide* b1, Wide* b2)
{
    const Bench* t = &c->t;
    for (int n = 0; n < t->node_count; n++)
        for (int i = t->graph->input_first[n]; i < t->graph->input_first[n + 1]; i++)
        {
            bool stored = bond_is_storage(t->nodes[n].kind), source = bond_is_source(t->nodes[n].kind);
            b1[i] = stored   ? intensity(t, n) * t->x[t->graph->port_first[n]]
                    : source ? t->nodes[n].parameter + c->slope[n] * time
                             : 0;
            b2[i] = source ? c->slope[n] : 0;
        }
}

// x jumps into the modes `on`. False: sources contradict each other.
static bool reference_jump(Case* c, const Reference* ref, double time)
{
    Bench* t = &c->t;
    static Wide b1[2 * BENCH_NODES], b2[2 * BENCH_NODES], area[UNKNOWNS];
    static double size[UNKNOWNS];
    set_inputs(c, time, b1, b2);
    if (!reference_solve(ref, NULL, NULL, b1, area, size))
        return false;
    c->dependents += ref->rank;
    for (int n = 0; n < t->node_count; n++)
    {
        if (!bond_is_storage(t->nodes[n].kind))
            continue;
        double* x = &t->x[t->graph->port_first[n]];
        double dx = (double)(rate(t, n, area) / (Wide)intensity(t, n));
        c->moved += fabs(dx) > 1e-3 * fabs(*x);
        *x += dx;
    }
    return true;
}

// x flows on for the time h, at most; returns the time.
static double reference_advance(Case* c, Reference* ref, double time)
{
    Bench* t = &c->t;
    int n = t->graph->port_count;
    static double a[ORDER * ORDER];
    static Wide b1[2 * BENCH_NODES], b2[2 * BENCH_NODES];
    double y[ORDER] = {0}, norm = 0, drive = 0;
    set_inputs(c, time, b1, b2);
    for (int i = 0; i < t->graph->input_count; i++)
    {
        t->b1[i] = (double)b1[i];
        t->b2[i] = (double)b2[i];
    }
    make_matrix(t, reference_flow, ref, a);
    for (int i = 0; i < n; i++)
    {
        for (int j = 0; j < n; j++)
            norm = fmax(norm, fabs(a[i * ORDER + j]));
        drive = fmax(drive, fmax(fabs(a[i * ORDER + n]), fabs(a[i * ORDER + n + 1])));
    }
    double h = norm > 0 ? fmin(0.1, 3 / norm) : 0.1, one = fmax(1, drive * h);
    h = (time + h) - time;  // the length that the run will see
    scale_drive(a, n, one);
    for (int node = 0; node < t->node_count; node++)
        if (bond_is_storage(t->nodes[node].kind))
            y[t->graph->port_first[node]] = sqrt(intensity(t, node)) * t->x[t->graph->port_first[node]];
    y[n + 1] = one;
    exponential(a, n + 2, h, y);
    for (int node = 0; node < t->node_count; node++)
        if (bond_is_storage(t->nodes[node].kind))
            t->x[t->graph->port_first[node]] = y[t->graph->port_first[node]] / sqrt(intensity(t, node));
    return h;
}

static void expect_here(Case* c, int set)
{
    Bench* t = &c->t;
    memcpy(c->expected[set], t->x, sizeof(double) * (size_t)t->graph->port_count);
    for (int n = 0; n < t->node_count; n++)
        if (bond_is_storage(t->nodes[n].kind))
            c->size[set] = fmax(c->size[set], sqrt(intensity(t, n)) * fabs(t->x[t->graph->port_first[n]]));
}

static void turn(Bench* t, double factor)
{
    for (int n = 0; n < t->node_count; n++)
        if (t->nodes[n].kind == BOND_TF || t->nodes[n].kind == BOND_GY)
            t->nodes[n].parameter *= factor;
}

static bool expect(Case* c)
{
    Bench* t = &c->t;
    double start[2 * BENCH_NODES];
    memcpy(start, t->x, sizeof start);
    for (int n = 0; n < t->node_count; n++)
        if (bond_is_storage(t->nodes[n].kind))
            c->energy = fmax(c->energy, sqrt(intensity(t, n)) * fabs(t->x[t->graph->port_first[n]]));
    bool fine = true;
    for (int k = 0; k < SETS && fine; k++)
    {
        memcpy(t->on, c->on[k], sizeof t->on);
        turn(t, c->factor[k]);
        Reference* ref = reference_create(t);
        fine = reference_jump(c, ref, c->time[k]);
        expect_here(c, k);
        if (fine)
            c->time[k + 1] = c->time[k] + reference_advance(c, ref, c->time[k]);
        reference_free(ref);
        turn(t, 1 / c->factor[k]);  // powers of two: the ratios are what they were
    }
    expect_here(c, SETS);
    memcpy(t->x, start, sizeof start);
    return fine;
}

// -----------------------------------------------------------------------------------------------------------------
// text

static size_t __attribute__((format(printf, 3, 4))) say(char* text, size_t length, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    int more = vsnprintf(text + length, TEXT_SIZE - length, format, args);
    va_end(args);
    assert_true(length + (size_t)more < TEXT_SIZE);
    return length + (size_t)more;
}

// One mode per change, alternately ON and OFF, left when its time comes.
static size_t say_switch(const Case* c, char* text, size_t n, int index)
{
    int mode = 0;
    n = say(text, n, " switched { initial mode m0 : %s {", c->on[0][index] ? "ON" : "OFF");
    for (int k = 1; k < SETS; k++)
        if (c->on[k][index] != c->on[k - 1][index])
        {
            mode++;
            n = say(text, n, " on time >= %.17g -> m%d }\n  mode m%d : %s {", c->time[k], mode, mode,
                    c->on[k][index] ? "ON" : "OFF");
        }
    return say(text, n, "} }");
}

static size_t say_node(const Case* c, char* text, size_t n, int node)
{
    const Bench* t = &c->t;
    const BondNode* made = &t->nodes[node];
    int port = t->graph->port_first[node];
    n = say(text, n, "n%d : ", node);
    switch (made->kind)
    {
    case BOND_SE: n = say(text, n, "Se(e = %.17g + %.17g*time)", made->parameter, c->slope[node]); break;
    case BOND_SF: n = say(text, n, "Sf(f = %.17g + %.17g*time)", made->parameter, c->slope[node]); break;
    case BOND_R: n = say(text, n, "R(r = %.17g)", made->parameter); break;
    case BOND_C: n = say(text, n, "C(c = 1/%.17g, q0 = %.17g)", intensity(t, node), t->x[port]); break;
    case BOND_I:
        n = say(text, n, "I(i = 1/%.17g, f0 = %.17g)", intensity(t, node), t->x[port] * intensity(t, node));
        break;
    case BOND_TF: n = say(text, n, "TF(n = %.17g%s)", made->parameter, c->ratios != RATIOS_FIXED ? "*one" : ""); break;
    case BOND_GY: n = say(text, n, "GY(r = %.17g%s)", made->parameter, c->ratios != RATIOS_FIXED ? "*one" : ""); break;
    default: n = say(text, n, "J%d", made->kind == BOND_J1);
    }
    return made->switch_index >= 0 ? say_switch(c, text, n, made->switch_index) : n;
}

static void write_text(const Case* c, char* text)
{
    static const char* one[] = {"", "discrete one = 1\n", "state one = 1\none' = 0\n"};
    size_t n = say(text, 0, "model Random {\n%s", one[c->ratios]);
    for (int k = 1; k < SETS; k++)
        if (c->factor[k] != c->factor[k - 1])
            n = say(text, n, "when time >= %.17g { one := %g }\n", c->time[k], c->factor[k]);
    for (int i = 0; i < c->t.node_count; i++)
        n = say(text, say_node(c, text, n, i), "\n");
    for (int i = 0; i < c->t.bond_count; i++)
        n = say(text, n, "bond n%d -> n%d\n", c->t.bonds[i].from, c->t.bonds[i].to);
    say(text, n, "}\nexperiment e of Random { stop = %.17g; rtol = 1e-10; atol = 1e-12 }\n", c->time[SETS]);
}

// ------------------------------------------------------------------------------------------------------------------
// run

static kaiModel* load(const Case* c, const char* text)
{
    LoadOptions options = load_default();
    options.path = "random.kai";
    options.text = text;
    options.experiment = "e";
    kaiModel* model = NULL;
    kaiProgram* messages = NULL;
    if (load_model(&options, &model, &messages) != KAI_OK)
        fail_msg("seed %lu: %s\n%s", (unsigned long)c->seed, kaiProgram_MessageText(messages, 0, false), text);
    kaiProgram_Free(messages);
    return model;
}

static double worst;

static void compare(const Case* c, const kaiModel* model, kaiSim* sim, int set)
{
    for (int n = 0; n < c->t.node_count; n++)
    {
        if (!bond_is_storage(c->t.nodes[n].kind))
            continue;
        char name[40];
        double is = NAN, should = c->expected[set][c->t.graph->port_first[n]];
        snprintf(name, sizeof name, "n%d.%s", n, c->t.nodes[n].kind == BOND_C ? "q" : "p");
        kaiSim_Get(sim, kaiModel_FindVariable(model, name), &is);
        double error = sqrt(intensity(&c->t, n)) * fabs(is - should) / fmax(c->size[set], 1e-5 * c->energy);
        if (!(error <= 1e-8))
            fail_msg("seed %lu: %s is %.17g instead of %.17g in set %d", (unsigned long)c->seed, name, is, should, set);
        worst = fmax(worst, error);
    }
}

// False: refused, which is only for ratios that vary between instants.
static bool run(const Case* c, const char* text)
{
    kaiModel* model = load(c, text);
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* sim = kaiSim_Create(model, &options, NULL);
    kaiStatus status = KAI_OK;
    assert_non_null(sim);
    for (int k = 0; k <= SETS && status >= KAI_OK; k++)
    {
        status = k == 0 ? kaiSim_Step(sim) : KAI_OK;
        while (status >= KAI_OK && kaiSim_Now(sim).t < c->time[k])
            status = kaiSim_Step(sim);
        if ((status < KAI_OK && c->ratios != RATIOS_VARY) || (status >= KAI_OK && kaiSim_Now(sim).t != c->time[k]))
            fail_msg("seed %lu: at %.17g, not %.17g: %s", (unsigned long)c->seed, kaiSim_Now(sim).t, c->time[k],
                     status < KAI_OK ? kaiSim_Failure(sim)->message : "");
        if (status >= KAI_OK)
            compare(c, model, sim, k);
        else
            print_message("seed %lu: %s\n", (unsigned long)c->seed, kaiSim_Failure(sim)->message);
    }
    kaiSim_Free(sim);
    kaiModel_Free(model);
    return status >= KAI_OK;
}

static void make_case(Case* c, uint64_t seed, Ratios ratios)
{
    memset(c, 0, sizeof *c);
    c->seed = seed;
    c->ratios = ratios;
    c->g = random_graph(&c->t, seed, (RandomOptions){.loops = seed % 4 > 1});
    random_state(&c->t, &c->g);
    for (int n = 0; n < c->t.node_count; n++)
        if (bond_is_source(c->t.nodes[n].kind))
        {
            c->t.nodes[n].parameter = random_decade(&c->g.random, -1, 2);
            c->slope[n] = random_decade(&c->g.random, -1, 2);
        }
    memcpy(c->on[0], c->t.on, sizeof c->t.on);
    c->factor[0] = 1;
    for (int k = 1; k < SETS; k++)
    {
        memcpy(c->on[k], c->on[k - 1], sizeof c->on[k]);
        c->factor[k] = c->factor[k - 1];
        if (ratios == RATIOS_STEP && k % 2 == 1)
        {
            c->factor[k] *= random_below(&c->g.random, 2) ? 2 : -0.25;
            continue;
        }
        int first = random_below(&c->g.random, c->t.switch_count);
        int second = random_below(&c->g.random, c->t.switch_count);
        c->on[k][first] = !c->on[k][first];
        c->on[k][second] = second == first ? c->on[k][second] : !c->on[k][second];
    }
}

// KAIROS_GRAPHS: another number of them.
static void check_graphs(Ratios ratios)
{
    static Case c;
    static char text[TEXT_SIZE];
    const char* number = getenv("KAIROS_GRAPHS");
    int count = number ? atoi(number) : 30, graphs = 0, dependents = 0, moved = 0, largest = 0, refused = 0;
    worst = 0;
    for (uint64_t seed = 1; graphs < count; seed++)
    {
        Bench probe = {0};  // graphs without switches are left to test_bond_random
        random_graph(&probe, seed, (RandomOptions){.loops = seed % 4 > 1});
        bool wanted = probe.switch_count > 1 && probe.graph->port_count > 1;
        bench_free(&probe);
        if (!wanted)
            continue;
        make_case(&c, seed, ratios);
        if (expect(&c))
        {
            write_text(&c, text);
            refused += !run(&c, text);
            graphs++;
            dependents += c.dependents;
            moved += c.moved;
            largest = c.t.node_count > largest ? c.t.node_count : largest;
        }
        bench_free(&c.t);
    }
    print_message("%d graphs of up to %d nodes, %d dependents, %d jumps of an extensity; worst %.1e; %d refused\n",
                  graphs, largest, dependents, moved, worst, refused);
    assert_true(20 * refused <= graphs);
    assert_true(dependents > 3 * count && moved > 3 * count);
}

static void test_text(void** state)
{
    (void)state;
    check_graphs(RATIOS_FIXED);
}

// Ratios in a `discrete` that changes: what is stored passes through the new one (decision 0203).
static void test_stepping(void** state)
{
    (void)state;
    check_graphs(RATIOS_STEP);
}

// Ratios that could change at any time: solved with the set of modes, not in it (decision 0118).
static void test_varying(void** state)
{
    (void)state;
    check_graphs(RATIOS_VARY);
}

// -----------------------------------------------------------------------------------------------------------------
// cost

typedef struct Memory
{
    size_t now, peak;
} Memory;

static void* counted(void* user, void* block, size_t old_size, size_t new_size)
{
    Memory* memory = user;
    memory->now += new_size - old_size;
    memory->peak = memory->now > memory->peak ? memory->now : memory->peak;
    if (new_size > 0)
        return realloc(block, new_size);
    free(block);
    return NULL;
}

// Ideal diodes in a row, each with a resistor and a capacitor to ground behind it.
static void write_ladder(int count, char* text)
{
    size_t n =
        say(text, 0,
            "model Ladder { s : Se(e = 10*sin(2*pi*50*time)); n0 : J0; bond s -> n0\nground : Se(e = 0); g : J0; "
            "bond ground -> g\n");
    for (int i = 1; i <= count; i++)
    {
        n = say(
            text, n,
            "d%d : J1 switched { initial mode off : OFF { on area(d%d.e) > 0 or area(d%d.e) == 0 and post(d%d.e) > "
            "0 -> shut }\n mode shut : ON { on area(d%d.f) < 0 or area(d%d.f) == 0 and post(d%d.f) < 0 -> off } }\n",
            i, i, i, i, i, i, i);
        n = say(text, n, "w%d : R(r = 1); r%d : R(r = %d); c%d : C(c = %d.0e-7); n%d : J0; a%d : J1; b%d : J1\n", i, i,
                100 + i, i, 100 + 3 * i, i, i, i);
        n = say(text, n, "bond n%d -> d%d -> n%d; bond d%d -> w%d\n", i - 1, i, i, i, i);
        n = say(text, n, "bond n%d -> a%d -> r%d; bond a%d -> g; bond n%d -> b%d -> c%d; bond b%d -> g\n", i, i, i, i,
                i, i, i, i);
    }
    say(text, n, "}\nexperiment e of Ladder { stop = 0.001 }\n");
}

static size_t ladder_memory(int count, char* text)
{
    Memory memory = {0};
    write_ladder(count, text);
    LoadOptions options = load_default();
    options.path = "ladder.kai";
    options.text = text;
    options.experiment = "e";
    options.allocator = (kaiAllocator){counted, &memory};
    kaiModel* model = NULL;
    kaiProgram* messages = NULL;
    if (load_model(&options, &model, &messages) != KAI_OK)
        fail_msg("%s", kaiProgram_MessageText(messages, 0, false));
    kaiProgram_Free(messages);
    kaiSimOptions run_options = kaiModel_SimOptions(model);
    run_options.allocator = options.allocator;
    kaiSim* sim = kaiSim_Create(model, &run_options, NULL);
    assert_true(kaiSim_Run(sim) >= KAI_OK);
    assert_true(kaiSim_Counters(sim).switches >= count / 3);
    kaiSim_Free(sim);
    kaiModel_Free(model);
    return memory.peak;
}

// The map has outputs × inputs coefficients, 8 bytes each, and no variable, operator or task for any of them (decision
// 0034).
static void test_cost(void** state)
{
    (void)state;
    static char text[TEXT_SIZE];
    size_t small = ladder_memory(20, text), large = ladder_memory(40, text);
    print_message("20 diodes %zu kB, 40 diodes %zu kB\n", small / 1024, large / 1024);
    assert_true(large < 48u << 20);  // 110 MB with a variable and two operators for each coefficient
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_stepping),
        cmocka_unit_test(test_varying),
        cmocka_unit_test(test_cost),
    };
    return cmocka_run_group_tests_name("bond text", tests, NULL, NULL);
}
