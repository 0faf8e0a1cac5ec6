// Converters of power electronics and charge pumps, through compiler and run, against backward Euler with Lemke's
// method (circuit_reference.h): the states at 20 times, and currents that end, to the last digit. KAIROS_CONVERTER
// names the only one to run.
#include "unit/converter_parts.h"

static void half_bridge(Network* n)  // discontinuous
{
    n->stop = 1e-3;
    add(n, PART_V, 1, 0, 100);
    add(n, PART_V, 0, 2, 100);
    add_leg(n, 1, 3, 1e-4, 0, 0.3);
    add_leg(n, 3, 2, 1e-4, 0.5, 0.8);
    add(n, PART_L, 3, 4, 1e-3);
    add(n, PART_R, 4, 0, 1);
}

static void h_bridge(Network* n)  // discontinuous
{
    n->stop = 1e-3;
    add(n, PART_V, 1, 0, 100);
    add_leg(n, 1, 2, 1e-4, 0, 0.2);
    add_leg(n, 2, 0, 1e-4, 0.5, 0.7);
    add_leg(n, 1, 3, 1e-4, 0.5, 0.7);
    add_leg(n, 3, 0, 1e-4, 0, 0.2);
    add(n, PART_L, 2, 4, 1e-3);
    add(n, PART_R, 4, 3, 1);
}

static void synchronous_buck(Network* n)  // light load, dead times, current in both directions
{
    n->stop = 2e-4;
    add(n, PART_V, 1, 0, 12);
    add_leg(n, 1, 2, 1e-5, 0, 0.3);
    add_leg(n, 2, 0, 1e-5, 0.35, 0.6);
    add(n, PART_L, 2, 3, 1e-5);
    add(n, PART_C, 3, 0, 1e-5);
    add(n, PART_R, 3, 0, 50);
}

static void totem_pole(Network* n)  // power factor correction: a leg that switches, a leg of diodes
{
    n->stop = 0.01;
    add_sine(n, 1, 2, 100, 314.159265358979, 0);
    add(n, PART_L, 1, 3, 1e-3);
    add(n, PART_D, 3, 4, 0);
    add_leg(n, 3, 0, 5e-4, 0, 0.3);
    add(n, PART_D, 2, 4, 0);
    add(n, PART_D, 0, 2, 0);
    add(n, PART_C, 4, 0, 1e-4)->start = 150;
    add(n, PART_R, 4, 0, 200);
}

static void vienna(Network* n)
{
    n->stop = 0.01;
    for (int k = 0; k < 3; k++)
    {
        add_sine(n, 1 + k, 7, 100, 314.159265358979, 2.0943951023932 * k);
        add(n, PART_L, 1 + k, 4 + k, 2e-3);
        add_chopper(n, 4 + k, 0, 5e-4, 0, 0.4);
        add(n, PART_D, 4 + k, 8, 0);
        add(n, PART_D, 9, 4 + k, 0);
    }
    add(n, PART_C, 8, 0, 1e-4)->start = 120;
    add(n, PART_C, 0, 9, 1e-4)->start = 120;
    add(n, PART_R, 8, 9, 100);
}

static void current_fed(Network* n)
{
    n->stop = 0.99e-3;
    add(n, PART_I, 1, 0, 2);
    for (int k = 0; k < 2; k++)
    {
        add_chopper(n, 1, 2 + k, 1e-4, 0.5 * k, 0.5 + 0.5 * k);
        add(n, PART_D, 2 + k, 4 + k, 0);
        add_chopper(n, 4 + k, 6 + k, 1e-4, 0.5 - 0.5 * k, 1 - 0.5 * k);
        add(n, PART_D, 6 + k, 0, 0);
    }
    add(n, PART_L, 4, 5, 1e-4);
    add(n, PART_C, 4, 5, 2e-6);
    add(n, PART_R, 4, 5, 20);
}

