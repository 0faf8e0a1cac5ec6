// Flow and jump of bond graphs (src/bond) against closed forms and the tables of paper 001.
#include "unit/bond_fixture.h"

// ---------------------------------------------------------------------------------------------------- shared conserved

// Charge is shared in the ratio of the capacitances; 33.333 µJ are lost.
static void test_two_capacitors(void** state)
{
    (void)state;
    Bench t = {0};
    int c1 = bench_node(&t, BOND_C, 0), c2 = bench_node(&t, BOND_C, 0), relay = bench_switch(&t, BOND_J1, true);
    int left = bench_bond(&t, c1, relay), right = bench_bond(&t, relay, c2);
    bench_graph(&t);
    bench_store(&t, c1, 1e-6, 10e-6);
    bench_store(&t, c2, 2e-6, 0);
    assert_int_equal(bench_jump(&t), BOND_OK);
    assert_near(t.z1[BOND_E(left)], 10.0 / 3, 1e-14);
    assert_near(t.z1[BOND_E(right)], 10.0 / 3, 1e-14);
    assert_near(bench_x(&t, c2), 20e-6 / 3, 1e-14);
    assert_near(bench_x(&t, c1), 10e-6 / 3, 1e-14);
    assert_near(t.z0[BOND_F(left)], 20e-6 / 3, 1e-14);
    double before = bond_energy(t.graph, c1, t.storage, t.x) + bond_energy(t.graph, c2, t.storage, t.x);
    bench_commit(&t);
    double after = bond_energy(t.graph, c1, t.storage, t.x) + bond_energy(t.graph, c2, t.storage, t.x);
    assert_near(before - after, 100e-6 / 3, 1e-12);

    assert_int_equal(bench_jump(&t), BOND_OK);  // equal voltages up to rounding: nothing moves, not one bit
    assert_true(t.dx[0] == 0 && t.dx[1] == 0 && t.z0[BOND_F(left)] == 0);

    t.on[0] = false;  // open: each keeps its charge, the relay has the difference of the voltages
    t.x[0] = 10e-6;
    assert_int_equal(bench_jump(&t), BOND_OK);
    assert_true(t.dx[0] == 0 && t.dx[1] == 0 && t.z1[BOND_F(left)] == 0);
    double e, f;
    bond_junction_values(t.graph, relay, false, t.z1, t.z1_size, &e, &f);
    assert_near(e, 10 - 10.0 / 3, 1e-14);
    assert_true(f == 0);
    bench_free(&t);
}

// Two bodies that a clutch joins: (1·10 + 3·2)/4, whichever way the arrow of the first inertia points.
static void test_clutch(void** state)
{
    (void)state;
    for (int away = 0; away < 2; away++)
    {
        Bench t = {0};
        int j1 = bench_node(&t, BOND_I, 0), j2 = bench_node(&t, BOND_I, 0), clutch = bench_switch(&t, BOND_J0, false);
        int w1 = bench_node(&t, BOND_J1, 0), w2 = bench_node(&t, BOND_J1, 0);
        int one = bench_bond(&t, away ? j1 : w1, away ? w1 : j1), two = bench_bond(&t, w2, j2);
        int torque = bench_bond(&t, w1, clutch);
        bench_bond(&t, clutch, w2);
        bench_graph(&t);
        bench_store(&t, j1, 1, away ? -10 : 10);  // away from j1 the flow of the bond is -p/i
        bench_store(&t, j2, 3, 6);
        assert_int_equal(bench_jump(&t), BOND_OK);
        assert_true(t.dx[0] == 0 && t.dx[1] == 0 && t.z1[BOND_F(one)] == 10 && t.z1[BOND_F(two)] == 2);
        t.on[0] = true;
        assert_int_equal(bench_jump(&t), BOND_OK);
        assert_near(t.z1[BOND_F(one)], 4, 1e-15);
        assert_near(t.z1[BOND_F(two)], 4, 1e-15);
        assert_near(bench_x(&t, j1), away ? -4 : 4, 1e-15);
        assert_near(bench_x(&t, j2), 12, 1e-15);
        assert_near(t.z0[BOND_E(torque)], 6, 1e-15);
        bench_free(&t);
    }
}

static void test_bullet_and_wood(void** state)
{
    (void)state;
    const double m1 = 0.01, m2 = 2.5, v1 = 400;
    Bench t = {0};
    int bullet = bench_node(&t, BOND_I, 0), wood = bench_node(&t, BOND_I, 0), both = bench_node(&t, BOND_J1, 0);
    bench_bond(&t, both, bullet);
    int bond = bench_bond(&t, both, wood);
    bench_graph(&t);
    bench_store(&t, bullet, m1, m1 * v1);
    bench_store(&t, wood, m2, 0);
    assert_int_equal(bench_jump(&t), BOND_OK);
    assert_near(t.z1[BOND_F(bond)], m1 * v1 / (m1 + m2), 1e-14);
    double before = bond_energy(t.graph, bullet, t.storage, t.x);
    bench_commit(&t);
    double after = bond_energy(t.graph, bullet, t.storage, t.x) + bond_energy(t.graph, wood, t.storage, t.x);
    assert_near(before - after, 0.5 * m1 * m2 / (m1 + m2) * v1 * v1, 1e-13);

    BondDependent dependent = bond_mode_dependent(t.mode, 0);  // the lighter body depends on the heavier one
    assert_int_equal(bond_mode_dependents(t.mode), 1);
    assert_int_equal(dependent.node, bullet);
    assert_int_equal(dependent.count, 1);
    assert_int_equal(dependent.input[0], t.graph->input_first[wood]);
    assert_true(dependent.coefficient[0] == 1);
    bench_free(&t);
}

