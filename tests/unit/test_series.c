// Power series of compiled code (src/vm/series) against Cauchy's formula: the coefficients of f(x(theta), y(theta)) are
// the Fourier coefficients of its values on a circle, taken in complex arithmetic with the functions of the C library.
#include "kairos/kairos.h"
#include "model/model.h"
#include "run/sim.h"
#include "unit/load.h"
#include "vm/tape.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef long double complex Number;

enum
{
    ORDER = 20,
    POINTS = 128
};

typedef struct Fixture
{
    kaiModel* model;
    SeriesSpace* space;
    Series* series;
    double* R;
} Fixture;

// The coefficients of the two inputs x and y, and where time stands.
static const double x_row[ORDER + 1] = {0.6, 0.8, -0.3, 0.2, 0.05};
static const double y_row[ORDER + 1] = {1.3, -0.5, 0.4, 0.1, -0.2};
static const double now = 0.25;

static uint32_t reg_of(const kaiModel* model, const char* name)
{
    int v = kaiModel_FindVariable(model, name);
    assert_true(v >= 0);
    return model->vars[v].reg;
}

static bool open_text(Fixture* f, const char* text, const char* inputs[2], const char* output, bool closed)
{
    LoadOptions options = load_default();
    kaiProgram* messages = NULL;
    options.path = "tests.kai";
    options.text = text;
    if (load_model(&options, &f->model, &messages) != KAI_OK)
    {
        fail_msg("%s", text);
    }
    kaiProgram_Free(messages);
    const kaiModel* m = f->model;
    uint32_t in[2], out[2];
    for (int i = 0; i < 2; i++)
    {
        in[i] = reg_of(m, inputs[i]);
        out[i] = m->reg_first[REG_DERIV] + in[i] - m->reg_first[REG_STATE];
    }
    if (!closed)
    {
        out[0] = m->reg_first[REG_DERIV] + reg_of(m, output) - m->reg_first[REG_STATE];
    }
    f->space = series_space_create(m, kaiDefaultAllocator());
    SeriesSpec spec = {.range = m->deriv,
                       .inputs = in,
                       .outputs = out,
                       .input_count = 2,
                       .output_count = closed ? 2 : 1,
                       .closed = closed};
    f->series = series_create(f->space, &spec);
    // The first instant latches the relations. False: it fails.
    kaiError failure;
    kaiSimOptions run = kaiModel_SimOptions(m);
    run.start = now;
    run.stop = now + 1;
    kaiSim* sim = kaiSim_Create(m, &run, &failure);
    assert_non_null(sim);
    bool begun = kaiSim_Step(sim) == KAI_INSTANT;
    f->R = calloc(m->reg_count, sizeof(double));
    memcpy(f->R, sim->kernel.R, sizeof(double) * m->reg_count);
    kaiSim_Free(sim);
    f->R[m->reg_time] = now;
    f->R[in[0]] = x_row[0];
    f->R[in[1]] = y_row[0];
    return begun;
}

static void close_text(Fixture* f)
{
    free(f->R);
    series_free(f->series);
    series_space_free(f->space);
    kaiModel_Free(f->model);
}

static bool expand(const char* expression, double* c)
{
    char text[3000];
    Fixture f;
    uint32_t failed;
    const char* inputs[] = {"x", "y"};
    snprintf(text, sizeof text, "model M { state x = 0.6, y = 1.3, r = 0; x' = 1; y' = 1\n r' = %s }", expression);
    if (!open_text(&f, text, inputs, "r", false))
    {
        close_text(&f);
        return false;
    }
    assert_int_equal(series_begin(f.series, f.R, NULL, &failed), SERIES_OK);
    c[0] = f.R[f.model->reg_first[REG_DERIV] + reg_of(f.model, "r") - f.model->reg_first[REG_STATE]];
    for (int k = 1; k <= ORDER; k++)
    {
        double in[2] = {x_row[k], y_row[k]};
        series_order(f.series, k, in, c + k);
    }
    close_text(&f);
    return true;
}

