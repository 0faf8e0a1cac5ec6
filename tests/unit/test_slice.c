// Slices of compiled programs (src/vm/slice): what was asked for has the bits that the whole program gives it, for any
// choice of one register, in every mode; what was not asked for is not computed.
#include "kairos/kairos.h"
#include "model/code.h"
#include "model/model.h"
#include "unit/load.h"
#include "vm/slice.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char circuit[] =
    "import \"electrical.kai\"\n"
    "model M {\n"
    "  u : VoltageSource(u = 10*sin(time));  r : Resistor(R = 3);  d : Diode;  e : Diode\n"
    "  c : Capacitor(C = 0.5, v0 = 1);  g : Ground\n"
    "  connect u.a, r.a;  connect r.b, d.a, e.b;  connect d.b, c.a;  connect e.a, c.b, u.b, g.a\n"
    "}\n";

static const char modes[] = "model M {\n"
                            "  state x = 1, w = 2\n"
                            "  signal y = 2*x + w\n"
                            "  modes {\n"
                            "    initial mode a { x' = sin(y) - time;  w' = 3*x*w;  on down(x) -> b { x := y*y } }\n"
                            "    mode b { x' = -y;  w' = cos(x + w);  on up(w - 1) -> a { w := y - 7 } }\n"
                            "  }\n"
                            "}\n";

static kaiModel* open_text(const char* text)
{
    LoadOptions options = load_default();
    kaiProgram* messages = NULL;
    kaiModel* model = NULL;
    options.path = "tests.kai";
    options.text = text;
    if (load_model(&options, &model, &messages) != KAI_OK)
        model = NULL;
    kaiProgram_Free(messages);
    return model;
}

// Registers with numbers of no meaning, but constants and modes.
static void fill(const kaiModel* model, double* R, uint32_t mode)
{
    for (uint32_t i = 0; i < model->reg_count; i++)
        R[i] = 0.1 + 0.37 * (i % 11);
    memcpy(R + model->reg_first[REG_CONST], model->constants, sizeof(double) * model->constants_count);
    for (uint32_t i = 0; i < model->machines_count; i++)
        R[model->machines[i].reg] = mode >> i & 1;
}

static void compare(const kaiModel* model, CodeRange range, uint32_t reg, uint32_t mode, uint32_t* shorter)
{
    size_t bytes = sizeof(double) * model->reg_count;
    double *whole = malloc(bytes), *part = malloc(bytes);
    uint8_t* needed = calloc(model->reg_count, 1);
    needed[reg] = 1;
    Slice* slice = slice_make(model, range, NULL, needed, model->allocator);
    assert_non_null(slice);
    assert_true(slice->count <= range.end - range.start);
    fill(model, whole, mode);
    memcpy(part, whole, bytes);
    assert_int_equal(vm_run(model, whole, range, NULL), 0);
    assert_int_equal(slice_run(slice, model, part, NULL), 0);
    assert_memory_equal(&whole[reg], &part[reg], sizeof *whole);
    *shorter += slice->count < (range.end - range.start) / 2;
    slice_free(slice, model->allocator);
    free(needed);
    free(part);
    free(whole);
}

static void compare_all(const char* text, uint32_t least)
{
    kaiModel* model = open_text(text);
    uint32_t shorter = 0;
    assert_non_null(model);
    const CodeRange ranges[] = {model->react, model->flow, model->events};
    for (int k = 0; k < 3; k++)
        for (uint32_t reg = model->reg_first[REG_VALUE]; reg < model->reg_count; reg++)
            for (uint32_t mode = 0; mode < 4; mode++)
                if (slice_is_possible(model, ranges[k]))
                    compare(model, ranges[k], reg, mode, &shorter);
    assert_true(shorter >= least);
    kaiModel_Free(model);
}

static void test_circuit(void** state)
{
    (void)state;
    compare_all(circuit, 100);
}

static void test_modes(void** state)
{
    (void)state;
    compare_all(modes, 4);
}

static uint32_t count_runs(const Slice* slice)
{
    CodeItem item;
    uint32_t runs = 0;
    for (uint32_t at = 0; at < slice->count && code_item(slice->words, at, slice->count, &item); at += item.words)
        runs++;
    return runs;
}