// A capacitor across a source takes its voltage; half of what the source gives is lost. Its current is c du/dt.
static void test_source_and_capacitor(void** state)
{
    (void)state;
    Bench t = {0};
    int source = bench_node(&t, BOND_SE, 0), node = bench_node(&t, BOND_J0, 0), c = bench_node(&t, BOND_C, 0);
    bench_bond(&t, source, node);
    int bond = bench_bond(&t, node, c);
    bench_graph(&t);
    bench_store(&t, c, 1e-6, 2e-6);
    *bench_input(&t, t.b1, source) = 5;
    *bench_input(&t, t.b2, source) = 300;  // V/s
    assert_int_equal(bench_jump(&t), BOND_OK);
    assert_near(bench_x(&t, c), 5e-6, 1e-15);
    assert_near(t.z1[BOND_E(bond)], 5, 1e-15);
    assert_near(t.z1[BOND_F(bond)], 300e-6, 1e-14);
    BondJump jump = {.z0 = t.z0, .z1 = t.z1};
    assert_near(bond_impulse_work(t.graph, source, NULL, &jump), 5 * 3e-6, 1e-14);

    bench_commit(&t);
    assert_int_equal(bench_flow(&t), BOND_OK);
    assert_near(t.z1[BOND_F(bond)], 300e-6, 1e-14);
    int wanted[] = {BOND_F(bond), BOND_E(bond)};
    BondMaps* maps = bond_mode_maps(t.mode, wanted, 2, kaiDefaultAllocator());
    assert_true(maps->needs_b2);
    assert_int_equal(maps->start[1], 2);  // the derivative of the source, and what that of the capacitor is beyond f/c
    assert_int_equal(maps->input[0], t.graph->input_first[source]);
    assert_int_equal(maps->input[1], t.graph->input_first[c]);
    assert_near(maps->by_b2[0], 1e-6, 1e-15);
    assert_near(maps->by_b2[1], -1e-6, 1e-15);
    assert_near(maps->by_b1[1], 0, 0);
    t.storage[0] = 1 / 4e-6;  // another slope: the pattern stays
    assert_int_equal(bond_mode_storage(t.mode, t.storage), BOND_OK);
    bond_mode_maps_update(t.mode, wanted, maps, t.work);
    assert_near(maps->by_b2[0], 4e-6, 1e-15);
    bond_maps_destroy(maps);
    bench_free(&t);
}

// Through a transformer e1 = n e2: charge n a arrives where a leaves; with side 2 the wrong way round it arrives
// negative.
static void test_transformer(void** state)
{
    (void)state;
    const double n = 2.5, c1 = 3e-6, c2 = 7e-6, q1 = 9e-6, q2 = 1e-6;
    for (int wrong = 0; wrong < 2; wrong++)
    {
        Bench t = {0};
        int one = bench_node(&t, BOND_C, 0), two = bench_node(&t, BOND_C, 0), tf = bench_node(&t, BOND_TF, n);
        int v1 = bench_node(&t, BOND_J0, 0), v2 = bench_node(&t, BOND_J0, 0);
        bench_bond(&t, v1, one);
        bench_bond(&t, v2, two);
        int in = bench_bond(&t, v1, tf), out = bench_bond(&t, wrong ? v2 : tf, wrong ? tf : v2);
        bench_graph(&t);
        bench_store(&t, one, c1, q1);
        bench_store(&t, two, c2, q2);
        assert_int_equal(bench_jump(&t), BOND_OK);
        double a = (q1 / c1 - n * q2 / c2) / (1 / c1 + n * n / c2);
        assert_near(bench_x(&t, one), q1 - a, 1e-14);
        assert_near(bench_x(&t, two), q2 + n * a, 1e-14);
        assert_near(t.z0[BOND_F(in)], a, 1e-14);
        assert_near(t.z0[BOND_F(out)], wrong ? -n * a : n * a, 1e-14);
        assert_near(t.z1[BOND_E(in)], n * t.z1[BOND_E(out)], 1e-14);
        bench_free(&t);
    }
}