static Number along(const double* row, Number theta)
{
    Number sum = 0;
    for (int k = ORDER; k >= 0; k--)
    {
        sum = sum * theta + row[k];
    }
    return sum;
}

typedef Number Evaluate(const void* what, Number x, Number y, Number t);

// c[k] rho^k by the trapezoidal rule on the circle of radius rho.
static void cauchy(Evaluate* f, const void* what, long double rho, long double* scaled)
{
    Number values[POINTS];
    const long double turn = 2 * acosl(-1) / POINTS;
    for (int i = 0; i < POINTS; i++)
    {
        Number theta = rho * cexpl(I * turn * i);
        values[i] = f(what, along(x_row, theta), along(y_row, theta), now + theta);
    }
    for (int k = 0; k <= ORDER; k++)
    {
        Number sum = 0;
        for (int i = 0; i < POINTS; i++)
        {
            sum += values[i] * cexpl(-I * turn * ((i * k) % POINTS));
        }
        scaled[k] = creall(sum) / POINTS;
    }
}

// Whether the coefficients agree; *reliable: the reference agrees with itself on a smaller circle.
static bool agrees(const double* c, Evaluate* f, const void* what, bool* reliable)
{
    long double wide[ORDER + 1], narrow[ORDER + 1], size = 0, rho = 0.12L, power = 1, half = 1;
    bool same = true;
    cauchy(f, what, rho, wide);
    cauchy(f, what, rho / 2, narrow);
    *reliable = true;
    for (int k = 0; k <= ORDER; k++)
    {
        size = fmaxl(size, fabsl(wide[k]));
    }
    for (int k = 0; k <= ORDER; k++, power *= rho, half *= 2)
    {
        *reliable &= fabsl(wide[k] - narrow[k] * half) <= 1e-15L * size * (half < 1e3L ? 1 : half / 1e3L) &&
                     isfinite((double)size);
        same &= fabsl((long double)c[k] * power - wide[k]) <= 2e-14L * size;
    }
    return same;
}

// ---- each operator

