// Causality (src/bond/causality.c): strokes known from textbooks, what clashes, what depends on what.
#include "unit/bond_fixture.h"

static BondCausality* assign(Bench* t)
{
    bench_graph(t);
    BondCausality* causality = bond_causality_create(t->graph, kaiDefaultAllocator());
    assert_non_null(causality);
    bond_causality_assign(causality, t->on);
    return causality;
}

static void finish(Bench* t, BondCausality* causality)
{
    bond_causality_destroy(causality);
    bench_free(t);
}

// Se, R, C, I in series: the inertia rules the junction; R answers the flow with an effort.
static void test_series(void** state)
{
    (void)state;
    Bench t = {0};
    int se = bench_node(&t, BOND_SE, 0), j = bench_node(&t, BOND_J1, 0), r = bench_node(&t, BOND_R, 1);
    int c = bench_node(&t, BOND_C, 0), i = bench_node(&t, BOND_I, 0);
    bench_bond(&t, se, j);
    bench_bond(&t, j, r);
    bench_bond(&t, j, c);
    bench_bond(&t, j, i);
    BondCausality* causality = assign(&t);
    const BondStroke expected[] = {BOND_STROKE_TO, BOND_STROKE_FROM, BOND_STROKE_FROM, BOND_STROKE_TO};
    assert_memory_equal(causality->stroke, expected, sizeof expected);
    assert_int_equal(causality->clash_count + causality->derivative_count + causality->loop_count, 0);
    finish(&t, causality);
}

// Sf, R, C, I in parallel: the capacitor rules; R answers the effort with a flow.
static void test_parallel(void** state)
{
    (void)state;
    Bench t = {0};
    int sf = bench_node(&t, BOND_SF, 0), j = bench_node(&t, BOND_J0, 0), r = bench_node(&t, BOND_R, 1);
    int c = bench_node(&t, BOND_C, 0), i = bench_node(&t, BOND_I, 0);
    bench_bond(&t, sf, j);
    bench_bond(&t, j, r);
    bench_bond(&t, j, c);
    bench_bond(&t, j, i);
    BondCausality* causality = assign(&t);
    const BondStroke expected[] = {BOND_STROKE_FROM, BOND_STROKE_TO, BOND_STROKE_FROM, BOND_STROKE_TO};
    assert_memory_equal(causality->stroke, expected, sizeof expected);
    assert_int_equal(causality->clash_count + causality->derivative_count + causality->loop_count, 0);
    finish(&t, causality);
}

// A DC motor: through the gyrator both strokes are at it or away from it; armature and rotor stay independent.
static void test_gyrator(void** state)
{
    (void)state;
    Bench t = {0};
    int se = bench_node(&t, BOND_SE, 0), el = bench_node(&t, BOND_J1, 0), coil = bench_node(&t, BOND_I, 0);
    int gy = bench_node(&t, BOND_GY, 0.1), mech = bench_node(&t, BOND_J1, 0), rotor = bench_node(&t, BOND_I, 0);
    bench_bond(&t, se, el);
    bench_bond(&t, el, coil);
    bench_bond(&t, el, gy);
    bench_bond(&t, gy, mech);
    bench_bond(&t, mech, rotor);
    BondCausality* causality = assign(&t);
    const BondStroke expected[] = {BOND_STROKE_TO, BOND_STROKE_TO, BOND_STROKE_FROM, BOND_STROKE_TO, BOND_STROKE_TO};
    assert_memory_equal(causality->stroke, expected, sizeof expected);
    assert_int_equal(causality->derivative_count, 0);
    finish(&t, causality);
}

// Two bodies through a gear and a clutch: engaged, the second depends on the first.
static void test_coupled_bodies(void** state)
{
    (void)state;
    Bench t = {0};
    int one = bench_node(&t, BOND_I, 0), two = bench_node(&t, BOND_I, 0), clutch = bench_switch(&t, BOND_J0, true);
    int w1 = bench_node(&t, BOND_J1, 0), w2 = bench_node(&t, BOND_J1, 0), gear = bench_node(&t, BOND_TF, 3);
    bench_bond(&t, w1, one);
    bench_bond(&t, w2, two);
    bench_bond(&t, w1, clutch);
    bench_bond(&t, clutch, gear);
    bench_bond(&t, gear, w2);
    BondCausality* causality = assign(&t);
    assert_false(causality->derivative[0]);
    assert_true(causality->derivative[1]);
    int nodes[BENCH_NODES];
    assert_int_equal(bond_causality_depends(causality, 1, nodes), 1);
    assert_int_equal(nodes[0], one);
    t.on[0] = false;
    bond_causality_switch(causality, t.on);
    assert_int_equal(causality->derivative_count, 0);
    assert_int_equal(causality->clash_count, 0);
    assert_int_equal(causality->work, 5);
    finish(&t, causality);
}