// Through a gyrator e1 = r f2 a capacitor and an inertia become dependent.
static void test_gyrator(void** state)
{
    (void)state;
    const double r = 40, c = 2e-3, i = 5, q = 0.3, p = 0.7;
    for (int wrong = 0; wrong < 2; wrong++)
    {
        Bench t = {0};
        int one = bench_node(&t, BOND_C, 0), two = bench_node(&t, BOND_I, 0), gy = bench_node(&t, BOND_GY, r);
        int v1 = bench_node(&t, BOND_J0, 0), v2 = bench_node(&t, BOND_J1, 0);
        bench_bond(&t, v1, one);
        bench_bond(&t, v2, two);
        bench_bond(&t, v1, gy);
        int out = bench_bond(&t, wrong ? v2 : gy, wrong ? gy : v2);
        bench_graph(&t);
        bench_store(&t, one, c, q);
        bench_store(&t, two, i, p);
        assert_int_equal(bench_jump(&t), BOND_OK);
        // wrong way round: f2 out of the gyrator is -f of the bond, and its effort drives the mass backwards
        double sign = wrong ? -1 : 1;
        double a = (q / c - sign * r * p / i) / (1 / c + r * r / i);
        assert_near(bench_x(&t, one), q - a, 1e-14);
        assert_near(bench_x(&t, two), p + sign * r * a, 1e-13);
        assert_near(t.z0[BOND_E(out)], r * a, 1e-14);
        bench_free(&t);
    }
}

// A ratio other than the nominal one is a correction of the inputs: of e1 - n e2 in the values, of f2 - n f1 in the
// areas (or the other way round). Both sides of TF and GY, with storages that the true ratio m makes dependent.
static void test_corrected_ratios(void** state)
{
    (void)state;
    const double m = 2.5, n = 2, s1 = 3, s2 = 7, x1 = 9, x2 = 1;
    for (int kind = 0; kind < 4; kind++)
    {
        static const BondKind left[] = {BOND_C, BOND_I, BOND_C, BOND_I}, right[] = {BOND_C, BOND_I, BOND_I, BOND_C};
        Bench t = {0};
        int one = bench_node(&t, left[kind], 0), two = bench_node(&t, right[kind], 0);
        int ratio = bench_node(&t, kind < 2 ? BOND_TF : BOND_GY, n);
        int j1 = bench_node(&t, left[kind] == BOND_C ? BOND_J0 : BOND_J1, 0);
        int j2 = bench_node(&t, right[kind] == BOND_C ? BOND_J0 : BOND_J1, 0);
        bench_bond(&t, j1, one);
        bench_bond(&t, j2, two);
        bench_bond(&t, j1, ratio);
        bench_bond(&t, ratio, j2);
        bench_graph(&t);
        bench_store(&t, one, s1, x1);
        bench_store(&t, two, s2, x2);
        // intensities i1 = k i2 after the jump, a leaves side 1, k a arrives at side 2; k = 1/m where the mass is on
        // side 1 of a transformer (f2 = m f1) or of a gyrator (e2 = m f1)
        double k = left[kind] == BOND_C ? m : 1 / m;
        double a = (x1 / s1 - k * x2 / s2) / (1 / s1 + k * k / s2);
        double i1 = (x1 - a) / s1, i2 = (x2 + k * a) / s2;
        bool first = left[kind] == BOND_C;  // the row with the intensities is the first or the second of the two
        bench_input(&t, t.b1, ratio)[first ? 0 : 1] = (m - n) * (first ? i2 : i1);
        bench_input(&t, t.b0, ratio)[first ? 1 : 0] = (m - n) * (first ? a : k * a);
        assert_int_equal(bench_jump(&t), BOND_OK);
        assert_near(bench_x(&t, one), x1 - a, 1e-14);
        assert_near(bench_x(&t, two), x2 + k * a, 1e-14);
        bench_free(&t);
    }
}

// Coupled coils as one I of two ports; the second one is opened: its flux falls to what the first current makes, and
// the flux of the first stays.
static void test_coupled_coils(void** state)
{
    (void)state;
    const double l1 = 2, l2 = 5, m = 1.5, det = l1 * l2 - m * m, p1 = 3, p2 = 4;
    Bench t = {0};
    int coils = bench_node(&t, BOND_I, 0), source = bench_node(&t, BOND_SE, 0), open = bench_switch(&t, BOND_J1, false);
    int loop = bench_node(&t, BOND_J1, 0), r = bench_node(&t, BOND_R, 10);
    int first = bench_bond(&t, loop, coils), second = bench_bond(&t, open, coils);
    bench_bond(&t, source, loop);
    bench_bond(&t, open, r);
    bench_graph(&t);
    double inverse[] = {l2 / det, -m / det, -m / det, l1 / det};
    memcpy(t.storage, inverse, sizeof inverse);
    t.x[0] = p1;
    t.x[1] = p2;
    *bench_input(&t, t.b1, source) = 12;
    assert_int_equal(bench_jump(&t), BOND_OK);
    assert_true(t.dx[0] == 0);
    assert_near(t.x[1] + t.dx[1], m * p1 / l1, 1e-14);
    assert_near(t.z1[BOND_F(first)], p1 / l1, 1e-14);
    assert_true(t.z1[BOND_F(second)] == 0);
    assert_near(t.z1[BOND_E(second)], m * 12 / l1, 1e-14);  // the open coil is a transformer without load
    bench_free(&t);
}

// ------------------------------------------------------------------------------------------------- impulses of sources

