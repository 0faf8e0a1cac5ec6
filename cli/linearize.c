// kairos linearize: A, B, C, D and poles around a point of a run, as text, JSON, or a Bode figure.
#include "cli/inquiry.h"
#include "cli/whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char* name_of(const Inquiry* q, int variable)
{
    return kaiModel_VariableName(q->model, variable);
}

// ---- text

static void print_matrix(const Inquiry* q, const char* title, const double* m, const int* rows, int row_count,
                         const int* columns, int column_count, const char* prime)
{
    if (row_count == 0 || column_count == 0)
        return;
    printf("\n%-16s", title);
    for (int j = 0; j < column_count; j++)
        printf(" %14s", name_of(q, columns[j]));
    for (int i = 0; i < row_count; i++)
    {
        char name[NAME_MAX_LENGTH + 2];
        snprintf(name, sizeof name, "%s%s", name_of(q, rows[i]), prime);
        printf("\n  %-14s", name);
        for (int j = 0; j < column_count; j++)
            printf(" %14.9g", m[i * column_count + j]);
    }
    fputs("\n", stdout);
}

static void print_poles(const kaiLinearSystem* s)
{
    printf("\n%-16s %14s %14s %14s %14s\n", "poles", "real", "imaginary", "rad/s", "damping");
    for (int i = 0; i < s->state_count; i++)
    {
        double size = hypot(s->poles[i], s->frequencies[i]);
        printf("  %-14d %14.9g %14.9g %14.9g", i + 1, s->poles[i], s->frequencies[i], size);
        printf(" %14.9g\n", size > 0 ? -s->poles[i] / size : 0.0);
    }
}

static void print_text(const Inquiry* q, const kaiLinearSystem* s)
{
    char title[2 * NAME_MAX_LENGTH];
    request_title(q->run, q->model, title, sizeof title);
    printf("%s: linear around %s at t = %.9g\n\n%-16s %14s %14s\n", title, q->steady ? "the steady state" : "the run",
           s->t, "point", "value", "slope");
    for (int i = 0; i < s->state_count; i++)
        printf("  %-14s %14.9g %14.9g\n", name_of(q, s->states[i]), s->x[i], s->slopes[i]);
    print_matrix(q, "A", s->A, s->states, s->state_count, s->states, s->state_count, "'");
    print_matrix(q, "B", s->B, s->states, s->state_count, s->inputs, s->input_count, "'");
    print_matrix(q, "C", s->C, s->outputs, s->output_count, s->states, s->state_count, "");
    print_matrix(q, "D", s->D, s->outputs, s->output_count, s->inputs, s->input_count, "");
    print_poles(s);
}

// ---- JSON

static int print_json(const Inquiry* q, const kaiLinearSystem* s)
{
    WholeFile file;
    int n = s->state_count, code = whole_open(&file, q->run->output);
    if (code != EXIT_DONE)
        return code;
    FILE* out = file.out;
    fprintf(out, "{\n  \"t\": %.17g,\n", s->t);
    inquiry_json_names(out, "states", q->model, s->states, n);
    fputs(",\n", out);
    inquiry_json_names(out, "inputs", q->model, s->inputs, s->input_count);
    fputs(",\n", out);
    inquiry_json_names(out, "outputs", q->model, s->outputs, s->output_count);
    fputs(",\n", out);
    inquiry_json_numbers(out, "x", s->x, n);
    fputs(",\n", out);
    inquiry_json_numbers(out, "slopes", s->slopes, n);
    fputs(",\n", out);
    inquiry_json_matrix(out, "A", s->A, n, n);
    fputs(",\n", out);
    inquiry_json_matrix(out, "B", s->B, n, s->input_count);
    fputs(",\n", out);
    inquiry_json_matrix(out, "C", s->C, s->output_count, n);
    fputs(",\n", out);
    inquiry_json_matrix(out, "D", s->D, s->output_count, s->input_count);
    fputs(",\n", out);
    inquiry_json_numbers(out, "poles_real", s->poles, n);
    fputs(",\n", out);
    inquiry_json_numbers(out, "poles_imaginary", s->frequencies, n);
    fputs("\n}\n", out);
    return whole_close(&file, code);
}

// ---- Bode figure

enum
{
    BODE_POINTS = 400,
    BODE_MOST = 6  // pairs of an output and an input in one figure
};

typedef struct Bode
{
    const kaiLinear* linear;
    kaiLinearSystem system;
    int pairs;
    char names[2 * BODE_MOST][2 * NAME_MAX_LENGTH];
    kaiColumn columns[1 + 2 * BODE_MOST];
    double phases[BODE_MOST];
} Bode;

// A decade and a half beyond the poles on either side.
static void find_range(const kaiLinearSystem* s, double* low, double* high)
{
    *low = INFINITY;
    *high = 0;
    for (int i = 0; i < s->state_count; i++)
    {
        double size = hypot(s->poles[i], s->frequencies[i]);
        if (!(size > 0))
            continue;
        *low = fmin(*low, size);
        *high = fmax(*high, size);
    }
    *low = *high > 0 ? log10(*low) - 1.5 : -1;
    *high = *high > 0 ? log10(*high) + 1.5 : 3;
}