static void parallel_resonant(Network* n)
{
    n->stop = 1e-4;
    add(n, PART_V, 1, 0, 50);
    add(n, PART_V, 0, 2, 50);
    add_leg(n, 1, 3, 1e-5, 0, 0.45);
    add_leg(n, 3, 2, 1e-5, 0.5, 0.95);
    add(n, PART_L, 3, 4, 1e-5);
    add(n, PART_C, 4, 0, 1e-7);
    add(n, PART_D, 4, 5, 0);
    add(n, PART_D, 0, 5, 0);
    add(n, PART_D, 6, 4, 0);
    add(n, PART_D, 6, 0, 0);
    add(n, PART_L, 5, 7, 1e-4);
    add(n, PART_C, 7, 6, 1e-5);
    add(n, PART_R, 7, 6, 20);
}

static void cuk(Network* n)
{
    n->stop = 2e-4;
    add(n, PART_V, 1, 0, 12);
    add(n, PART_L, 1, 2, 1e-4);
    add_chopper(n, 2, 0, 1e-5, 0, 0.4);
    add(n, PART_C, 2, 3, 1e-5)->start = 20;
    add(n, PART_D, 3, 0, 0);
    add(n, PART_L, 3, 4, 1e-4);
    add(n, PART_C, 4, 0, 1e-5)->start = -8;
    add(n, PART_R, 4, 0, 100);
}

static void sepic(Network* n)
{
    n->stop = 2e-4;
    add(n, PART_V, 1, 0, 12);
    add(n, PART_L, 1, 2, 2e-5);
    add_chopper(n, 2, 0, 1e-5, 0, 0.4);
    add(n, PART_C, 2, 3, 1e-5)->start = 12;
    add(n, PART_L, 3, 0, 2e-5);
    add(n, PART_D, 3, 4, 0);
    add(n, PART_C, 4, 0, 1e-5)->start = 8;
    add(n, PART_R, 4, 0, 100);
}

static void zeta(Network* n)
{
    n->stop = 2e-4;
    add(n, PART_V, 1, 0, 12);
    add_chopper(n, 1, 2, 1e-5, 0, 0.4);
    add(n, PART_L, 2, 0, 2e-5);
    add(n, PART_C, 2, 3, 1e-5)->start = -8;
    add(n, PART_D, 0, 3, 0);
    add(n, PART_L, 3, 4, 2e-5);
    add(n, PART_C, 4, 0, 1e-5)->start = 8;
    add(n, PART_R, 4, 0, 100);
}

static void class_e(Network* n)
{
    n->stop = 2e-5;
    add(n, PART_V, 1, 0, 12);
    add(n, PART_L, 1, 2, 1e-4);
    add_leg(n, 2, 0, 1e-6, 0, 0.5);
    add(n, PART_C, 2, 0, 3e-9);
    add(n, PART_C, 2, 3, 4e-9);
    add(n, PART_L, 3, 4, 1e-5);
    add(n, PART_R, 4, 0, 8);
}

// An ideal transformer; what magnetizes it lies beside.
static void buck(Network* n)  // light load: the current rests between the periods
{
    n->stop = 2e-4;
    add(n, PART_V, 1, 0, 12);
    add_chopper(n, 1, 2, 1e-5, 0, 0.2);
    add(n, PART_D, 0, 2, 0);
    add(n, PART_L, 2, 3, 1e-5);
    add(n, PART_C, 3, 0, 1e-5)->start = 6;
    add(n, PART_R, 3, 0, 100);
}

static void boost(Network* n)
{
    n->stop = 2e-4;
    add(n, PART_V, 1, 0, 12);
    add(n, PART_L, 1, 2, 5e-5);
    add_chopper(n, 2, 0, 1e-5, 0, 0.5);
    add(n, PART_D, 2, 3, 0);
    add(n, PART_C, 3, 0, 1e-5)->start = 20;
    add(n, PART_R, 3, 0, 50);
}

static void flyback(Network* n)  // discontinuous
{
    n->stop = 2e-4;
    add(n, PART_V, 1, 0, 24);
    add(n, PART_L, 1, 2, 2e-5);
    add_transformer(n, 1, 2, 0, 3, 2);
    add_chopper(n, 2, 0, 1e-5, 0, 0.3);
    add(n, PART_D, 3, 4, 0);
    add(n, PART_C, 4, 0, 1e-5)->start = 10;
    add(n, PART_R, 4, 0, 20);
}