static void test_source_impulses(void** state)
{
    (void)state;
    Bench t = {0};  // a current impulse into C parallel to R: all of it goes into C
    int sf = bench_node(&t, BOND_SF, 0), node = bench_node(&t, BOND_J0, 0), c = bench_node(&t, BOND_C, 0);
    int r = bench_node(&t, BOND_R, 50);
    bench_bond(&t, sf, node);
    bench_bond(&t, node, c);
    int through = bench_bond(&t, node, r);
    bench_graph(&t);
    bench_store(&t, c, 1e-6, 1e-6);
    *bench_input(&t, t.b0, sf) = 4e-6;
    assert_int_equal(bench_jump(&t), BOND_OK);
    assert_near(bench_x(&t, c), 5e-6, 1e-15);
    assert_true(t.z0[BOND_F(through)] == 0);
    assert_near(t.z1[BOND_F(through)], 5.0 / 50, 1e-14);
    double before[8] = {1, 0, 1, 0, 1, 0};  // 1 V at the node
    BondJump jump = {.z0 = t.z0, .z1 = t.z1};
    double stored = (25 - 1) * 1e-6 / 2;  // ½ c (5² - 1²)
    assert_near(bond_impulse_work(t.graph, sf, before, &jump), stored, 1e-13);
    bench_free(&t);

    Bench u = {0};  // a voltage impulse on R, C and I in series: the coil takes it
    int se = bench_node(&u, BOND_SE, 0), loop = bench_node(&u, BOND_J1, 0), i = bench_node(&u, BOND_I, 0);
    int rs = bench_node(&u, BOND_R, 50), cs = bench_node(&u, BOND_C, 0);
    bench_bond(&u, se, loop);
    int coil = bench_bond(&u, loop, i);
    bench_bond(&u, loop, rs);
    bench_bond(&u, loop, cs);
    bench_graph(&u);
    bench_store(&u, i, 2, 0.5);
    bench_store(&u, cs, 1e-6, 3e-6);
    *bench_input(&u, u.b0, se) = 4;
    assert_int_equal(bench_jump(&u), BOND_OK);
    assert_near(bench_x(&u, i), 4.5, 1e-15);
    assert_true(u.dx[u.graph->port_first[cs]] == 0);
    assert_near(u.z1[BOND_E(coil)], 0 - 3 - 50 * 4.5 / 2, 1e-14);
    bench_free(&u);

    Bench w = {0};  // on R and C in series: area/r is the charge
    int ve = bench_node(&w, BOND_SE, 0), rc = bench_node(&w, BOND_J1, 0), rr = bench_node(&w, BOND_R, 50);
    int cc = bench_node(&w, BOND_C, 0), cut = bench_node(&w, BOND_J0, 0);
    bench_bond(&w, ve, cut);
    bench_bond(&w, cut, rc);
    bench_bond(&w, rc, rr);
    bench_bond(&w, rc, cc);
    bench_graph(&w);
    bench_store(&w, cc, 1e-6, 0);
    *bench_input(&w, w.b0, ve) = 4e-3;
    assert_int_equal(bench_jump(&w), BOND_OK);
    assert_near(bench_x(&w, cc), 4e-3 / 50, 1e-14);
    bench_free(&w);
}

// A voltage impulse across a capacitor would need a current δ′.
static void test_delta_prime(void** state)
{
    (void)state;
    Bench t = {0};
    int se = bench_node(&t, BOND_SE, 0), c = bench_node(&t, BOND_C, 0);
    bench_bond(&t, se, c);
    bench_graph(&t);
    bench_store(&t, c, 1e-6, 0);
    *bench_input(&t, t.b0, se) = 1;
    assert_int_equal(bench_jump(&t), BOND_DELTA_PRIME);
    int nodes[BENCH_NODES];
    assert_int_equal(bond_mode_loop(t.mode, t.b0, nodes, t.work), 2);
    assert_int_equal(nodes[0], se);
    assert_int_equal(nodes[1], c);
    bench_free(&t);
}

// -------------------------------------------------------------------------------------------------- what is not unique

// n closed switches side by side between a source and a resistor share the current equally; the rest is unique.
static void test_parallel_switches(void** state)
{
    (void)state;
    for (int count = 2; count <= 4; count++)
    {
        Bench t = {0};
        int se = bench_node(&t, BOND_SE, 0), a = bench_node(&t, BOND_J0, 0), b = bench_node(&t, BOND_J0, 0);
        int r = bench_node(&t, BOND_R, 5), c = bench_node(&t, BOND_C, 0), in[4];
        bench_bond(&t, se, a);
        for (int k = 0; k < count; k++)
        {
            int closed = bench_switch(&t, BOND_J1, true);
            in[k] = bench_bond(&t, a, closed);
            bench_bond(&t, closed, b);
        }
        int load = bench_bond(&t, b, r);
        bench_bond(&t, b, c);
        bench_graph(&t);
        bench_store(&t, c, 1e-6, 0);
        *bench_input(&t, t.b1, se) = 10;
        assert_int_equal(bench_jump(&t), BOND_NOT_UNIQUE);
        assert_near(bench_x(&t, c), 10e-6, 1e-15);
        assert_near(t.z1[BOND_F(load)], 2, 1e-15);
        assert_true(bond_mode_unique(t.mode, BOND_F(load)));
        for (int k = 0; k < count; k++)
        {
            assert_near(t.z1[BOND_F(in[k])], 2.0 / count, 1e-14);
            assert_near(t.z0[BOND_F(in[k])], 10e-6 / count, 1e-14);  // the charge of c goes the same ways
            assert_false(bond_mode_unique(t.mode, BOND_F(in[k])));
            assert_true(bond_mode_unique(t.mode, BOND_E(in[k])));
        }
        t.on[0] = false;  // one open: the others share
        assert_int_equal(bench_jump(&t), count > 2 ? BOND_NOT_UNIQUE : BOND_OK);
        assert_true(t.z1[BOND_F(in[0])] == 0);
        assert_near(t.z1[BOND_F(in[1])], 2.0 / (count - 1), 1e-14);
        bench_free(&t);
    }
}

