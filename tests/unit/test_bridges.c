// More circuits of power electronics against backward Euler with Lemke's method: bridges on both sides of a
// transformer, resonance, flying capacitors, clamps, many pulses. KAIROS_CONVERTER names the only one to run.
#include "unit/converter_parts.h"

// Two legs of two switches each between `plus` and `minus`; the second is late by a part of the period.
static void add_full_bridge(Network* n, const int rails[2], const int legs[2], double period, double late)
{
    double dead = 0.02;
    add_leg(n, rails[0], legs[0], period, dead, 0.5 - dead);
    add_leg(n, legs[0], rails[1], period, 0.5 + dead, 1 - dead);
    add_leg(n, legs[1], rails[1], period, dead + late, 0.5 - dead + late);
    add_chopper(n, rails[0], legs[1], period, dead + late - 0.5 > 0 ? dead + late - 0.5 : 0.5 + dead + late,
                dead + late - 0.5 > 0 ? late - dead
                : 1 - dead + late > 1 ? 1
                                      : 1 - dead + late);
    add(n, PART_D, legs[1], rails[0], 0);
}

static void add_rectifier(Network* n, const int ac[2], const int dc[2])
{
    for (int k = 0; k < 2; k++)
    {
        add(n, PART_D, ac[k], dc[0], 0);
        add(n, PART_D, dc[1], ac[k], 0);
    }
}

static void llc(Network* n)  // a half bridge below resonance, a core that takes part
{
    n->stop = 2e-4;
    add(n, PART_V, 1, 0, 100);
    add_leg(n, 1, 2, 1e-5, 0.02, 0.48);
    add_leg(n, 2, 0, 1e-5, 0.52, 0.98);
    add(n, PART_C, 2, 3, 1e-7)->start = 50;
    add(n, PART_L, 3, 4, 2e-5);
    add(n, PART_L, 4, 0, 1e-4);
    add_transformer(n, 4, 0, 5, 6, 4);
    add_rectifier(n, (int[]){5, 6}, (int[]){7, 0});
    add(n, PART_C, 7, 0, 1e-5)->start = 12;
    add(n, PART_R, 7, 0, 2);
}

static void dual_active_bridge(Network* n)
{
    n->stop = 2e-4;
    add(n, PART_V, 1, 0, 100);
    add_full_bridge(n, (int[]){1, 0}, (int[]){2, 3}, 2e-5, 0);
    add(n, PART_L, 2, 4, 5e-5);
    add_transformer(n, 4, 3, 5, 6, 2);
    add_full_bridge(n, (int[]){7, 0}, (int[]){5, 6}, 2e-5, 0.15);
    add(n, PART_C, 7, 0, 1e-4)->start = 40;
    add(n, PART_R, 7, 0, 5);
}

static void phase_shifted(Network* n)  // a full bridge, a rectifier with a coil behind it
{
    n->stop = 2e-4;
    add(n, PART_V, 1, 0, 100);
    add_full_bridge(n, (int[]){1, 0}, (int[]){2, 3}, 2e-5, 0.2);
    add(n, PART_L, 2, 4, 2e-6);
    add_transformer(n, 4, 3, 5, 6, 5);
    add_rectifier(n, (int[]){5, 6}, (int[]){7, 0});
    add(n, PART_L, 7, 8, 2e-5);
    add(n, PART_C, 8, 0, 2e-5)->start = 8;
    add(n, PART_R, 8, 0, 1);
}

static void flying_capacitor(Network* n)  // three levels
{
    n->stop = 1e-3;
    add(n, PART_V, 1, 0, 100);
    add_leg(n, 1, 2, 1e-4, 0.01, 0.59);
    add_leg(n, 2, 3, 1e-4, 0.31, 0.89);
    add_leg(n, 3, 4, 1e-4, 0.91, 1);
    add_chopper(n, 3, 4, 1e-4, 0, 0.29);
    add_leg(n, 4, 0, 1e-4, 0.61, 0.99);
    add(n, PART_C, 2, 4, 1e-5)->start = 45;
    add(n, PART_L, 3, 5, 1e-3);
    add(n, PART_R, 5, 0, 10);
}