static void forward(Network* n)  // two switches, two diodes that reset the core
{
    n->stop = 2e-4;
    add(n, PART_V, 1, 0, 48);
    add_chopper(n, 1, 2, 1e-5, 0, 0.4);
    add_chopper(n, 3, 0, 1e-5, 0, 0.4);
    add(n, PART_D, 0, 2, 0);
    add(n, PART_D, 3, 1, 0);
    add(n, PART_L, 2, 3, 2e-4);
    add_transformer(n, 2, 3, 4, 0, 3);
    add(n, PART_D, 4, 5, 0);
    add(n, PART_D, 0, 5, 0);
    add(n, PART_L, 5, 6, 2e-5);
    add(n, PART_C, 6, 0, 2e-5)->start = 6;
    add(n, PART_R, 6, 0, 5);
}

static void push_pull(Network* n)  // two primary windings on the core of a bridge rectifier
{
    n->stop = 2e-4;
    add(n, PART_V, 1, 0, 24);
    add_transformer(n, 1, 2, 4, 0, 2);
    add_transformer(n, 3, 1, 4, 0, 2);
    add_leg(n, 2, 0, 1e-5, 0, 0.4);
    add_leg(n, 3, 0, 1e-5, 0.5, 0.9);
    add(n, PART_L, 4, 0, 2e-4);
    add(n, PART_D, 4, 5, 0);
    add(n, PART_D, 0, 5, 0);
    add(n, PART_D, 6, 4, 0);
    add(n, PART_D, 6, 0, 0);
    add(n, PART_L, 5, 7, 2e-5);
    add(n, PART_C, 7, 6, 2e-5)->start = 8;
    add(n, PART_R, 7, 6, 4);
}

static void class_d(Network* n)
{
    n->stop = 1e-4;
    add(n, PART_V, 1, 0, 30);
    add(n, PART_V, 0, 2, 30);
    add_leg(n, 1, 3, 5e-6, 0, 0.6);
    add_leg(n, 3, 2, 5e-6, 0.62, 0.98);
    add(n, PART_L, 3, 4, 2e-5);
    add(n, PART_C, 4, 0, 1e-4);
    add(n, PART_R, 4, 0, 8);
}

static void matrix_converter(Network* n)  // every output is on one of the inputs, in turn
{
    n->stop = 2e-3;
    for (int k = 0; k < 3; k++)
        add_sine(n, 1 + k, 0, 100, 314.159265358979, 2.0943951023932 * k);
    for (int k = 0; k < 9; k++)
        add_chopper(n, 1 + k / 3, 4 + k % 3, 2e-4, (k / 3 + k % 3) % 3 / 3.0, ((k / 3 + k % 3) % 3 + 1) / 3.0);
    for (int k = 0; k < 3; k++)
    {
        add(n, PART_L, 4 + k, 7 + k, 5e-3);
        add(n, PART_R, 7 + k, 10, 10);
    }
}

static void modular(Network* n)  // an arm of ten half bridges, one after the other, with dead times
{
    n->stop = 1e-3;
    add(n, PART_V, 1, 0, 100);
    add(n, PART_L, 1, 2, 1e-3);
    add(n, PART_R, 2, 3, 1);
    for (int k = 0; k < 10; k++)
    {
        int in = k == 0 ? 3 : 3 + 2 * k, top = 4 + 2 * k, out = k == 9 ? 0 : 5 + 2 * k;
        add_leg(n, top, in, 1e-3, 0.02 + 0.04 * k, 0.5 + 0.04 * k);
        add_leg(n, in, out, 1e-3, 0.52 + 0.04 * k, 0.99);
        add(n, PART_C, top, out, 1e-3)->start = 20;
    }
}

// A source of ±1 V on a ladder of bare capacitors and diodes: every half period is a jump that shares charge.
static void cascade(Network* n, int stages)
{
    n->stop = 20;
    add(n, PART_V, 1, 0, 1);
    add(n, PART_V, 0, 2, 1);
    add_chopper(n, 1, 3, 1, 0, 0.5);
    add_chopper(n, 2, 3, 1, 0.5, 1);
    for (int k = 0, a = 3, b = 0; k < stages; k++)
    {
        int top = 4 + 2 * k, next = 5 + 2 * k;
        add(n, PART_C, a, top, 2e-3);
        add(n, PART_D, b, top, 0);
        add(n, PART_D, top, next, 0);
        add(n, PART_C, b, next, 2e-3);
        a = top;
        b = next;
    }
}