// A node between two open switches floats: equal leaks put it half way.
static void test_floating_node(void** state)
{
    (void)state;
    Bench t = {0};
    int high = bench_node(&t, BOND_SE, 0), low = bench_node(&t, BOND_SE, 0), node = bench_node(&t, BOND_J0, 0);
    int s1 = bench_switch(&t, BOND_J1, false), s2 = bench_switch(&t, BOND_J1, false);
    bench_bond(&t, high, s1);
    int in = bench_bond(&t, s1, node);
    bench_bond(&t, node, s2);
    bench_bond(&t, s2, low);
    bench_graph(&t);
    *bench_input(&t, t.b1, high) = 10;
    *bench_input(&t, t.b1, low) = 4;
    assert_int_equal(bench_jump(&t), BOND_NOT_UNIQUE);
    assert_near(t.z1[BOND_E(in)], 7, 1e-14);
    assert_false(bond_mode_unique(t.mode, BOND_E(in)));
    assert_true(bond_mode_unique(t.mode, BOND_F(in)));
    bench_free(&t);
}

// --------------------------------------------------------------------------------------------- what contradicts itself

// 10 V and 4 V through two closed switches: an endless current from the higher to the lower, the node between them half
// way, and a circuit beside it that does not notice.
static void test_unequal_sources(void** state)
{
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++)
    {
        Bench t = {0};
        int high = bench_node(&t, BOND_SE, 0), low = bench_node(&t, BOND_SE, 0), node = bench_node(&t, BOND_J0, 0);
        int s1 = bench_switch(&t, BOND_J1, true), s2 = bench_switch(&t, BOND_J1, true);
        int coil = bench_node(&t, BOND_I, 0), c = bench_node(&t, BOND_C, 0), r = bench_node(&t, BOND_R, 2);
        int aside = bench_node(&t, BOND_J0, 0);
        int first = bench_bond(&t, high, s1), in = bench_bond(&t, s1, node), out = bench_bond(&t, node, s2);
        bench_bond(&t, s2, low);
        int over = bench_bond(&t, node, coil);
        bench_bond(&t, aside, c);
        int beside = bench_bond(&t, aside, r);
        bench_graph(&t);
        bench_store(&t, coil, 1, 0.25);
        bench_store(&t, c, 1, 6);
        *bench_input(&t, t.b1, high) = swapped ? 4 : 10;
        *bench_input(&t, t.b1, low) = swapped ? 10 : 4;
        assert_int_equal(bench_jump(&t), BOND_INCONSISTENT);
        double endless = swapped ? -INFINITY : INFINITY;
        assert_true(t.z0[BOND_F(first)] == endless && t.z0[BOND_F(in)] == endless && t.z0[BOND_F(out)] == endless);
        assert_true(t.z0[BOND_F(over)] == 0 && t.dx[0] == 0 && t.dx[1] == 0);
        assert_near(t.z1[BOND_E(over)], 7, 1e-14);
        assert_near(t.z1[BOND_F(beside)], 3, 1e-14);
        int nodes[BENCH_NODES];
        assert_int_equal(bond_mode_loop(t.mode, t.b1, nodes, t.work), 4);
        int expected[] = {high, low, s1, s2};
        assert_memory_equal(nodes, expected, sizeof expected);

        *bench_input(&t, t.b1, low) = *bench_input(&t, t.b1, high);  // equal sources agree
        assert_int_equal(bench_jump(&t), BOND_NOT_UNIQUE);
        assert_near(t.z1[BOND_E(over)], swapped ? 4 : 10, 1e-14);
        bench_free(&t);
    }
}

// A flow source into an open junction: an endless effort with the sign of the flow.
static void test_flow_into_open_junction(void** state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2)
    {
        Bench t = {0};
        int sf = bench_node(&t, BOND_SF, 0), open = bench_switch(&t, BOND_J1, false), se = bench_node(&t, BOND_SE, 0);
        int in = bench_bond(&t, sf, open);
        int out = bench_bond(&t, open, se);
        bench_graph(&t);
        *bench_input(&t, t.b1, sf) = 3 * sign;
        *bench_input(&t, t.b1, se) = 1;
        assert_int_equal(bench_jump(&t), BOND_INCONSISTENT);
        assert_true(t.z0[BOND_E(in)] == (double)sign * INFINITY);
        assert_true(t.z0[BOND_E(out)] == 0);
        double e, f;
        bond_junction_values(t.graph, open, false, t.z0, t.z0_size, &e, &f);
        assert_true(e == (double)sign * INFINITY);
        bench_flow(&t);
        assert_int_equal(bench_flow(&t), BOND_INCONSISTENT);
        bench_free(&t);
    }
}