// clang-format off
#define OPERATORS(X) \
    X(x + y, "x + y") \
    X(x - y, "x - y") \
    X(2.5L - x, "2.5 - x") \
    X(-x, "-x") \
    X(3 * x, "3*x") \
    X(x / 4, "x/4") \
    X(x * y, "x*y") \
    X(x * x, "x*x") \
    X(x / y, "x/y") \
    X(2 / y, "2/y") \
    X(t * x, "time*x") \
    X(x * x* x, "x^3") \
    X(1 / (x * x), "x^-2") \
    X(cpowl(x, 7), "x^7") \
    X(cpowl(y, 1.5L), "y^1.5") \
    X(cpowl(y, x), "y^x") \
    X(cpowl(2, x), "2^x") \
    X(csqrtl(y), "sqrt(y)") \
    X(cexpl(x), "exp(x)") \
    X(clogl(y), "log(y)") \
    X(clogl(y) / logl(10), "log10(y)") \
    X(csinl(x), "sin(x)") \
    X(ccosl(x), "cos(x)") \
    X(csinl(x) * ccosl(x), "sin(x)*cos(x)") \
    X(ctanl(x), "tan(x)") \
    X(casinl(x), "asin(x)") \
    X(cacosl(x), "acos(x)") \
    X(catanl(x), "atan(x)") \
    X(catanl(x / y), "atan2(x, y)") \
    X(catanl(x / 2), "atan2(x, 2)") \
    X(acosl(-1) / 2 - catanl(y / 2), "atan2(2, y)") \
    X(csinhl(x), "sinh(x)") \
    X(ccoshl(x), "cosh(x)") \
    X(csinhl(x) - ccoshl(x), "sinh(x) - cosh(x)") \
    X(ctanhl(x), "tanh(x)") \
    X(csqrtl(x * x + y * y), "hypot(x, y)") \
    X(csqrtl(x * x + 9), "hypot(x, 3)") \
    X(y, "max(x, y)") \
    X(x, "min(x, y)") \
    X(y - x, "abs(x - y)") \
    X(0 * x, "floor(x)") \
    X(1 + 0 * x, "sign(x)") \
    X(x, "if x < y then x else y") \
    X(y, "if x > y then x else y") \
    X(1 + 0 * x, "max(x, 1)") \
    X(csinl(cexpl(x) / y) + t, "sin(exp(x)/y) + time") \
    X(3 * (x - 2 * (y - x) / 5) - y, "3*(x - 2*(y - x)/5) - y") \
    X(-(x - (2 * t - y / 4)) / 3, "-(x - (2*time - y/4))/3") \
    X((x - 2 * y) / 3 * (x - 2 * y) - (x - 2 * y), "(x - 2*y)/3*(x - 2*y) - (x - 2*y)") \
    X(x * (1 - 2 + 3 - 4) + 7 * (y + 3 * t), "x - 2*x + 3*x - 4*x + y + 2*y + 4*y + 3*time + 5*time + 6*time + 7*time") \
    X(x * csinl(2 * t + 1) - ccosl((t - 4 * t) / 3), "x*sin(2*time + 1) - cos((time - 4*time)/3)") \
    X(cexpl(-t / 2) * csinhl(2 * t), "exp(-time/2)*sinh(2*time)") \
    X((1 - x * x) * y + 2 * (x * x) * y, "(1 - x^2)*y + 2*x^2*y") \
    X(-(x - y) * (x - y) + 3 * (x - y), "(x - y)*(y - x) - 3*(y - x)") \
    X(6 * x * y - x * (y + 1), "2*x*(3*y) - x*(y + 1)") \
    X(x * x * y - y * (x * x / 5), "(-x)*(-x)*y - y*(x*x/5)") \
    X(2 * csqrtl(x + y) - x / (x + y), "sqrt(x + y) + sqrt(y + x) - x/(y + x)")
// clang-format on

typedef struct Operator
{
    const char* text;
    int index;
} Operator;

static Number evaluate_operator(const void* what, Number x, Number y, Number t)
{
    int index = ((const Operator*)what)->index, i = 0;
#define X(value, text)                                                                                                 \
    if (i++ == index)                                                                                                  \
        return (value);
    OPERATORS(X)
#undef X
    return NAN;
}

static void test_operators(void** state)
{
    (void)state;
    static const char* const texts[] = {
#define X(value, text) text,
        OPERATORS(X)
#undef X
    };
    for (int i = 0; i < (int)(sizeof texts / sizeof *texts); i++)
    {
        double c[ORDER + 1];
        bool reliable;
        Operator what = {texts[i], i};
        assert_true(expand(texts[i], c));
        bool same = agrees(c, evaluate_operator, &what, &reliable);
        if (!same || !reliable)
        {
            fail_msg("%s: %s", texts[i], reliable ? "wrong" : "no reference");
        }
    }
}

// ---- random expressions

typedef struct Tree
{
    int op, left, right;
    double number;
} Tree;

typedef struct Expression
{
    Tree nodes[64];
    int count;
} Expression;

static const char* const shapes[] = {"x",
                                     "y",
                                     "time",
                                     "number",
                                     "(%s + %s)",
                                     "(%s - %s)",
                                     "(%s)*(%s)",
                                     "(%s)/(%s)",
                                     "sin(%s)",
                                     "cos(%s)",
                                     "exp(%s/4)",
                                     "sqrt(2 + sin(%s))",
                                     "log(2 + cos(%s))",
                                     "tanh(%s)",
                                     "atan(%s)",
                                     "(3 + sin(%s))^0.7",
                                     "(%s)^3",
                                     "hypot(%s, 2 + cos(%s))"};