static void cascade_2(Network* n)
{
    cascade(n, 2);
}

static void cascade_5(Network* n)
{
    cascade(n, 5);
}

static void cascade_10(Network* n)
{
    cascade(n, 10);
}

static void dickson(Network* n)
{
    n->stop = 20;
    add(n, PART_V, 1, 0, 1);
    for (int phase = 0; phase < 2; phase++)
    {
        add_chopper(n, 1, 2 + phase, 1, 0.5 * phase, 0.5 + 0.5 * phase);
        add_chopper(n, 0, 2 + phase, 1, 0.5 - 0.5 * phase, 1 - 0.5 * phase);
    }
    for (int k = 0, from = 1; k < 5; k++)
    {
        add(n, PART_D, from, 4 + k, 0);
        add(n, PART_C, 4 + k, k == 4 ? 0 : 2 + k % 2, 2e-3);
        from = 4 + k;
    }
}

static void half_bridge_rests(Network* n)
{
    n->stop = 1e-3;
    add(n, PART_V, 1, 0, 100);
    add(n, PART_V, 0, 2, 100);
    add_leg(n, 1, 3, 1e-4, 0, 0.2);
    add_leg(n, 3, 2, 1e-4, 0.5, 0.7);
    add(n, PART_L, 3, 4, 1e-3);
    add(n, PART_R, 4, 0, 1);
}

static void neutral_clamped(Network* n)  // a leg of four switches, two clamping diodes
{
    n->stop = 1e-3;
    add(n, PART_V, 1, 0, 100);
    add(n, PART_V, 0, 2, 100);
    add_leg(n, 1, 3, 1e-4, 0, 0.3);
    add_leg(n, 3, 4, 1e-4, 0, 0.45);
    add_leg(n, 4, 5, 1e-4, 0.5, 0.95);
    add_leg(n, 5, 2, 1e-4, 0.5, 0.8);
    add(n, PART_D, 0, 3, 0);
    add(n, PART_D, 5, 0, 0);
    add(n, PART_L, 4, 6, 1e-3);
    add(n, PART_R, 6, 0, 10);
}

static void test_converters(void** state)
{
    (void)state;
    static const struct
    {
        const char* name;
        void (*make)(Network*);
        int steps;
        double rest;  // at this part of the run the first coil is without current; 0: never
    } all[] = {{"half bridge", half_bridge, 20000, 0},
               {"half bridge that rests", half_bridge_rests, 20000, 0.745},
               {"buck", buck, 20000, 0.745},
               {"boost", boost, 20000, 0},
               {"flyback", flyback, 20000, 0.749},
               {"forward", forward, 20000, 0},
               {"push-pull", push_pull, 20000, 0},
               {"class D", class_d, 20000, 0},
               {"matrix converter", matrix_converter, 6000, 0},
               {"modular", modular, 4000, 0},
               {"H bridge", h_bridge, 20000, 0.745},
               {"synchronous buck", synchronous_buck, 20000, 0},
               {"totem pole", totem_pole, 20000, 0},
               {"Vienna", vienna, 20000, 0},
               {"current fed", current_fed, 20000, 0},
               {"parallel resonant", parallel_resonant, 100000, 0},
               {"Cuk", cuk, 20000, 0},
               {"SEPIC", sepic, 20000, 0},
               {"zeta", zeta, 20000, 0},
               {"class E", class_e, 60000, 0},
               {"neutral clamped", neutral_clamped, 20000, 0}};
    const char* only = getenv("KAIROS_CONVERTER");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!only || strcmp(only, all[i].name) == 0)
            check_converter(all[i].name, all[i].make, all[i].steps, all[i].rest, 0.05);
}

// Charge by charge: backward Euler is exact where nothing but charge moves, but for its leaks.
static void test_charge_pumps(void** state)
{
    (void)state;
    check_converter("Cockcroft-Walton 2", cascade_2, 400, 0, 1e-4);
    check_converter("Cockcroft-Walton 5", cascade_5, 400, 0, 1e-4);
    check_converter("Cockcroft-Walton 10", cascade_10, 200, 0, 1e-4);
    check_converter("Dickson", dickson, 400, 0, 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_converters), cmocka_unit_test(test_charge_pumps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
