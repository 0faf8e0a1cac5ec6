// kairos steady: a steady state with its poles, or a periodic orbit with its multipliers.
#include "cli/inquiry.h"
#include "cli/whole.h"

#include <math.h>
#include <string.h>

static const char* name_of(const Inquiry* q, int variable)
{
    return kaiModel_VariableName(q->model, variable);
}

static void print_title(const Inquiry* q, const char* what)
{
    char title[2 * NAME_MAX_LENGTH];
    request_title(q->run, q->model, title, sizeof title);
    printf("%s: %s\n", title, what);
}

// ---- steady state

static int print_state(const Inquiry* q, const kaiLinearSystem* s)
{
    if (q->run->json)
    {
        WholeFile file;
        int code = whole_open(&file, q->run->output);
        if (code != EXIT_DONE)
            return code;
        FILE* out = file.out;
        fputs("{\n", out);
        inquiry_json_names(out, "states", q->model, s->states, s->state_count);
        fputs(",\n", out);
        inquiry_json_numbers(out, "x", s->x, s->state_count);
        fputs(",\n", out);
        inquiry_json_numbers(out, "poles_real", s->poles, s->state_count);
        fputs(",\n", out);
        inquiry_json_numbers(out, "poles_imaginary", s->frequencies, s->state_count);
        fputs("\n}\n", out);
        return whole_close(&file, code);
    }
    bool attracts = true;
    for (int i = 0; i < s->state_count; i++)
        attracts &= s->poles[i] < 0;
    print_title(q, attracts ? "steady state, which attracts" : "steady state, which does not attract");
    for (int i = 0; i < s->state_count; i++)
        printf("  %-16s %24.16g\n", name_of(q, s->states[i]), s->x[i]);
    printf("poles\n");
    for (int i = 0; i < s->state_count; i++)
        printf("  %24.16g %24.16g i\n", s->poles[i], s->frequencies[i]);
    return EXIT_DONE;
}

static int find_state(const Inquiry* q, const kaiSimOptions* sim)
{
    kaiError error;
    kaiLinearOptions options = kaiDefaultLinearOptions();
    options.at = q->at;
    options.steady = true;
    options.inputs = (const int[]){0};  // none: what a storage follows does not matter here
    kaiLinear* linear = kaiLinear_Create(q->model, sim, &options, &error);
    if (linear == NULL)
        return inquiry_failed(q, &error);
    kaiLinearSystem s = kaiLinear_System(linear);
    int code = print_state(q, &s);
    kaiLinear_Free(linear);
    return code;
}

// ---- orbit

static int print_json(const Inquiry* q, const kaiOrbit* o)
{
    WholeFile file;
    int n = o->state_count, code = whole_open(&file, q->run->output);
    if (code != EXIT_DONE)
        return code;
    FILE* out = file.out;
    fputs("{\n", out);
    inquiry_json_numbers(out, "period", &o->period, 1);
    fputs(",\n", out);
    inquiry_json_names(out, "states", q->model, o->states, n);
    fputs(",\n", out);
    inquiry_json_numbers(out, "x", o->x, n);
    fputs(",\n", out);
    inquiry_json_matrix(out, "monodromy", o->monodromy, n, n);
    fputs(",\n", out);
    inquiry_json_numbers(out, "multipliers_real", o->real, n);
    fputs(",\n", out);
    inquiry_json_numbers(out, "multipliers_imaginary", o->imaginary, n);
    fputs("\n}\n", out);
    return whole_close(&file, code);
}

static void print_orbit(const Inquiry* q, const kaiOrbit* o)
{
    print_title(q, o->driven ? "periodic orbit, driven" : "periodic orbit");
    printf("  %-16s %24.16g\n", "period", o->period);
    for (int i = 0; i < o->state_count; i++)
        printf("  %-16s %24.16g\n", name_of(q, o->states[i]), o->x[i]);
    printf("multipliers\n");
    for (int i = 0; i < o->state_count; i++)
        printf("  %24.16g %24.16g i   size %.10g\n", o->real[i], o->imaginary[i], hypot(o->real[i], o->imaginary[i]));
    printf("%lld instants in a period, %d rounds\n", (long long)o->instants, o->rounds);
}

static int find_orbit(const Inquiry* q, const kaiSimOptions* sim)
{
    kaiError error;
    kaiOrbitOptions options = kaiDefaultOrbitOptions();
    options.at = q->at;
    bool found = strcmp(q->period, "auto") == 0;
    if (!found && (!parse_number(q->period, &options.period) || !(options.period > 0)))
        return usage_error("--period %s: it must be a positive time in s, or auto", q->period);
    kaiOrbitSearch* search = kaiOrbitSearch_Create(q->model, sim, &options, &error);
    if (search == NULL)
        return inquiry_failed(q, &error);
    kaiOrbit orbit = kaiOrbitSearch_Orbit(search);
    int code = EXIT_DONE;
    if (q->run->json)
        code = print_json(q, &orbit);
    else
        print_orbit(q, &orbit);
    kaiOrbitSearch_Free(search);
    return code;
}

static int steady(const Inquiry* q)
{
    kaiSimOptions sim = request_options(q->run, q->model);
    if (isfinite(q->at))
        sim.stop = fmax(sim.stop, q->at);
    return q->period != NULL ? find_orbit(q, &sim) : find_state(q, &sim);
}

int command_steady(int argc, char** argv)
{
    return inquiry_run(FOR_STEADY, argc, argv, steady);
}
