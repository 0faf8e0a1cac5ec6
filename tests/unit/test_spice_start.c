// Where a netlist starts: in the operating point, as SPICE has it. Voltages of the first moment by Kirchhoff's laws;
// and every netlist of tests/netlists keeps what it expects of itself.
#include "kairos/kairos.h"

#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static kaiSim* import(const char* path, const char* netlist, kaiModel** model)
{
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiCompileOptions which = kaiDefaultCompileOptions();
    kaiSpice* spice = NULL;
    kaiProgram* program = NULL;
    kaiError error = {0};
    options.path = path;
    options.text = netlist;
    if (kaiSpice_Import(&options, &spice, &error) != KAI_OK)
        fail_msg("%s: %s", path, error.message);
    options.path = "circuit.kai";
    options.text = kaiSpice_Text(spice);
    assert_int_equal(kaiProgram_Open(&options, &program, &error), KAI_OK);
    which.experiment = "tran";
    if (kaiProgram_Compile(program, &which, model) != KAI_OK)
        fail_msg("%s: %s", kaiSpice_Text(spice), kaiProgram_MessageText(program, 0, false));
    kaiSimOptions run = kaiModel_SimOptions(*model);
    kaiSim* sim = kaiSim_Create(*model, &run, &error);
    assert_non_null(sim);
    kaiProgram_Free(program);
    kaiSpice_Free(spice);
    return sim;
}

static const struct
{
    const char *netlist, *name;
    double value;
} starts[] = {
    {"divider\nV1 a 0 10\nR1 a b 1k\nR2 b 0 3k\nC1 b 0 1u\n.tran 1u 1m\n.end\n", "v_b", 7.5},
    {"a coil is a wire\nV1 a 0 10\nR1 a b 2\nL1 b c 1m\nR2 c 0 3\nC1 c 0 1u\n.tran 1u 1m\n.end\n", "v_c", 6},
    {"a current\nI1 0 a 2m\nR1 a 0 1k\nC1 a 0 1u\n.tran 1u 1m\n.end\n", "v_a", 2},
    {"a coil across a source has none: from rest\nV1 a 0 5\nL1 a 0 1m\n.tran 1u 1m\n.end\n", "L1.i", 0},
    {"nor has a capacitor behind a current\nI1 0 a 1m\nC1 a 0 1u\n.tran 1u 1m\n.end\n", "v_a", 0},
    {"a diode\nV1 a 0 5\nR1 a b 1k\nD1 b c DX\nR2 c 0 1k\nC1 c 0 1u\n.model DX D(Vfwd=0.6)\n.tran 1u 1m\n.end\n", "v_c",
     2.2},
    {"a diode that blocks\nV1 a 0 -5\nR1 a b 1k\nD1 b c DX\nR2 c 0 1k\nC1 c 0 1u\n.model DX D(Vfwd=0.6)\n.tran 1u "
     "1m\n.end\n",
     "v_c", 0},
    {"a switch\nV1 a 0 5\nVc k 0 3\nS1 a b k 0 SX\nR1 b 0 1k\nC1 b 0 1u\n.model SX SW(Vt=2 Ron=1m Roff=1g)\n.tran 1u "
     "1m\n.end\n",
     "v_b", 5},
    {"e\nV1 a 0 3\nR1 a 0 1k\nE1 e 0 a 0 2\nRe e f 1k\nCe f 0 1u\n.tran 1u 1m\n.end\n", "v_f", 6},
    {"g\nV1 a 0 3\nR1 a 0 1k\nG1 0 g a 0 2m\nRg g 0 1k\nCg g 0 1u\n.tran 1u 1m\n.end\n", "v_g", 6},
    {"f\nV1 a 0 3\nR1 a b 1k\nVs b 0 0\nF1 0 f Vs 5\nRf f 0 1k\nCf f 0 1u\n.tran 1u 1m\n.end\n", "v_f", 15},
    {"h\nV1 a 0 3\nR1 a b 1k\nVs b 0 0\nH1 h 0 Vs 4k\nRh h g 1k\nCg g 0 1u\n.tran 1u 1m\n.end\n", "v_g", 12},
    {"no way to ground\nV1 a 0 4\nR1 a b 1k\nC1 b c 1u\nC2 c 0 1u\nR3 b 0 1k\n.tran 1u 1m\n.end\n", "v_b", 2},
    {"two coils in a loop\nV1 a 0 4\nR1 a b 1k\nL1 b c 1m\nL2 b c 1m\nR2 c 0 1k\nC2 c 0 1u\n.tran 1u 1m\n.end\n", "v_c",
     2},
    {"uic\nV1 a 0 10\nR1 a b 1k\nC1 b 0 1u\n.tran 1u 1m uic\n.end\n", "v_b", 0},
};

static void test_starts(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
    {
        kaiModel* model = NULL;
        kaiSim* sim = import("start.cir", starts[i].netlist, &model);
        double value = NAN;
        assert_true(kaiSim_StepTo(sim, 0) >= 0);
        assert_true(kaiSim_Get(sim, kaiModel_FindVariable(model, starts[i].name), &value));
        if (!(fabs(value - starts[i].value) < 1e-6))
            fail_msg("%s: %s = %.9g instead of %g", starts[i].netlist, starts[i].name, value, starts[i].value);
        kaiSim_Free(sim);
        kaiModel_Free(model);
    }
}

static void test_netlists(void** state)
{
    (void)state;
    glob_t found;
    assert_int_equal(glob("tests/netlists/*.cir", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
    {
        kaiModel* model = NULL;
        kaiSim* sim = import(found.gl_pathv[i], NULL, &model);
        kaiStatus status = kaiSim_Run(sim);
        if (status != KAI_END)
            fail_msg("%s: %s", found.gl_pathv[i], kaiSim_Failure(sim)->message);
        kaiSim_Free(sim);
        kaiModel_Free(model);
    }
    globfree(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_starts), cmocka_unit_test(test_netlists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