enum
{
    SHAPES = sizeof shapes / sizeof *shapes
};

static uint64_t seed = 88172645463325252u;

static uint32_t draw(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 33) % below;
}

static bool is_binary(int op)
{
    return (op >= 4 && op <= 7) || op == SHAPES - 1;
}

static int grow(Expression* e, int depth)
{
    Tree t = {.op = depth == 0 ? (int)draw(4) : 4 + (int)draw(SHAPES - 4), .number = 1 + draw(30) / 8.};
    if (t.op >= 4)
    {
        t.left = grow(e, depth - 1);
        t.right = is_binary(t.op) ? grow(e, depth - 1) : 0;
    }
    e->nodes[e->count] = t;
    return e->count++;
}

static void print(const Expression* e, int at, char* text)
{
    char left[3000], right[3000];
    const Tree* t = &e->nodes[at];
    if (t->op == 3)
    {
        sprintf(text, "%.17g", t->number);
        return;
    }
    if (t->op < 3)
    {
        strcpy(text, shapes[t->op]);
        return;
    }
    print(e, t->left, left);
    if (is_binary(t->op))
    {
        print(e, t->right, right);
    }
    const char* from = shapes[t->op];
    int count = 0;
    for (; *from != 0; from++)
    {
        if (*from == '%')
        {
            text += sprintf(text, "%s", count++ == 0 ? left : right);
            from++;
        }
        else
        {
            *text++ = *from;
        }
    }
    *text = 0;
}

static Number value_of(const Expression* e, int at, Number x, Number y, Number t)
{
    const Tree* n = &e->nodes[at];
    Number a = n->op >= 4 ? value_of(e, n->left, x, y, t) : 0,
           b = is_binary(n->op) ? value_of(e, n->right, x, y, t) : 0;
    switch (n->op)
    {
    case 0: return x;
    case 1: return y;
    case 2: return t;
    case 3: return n->number;
    case 4: return a + b;
    case 5: return a - b;
    case 6: return a * b;
    case 7: return a / b;
    case 8: return csinl(a);
    case 9: return ccosl(a);
    case 10: return cexpl(a / 4);
    case 11: return csqrtl(2 + csinl(a));
    case 12: return clogl(2 + ccosl(a));
    case 13: return ctanhl(a);
    case 14: return catanl(a);
    case 15: return cpowl(3 + csinl(a), 0.7);
    case 16: return a * a * a;
    default: return csqrtl(a * a + (2 + ccosl(b)) * (2 + ccosl(b)));
    }
}

static Number evaluate_tree(const void* what, Number x, Number y, Number t)
{
    const Expression* e = what;
    return value_of(e, e->count - 1, x, y, t);
}

// As the compiler folds, orders and shares them. Where a singularity is near there is no reference.
static void test_random(void** state)
{
    (void)state;
    int checked = 0;
    for (int trial = 0; trial < 600; trial++)
    {
        char text[3000];
        double c[ORDER + 1];
        bool reliable;
        Expression e = {.count = 0};
        print(&e, grow(&e, 1 + (int)draw(3)), text);
        if (!expand(text, c))
        {
            continue;  // it divides by 0
        }
        bool same = agrees(c, evaluate_tree, &e, &reliable);
        checked += reliable;
        if (reliable && !same)
        {
            fail_msg("%s", text);
        }
    }
    print_message("%d of 600 expressions have a reference\n", checked);
    assert_true(checked > 300);
}

// ---- structure

static int degree_of(const char* text)
{
    Fixture f;
    uint32_t failed;
    const char* inputs[] = {"x", "y"};
    open_text(&f, text, inputs, NULL, true);
    assert_int_equal(series_begin(f.series, f.R, NULL, &failed), SERIES_OK);
    int degree = series_degree(f.series);
    close_text(&f);
    return degree;
}

