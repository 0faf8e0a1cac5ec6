// Programs as code of the machine (src/vm/native) leave the bits that the interpreter leaves: random programs of all
// operators that are taken over numbers of all kinds, programs of compiled models in every mode, and whole runs that
// become hot on the way. What is not taken is refused.
#include "kairos/kairos.h"
#include "model/code.h"
#include "unit/load.h"
#include "vm/slice.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#if defined(__x86_64__) && defined(__linux__) && !defined(KAIROS_NO_NATIVE)
#define HAS_NATIVE true
#else
#define HAS_NATIVE false
#endif

enum
{
    REGISTERS = 48,
    CONSTANTS = 8,  // the last of them, with the values 0, 1, 2 …
    PROGRAMS = 20000,
};

static uint64_t draw = 88172645463325252;

static uint32_t below(uint32_t n)
{
    draw ^= draw << 13;
    draw ^= draw >> 7;
    draw ^= draw << 17;
    return (uint32_t)(draw >> 33) % n;
}

// ---- random programs

static double some_number(void)
{
    static const double kinds[] = {0,   -0.0, 1,       -1,       NAN,    INFINITY, -INFINITY, DBL_MAX, -DBL_MAX,
                                   0.5, 2,    DBL_MIN, -DBL_MIN, 5e-324, -5e-324,  3,         1e16,    -7};
    uint32_t kind = below(3 * sizeof kinds / sizeof *kinds);
    return kind < sizeof kinds / sizeof *kinds ? kinds[kind] : (below(2001) - 1000.0) / (1 + below(77));
}

static uint32_t some_register(void)
{
    return below(REGISTERS - CONSTANTS);
}

static uint32_t put_instruction(uint32_t op, uint32_t* to)
{
    bool is_row = op == VM_ROW || op == VM_ROW_SIZE;
    uint32_t inputs = op == VM_SELECT ? 3 : op == VM_MOVE || op == VM_NEG || op == VM_ABS || op == VM_NOT ? 1 : 2;
    to[0] = some_register();
    for (uint32_t i = 1; i <= inputs; i++)
        to[i] = is_row ? below(REGISTERS - CONSTANTS - 7) : some_register();
    if (is_row)
        to[3] = REGISTERS - CONSTANTS + 1 + below(7);
    return is_row ? 4 : 1 + inputs;
}

static uint32_t put_program(uint32_t* words)
{
    static const uint32_t ops[] = {VM_MOVE, VM_NEG, VM_ABS, VM_ADD, VM_SUB,    VM_MUL, VM_DIV,     VM_LT,
                                   VM_EQ,   VM_NOT, VM_AND, VM_OR,  VM_SELECT, VM_ROW, VM_ROW_SIZE};
    uint32_t length = 0;
    for (uint32_t runs = 1 + below(12); runs > 0; runs--)
    {
        uint32_t op = ops[below(sizeof ops / sizeof *ops)], count = 1 + below(3);
        words[length++] = op | count << 8;
        for (; count > 0; count--)
            length += put_instruction(op, words + length);
    }
    return length;
}

// Two NaN are the same: which of two operands a NaN comes from is nobody's promise.
static void assert_same(const double* a, const double* b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!(isnan(a[i]) && isnan(b[i])))
            assert_memory_equal(&a[i], &b[i], sizeof *a);
}

static void run_both(const kaiModel* model, const uint32_t* words, uint32_t length, NativeCode* code, double* R)
{
    double other[REGISTERS];
    memcpy(other, R, sizeof other);
    assert_int_equal(vm_run_words(model, R, words, words + length, NULL), 0);
    code(other);
    assert_same(R, other, REGISTERS);
}

static void test_random_programs(void** state)
{
    static double numbers[CONSTANTS] = {0, 1, 2, 3, 4, 5, 6, 7};
    kaiModel model = {.reg_count = REGISTERS, .constants = numbers, .constants_count = CONSTANTS};
    NativeRoom room = {0};
    uint32_t words[256];
    double R[REGISTERS];
    (void)state;
    model.reg_first[REG_CONST] = REGISTERS - CONSTANTS;
    for (int i = 0; i < PROGRAMS && HAS_NATIVE; i++)
    {
        uint32_t length = put_program(words);
        NativeCode* code = native_make(&room, &model, words, words + length);
        assert_non_null(code);
        for (int round = 0; round < 4; round++)
        {
            for (uint32_t k = 0; k < REGISTERS; k++)
                R[k] = k < REGISTERS - CONSTANTS ? some_number() : numbers[k + CONSTANTS - REGISTERS];
            run_both(&model, words, length, code, R);
        }
        if (i % 100 == 0)
            native_free(&room);
    }
    native_free(&room);
}