static void interleaved(Network* n)  // two phases of a boost converter on one core, k = 1
{
    n->stop = 4e-4;
    add(n, PART_V, 1, 0, 12);
    add(n, PART_L, 1, 2, 5e-5)->start = 0;
    add_transformer(n, 2, 3, 4, 2, 1);
    add(n, PART_L, 2, 3, 2e-4);
    for (int k = 0; k < 2; k++)
    {
        add_leg(n, 3 + k, 0, 2e-5, 0.5 * k + 0.02, 0.5 * k + 0.4);
        add(n, PART_D, 3 + k, 5, 0);
    }
    add(n, PART_C, 5, 0, 2e-5)->start = 20;
    add(n, PART_R, 5, 0, 20);
}

static void clamped_flyback(Network* n)  // leakage, and a clamp of diode, capacitor and resistor that takes its energy
{
    n->stop = 2e-4;
    add(n, PART_V, 1, 0, 50);
    add(n, PART_L, 1, 2, 2e-6);
    add(n, PART_L, 2, 3, 1e-4);
    add_transformer(n, 2, 3, 0, 5, 5);
    add_chopper(n, 3, 0, 2e-5, 0, 0.4);
    add(n, PART_D, 3, 4, 0);
    add(n, PART_C, 4, 1, 1e-7)->start = 60;
    add(n, PART_R, 4, 1, 2000);
    add(n, PART_D, 5, 6, 0);
    add(n, PART_C, 6, 0, 1e-4)->start = 8;
    add(n, PART_R, 6, 0, 2);
}

static void twelve_pulses(Network* n)  // two bridges in series, 30 degrees apart
{
    n->stop = 0.02;
    for (int bridge = 0; bridge < 2; bridge++)
    {
        int star = bridge == 0 ? 1 : 5, plus = 9 + bridge, minus = bridge == 0 ? 10 : 0;
        for (int k = 0; k < 3; k++)
        {
            add_sine(n, star + k, star + 3, 100, 314.159265358979, 2.0943951023932 * k + 0.5235987755983 * bridge);
            add(n, PART_D, star + k, plus, 0);
            add(n, PART_D, minus, star + k, 0);
        }
    }
    add(n, PART_L, 9, 11, 1e-2);
    add(n, PART_R, 11, 0, 10);
}

static void contactors(Network* n)  // two batteries with unlike charge, in series and in parallel, never both
{
    n->stop = 1;
    add(n, PART_C, 1, 2, 10)->start = 12;
    add(n, PART_R, 2, 0, 0.02);
    add(n, PART_C, 3, 4, 10)->start = 11;
    add(n, PART_R, 4, 5, 0.02);
    add_chopper(n, 1, 3, 0.25, 0.1, 0.5);
    add_chopper(n, 5, 0, 0.25, 0.1, 0.5);
    add_chopper(n, 5, 1, 0.25, 0.6, 1);
    add(n, PART_D, 1, 6, 0);
    add(n, PART_D, 3, 6, 0);
    add(n, PART_L, 6, 7, 1e-2);
    add(n, PART_R, 7, 0, 1);
    add(n, PART_D, 0, 6, 0);
    add(n, PART_R, 5, 0, 1e3);
}

static void
snubber(Network* n)  // a chopper whose diode commutates against a stray coil, with R and C across the switch
{
    n->stop = 4e-5;
    add(n, PART_V, 1, 0, 100);
    add(n, PART_L, 1, 2, 1e-7);
    add_chopper(n, 2, 3, 4e-6, 0.1, 0.6);
    add(n, PART_R, 2, 4, 10);
    add(n, PART_C, 4, 3, 2e-9);
    add(n, PART_D, 0, 3, 0);
    add(n, PART_L, 3, 5, 2e-5);
    add(n, PART_R, 5, 0, 5);
}

static void test_bridges(void** state)
{
    (void)state;
    static const struct
    {
        const char* name;
        void (*make)(Network*);
        int steps;
    } all[] = {{"LLC", llc, 40000},
               {"dual active bridge", dual_active_bridge, 100000},
               {"phase-shifted bridge", phase_shifted, 40000},
               {"flying capacitor", flying_capacitor, 20000},
               {"interleaved boost", interleaved, 20000},
               {"clamped flyback", clamped_flyback, 40000},
               {"twelve pulses", twelve_pulses, 20000},
               {"contactors", contactors, 20000},
               {"snubber", snubber, 60000}};
    const char* only = getenv("KAIROS_CONVERTER");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!only || strcmp(only, all[i].name) == 0)
            check_converter(all[i].name, all[i].make, all[i].steps, 0, 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bridges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