// What is added and scaled is one sum with a factor a term, which follows its constants; sine and cosine of time are
// turned and need no convolution.
static void test_sums(void** state)
{
    (void)state;
    Fixture f;
    uint32_t failed;
    const char* inputs[] = {"x", "y"};
    open_text(&f, "model M { state x = 1, y = 2; param w = 3; x' = y; y' = w*(-x - 1.4*y + 0.3 + 0.4*sin(5*time)) }",
              inputs, NULL, true);
    for (int round = 0; round < 2; round++)
    {
        double w = round == 0 ? 3 : 7, in[2] = {2, 5}, out[2], turned = 0.4 * 5 * cos(5 * now), *x[3] = {NULL, in, out};
        f.R[reg_of(f.model, "w")] = w;
        assert_int_equal(series_begin(f.series, f.R, NULL, &failed), SERIES_OK);
        series_run(f.series, 1, 2, x);
        assert_true(out[0] == 2.5);
        assert_true(fabs(2 * out[1] - w * (-2 - 1.4 * 5 + turned)) <= 1e-14 * fabs(out[1]));
        assert_int_equal(f.series->tape->sum_count, 4);
    }
    close_text(&f);
}

// Fields with closed solutions through x = 0.6, y = 1.3 at t = 0.25, `h` later. What is linear, products of it, and
// what turns as time goes on, with and without operators beside them.
typedef struct Solved
{
    const char* rates;
    double x, y;
    bool alone;  // nothing is left to operators
} Solved;

static void assert_solved(const Solved* solved, double h)
{
    enum
    {
        ORDERS = 26
    };
    char text[300];
    Fixture f;
    uint32_t failed;
    double c[ORDERS + 1][2], *rows[ORDERS + 1], x = 0, y = 0;
    const char* inputs[] = {"x", "y"};
    snprintf(text, sizeof text, "model M { state x = 0.6, y = 1.3\n %s }", solved->rates);
    open_text(&f, text, inputs, NULL, true);
    for (int k = 0; k <= ORDERS; k++)
    {
        rows[k] = c[k];
    }
    assert_int_equal(series_begin(f.series, f.R, NULL, &failed), SERIES_OK);
    for (int i = 0; i < 2; i++)
    {
        uint32_t state = reg_of(f.model, inputs[i]);
        c[0][i] = f.R[state];
        c[1][i] = f.R[f.model->reg_first[REG_DERIV] + state - f.model->reg_first[REG_STATE]];
    }
    series_run(f.series, 1, 3, rows);  // in two parts
    series_run(f.series, 3, ORDERS, rows);
    for (int k = ORDERS; k >= 0; k--)
    {
        x = x * h + c[k][0];
        y = y * h + c[k][1];
    }
    if (!(fabs(x - solved->x) <= 4e-15 * fabs(x) && fabs(y - solved->y) <= 4e-15 * fabs(y)) ||
        f.series->tape->alone != solved->alone)
    {
        fail_msg("%s: x = %.17g, not %.17g, y = %.17g, not %.17g", solved->rates, x, solved->x, y, solved->y);
    }
    close_text(&f);
}