static void test_refused(void** state)
{
    kaiModel model = {.reg_count = REGISTERS};
    NativeRoom room = {0};
    const uint32_t sine[] = {VM_SIN | 1 << 8, 1, 2};
    const uint32_t cut[] = {VM_ADD | 2 << 8, 1, 2, 3};
    const uint32_t astray[] = {VM_JUMP, 17, VM_MOVE | 1 << 8, 1, 2};
    (void)state;
    assert_null(native_make(&room, &model, sine, sine + 3));
    assert_null(native_make(&room, &model, cut, cut + 4));
    assert_null(native_make(&room, &model, astray, astray + 5));
    assert_int_equal(room.count, 0);
    assert_null(room.last);
}

// ---- compiled programs

static const char machine[] = "model M {\n"
                              "  param a = 3\n"
                              "  state x = 1, w = 2\n"
                              "  modes {\n"
                              "    initial mode p { x' = w*x - a;  w' = -x/a;  on down(x) -> q { x := w } }\n"
                              "    mode q {\n"
                              "      w' = abs(x)\n"
                              "      modes { initial mode r { x' = -w;  on w > 3 -> s }  mode s { x' = if w > x then w "
                              "- 1 else a*x; on x < 0 -> r } }\n"
                              "      on up(x - 5) -> p { w := -w }\n"
                              "    }\n"
                              "    mode u { x' = 0; w' = 0 }\n"
                              "  }\n"
                              "}\n";

static kaiModel* open_text(const char* text)
{
    LoadOptions options = load_default();
    kaiProgram* messages = NULL;
    kaiModel* model = NULL;
    options.path = "tests.kai";
    options.text = text;
    assert_int_equal(load_model(&options, &model, &messages), KAI_OK);
    kaiProgram_Free(messages);
    return model;
}

// All modes, those that there are and some that there are not.
static void compare_modes(const kaiModel* model, CodeRange range, NativeCode* code)
{
    size_t bytes = sizeof(double) * model->reg_count;
    double *R = malloc(bytes), *other = malloc(bytes);
    static const double numbers[] = {0, 1, 2, 3, -1, 0.5, 1.5, NAN, 1e30};
    for (int i = 0; i < 81; i++)
    {
        for (uint32_t k = 0; k < model->reg_count; k++)
            R[k] = some_number();
        memcpy(R + model->reg_first[REG_CONST], model->constants, sizeof(double) * model->constants_count);
        for (uint32_t k = 0; k < model->machines_count; k++)
            R[model->machines[k].reg] = numbers[k == 0 ? i % 9 : i / 9];
        memcpy(other, R, bytes);
        assert_int_equal(vm_run(model, R, range, NULL), 0);
        code(other);
        assert_same(R, other, model->reg_count);
    }
    free(R);
    free(other);
}

static void test_modes(void** state)
{
    kaiModel* model = open_text(machine);
    NativeRoom room = {0};
    (void)state;
    const CodeRange ranges[] = {model->islands[0].deriv, model->islands[0].events, model->react};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges && HAS_NATIVE; i++)
    {
        NativeCode* code = native_make(&room, model, model->code + ranges[i].start, model->code + ranges[i].end);
        assert_non_null(code);
        compare_modes(model, ranges[i], code);
    }
    native_free(&room);
    kaiModel_Free(model);
}

// ---- hot programs

static void test_becomes_hot(void** state)
{
    kaiModel model = {.reg_count = 4};
    NativeRoom room = {0};
    VmHost host = {.native = &room};
    const uint32_t words[] = {VM_ADD | 1 << 8, 0, 0, 1};
    double R[4] = {0, 0.1, 0, 0}, expected = 0;
    Hot hot = {0};
    (void)state;
    for (int i = 0; i < 3 * HOT_RUNS; i++)
    {
        assert_int_equal(hot_run(&hot, &model, R, words, words + 4, &host), 0);
        expected += 0.1;
        assert_true(R[0] == expected);
        assert_true((hot.code != NULL) == (HAS_NATIVE && i + 1 >= HOT_RUNS));
    }
    native_free(&room);
    assert_int_equal(room.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_programs),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_becomes_hot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
