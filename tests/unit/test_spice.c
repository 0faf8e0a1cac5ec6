// Netlists in memory: whatever bytes they have, the answer is a text that Kairos can read or an error with its place;
// and a failing allocator leaves nothing behind.
#include "kairos/kairos.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char netlist[] =
    "A bit of everything\n"
    ".param f=1k d={1/2} w='2*pi*f'\n"
    "V1 in 0 PULSE(0 5 0 1u 1u {d/f} {1/f}) AC 1\n"
    "Vs in a SIN(0 1 50 1m 3 90)\n"
    "Vp p 0 PWL(0 0 1m 2\n+ 2m 2 2m -1) ; jump\n"
    "Ve e 0 EXP(0 1 0 1m 2m 1m)\n"
    "R1 a b {w > 3 ? 1k : 2k}\n"
    "L1 b 0 1m ic=1\nL2 c 0 4m\nK1 L1 L2 0.9\n"
    "C1 c 0 10uF\n"
    "D1 c d DX\nS1 d 0 in 0 SX\n"
    ".model DX D(Is=1e-14 Vfwd=0.7)\n.model SX SW(Vt=2 Vh=0.5 Ron=1m)\n"
    "E1 e1 0 a b 2\nG1 0 g a 0 2m\nF1 0 g Vs 3\nH1 h 0 Vs 4\n"
    "B1 q 0 V={V(a,b)*I(Vs) + limit(time, 0, 1)}\n"
    "Rg g 0 1k\nRh h q 1k\nRe e e1 1meg\nRp p 0 1mil\n"
    ".subckt cell x y params: r=1k\nR1 x z {r}\nC1 z 0 1u\nX1 z y tail\n"
    ".subckt tail x y\nR1 x y {f}\n.ends\n.ends cell\n"
    "X1 a k cell r=2k\n"
    ".ic V(c)=3\n.tran 1u 1m 0 1u uic\n.print tran v(a) v(a,b) i(L1) v(x1.z)\n.plot tran v(k)\n.end\n";

static kaiSpice* import(const char* text, kaiStatus* status)
{
    kaiProgramOptions options = kaiDefaultProgramOptions();
    kaiSpice* spice = NULL;
    kaiError error;
    options.path = "circuit.cir";
    options.text = text;
    *status = kaiSpice_Import(&options, &spice, &error);
    return spice;
}

// What was imported can be parsed; what was not has an error with a place.
static bool check_answer(const char* text)
{
    kaiStatus status;
    kaiSpice* spice = import(text, &status);
    assert_non_null(spice);
    bool good = status == KAI_OK;
    if (good)
    {
        kaiProgramOptions options = kaiDefaultProgramOptions();
        kaiProgram* program = NULL;
        kaiError error;
        options.path = "circuit.kai";
        options.text = kaiSpice_Text(spice);
        kaiStatus opened = kaiProgram_Open(&options, &program, &error);
        if (opened != KAI_OK)
            fail_msg("%s\nfrom\n%s\nis\n%s", error.message, text, options.text);
        kaiProgram_Free(program);
    }
    else
    {
        assert_null(kaiSpice_Text(spice));
        assert_true(kaiSpice_MessageCount(spice) > 0);
        for (int i = 0; i < kaiSpice_MessageCount(spice); i++)
            assert_true(strlen(kaiSpice_MessageText(spice, i, false)) > 20);
    }
    kaiSpice_Free(spice);
    return good;
}

static void everything_is_understood(void** state)
{
    (void)state;
    assert_true(check_answer(netlist));
}

static uint32_t next(uint32_t* seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void mutations_are_answered(void** state)
{
    (void)state;
    static const char signs[] = "{}()='\"+*;$.,- \n\t0123kmRLCVXDSEK\x80\xff";
    uint32_t seed = 7;
    int good = 0;
    for (int round = 0; round < 1500; round++)
    {
        char text[sizeof netlist];
        memcpy(text, netlist, sizeof netlist);
        for (uint32_t k = 0, most = 1 + next(&seed) % 4; k < most; k++)
        {
            size_t at = next(&seed) % (sizeof netlist - 1), from = next(&seed) % (sizeof netlist - 1);
            size_t length = next(&seed) % 12;
            if (next(&seed) % 2 == 0 && at + length < sizeof netlist && from + length < sizeof netlist)
                memmove(text + at, text + from, length);
            else
                text[at] = signs[next(&seed) % (sizeof signs - 1)];
        }
        text[sizeof netlist - 1] = 0;
        good += check_answer(text);
    }
    assert_true(good > 50);  // the law was not kept by refusing everything
}

static void beginnings_are_answered(void** state)
{
    (void)state;
    for (size_t length = 0; length < sizeof netlist - 1; length += 3)
    {
        char text[sizeof netlist] = {0};
        memcpy(text, netlist, length);
        check_answer(text);
    }
}

static void deep_things_end(void** state)
{
    (void)state;
    enum
    {
        DEEP = 20000
    };
    char* text = malloc(DEEP + 100);
    assert_non_null(text);
    strcpy(text, "t\nR1 a 0 {");
    size_t start = strlen(text);
    memset(text + start, '(', DEEP);
    text[start + DEEP] = 0;
    assert_false(check_answer(text));
    memset(text + start, '-', DEEP);
    assert_false(check_answer(text));
    free(text);
}

// ---- memory

typedef struct Budget
{
    long left, live;
} Budget;

static void* spend(void* user, void* block, size_t old_size, size_t size)
{
    Budget* b = user;
    (void)old_size;
    if (size == 0)
    {
        b->live -= block != NULL;
        free(block);
        return NULL;
    }
    if (b->left-- <= 0)
        return NULL;
    b->live += block == NULL;
    return realloc(block, size);
}

static void memory_runs_out(void** state)
{
    (void)state;
    kaiStatus status = KAI_ERR_MEMORY;
    for (long budget = 0; budget < 1000 && status == KAI_ERR_MEMORY; budget++)
    {
        Budget b = {.left = budget};
        kaiProgramOptions options = kaiDefaultProgramOptions();
        kaiSpice* spice = NULL;
        kaiError error;
        options.text = netlist;
        options.allocator = (kaiAllocator){spend, &b};
        status = kaiSpice_Import(&options, &spice, &error);
        kaiSpice_Free(spice);
        assert_int_equal(b.live, 0);
    }
    assert_int_equal(status, KAI_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_understood), cmocka_unit_test(mutations_are_answered),
        cmocka_unit_test(beginnings_are_answered),  cmocka_unit_test(deep_things_end),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