// The inductor of a coil that is cut off: the effort of the opening junction is an impulse that takes all momentum.
static void test_coil_cut_off(void** state)
{
    (void)state;
    Bench t = {0};
    int se = bench_node(&t, BOND_SE, 0), open = bench_switch(&t, BOND_J1, false), coil = bench_node(&t, BOND_I, 0);
    bench_bond(&t, se, open);
    int bond = bench_bond(&t, open, coil);
    bench_graph(&t);
    bench_store(&t, coil, 0.5, 2);
    *bench_input(&t, t.b1, se) = 24;
    assert_int_equal(bench_jump(&t), BOND_OK);
    assert_true(bench_x(&t, coil) == 0);
    assert_near(t.z0[BOND_E(bond)], -2, 1e-15);
    double e, f;
    bond_junction_values(t.graph, open, false, t.z0, t.z0_size, &e, &f);
    assert_near(e, 2, 1e-15);  // in minus out
    bench_free(&t);
}

// -------------------------------------------------------------------------------------------------------------- cradle

typedef struct CradleRow
{
    bool f12, f13, commit;
    double p1, p2, p3;
} CradleRow;

// The modified Newton's cradle of paper 001: the mode sets of a table in their order, `commit` where the next row
// starts from the momenta of this one (a pinnacle) and not where it is mythical.
static void run_cradle(const CradleRow* rows, int count)
{
    Bench t = {0};
    int m1 = bench_node(&t, BOND_I, 0), m2 = bench_node(&t, BOND_I, 0), m3 = bench_node(&t, BOND_I, 0);
    int v1 = bench_node(&t, BOND_J1, 0), v2 = bench_node(&t, BOND_J1, 0), v3 = bench_node(&t, BOND_J1, 0);
    int f12 = bench_switch(&t, BOND_J0, true), f13 = bench_switch(&t, BOND_J0, false),
        bounce = bench_node(&t, BOND_SF, 0);
    bench_bond(&t, v1, m1);
    bench_bond(&t, v2, m2);
    bench_bond(&t, v3, m3);
    bench_bond(&t, v1, f13);
    bench_bond(&t, f13, v3);
    bench_bond(&t, f13, bounce);
    bench_bond(&t, v1, f12);
    bench_bond(&t, f12, v2);
    bench_graph(&t);
    bench_store(&t, m1, 1, 0.95);
    bench_store(&t, m2, 1, 0.95);
    bench_store(&t, m3, 1, 0);
    for (int i = 0; i < count; i++)
    {
        t.on[0] = rows[i].f12;
        t.on[1] = rows[i].f13;
        *bench_input(&t, t.b1, bounce) = -0.8 * (t.x[0] - t.x[2]);  // of the committed speeds
        assert_int_equal(bench_jump(&t), BOND_OK);
        assert_near(bench_x(&t, m1), rows[i].p1, 1e-12);
        assert_near(bench_x(&t, m2), rows[i].p2, 1e-12);
        assert_near(bench_x(&t, m3), rows[i].p3, 1e-12);
        if (rows[i].commit)
            bench_commit(&t);
    }
    bench_free(&t);
}

static void test_cradle(void** state)
{
    (void)state;
    const CradleRow one[] = {{true, false, true, 0.95, 0.95, 0},
                             {true, true, true, 0.38, 0.38, 1.14},
                             {true, false, true, 0.38, 0.38, 1.14}};
    const CradleRow two[] = {{true, false, true, 0.95, 0.95, 0},
                             {true, true, false, 0.38, 0.38, 1.14},
                             {false, true, true, 0.095, 0.95, 0.855},
                             {false, false, true, 0.095, 0.95, 0.855}};
    const CradleRow three[] = {{true, false, true, 0.95, 0.95, 0},         {true, true, false, 0.38, 0.38, 1.14},
                               {false, true, true, 0.095, 0.95, 0.855},    {false, false, false, 0.095, 0.95, 0.855},
                               {true, false, true, 0.5225, 0.5225, 0.855}, {true, false, true, 0.5225, 0.5225, 0.855}};
    run_cradle(one, 3);
    run_cradle(two, 4);
    run_cradle(three, 6);
}

// ------------------------------------------------------------------------------------------------------------- numbers

// A divider of 1e9 and 1e-6 ohms, and beside it a pico- and a whole farad in parallel: neither swallows the other.
static void test_wide_values(void** state)
{
    (void)state;
    Bench t = {0};
    int se = bench_node(&t, BOND_SE, 0), loop = bench_node(&t, BOND_J1, 0), big = bench_node(&t, BOND_R, 1e9);
    int small = bench_node(&t, BOND_R, 1e-6), node = bench_node(&t, BOND_J0, 0), tap = bench_node(&t, BOND_R, 1e9);
    int c1 = bench_node(&t, BOND_C, 0), c2 = bench_node(&t, BOND_C, 0), pair = bench_switch(&t, BOND_J1, true);
    bench_bond(&t, se, loop);
    bench_bond(&t, loop, big);
    int into = bench_bond(&t, loop, node);
    int down = bench_bond(&t, node, small), aside = bench_bond(&t, node, tap);
    bench_bond(&t, c1, pair);
    bench_bond(&t, pair, c2);
    bench_graph(&t);
    bench_store(&t, c1, 1e-12, 1e-9);
    bench_store(&t, c2, 1, 5);
    *bench_input(&t, t.b1, se) = 1000;
    assert_int_equal(bench_jump(&t), BOND_OK);
    double parallel = 1 / (1e6 + 1e-9), current = 1000 / (1e9 + parallel);
    assert_near(t.z1[BOND_F(into)], current, 1e-15);
    assert_near(t.z1[BOND_E(down)], current * parallel, 1e-15);
    assert_near(t.z1[BOND_F(aside)], current * parallel / 1e9, 1e-15);
    double v = (1e-9 + 5) / (1 + 1e-12);
    assert_near(bench_x(&t, c1), 1e-12 * v, 1e-12);
    assert_near(bench_x(&t, c2), v, 1e-15);
    bench_free(&t);
}