// Everything that a straight program computes, in another order: the same bits in all registers, in fewer runs.
static void order(const kaiModel* model, CodeRange range, uint32_t mode, uint32_t* before, uint32_t* after)
{
    size_t bytes = sizeof(double) * model->reg_count;
    double *written = malloc(bytes), *ordered = malloc(bytes);
    uint8_t* needed = malloc(model->reg_count);
    memset(needed, 1, model->reg_count);
    fill(model, written, mode);
    memcpy(ordered, written, bytes);
    Slice* slice = slice_make(model, range, written, needed, model->allocator);
    assert_non_null(slice);
    uint32_t runs = count_runs(slice), words = slice->count;
    assert_int_equal(slice_run(slice, model, written, NULL), 0);
    slice_order(slice, model, model->allocator);
    assert_int_equal(slice_run(slice, model, ordered, NULL), 0);
    assert_memory_equal(written, ordered, bytes);
    assert_true(slice->count <= words && count_runs(slice) <= runs);
    *before += runs;
    *after += count_runs(slice);
    slice_free(slice, model->allocator);
    free(needed);
    free(ordered);
    free(written);
}

static void test_order(void** state)
{
    (void)state;
    const char* texts[] = {circuit, modes};
    uint32_t before = 0, after = 0;
    for (int i = 0; i < 2; i++)
    {
        kaiModel* model = open_text(texts[i]);
        assert_non_null(model);
        const CodeRange ranges[] = {model->react, model->flow, model->events};
        for (int k = 0; k < 3; k++)
            for (uint32_t mode = 0; mode < 4; mode++)
                order(model, ranges[k], mode, &before, &after);
        kaiModel_Free(model);
    }
    print_message("%u runs, %u in order\n", before, after);
    assert_true(after < 0.8 * before);
}

// One that has no copies that nobody asked for, for a random choice of registers that somebody did: these have the same
// bits, and it is shorter.
static void tidy(const kaiModel* model, CodeRange range, uint32_t mode, uint32_t* before, uint32_t* after)
{
    size_t bytes = sizeof(double) * model->reg_count;
    double *whole = malloc(bytes), *part = malloc(bytes);
    uint8_t *wanted = calloc(model->reg_count, 1), *needed = calloc(model->reg_count, 1);
    static uint32_t random = 1;
    for (uint32_t i = model->reg_first[REG_VALUE]; i < model->reg_count; i++)
        wanted[i] = (random = random * 1664525u + 1013904223u) >> 29 == 0;
    memcpy(needed, wanted, model->reg_count);
    fill(model, whole, mode);
    memcpy(part, whole, bytes);
    Slice* slice = slice_make(model, range, whole, needed, model->allocator);
    assert_non_null(slice);
    *before += slice->count;
    slice_tidy(slice, model, wanted, model->allocator);
    slice_order(slice, model, model->allocator);
    *after += slice->count;
    assert_int_equal(vm_run(model, whole, range, NULL), 0);
    assert_int_equal(slice_run(slice, model, part, NULL), 0);
    for (uint32_t i = 0; i < model->reg_count; i++)
        if (wanted[i])
            assert_memory_equal(&whole[i], &part[i], sizeof *whole);
    slice_free(slice, model->allocator);
    free(needed);
    free(wanted);
    free(part);
    free(whole);
}

static void test_tidy(void** state)
{
    (void)state;
    const char* texts[] = {circuit, modes};
    uint32_t before = 0, after = 0;
    for (int i = 0; i < 2; i++)
    {
        kaiModel* model = open_text(texts[i]);
        assert_non_null(model);
        const CodeRange ranges[] = {model->react, model->flow, model->events};
        for (int round = 0; round < 200; round++)
            tidy(model, ranges[round % 3], (uint32_t)round / 3 % 4, &before, &after);
        kaiModel_Free(model);
    }
    print_message("%u words, %u without copies\n", before, after);
    assert_true(after < 0.9 * before);
}

// A program that reads what another has left there: that has to be computed by the other.
static void test_reads(void** state)
{
    (void)state;
    kaiModel* model = open_text(circuit);
    assert_non_null(model);
    uint32_t *seen = calloc(model->reg_count, sizeof *seen), last = 0;
    uint8_t* needed = calloc(model->reg_count, 1);
    slice_mark_read(model, model->react, seen, &last, needed);
    assert_true(last > 0);
    assert_int_equal(needed[model->reg_first[REG_STATE]], 1);
    assert_int_equal(needed[model->reg_time], 1);
    for (uint32_t i = 0; i < model->vars_count; i++)  // what it defines itself it does not read before
        if (model->vars[i].kind == MODEL_SIGNAL)
            assert_int_equal(needed[model->vars[i].reg], 0);
    free(needed);
    free(seen);
    kaiModel_Free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_circuit), cmocka_unit_test(test_modes), cmocka_unit_test(test_order),
        cmocka_unit_test(test_tidy),    cmocka_unit_test(test_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
