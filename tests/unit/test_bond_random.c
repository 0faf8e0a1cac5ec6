// Random bond graphs against the dense solution of bond_reference.h; trajectories by the exponential of each side's own
// matrix. 1,000 graphs, about six sets of modes each.
#include "bond/after.h"
#include "bond/sign_row.h"
#include "unit/bond_reference.h"

// ---------------------------------------------------------------------------------------------------------- comparison

typedef struct Tally
{
    long jumps, inconsistent, not_unique, values, cancelled, dependents, moves;
    double worst_state, worst_value, worst_move;
} Tally;

static Tally tally;

typedef struct Run
{
    Bench t;
    RandomGraph g;
    uint64_t seed;
    Wide x[STATES];       // of the reference
    double most[STATES];  // largest so far
    double size[STATES];  // before and after the jump
    double slope[BENCH_NODES], correction[2 * BENCH_NODES];
    double time, energy;
} Run;

static void set_sources(Run* run)
{
    Bench* t = &run->t;
    for (int n = 0; n < t->node_count; n++)
    {
        if (!bond_is_source(t->nodes[n].kind))
        {
            for (int i = t->graph->input_first[n]; i < t->graph->input_first[n + 1]; i++)
                t->b1[i] = run->correction[i];
            continue;
        }
        t->b2[t->graph->input_first[n]] = run->slope[n];
        t->b1[t->graph->input_first[n]] = t->nodes[n].parameter + run->slope[n] * run->time;
    }
}

// Wide copies of the inputs, with the reference's own state.
static void reference_inputs(const Run* run, Wide* b1, Wide* b2)
{
    const Bench* t = &run->t;
    for (int n = 0; n < t->node_count; n++)
    {
        for (int i = t->graph->input_first[n]; i < t->graph->input_first[n + 1]; i++)
        {
            bool stored = bond_is_storage(t->nodes[n].kind);
            b1[i] = stored ? t->storage[t->graph->block_first[n]] * run->x[t->graph->port_first[n]] : t->b1[i];
            b2[i] = t->b2[i];
        }
    }
}

static void check_state(Run* run, const Wide* area, const double* size)
{
    Bench* t = &run->t;
    for (int n = 0; n < t->node_count; n++)
    {
        if (!bond_is_storage(t->nodes[n].kind))
            continue;
        int p = t->graph->port_first[n];
        double before = (double)run->x[p];
        run->x[p] += rate(t, n, area) / (Wide)t->storage[t->graph->block_first[n]];
        double after = (double)run->x[p], is = t->x[p] + t->dx[p];
        // rule B5: an area below 1e-12 of its terms is none, even if the extensity itself is smaller than that
        int bond = t->graph->bond_list[t->graph->bond_first[n]];
        run->most[p] = fmax(run->most[p], fabs(before));
        double nothing = 2e-12 * size[bond_storage_unknown(t->graph, n, bond)] + 1e-22 * run->most[p];
        double error = fabs(is - after), scale = fmax(fabs(before), fabs(after));
        if (!(error <= 1e-9 * scale || error <= nothing))
            fail_msg("seed %lu: extensity of node %d is %.17g instead of %.17g", (unsigned long)run->seed, n, is,
                     after);
        if (scale > 1e3 * nothing)
            tally.worst_state = fmax(tally.worst_state, error / scale);
        t->x[p] = is;
        run->size[p] = scale + size[bond_storage_unknown(t->graph, n, bond)];
    }
}

static void check_values(Run* run, const Reference* ref, const Wide* z, const double* is, const double* size,
                         const char* what)
{
    double floor = 1e-25;  // rounding of quadruple precision in the reference
    for (int u = 0; u < ref->unknowns; u++)
        floor = fmax(floor, 1e-20 * fabs((double)z[u]));
    for (int u = 0; u < ref->unknowns; u++)
    {
        if (!ref->unique[u])
            continue;
        double should = (double)z[u], error = fabs(is[u] - should);
        tally.values++;
        tally.cancelled += error > 1e-9 * fabs(should) + floor;  // differences of nearly equal terms: rule B5
        if (error > 1e-9 * fabs(should) && error > 1e-10 * size[u] + floor)
            fail_msg("seed %lu: %s %d is %.17g instead of %.17g (terms %g)", (unsigned long)run->seed, what, u, is[u],
                     should, size[u]);
        if (fabs(should) > 1e-3 * size[u] + 1e3 * floor)
            tally.worst_value = fmax(tally.worst_value, error / fabs(should));
    }
}