// -5 Ω and 5 Ω in one loop leave the current open: no equations. A resistance of zero is a short circuit and is fine.
static void test_resistances(void** state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++)
    {
        const double r[] = {-5, -4, 0};
        Bench t = {0};
        int se = bench_node(&t, BOND_SE, 0), loop = bench_node(&t, BOND_J1, 0), one = bench_node(&t, BOND_R, 5);
        int two = bench_node(&t, BOND_R, r[kind]);
        int bond = bench_bond(&t, se, loop);
        bench_bond(&t, loop, one);
        bench_bond(&t, loop, two);
        bench_graph(&t);
        *bench_input(&t, t.b1, se) = 10;
        assert_int_equal(bench_jump(&t), kind == 0 ? BOND_SINGULAR : BOND_OK);
        if (kind > 0)
            assert_near(t.z1[BOND_F(bond)], 10 / (5 + r[kind]), 1e-15);
        bench_free(&t);
    }
}

// Two capacitors e = k q³ share a charge: q1/q2 = cbrt(k2/k1). Newton by the caller, as mode.h says.
static void test_nonlinear_storages(void** state)
{
    (void)state;
    const double k[] = {1, 8};
    Bench t = {0};
    int c1 = bench_node(&t, BOND_C, 0), c2 = bench_node(&t, BOND_C, 0), node = bench_node(&t, BOND_J0, 0);
    bench_bond(&t, node, c1);
    bench_bond(&t, node, c2);
    bench_graph(&t);
    double before[] = {4, 0.5}, x[] = {4, 0.5};
    t.storage[0] = t.storage[1] = 1;
    bench_mode(&t);
    BondJump jump = {.b1 = t.b1, .z0 = t.z0, .z1 = t.z1, .dx = t.dx};
    for (int step = 0; step < 20; step++)
    {
        for (int i = 0; i < 2; i++)
        {
            t.storage[i] = 3 * k[i] * x[i] * x[i];
            t.b1[i] = k[i] * x[i] * x[i] * x[i] - t.storage[i] * (x[i] - before[i]);
        }
        assert_int_equal(bond_mode_storage(t.mode, t.storage), BOND_OK);
        assert_int_equal(bond_mode_jump(t.mode, &jump, t.work), BOND_OK);
        for (int i = 0; i < 2; i++)
            x[i] = before[i] + t.dx[i];
    }
    assert_near(x[0], 3, 1e-14);  // 4.5 in the ratio 2 : 1
    assert_near(x[1], 1.5, 1e-14);
    bench_free(&t);
}

// ----------------------------------------------------------------------------------------------------- graph and cache

static void test_ill_formed(void** state)
{
    (void)state;
    BondNode nodes[] = {{BOND_R, -1, 1, false, false}, {BOND_TF, -1, 1, false, false},   {BOND_J0, -1, 0, false, false},
                        {BOND_C, -1, 0, false, false}, {BOND_GY, -1, NAN, false, false}, {BOND_SE, 0, 0, false, false},
                        {BOND_J1, 1, 0, false, false}, {BOND_J1, 1, 0, false, false}};
    BondEdge bonds[] = {{2, 0}, {0, 2}, {1, 2}, {2, 4}, {4, 2}, {6, 6}, {5, 6}, {7, 6}};
    BondFault faults[16];
    int count = bond_graph_check(nodes, 8, bonds, 8, faults, 16);
    const BondFault expected[] = {{BOND_FAULT_TWO_BONDS, 0, 1},    {BOND_FAULT_NOT_TWO_PORT, 1, 2},
                                  {BOND_FAULT_UNCONNECTED, 3, -1}, {BOND_FAULT_PARAMETER, 4, -1},
                                  {BOND_FAULT_SWITCH, 5, -1},      {BOND_FAULT_SELF, 6, 5},
                                  {BOND_FAULT_SWITCH, 7, -1}};
    assert_int_equal(count, 7);
    for (int i = 0; i < 7; i++)
    {
        assert_int_equal(faults[i].kind, expected[i].kind);
        assert_int_equal(faults[i].node, expected[i].node);
        assert_int_equal(faults[i].bond, expected[i].bond);
    }
    assert_int_equal(bond_graph_check(nodes, 8, bonds, 8, faults, 2), 7);
}

typedef struct Counter
{
    int allocations, limit;  // limit < 0: none
    long bytes;
} Counter;

