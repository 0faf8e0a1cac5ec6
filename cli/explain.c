// kairos explain: where the steps and the time of a run went, what its guards did, and how far its numbers can be
// trusted. The estimate of the accuracy is a second run with a tolerance (or step) that is much smaller.
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/request.h"
#include "cli/sweep.h"

#include <math.h>
#include <stdlib.h>

typedef struct Subject
{
    const RunRequest* request;
    const kaiModel* model;
    const Sweep* sweep;  // NULL: none
    const SweepVariant* variant;
    int state_count;
    double* largest;  // of each state, its largest size in both runs
    const kaiSim* sim;
} Subject;

// ---- running
// ---------------------------------------------------------------------------------------------------------

static kaiStatus watch_row(void* user, const kaiRow* row)
{
    Subject* s = user;
    double value;
    (void)row;
    for (int i = 0; i < s->state_count; i++)
        if (kaiSim_Get(s->sim, kaiModel_StateVariable(s->model, i), &value))
            s->largest[i] = fmax(s->largest[i], fabs(value));
    return KAI_OK;
}

static kaiSim* run_with(Subject* s, kaiSimOptions options, kaiStatus* status, double* seconds)
{
    kaiFailure failure = {0};
    double begun = wall_time();
    options.row = watch_row;
    options.row_user = s;
    kaiSim* sim = kaiSim_Create(s->model, &options, &failure);
    if (sim == NULL)
    {
        usage_error("%s", failure.text);
        return NULL;
    }
    s->sim = sim;
    if (s->sweep != NULL)
        sweep_set(s->sweep, 0, s->variant, sim);
    *status = kaiSim_Run(s->model, sim);
    *seconds = wall_time() - begun;
    return sim;
}

// ---- what happened
// ---------------------------------------------------------------------------------------------------

static void print_title(const Subject* s, const kaiSimOptions* o, const kaiSim* sim, double seconds)
{
    char title[2 * NAME_MAX_LENGTH], point[600];
    request_title(s->request, s->model, title, sizeof title);
    printf("%s\n", title);
    if (s->sweep != NULL)
    {
        sweep_describe(s->sweep, 0, point, sizeof point);
        printf("  the first of %lld runs of its sweep: %s\n", (long long)s->sweep->points, point);
    }
    printf("  time       %.9g to %.9g, in %.3g s of wall time\n", o->start, kaiSim_Now(sim).t, seconds);
    printf("  solver     %s, rtol %g, atol %g", o->solver, o->rtol, o->atol > 0 ? o->atol : o->rtol / 100);
    if (o->step > 0)
        printf(", step %g", o->step);
    if (o->max_step > 0)
        printf(", max_step %g", o->max_step);
    if (explores_choices(o))
        printf("\n  choice     all: this is the branch that always takes the first alternative");
    printf("\n  states     %d\n", s->state_count);
}

static double per(int64_t a, int64_t b)
{
    return b > 0 ? (double)a / (double)b : 0;
}

static void print_steps(const kaiModel* model, const kaiSim* sim, const kaiCounters* c, double seconds)
{
    int worst = kaiSim_WorstState(sim);
    printf("  steps      %lld, and %lld rejected", (long long)c->steps, (long long)c->rejected);
    if (worst >= 0)
        printf(" (the last one because of the error in %s)", kaiModel_VariableName(model, worst));
    printf("; %.3g µs each\n", 1e6 * seconds / (c->steps > 0 ? (double)c->steps : 1));
    if (c->longest_step > 0)
        printf("             the shortest %.3g at t = %.9g, the longest %.3g\n", c->shortest_step, c->shortest_at,
               c->longest_step);
    printf("  rhs calls  %lld (%.3g per step)", (long long)c->rhs_calls, per(c->rhs_calls, c->steps + c->rejected));
    if (c->jacobian_calls > 0)
        printf(", and %lld of the Jacobian", (long long)c->jacobian_calls);
    printf("\n  restarts   %lld of the solver, because the state or the equations changed\n", (long long)c->restarts);
}

static void print_instants(const kaiCounters* c)
{
    printf("  instants   %lld with %lld tags (%.3g per instant)\n", (long long)c->instants, (long long)c->tags,
           per(c->tags, c->instants));
    printf("  guards     evaluated %lld times to locate %lld crossings\n", (long long)c->guard_calls,
           (long long)c->located);
}

static void print_guard(int64_t count, const char* text, const kaiPlace* place)
{
    if (place->file != NULL)
        printf("  %8lld  %s:%d  %s", (long long)count, place->file, place->line, text);
    else
        printf("  %8lld  %s", (long long)count, text);
}

static void print_events(const kaiSim* sim)
{
    int64_t count, touches;
    const char* text;
    kaiPlace place;
    int silent = 0, i = 0;
    printf("\nevents by guard\n");
    for (; kaiSim_GuardCount(sim, i, &count, &touches, &text, &place); i++)
        if (count > 0)
        {
            print_guard(count, text, &place);
            printf("\n");
        }
        else
            silent++;
    if (i == 0)
        printf("  the model has no guards\n");
    else if (silent > 0)
        printf("  %8d  of %d guards never fired\n", silent, i);
}