// Magnitudes in dB, then phases in degrees that go on where they were.
static void respond(Bode* b, double x, double* values, uint8_t* present, bool first)
{
    values[0] = x;
    present[0] = 1;
    for (int i = 0; i < b->pairs; i++)
    {
        double re = 0, im = 0;
        int output = i / b->system.input_count, input = i % b->system.input_count;
        bool ok = kaiLinear_Response(b->linear, output, input, pow(10, x), &re, &im) == KAI_OK && hypot(re, im) > 0;
        double phase = atan2(im, re) * 180 / M_PI;
        if (ok && !first)
            phase += 360 * round((b->phases[i] - phase) / 360);
        if (ok)
            b->phases[i] = phase;
        values[1 + i] = 20 * log10(hypot(re, im));
        values[1 + b->pairs + i] = phase;
        present[1 + i] = present[1 + b->pairs + i] = ok;
    }
}

static void name_columns(Bode* b, const Inquiry* q)
{
    int all = b->system.input_count * b->system.output_count;
    b->pairs = all < BODE_MOST ? all : BODE_MOST;
    b->columns[0] = (kaiColumn){.name = "log10(omega)", .kind = KAI_COLUMN_REAL, .unit = "rad/s"};
    for (int i = 0; i < b->pairs; i++)
    {
        const char* output = name_of(q, b->system.outputs[i / b->system.input_count]);
        const char* input = name_of(q, b->system.inputs[i % b->system.input_count]);
        snprintf(b->names[i], sizeof b->names[i], "|%s/%s|", output, input);
        snprintf(b->names[b->pairs + i], sizeof b->names[i], "phase %s/%s", output, input);
        b->columns[1 + i] = (kaiColumn){.name = b->names[i], .kind = KAI_COLUMN_REAL, .unit = "dB"};
        b->columns[1 + b->pairs + i] =
            (kaiColumn){.name = b->names[b->pairs + i], .kind = KAI_COLUMN_REAL, .unit = "deg"};
    }
}

static int draw(const Inquiry* q, Bode* b, kaiFigure* figure)
{
    double values[1 + 2 * BODE_MOST], low, high;
    uint8_t present[1 + 2 * BODE_MOST];
    kaiError error;
    find_range(&b->system, &low, &high);
    for (int i = 0; i < BODE_POINTS; i++)
    {
        double x = low + (high - low) * i / (BODE_POINTS - 1);
        respond(b, x, values, present, i == 0);
        kaiFigure_Row(figure, &(kaiRow){.t = x, .values = values, .present = present});
    }
    if (kaiFigure_Draw(figure, &error) != KAI_OK)
        return inquiry_failed(q, &error);
    return EXIT_DONE;
}

static int draw_bode(const Inquiry* q, const kaiLinear* linear)
{
    static Bode b;
    char title[2 * NAME_MAX_LENGTH];
    kaiError error;
    const char *above[BODE_MOST], *below[BODE_MOST];
    b.linear = linear;
    b.system = kaiLinear_System(linear);
    name_columns(&b, q);
    if (b.pairs == 0)
        return usage_error("a Bode figure needs an input and an output: name them with --inputs and --outputs");
    for (int i = 0; i < b.pairs; i++)
    {
        above[i] = b.names[i];
        below[i] = b.names[b.pairs + i];
    }
    kaiPanel panels[] = {{above, b.pairs, b.columns[0].name}, {below, b.pairs, b.columns[0].name}};
    kaiFigureOptions options = kaiDefaultFigureOptions();
    request_title(q->run, q->model, title, sizeof title);
    options.path = q->run->output;
    options.title = title;
    kaiFigure* figure = kaiFigure_Create(&options, b.columns, 1 + 2 * b.pairs, panels, 2, &error);
    if (figure == NULL)
        return inquiry_failed(q, &error);
    int code = draw(q, &b, figure);
    kaiFigure_Free(figure);
    return code;
}

// ---- command

static int linearize(const Inquiry* q)
{
    static int inputs[INQUIRY_NAMES], outputs[INQUIRY_NAMES];
    kaiLinearOptions options = kaiDefaultLinearOptions();
    kaiError error;
    int code = EXIT_DONE;
    if (q->inputs != NULL)
        code = inquiry_variables(q, "--inputs", q->inputs, inputs, &options.input_count);
    if (q->outputs != NULL && code == EXIT_DONE)
        code = inquiry_variables(q, "--outputs", q->outputs, outputs, &options.output_count);
    if (code != EXIT_DONE)
        return code;
    options.inputs = q->inputs != NULL ? inputs : NULL;
    options.outputs = q->outputs != NULL ? outputs : NULL;
    options.at = q->at;
    options.steady = q->steady;
    kaiSimOptions sim = request_options(q->run, q->model);
    if (isfinite(q->at))
        sim.stop = fmax(sim.stop, q->at);
    kaiLinear* linear = kaiLinear_Create(q->model, &sim, &options, &error);
    if (linear == NULL)
        return inquiry_failed(q, &error);
    kaiLinearSystem system = kaiLinear_System(linear);
    if (q->run->json)
        code = print_json(q, &system);
    else if (q->run->output != NULL)
        code = draw_bode(q, linear);
    else
        print_text(q, &system);
    kaiLinear_Free(linear);
    return code;
}

int command_linearize(int argc, char** argv)
{
    return inquiry_run(FOR_LINEARIZE, argc, argv, linearize);
}