static void* count_alloc(void* user, void* block, size_t old_size, size_t size)
{
    Counter* counter = user;
    if (size > 0 && counter->limit >= 0 && counter->allocations >= counter->limit)
        return NULL;
    counter->allocations += size > 0;
    counter->bytes += (long)size - (block ? (long)old_size : 0);
    if (size == 0)
    {
        free(block);
        return NULL;
    }
    return realloc(block, size);
}

// A ladder of 30 switched junctions between capacitors and resistors.
static void ladder(Bench* t)
{
    int node = bench_node(t, BOND_J0, 0), c = bench_node(t, BOND_C, 0);
    bench_bond(t, node, c);
    for (int i = 0; i < 30; i++)
    {
        int link = bench_switch(t, BOND_J1, false), next = bench_node(t, BOND_J0, 0);
        int r = bench_node(t, i % 2 ? BOND_R : BOND_C, 100);
        bench_bond(t, node, link);
        bench_bond(t, link, next);
        bench_bond(t, next, r);
        node = next;
    }
}

static void test_cache(void** state)
{
    (void)state;
    Bench t = {0};
    ladder(&t);
    bench_graph(&t);
    for (int p = 0; p < t.graph->port_count; p++)
        t.storage[p] = 1e6;
    Counter counter = {.limit = -1};
    kaiAllocator allocator = {count_alloc, &counter};
    BondCache* cache = bond_cache_create(t.graph, allocator);
    BondMode* seen[40];
    for (int i = 0; i < 30; i++)
    {
        t.on[i] = true;
        seen[i] = bond_cache_mode(cache, t.on, t.storage, NULL);
        assert_non_null(seen[i]);
        bool made;
        BondMode*** own = bond_cache_attachment(cache, seen[i], sizeof *own, &made);
        assert_true(made && *own == NULL);
        *own = &seen[i];
    }
    assert_int_equal(bond_cache_count(cache), 30);
    assert_true(counter.bytes < 2000000);  // what was visited, not 2^30 of anything
    int allocations = counter.allocations;
    for (int i = 29; i >= 0; i--)
    {
        assert_ptr_equal(bond_cache_mode(cache, t.on, t.storage, NULL), seen[i]);
        bool made;
        BondMode*** own = bond_cache_attachment(cache, seen[i], sizeof *own, &made);
        assert_true(!made && *own == &seen[i]);
        assert_ptr_equal(bond_cache_at(cache, i), seen[i]);
        t.on[i] = false;
    }
    assert_int_equal(counter.allocations, allocations);
    size_t full = bond_cache_size(cache);
    bond_cache_trim(cache, seen[17], NULL);
    assert_int_equal(bond_cache_count(cache), 1);
    assert_true(bond_cache_size(cache) < full / 10);
    for (int i = 0; i <= 17; i++)
        t.on[i] = true;
    assert_ptr_equal(bond_cache_mode(cache, t.on, t.storage, NULL), seen[17]);
    t.on[0] = false;
    assert_non_null(bond_cache_mode(cache, t.on, t.storage, NULL));
    assert_int_equal(bond_cache_count(cache), 2);
    bond_cache_destroy(cache);
    assert_int_equal(counter.bytes, 0);
    bench_free(&t);
}

static void test_memory_runs_out(void** state)
{
    (void)state;
    Bench t = {0};
    ladder(&t);
    bench_graph(&t);
    for (int i = 0; i < 30; i++)
        t.on[i] = i % 3 > 0;
    for (int p = 0; p < t.graph->port_count; p++)
        t.storage[p] = 1e6;
    bool done = false;
    for (int limit = 0; limit < 200 && !done; limit++)
    {
        Counter counter = {.limit = limit};
        kaiAllocator allocator = {count_alloc, &counter};
        BondCache* cache = bond_cache_create(t.graph, allocator);
        BondMode* mode = cache ? bond_cache_mode(cache, t.on, t.storage, NULL) : NULL;
        int wanted[] = {0, 1, 2, 3};
        BondMaps* maps = mode ? bond_mode_maps(mode, wanted, 4, allocator) : NULL;
        done = maps != NULL;
        bond_maps_destroy(maps);
        bond_cache_destroy(cache);
        assert_int_equal(counter.bytes, 0);
    }
    assert_true(done);
    bench_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_capacitors),
        cmocka_unit_test(test_clutch),
        cmocka_unit_test(test_bullet_and_wood),
        cmocka_unit_test(test_source_and_capacitor),
        cmocka_unit_test(test_transformer),
        cmocka_unit_test(test_gyrator),
        cmocka_unit_test(test_corrected_ratios),
        cmocka_unit_test(test_coupled_coils),
        cmocka_unit_test(test_source_impulses),
        cmocka_unit_test(test_delta_prime),
        cmocka_unit_test(test_parallel_switches),
        cmocka_unit_test(test_floating_node),
        cmocka_unit_test(test_unequal_sources),
        cmocka_unit_test(test_flow_into_open_junction),
        cmocka_unit_test(test_coil_cut_off),
        cmocka_unit_test(test_cradle),
        cmocka_unit_test(test_wide_values),
        cmocka_unit_test(test_resistances),
        cmocka_unit_test(test_nonlinear_storages),
        cmocka_unit_test(test_ill_formed),
        cmocka_unit_test(test_cache),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests_name("bond", tests, NULL, NULL);
}