// Along no idle direction could the switched junctions leak less: the split is the one of equal resistances.
static void check_split(Run* run, const Reference* ref, const double* z)
{
    Bench* t = &run->t;
    int n = ref->nulls;
    for (int k = 0; k < n; k++)
    {
        if (ref->solve.row_of[k] >= 0)
            continue;
        double sum = 0, size = 0, direction[UNKNOWNS];
        idle_direction(ref, k, direction);
        for (int j = 0; j < t->switch_count; j++)
        {
            int node = t->graph->junction_of[j];
            double e, f, de, df;
            bool zero = t->nodes[node].kind == BOND_J0;
            bond_junction_values(t->graph, node, false, z, t->z1_size, &e, &f);
            bond_junction_values(t->graph, node, false, direction, NULL, &de, &df);
            double leak = zero == t->on[j] ? e : f, along = zero == t->on[j] ? de : df;
            sum += leak * along;
            size += fabs(leak * along);
        }
        if (fabs(sum) > 1e-9 * size)
            fail_msg("seed %lu: leaks are not the least: %g of %g", (unsigned long)run->seed, sum, size);
    }
}

// ---------------------------------------------------------------------------------------------------------- trajectory

static void kernel_flow(void* who, const double* b1, const double* b2, double* dx)
{
    Bench* t = who;
    bond_mode_flow(t->mode, b1, b2, t->z1, t->work);
    for (int n = 0; n < t->node_count; n++)
    {
        int b = t->graph->bond_list[t->graph->bond_first[n]], p = t->graph->port_first[n];
        if (bond_is_storage(t->nodes[n].kind))
            dx[p] = t->nodes[n].kind == BOND_C ? bond_sign(t->graph, b, n) * t->z1[BOND_F(b)] : t->z1[BOND_E(b)];
    }
}

// Both sides flow on for the same time, each from its own state with its own matrix.
static void advance(Run* run, Reference* ref)
{
    Bench* t = &run->t;
    int n = t->graph->port_count;
    static double kernel[ORDER * ORDER], other[ORDER * ORDER];
    double y[ORDER] = {0}, w[ORDER] = {0}, norm = 0, size = 0;
    make_matrix(t, kernel_flow, t, kernel);
    make_matrix(t, reference_flow, ref, other);
    double drive = 0;
    for (int i = 0; i < n; i++)
    {
        for (int j = 0; j < n; j++)
            norm = fmax(norm, fabs(other[i * ORDER + j]));
        drive = fmax(drive, fmax(fabs(other[i * ORDER + n]), fabs(other[i * ORDER + n + 1])));
    }
    double h = norm > 0 ? fmin(0.1, 1 / norm) : 0.1, one = fmax(1, drive * h);
    scale_drive(kernel, n, one);
    scale_drive(other, n, one);
    for (int node = 0; node < t->node_count; node++)
    {
        int p = t->graph->port_first[node];
        if (!bond_is_storage(t->nodes[node].kind))
            continue;
        y[p] = sqrt(t->storage[t->graph->block_first[node]]) * t->x[p];
        w[p] = sqrt(t->storage[t->graph->block_first[node]]) * (double)run->x[p];
    }
    y[n + 1] = w[n + 1] = one;
    double before[ORDER];
    memcpy(before, w, sizeof w);
    exponential(kernel, n + 2, h, y);
    exponential(other, n + 2, h, w);
    for (int i = 0; i < n; i++)
        size = fmax(size, fmax(fabs(w[i]), fabs(before[i])));
    size = fmax(size, 1e-5 * run->energy);  // what is left of the start by rounding
    for (int i = 0; i < n; i++)
    {
        double error = fabs(y[i] - w[i]) / fmax(size, 1e-300);
        tally.worst_move = fmax(tally.worst_move, error);
        tally.moves += fabs(w[i] - before[i]) > 1e-3 * size;
        if (!(error <= 1e-9))
            fail_msg("seed %lu: extensity %d moved to %g instead of %g of %g", (unsigned long)run->seed, i, y[i], w[i],
                     size);
    }
    for (int node = 0; node < t->node_count; node++)
    {
        int p = t->graph->port_first[node];
        if (!bond_is_storage(t->nodes[node].kind))
            continue;
        t->x[p] = y[p] / sqrt(t->storage[t->graph->block_first[node]]);
        run->x[p] = t->x[p];  // jumps are compared from one and the same state
    }
    run->time += h;
}