static void print_touches(const kaiSim* sim)
{
    int64_t count, touches;
    const char* text;
    kaiPlace place;
    bool first = true;
    double t;
    for (int i = 0; kaiSim_GuardCount(sim, i, &count, &touches, &text, &place); i++)
    {
        if (touches == 0)
            continue;
        if (first)
            printf("\ntouches: the guard reached its level and turned back, which is no event\n");
        first = false;
        print_guard(touches, text, &place);
        if (kaiSim_GuardTouched(sim, i, &t))
            printf(", the last at t = %.9g", t);
        printf("\n");
    }
}

// ---- accuracy
// --------------------------------------------------------------------------------------------------------

static kaiSimOptions finer(kaiSimOptions o)
{
    o.rtol = fmax(o.rtol / 100, 1e-14);
    o.atol /= 100;
    o.step /= 10;
    return o;
}

// The state whose final values differ most in relation to its size in the run; -1: all are absent, or there is none.
static int compare(const Subject* s, const kaiSim* coarse, const kaiSim* fine, double* difference)
{
    int worst = -1;
    for (int i = 0; i < s->state_count; i++)
    {
        double a, b;
        int variable = kaiModel_StateVariable(s->model, i);
        if (!kaiSim_Get(coarse, variable, &a) || !kaiSim_Get(fine, variable, &b))
            continue;
        double d = a == b ? 0 : fabs(a - b) / fmax(s->largest[i], 1e-300);
        if (worst < 0 || d > *difference)
        {
            worst = variable;
            *difference = d;
        }
    }
    return worst;
}

static void print_difference(const Subject* s, const kaiSim* coarse, const kaiSim* fine)
{
    double difference = 0, a, b;
    int64_t instants = kaiSim_Counters(coarse).instants, finer_instants = kaiSim_Counters(fine).instants;
    int worst = compare(s, coarse, fine, &difference);
    if (worst < 0)
        printf("  there is no state to compare\n");
    else if (difference == 0)
        printf("  the final states are the same\n");
    else
    {
        kaiSim_Get(coarse, worst, &a);
        kaiSim_Get(fine, worst, &b);
        printf("  the final states differ by at most %.2g of their size, in %s: %.17g, finer %.17g\n", difference,
               kaiModel_VariableName(s->model, worst), a, b);
    }
    if (instants != finer_instants)
        printf("  the finer run has %lld instants, not %lld: some event depends on the tolerance\n",
               (long long)finer_instants, (long long)instants);
}

static int print_accuracy(Subject* s, const kaiSimOptions* options, const kaiSim* coarse)
{
    kaiStatus status;
    double seconds;
    kaiSimOptions o = finer(*options);
    kaiSim* fine = run_with(s, o, &status, &seconds);
    if (fine == NULL)
        return EXIT_USAGE;
    printf("\naccuracy, from a second run with rtol %g", o.rtol);
    if (o.step > 0)
        printf(" and step %g", o.step);
    printf("\n");
    if (status == KAI_END)
        print_difference(s, coarse, fine);
    else
        printf("  the second run did not reach the end: %s\n",
               status < 0 ? kaiSim_Failure(fine)->text : "it was interrupted");
    kaiSim_Free(fine);
    return EXIT_DONE;
}

// ---- command
// ---------------------------------------------------------------------------------------------------------

static int explain(Subject* s)
{
    kaiStatus status;
    double seconds;
    kaiSimOptions options = request_options(s->request, s->model);
    kaiSim* sim = run_with(s, options, &status, &seconds);
    if (sim == NULL)
        return EXIT_USAGE;
    kaiCounters c = kaiSim_Counters(sim);
    print_title(s, &options, sim, seconds);
    print_steps(s->model, sim, &c, seconds);
    print_instants(&c);
    print_events(sim);
    print_touches(sim);
    int code = exit_code(status);
    if (status == KAI_END)
        code = print_accuracy(s, &options, sim);
    else if (status < 0)
        print_failure(kaiSim_Failure(sim));
    if (interrupt_came())
    {
        fprintf(stderr, "kairos: interrupted\n");
        code = EXIT_RUN;
    }
    kaiSim_Free(sim);
    return code;
}

// A sweep is explained at its first point.
static int explain_model(const RunRequest* request, const kaiModel* model)
{
    Sweep sweep;
    SweepVariant variant = {0};
    kaiMessages* messages = NULL;
    Subject s = {.request = request, .model = model};
    int code = EXIT_DONE;
    if (kaiModel_SweepCount(model) > 0)
    {
        const char* why = sweep_plan(&sweep, model, &request->load);
        if (why != NULL)
            return usage_error("%s", why);
        code = report_load(&request->load, sweep_model(&sweep, 0, &variant, &messages), messages);
        kaiMessages_Free(messages);
        s.sweep = &sweep;
        s.variant = &variant;
        s.model = variant.model;
    }
    if (code == EXIT_DONE)
    {
        s.state_count = kaiModel_StateCount(s.model);
        s.largest = calloc((size_t)s.state_count + 1, sizeof *s.largest);
        code = s.largest != NULL ? explain(&s) : usage_error("out of memory");
    }
    free(s.largest);
    sweep_variant_free(&variant);
    return code;
}

int command_explain(int argc, char** argv)
{
    return request_run("explain", false, argc, argv, explain_model);
}