// A capacitor across a source is in derivative causality and depends on the source.
static void test_source_and_storage(void** state)
{
    (void)state;
    Bench t = {0};
    int c = bench_node(&t, BOND_C, 0), se = bench_node(&t, BOND_SE, 0), j = bench_node(&t, BOND_J0, 0);
    bench_bond(&t, j, c);
    bench_bond(&t, se, j);
    BondCausality* causality = assign(&t);
    assert_true(causality->derivative[0]);
    assert_int_equal(causality->clash_count, 0);
    int nodes[BENCH_NODES];
    assert_int_equal(bond_causality_depends(causality, 0, nodes), 1);
    assert_int_equal(nodes[0], se);
    finish(&t, causality);
}

static void test_two_sources(void** state)
{
    (void)state;
    Bench t = {0};
    int one = bench_node(&t, BOND_SE, 0), two = bench_node(&t, BOND_SE, 0), j = bench_node(&t, BOND_J0, 0);
    int r = bench_node(&t, BOND_R, 1);
    int bond_r = bench_bond(&t, j, r), first = bench_bond(&t, one, j), second = bench_bond(&t, two, j);
    BondCausality* causality = assign(&t);
    assert_int_equal(causality->clash[second], first);
    assert_int_equal(causality->clash[bond_r], -1);
    assert_int_equal(causality->clash_count, 1);
    finish(&t, causality);

    Bench u = {0};  // a flow source into an open junction: the two ends of one bond disagree
    int sf = bench_node(&u, BOND_SF, 0), open = bench_switch(&u, BOND_J1, false), ru = bench_node(&u, BOND_R, 1);
    int bond = bench_bond(&u, sf, open);
    bench_bond(&u, open, ru);
    causality = assign(&u);
    assert_int_equal(causality->clash_count, 1);
    assert_int_equal(causality->clash[bond], bond);
    u.on[0] = true;
    bond_causality_switch(causality, u.on);
    assert_int_equal(causality->clash_count, 0);
    finish(&u, causality);
}

// A source and two resistors in series: one of them is free to choose, and both lie in the loop.
static void test_algebraic_loop(void** state)
{
    (void)state;
    Bench t = {0};
    int se = bench_node(&t, BOND_SE, 0), j = bench_node(&t, BOND_J1, 0), r1 = bench_node(&t, BOND_R, 1);
    int r2 = bench_node(&t, BOND_R, 2);
    int source = bench_bond(&t, se, j), one = bench_bond(&t, j, r1), two = bench_bond(&t, j, r2);
    BondCausality* causality = assign(&t);
    assert_int_equal(causality->loop_count, 1);
    assert_int_equal(causality->loop[one], one);
    assert_int_equal(causality->loop[two], one);
    assert_int_equal(causality->loop[source], -1);
    assert_int_equal(causality->clash_count, 0);
    finish(&t, causality);
}

// What a switch changes stops at a node that a source holds, and at a junction that is OFF: the other half is not
// touched.
static void test_walls(void** state)
{
    (void)state;
    Bench t = {0};
    int se = bench_node(&t, BOND_SE, 0), bus = bench_node(&t, BOND_J0, 0);
    bench_bond(&t, se, bus);
    for (int k = 0; k < 2; k++)
    {
        int s = bench_switch(&t, BOND_J1, true), r = bench_node(&t, BOND_R, 1), l = bench_node(&t, BOND_I, 0);
        bench_bond(&t, bus, s);
        bench_bond(&t, s, r);
        bench_bond(&t, s, l);
    }
    BondCausality* causality = assign(&t);
    assert_int_equal(causality->work, 7);
    t.on[1] = false;
    bond_causality_switch(causality, t.on);
    assert_int_equal(causality->work, 3);
    assert_false(causality->derivative[0]);
    assert_true(causality->derivative[1]);  // the flow of an open junction is zero, not p/i
    bond_causality_switch(causality, t.on);
    assert_int_equal(causality->work, 0);
    finish(&t, causality);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_series),
        cmocka_unit_test(test_parallel),
        cmocka_unit_test(test_gyrator),
        cmocka_unit_test(test_coupled_bodies),
        cmocka_unit_test(test_source_and_storage),
        cmocka_unit_test(test_two_sources),
        cmocka_unit_test(test_algebraic_loop),
        cmocka_unit_test(test_walls),
    };
    return cmocka_run_group_tests_name("bond causality", tests, NULL, NULL);
}