// ----------------------------------------------------------------------------------------------------------------- run

// The extensity behind an input, -1. (All storages have one port: place in x and in S are the same.)
static int input_port(const Bench* t, int input)
{
    int n = 0;
    while (t->graph->input_first[n + 1] <= input)
        n++;
    return bond_is_storage(t->nodes[n].kind) ? t->graph->port_first[n] : -1;
}

static void one_mode(Run* run)
{
    Bench* t = &run->t;
    Reference* ref = reference_create(t);
    static Wide b1[2 * BENCH_NODES], b2[2 * BENCH_NODES], area[UNKNOWNS], value[UNKNOWNS];
    static double size[UNKNOWNS], b_size[2 * BENCH_NODES];
    set_sources(run);
    reference_inputs(run, b1, b2);
    BondStatus status = bench_jump(t);
    bool consistent = reference_solve(ref, NULL, NULL, b1, area, size);
    BondStatus expected = !consistent ? BOND_INCONSISTENT : ref->rank < ref->nulls ? BOND_NOT_UNIQUE : BOND_OK;
    if (status != expected)
        fail_msg("seed %lu: status %d instead of %d", (unsigned long)run->seed, (int)status, (int)expected);
    assert_int_equal(bond_mode_dependents(t->mode), ref->rank);
    for (int u = 0; u < ref->unknowns; u++)
        if (bond_mode_unique(t->mode, u) != ref->unique[u])
            fail_msg("seed %lu: unknown %d unique %d, expected %d", (unsigned long)run->seed, u,
                     bond_mode_unique(t->mode, u), ref->unique[u]);
    tally.jumps++;
    tally.dependents += ref->rank;
    tally.inconsistent += !consistent;
    tally.not_unique += status == BOND_NOT_UNIQUE;
    if (consistent)
    {
        check_values(run, ref, area, t->z0, size, "area");
        check_state(run, area, size);
        reference_inputs(run, b1, b2);
        for (int i = 0; i < ref->inputs; i++)
        {
            int port = input_port(t, i);
            b_size[i] = port >= 0 ? run->size[port] * t->storage[port] : fabs((double)b1[i]);
        }
        reference_solve(ref, b1, b_size, b2, value, size);
        check_values(run, ref, value, t->z1, size, "value");
        check_split(run, ref, t->z1);
        bench_intensities(t);
        advance(run, ref);
    }
    reference_free(ref);
}

static void start(Run* run, uint64_t seed)
{
    memset(run, 0, sizeof *run);
    run->seed = seed;
    run->g = random_graph(&run->t, seed, (RandomOptions){.wide = seed % 2, .loops = seed % 4 > 1});
    random_state(&run->t, &run->g);
    assert_true(run->t.graph->port_count <= STATES);
    bool plain = random_below(&run->g.random, 3) == 0;  // sources of one value: some contradictions go away
    for (int n = 0; n < run->t.node_count; n++)
    {
        if (!bond_is_source(run->t.nodes[n].kind))
            continue;
        run->t.nodes[n].parameter = plain ? 0 : random_decade(&run->g.random, -1, 2);
        run->slope[n] = plain ? 0 : random_decade(&run->g.random, -1, 2);
    }
    for (int i = 0; i < run->t.graph->input_count && !plain && seed % 3 == 0; i++)  // R, TF and GY that are not nominal
        run->correction[i] = random_decade(&run->g.random, -1, 1);
    for (int p = 0; p < run->t.graph->port_count; p++)
    {
        run->x[p] = run->t.x[p];
        run->energy = fmax(run->energy, sqrt(run->t.storage[p]) * fabs(run->t.x[p]));
    }
}