static void test_fields(void** state)
{
    (void)state;
    const double h = 0.125, t = now, e = exp(h), grown = 1 + 0.6 * (e - 1), s = 1.9, fast = exp(s * h);
    const double mixed = s * 0.6 * fast / (s + 0.6 * (fast - 1)), moved = 8 * (t + h) - 16;
    const double turned = 2 * (exp(0.5 * (t + h)) - exp(0.5 * t)) + (cos(3 * t) - cos(3 * (t + h))) / 3;
    const double cube = (pow(0.6 + h, 3) - pow(0.6, 3)) / 3;
    const Solved all[] = {
        {"x' = 2*y; y' = -2*x", 0.6 * cos(2 * h) + 1.3 * sin(2 * h), 1.3 * cos(2 * h) - 0.6 * sin(2 * h), true},
        {"x' = exp(0.5*time) + sin(3*time); y' = 4*time - y/2", 0.6 + turned,
         moved + (1.3 - (8 * t - 16)) * exp(-h / 2), true},
        {"x' = x - x*x; y' = x*y", 0.6 * e / grown, 1.3 * grown, true},
        {"x' = time*x; y' = y*y", 0.6 * exp(((t + h) * (t + h) - t * t) / 2), 1.3 / (1 - 1.3 * h), true},
        {"x' = x*y; y' = -(x*y)", mixed, s - mixed, true},
        {"x' = 1; y' = x*x + exp(x)", 0.6 + h, 1.3 + cube + exp(0.6 + h) - exp(0.6), false},
        {"x' = sqrt(1 + 3*y)/sqrt(1 + 3*y); y' = x*x - 2*x", 0.6 + h, 1.3 + cube - (0.6 + h) * (0.6 + h) + 0.36, false},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    {
        assert_solved(&all[i], h);
    }
    // Linear, but for integrals of products that nobody reads: converges everywhere.
    assert_int_equal(degree_of("model M { state x = 1, y = 2; x' = -x; y' = x*x/3 }"), SERIES_WHOLE);
    assert_int_equal(degree_of("model M { state x = 1, y = 2; x' = -x; y' = x*y }"), SERIES_ENDLESS);
    assert_int_equal(degree_of("model M { state x = 1, y = 2; x' = -x; y' = exp(x) }"), SERIES_ENDLESS);
    assert_int_equal(degree_of("model M { state x = 1, y = 2; x' = -x*x; y' = x }"), SERIES_ENDLESS);
}

// Small linear fields as a matrix, with what lies between states and derivatives multiplied out.
static void test_few(void** state)
{
    (void)state;
    static const struct
    {
        const char* rates;
        double columns[4];  // xx, xy, yx, yy: the first read, the second written
        double rises[2];
        double product;  // the factor of x² in y'; 0: there is none
        bool few;
    } all[] = {
        {"x' = 2*y; y' = -2*x", {0, -2, 2, 0}, {0, 0}, 0, true},
        {"signal s = 2*x - y + 7; x' = s; y' = -3*s + time/2", {2, -6, -1, 3}, {0, 0.5}, 0, true},
        {"x' = -x; y' = x*x/4 - x", {-1, -1, 0, 0}, {0, 0}, 0.25, true},
        {"x' = -x; y' = -x^2", {-1, 0, 0, 0}, {0, 0}, -1, true},
        {"x' = -y; y' = x + sin(3*time)", {0}, {0, 0}, 0, false},
        {"x' = -x; y' = x*y", {0}, {0, 0}, 0, false},
        {"x' = -x; y' = exp(x)", {0}, {0, 0}, 0, false},
    };
    const char* inputs[] = {"x", "y"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    {
        char text[300];
        Fixture f;
        uint32_t failed;
        snprintf(text, sizeof text, "model M { state x = 0.6, y = 1.3\n %s }", all[i].rates);
        open_text(&f, text, inputs, NULL, true);
        assert_int_equal(series_begin(f.series, f.R, NULL, &failed), SERIES_OK);
        const FewField* few = series_few(f.series);
        assert_int_equal(few != NULL, all[i].few);
        for (int k = 0; few != NULL && k < 4; k++)
        {
            assert_true(few->columns[k / 2][k % 2] == all[i].columns[k]);
        }
        if (few != NULL)
        {
            assert_true(few->rises[0] == all[i].rises[0] && few->rises[1] == all[i].rises[1]);
            assert_int_equal(few->product_count, all[i].product != 0);
            assert_true(all[i].product == 0 || (few->products[0].factor == all[i].product && few->products[0].x == 0 &&
                                                few->products[0].y == 0 && few->products[0].target == 1));
        }
        close_text(&f);
    }
}

// A solution that is a polynomial is known as such before the run, with its degree; no other is.
static void test_degree(void** state)
{
    (void)state;
    assert_int_equal(degree_of("model M { state x = 1, y = 0; x' = y; y' = -9.81 }"), 2);
    assert_int_equal(degree_of("model M { state x = 1, y = 3; x' = y; y' = 0 }"), 1);
    assert_int_equal(degree_of("model M { state x = 1, y = 3; x' = y*time; y' = 0 }"), 2);
    assert_int_equal(degree_of("model M { param w = 0; state x = 1, y = 3; x' = y; y' = w }"), 2);  // it may be set
    assert_int_equal(degree_of("model M { state x = 1, y = 0; x' = y^2; y' = time^3 }"), 9);
    assert_int_equal(degree_of("model M { state x = 1, y = 0; x' = 3; y' = 2*x*time - x/4 }"), 3);
    assert_int_equal(degree_of("model M { state x = 1, y = 0; x' = y; y' = -x }"), SERIES_WHOLE);
    assert_int_equal(degree_of("model M { state x = 1, y = 0; x' = sin(time); y' = 1 }"), SERIES_WHOLE);
    assert_int_equal(degree_of("model M { state x = 1, y = 0; x' = smooth(abs(y)); y' = 1 }"), SERIES_ENDLESS);
    assert_int_equal(degree_of("model M { state x = 1, y = 0; x' = if time < 5 then y else 0; y' = 1 }"), 2);
}

// On the kink itself the side is the one that the signal leaves to: x = -3 t² + 5 t³, y = -3 t² + 4 t³.
static void test_kink(void** state)
{
    (void)state;
    Fixture f;
    uint32_t failed;
    const char* inputs[] = {"x", "y"};
    open_text(&f, "model M { state x = 0.6, y = 1.3, r = 0; x' = 1; y' = 1\n r' = smooth(abs(x)) + smooth(min(x, y)) }",
              inputs, "r", false);
    double in[4][2] = {{0, 0}, {0, 0}, {-3, -3}, {5, 4}}, out = 0;
    const double expected[4] = {0, 0, 0, -5 + 4};  // |x| = -x, min = y
    f.R[reg_of(f.model, "x")] = f.R[reg_of(f.model, "y")] = 0;
    assert_int_equal(series_begin(f.series, f.R, NULL, &failed), SERIES_OK);
    for (int k = 1; k < 4; k++)
    {
        series_order(f.series, k, in[k], &out);
        assert_true(out == expected[k]);
    }
    close_text(&f);
}

// sqrt at 0 has no series; a whole power has; a random number of constants is one.
static void test_singular(void** state)
{
    (void)state;
    Fixture f;
    uint32_t failed;
    double in[2] = {1, 0}, out = 0;
    const char* inputs[] = {"x", "y"};
    open_text(&f, "model M { state x = 0.6, y = 1.3, r = 0; x' = 1; y' = 1\n r' = sqrt(x) }", inputs, "r", false);
    f.R[reg_of(f.model, "x")] = 0;
    assert_int_equal(series_begin(f.series, f.R, NULL, &failed), SERIES_OK);
    series_order(f.series, 1, in, &out);
    assert_true(isnan(out));
    close_text(&f);
    open_text(&f, "model M { state x = 0.6, y = 1.3, r = 0; x' = 1; y' = 1\n r' = x^7 }", inputs, "r", false);
    f.R[reg_of(f.model, "x")] = 0;
    assert_int_equal(series_begin(f.series, f.R, NULL, &failed), SERIES_OK);
    for (int k = 1; k <= 9; k++)
    {
        series_order(f.series, k, in, &out);
        in[0] = 0;
        assert_true(out == (k == 7 ? 1 : 0));
    }
    close_text(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_operators), cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_sums),      cmocka_unit_test(test_degree),
                                       cmocka_unit_test(test_fields),    cmocka_unit_test(test_few),
                                       cmocka_unit_test(test_kink),      cmocka_unit_test(test_singular)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