static void test_against_dense_solution(void** state)
{
    (void)state;
    static Run run;
    for (uint64_t seed = 1; seed <= 1000; seed++)
    {
        start(&run, seed);
        int modes = run.t.switch_count > 0 ? 6 : 1;
        for (int m = 0; m < modes; m++)
        {
            one_mode(&run);
            for (int flips = 0; flips < 2 && run.t.switch_count > 0; flips++)
            {
                int j = random_below(&run.g.random, run.t.switch_count);
                run.t.on[j] = !run.t.on[j];
            }
        }
        bench_free(&run.t);
    }
    print_message("%ld jumps, %ld contradictory, %ld not unique, %ld dependents, %ld values (%ld differences of nearly "
                  "equal terms), %ld moves; worst %.1e %.1e %.1e\n",
                  tally.jumps, tally.inconsistent, tally.not_unique, tally.dependents, tally.values, tally.cancelled,
                  tally.moves, tally.worst_state, tally.worst_value, tally.worst_move);
    assert_true(50 * tally.cancelled < tally.values);  // few values are left to rule B5
    assert_true(tally.inconsistent > 100 && tally.not_unique > 100 && tally.dependents > 1000 && tally.moves > 1000);
}

// The rows of bond_mode_maps are the flow, and after new slopes still are.
static void test_maps(void** state)
{
    (void)state;
    static Run run;
    for (uint64_t seed = 1; seed <= 200; seed++)
    {
        start(&run, seed);
        Bench* t = &run.t;
        set_sources(&run);
        bench_mode(t);
        int wanted[UNKNOWNS], count = 2 * t->bond_count;
        for (int u = 0; u < count; u++)
            wanted[u] = count - 1 - u;
        BondMaps* maps = bond_mode_maps(t->mode, wanted, count, kaiDefaultAllocator());
        for (int round = 0; round < 2; round++)
        {
            bench_intensities(t);
            bond_mode_flow(t->mode, t->b1, t->b2, t->z1, t->work);
            for (int i = 0; i < count; i++)
            {
                double sum = 0, size = 0;
                for (int k = maps->start[i]; k < maps->start[i + 1]; k++)
                {
                    double one = maps->by_b1[k] * t->b1[maps->input[k]], two = maps->by_b2[k] * t->b2[maps->input[k]];
                    sum += one + two;
                    size += fabs(one) + fabs(two);
                    assert_true(maps->needs_b2 || maps->by_b2[k] == 0);
                }
                if (!(fabs(sum - t->z1[wanted[i]]) <= 1e-9 * size))
                    fail_msg("seed %lu: row %d is %.17g, flow %.17g size %g", (unsigned long)seed, i, sum,
                             t->z1[wanted[i]], size);
            }
            for (int k = 0; k < t->graph->block_size; k++)
                t->storage[k] *= random_decade(&run.g.random, -0.5, 0.5);
            assert_int_equal(bond_mode_storage(t->mode, t->storage), BOND_OK);
            bond_mode_maps_update(t->mode, wanted, maps, t->work);
        }
        bond_maps_destroy(maps);
        bench_free(t);
    }
}

// ----------------------------------------------------------------------------------------------------------------- net

static void compare(uint64_t seed, const Bench* t, const char* what, const double* own, const double* whole,
                    const double* size)
{
    for (int u = 0; u < 2 * t->bond_count; u++)
        if (bond_mode_unique(t->mode, u) && !(fabs(own[u] - whole[u]) <= 1e-8 * fmax(fabs(whole[u]), size[u])))
            fail_msg("seed %lu: %s of unknown %d is %.17g in blocks and %.17g in one piece", (unsigned long)seed, what,
                     u, own[u], whole[u]);
}

static void compare_net(Run* run, BondNet* net, long* blocks)
{
    static double z0[UNKNOWNS], z1[UNKNOWNS], dx[STATES];
    Bench* t = &run->t;
    set_sources(run);
    BondStatus status = bench_jump(t);
    assert_true(bond_net_enter(net, t->on, t->storage));
    *blocks += bond_net_blocks(net)->block_count;
    BondJump jump = {t->b0, t->b1, t->b2, z0, z1, dx, NULL, NULL, NULL, NULL};
    BondStatus own = bond_net_jump(net, &jump);
    if (own != status)
        fail_msg("seed %lu: status %d in blocks, %d in one piece", (unsigned long)run->seed, (int)own, (int)status);
    for (int u = 0; u < 2 * t->bond_count; u++)
        if (bond_net_unique(net, u) != bond_mode_unique(t->mode, u))
            fail_msg("seed %lu: unknown %d is unique in one of the two", (unsigned long)run->seed, u);
    if (status == BOND_INCONSISTENT)
        return;
    compare(run->seed, t, "area", z0, t->z0, t->z0_size);
    compare(run->seed, t, "value", z1, t->z1, t->z1_size);
    for (int p = 0; p < t->graph->port_count; p++)
        assert_true(fabs(dx[p] - t->dx[p]) <= 1e-8 * fmax(fabs(t->dx[p]), fabs(t->x[p])));
    bond_mode_flow(t->mode, t->b1, t->b2, t->z1, t->work);
    bond_net_flow(net, t->b1, t->b2, z1);
    compare(run->seed, t, "flow", z1, t->z1, t->z1_size);
}

// A graph that is taken apart has the values of the graph in one piece, in any mode.
static void test_net(void** state)
{
    (void)state;
    static Run run;
    long blocks = 0, modes = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++)
    {
        start(&run, seed);
        BondNet* net = bond_net_create(run.t.graph, kaiDefaultAllocator());
        assert_non_null(net);
        for (int m = 0; m < (run.t.switch_count > 0 ? 12 : 1); m++, modes++)
        {
            compare_net(&run, net, &blocks);
            int one = run.t.switch_count > 0 ? random_below(&run.g.random, run.t.switch_count) : 0;
            for (int j = 0; j < run.t.switch_count; j++)  // one at a time, and several together
                run.t.on[j] ^= m % 4 < 3 ? j == one : random_below(&run.g.random, 2) == 1;
        }
        bond_net_destroy(net);
        bench_free(&run.t);
    }
    print_message("%ld blocks in %ld sets of modes\n", blocks, modes);
    assert_true(blocks > 2 * modes);
}

// --------------------------------------------------------------------------------------------------------------- after

typedef struct AfterTally
{
    long asked, moved, still, rows;
} AfterTally;

// What is asked for one by one has the bits of the whole jump.
static bool compare_after(const Run* run, BondNet* net, BondAfter* after, const BondJump* jump, AfterTally* count)
{
    static double dx[STATES];
    const Bench* t = &run->t;
    bool still = false, still_one = false;
    BondJump whole = *jump, one = *jump;
    whole.still = &still;
    one.still = &still_one;
    one.dx = dx;
    BondStatus status = bond_net_jump(net, &whole);
    if (!bond_after_jump(after, &one))
        return false;
    assert_int_equal(status, BOND_OK);
    assert_int_equal(still, still_one);
    for (int p = 0; p < t->graph->port_count; p++)
        assert_true(jump->dx[p] == dx[p]);
    for (int u = 2 * t->bond_count; u-- > 0;)
    {
        int class = t->graph->class_of[u];
        if (bond_after_area(after, class) != jump->z0[u] || bond_after_value(after, class) != jump->z1[u])
            fail_msg("seed %lu: unknown %d has area %.17g and value %.17g, asked for alone %.17g and %.17g",
                     (unsigned long)run->seed, u, jump->z0[u], jump->z1[u], bond_after_area(after, class),
                     bond_after_value(after, class));
    }
    count->asked++;
    count->moved += !still;
    return true;
}

// And those of the flow; the row of a sum is that sum.
static void compare_flow(const Run* run, BondNet* net, BondAfter* after, AfterTally* count)
{
    static double z[UNKNOWNS];
    const Bench* t = &run->t;
    const double *b[] = {t->b1, t->b2}, *most[] = {t->b1, t->b2};
    bond_net_flow(net, t->b1, t->b2, z);
    bond_after_flow(after, t->b1, t->b2);
    for (int u = 0; u < 2 * t->bond_count; u++)
    {
        double sum, size = 0;
        BondSignRow row;
        BondTerm term = {.bond = (uint32_t)u / 2, .flow = u % 2 == 1, .sign = -1};
        assert_true(bond_after_value(after, t->graph->class_of[u]) == z[u]);
        bond_sign_row_make(net, t->graph, &term, 1, kaiDefaultAllocator(), &row);
        if (row.count < 0)
            continue;
        bond_sign_row_sum(&row, t->graph->input_count, b, most, &sum);
        for (int i = 0; i < row.count; i++)
        {
            int slope = row.input[i] >= t->graph->input_count;
            size += fabs(row.weight[i] * b[slope][row.input[i] - slope * t->graph->input_count]);
        }
        if (!(fabs(sum + z[u]) <= 1e-9 * size))
            fail_msg("seed %lu: the row of unknown %d is %.17g instead of %.17g", (unsigned long)run->seed, u, sum,
                     -z[u]);
        count->rows++;
    }
}

static void check_after(Run* run, BondNet* net, BondAfter* after, AfterTally* count)
{
    static double z0[UNKNOWNS], z1[UNKNOWNS], dx[STATES];
    Bench* t = &run->t;
    set_sources(run);
    bench_intensities(t);
    assert_true(bond_net_enter(net, t->on, t->storage));
    BondJump jump = {.b1 = t->b1, .b2 = t->b2, .z0 = z0, .z1 = z1, .dx = dx};
    if (!compare_after(run, net, after, &jump, count))
        return;
    for (int p = 0; p < t->graph->port_count; p++)
        t->x[p] += dx[p];
    bench_intensities(t);
    compare_after(run, net, after, &jump, count);
    bool nothing = true;
    for (int p = 0; p < t->graph->port_count; p++)
        nothing &= dx[p] == 0;
    count->still += nothing;
    if (nothing)
        compare_flow(run, net, after, count);
}

static void check_seed(Run* run, Arena* arena, AfterTally* count)
{
    BondNet* net = bond_net_create(run->t.graph, kaiDefaultAllocator());
    BondAfter* after = bond_after_create(net, run->t.graph, arena);
    for (int m = 0; m < (run->t.switch_count > 0 ? 8 : 1); m++)
    {
        check_after(run, net, after, count);
        for (int j = 0; j < run->t.switch_count; j++)
            run->t.on[j] ^= random_below(&run->g.random, 3) == 0;
    }
    bond_net_destroy(net);
}

static void test_after(void** state)
{
    (void)state;
    static Run run;
    static AfterTally count;
    static Arena arena;
    static jmp_buf fail;
    assert_int_equal(setjmp(fail), 0);
    static uint64_t seed;
    for (seed = 1; seed <= 1000; seed++)
    {
        start(&run, seed);
        arena_init(&arena, kaiDefaultAllocator(), &fail);
        check_seed(&run, &arena, &count);
        arena_free(&arena);
        bench_free(&run.t);
    }
    print_message("%ld jumps asked for, %ld moved something; %ld rows\n", count.asked, count.moved, count.rows);
    assert_true(count.moved > 300 && count.still > 1000 && count.rows > 10000);
}

// Incremental causality is causality from scratch; on trees it agrees with the ranks.
static void test_causality(void** state)
{
    (void)state;
    static Run run;
    long touched = 0, all = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++)
    {
        start(&run, seed);
        Bench* t = &run.t;
        BondCausality* one = bond_causality_create(t->graph, kaiDefaultAllocator());
        BondCausality* two = bond_causality_create(t->graph, kaiDefaultAllocator());
        bond_causality_assign(one, t->on);
        for (int m = 0; m < 8; m++)
        {
            bond_causality_assign(two, t->on);
            assert_memory_equal(one->stroke, two->stroke, (size_t)t->bond_count * sizeof *one->stroke);
            assert_memory_equal(one->clash, two->clash, (size_t)t->bond_count * sizeof *one->clash);
            assert_memory_equal(one->loop, two->loop, (size_t)t->bond_count * sizeof *one->loop);
            if (t->graph->port_count > 0)
                assert_memory_equal(one->derivative, two->derivative, (size_t)t->graph->port_count);
            if (run.g.loops == 0 && m < 3)
            {
                bench_mode(t);
                assert_int_equal(one->clash_count > 0, bond_mode_status(t->mode) == BOND_NOT_UNIQUE);
                if (one->clash_count == 0)
                    assert_int_equal(one->derivative_count, bond_mode_dependents(t->mode));
            }
            if (t->switch_count == 0)
                break;
            int j = random_below(&run.g.random, t->switch_count);
            t->on[j] = !t->on[j];
            bond_causality_switch(one, t->on);
            touched += one->work;
            all += t->bond_count;
        }
        bond_causality_destroy(one);
        bond_causality_destroy(two);
        bench_free(t);
    }
    print_message("incremental causality touched %ld of %ld bonds\n", touched, all);
    assert_true(10 * touched < 7 * all);  // trees and loops of up to 60 elements: walls keep out almost half
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_dense_solution),
        cmocka_unit_test(test_maps),
        cmocka_unit_test(test_net),
        cmocka_unit_test(test_after),
        cmocka_unit_test(test_causality),
    };
    return cmocka_run_group_tests_name("bond random", tests, NULL, NULL);
}
