// What a solver costs for an error: runs the experiments of bench/smooth.kai with rk45 and taylor over a range of
// tolerances and prints CPU time and error at the end, and the time at an error of 1e-8 by interpolation.
// usage: smooth [EXPERIMENT...], from the top folder.
#include "kairos/kairos.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct Problem
{
    const char *experiment, *variable;
    double end;  // its value there, from elsewhere
} Problem;

static const Problem problems[] = {
    {"lorenz", "x", -6.51211369941959905},
    {"pendulum", "x", 0.713148180601379369},
    {"oscillator", "x", 0.40808206181339196},
    {"vanderpol", "x", -1.60129687954285391},
    {"kepler", "y", 0},
    {"pleiades", "x[1]", 0.3706139143970502},
    {"chain", "x[1]", -0.997256481619},
};

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Best time of some runs; the error into *error.
static double run(const kaiModel* model, const Problem* p, const char* solver, double rtol, double* error, long* steps)
{
    double best = INFINITY, spent = 0;
    for (int round = 0; round < 1000 && (round < 3 || spent < 0.3); round++)
    {
        kaiError failure;
        kaiSimOptions options = kaiModel_SimOptions(model);
        options.solver = solver;
        options.rtol = rtol;
        options.atol = rtol / 100;
        kaiSim* sim = kaiSim_Create(model, &options, &failure);
        double begun = cpu(), value = NAN;
        if (sim == NULL || kaiSim_Run(sim) != KAI_END)
        {
            fprintf(stderr, "%s, %s: failed\n", p->experiment, solver);
            return NAN;
        }
        double took = cpu() - begun;
        kaiSim_Get(sim, kaiModel_FindVariable(model, p->variable), &value);
        *error = fabs(value - p->end);
        *steps = (long)kaiSim_Counters(sim).steps;
        kaiSim_Free(sim);
        best = took < best ? took : best;
        spent += took;
    }
    return best;
}

static double measure(const kaiModel* model, const Problem* p, const char* solver)
{
    double last_error = 0, last_time = 0, at = NAN;
    for (double rtol = 1e-3; rtol > 5e-14; rtol *= 0.1)
    {
        double error = 0;
        long steps = 0;
        double time = run(model, p, solver, rtol, &error, &steps);
        if (isnan(time))
        {
            continue;  // too loose for it
        }
        printf("%-11s %-7s rtol %.0e: error %.1e, %7ld steps, %10.1f us\n", p->experiment, solver, rtol, error, steps,
               1e6 * time);
        if (error < 1e-8 && isnan(at))
        {
            double part = last_time > 0 ? (log(1e-8) - log(last_error)) / (log(error) - log(last_error)) : 1;
            at = last_time > 0 ? exp(log(last_time) + part * (log(time) - log(last_time))) : time;
            if (error < 1e-10)
            {
                break;
            }
        }
        last_error = error;
        last_time = time;
        if (error < 1e-9)
        {
            break;
        }
    }
    return at;
}

static bool wanted(const char* name, int count, char** names)
{
    bool found = count < 2;
    for (int i = 1; i < count; i++)
    {
        found |= strcmp(names[i], name) == 0;
    }
    return found;
}

int main(int argc, char** argv)
{
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
    {
        const Problem* p = &problems[i];
        if (!wanted(p->experiment, argc, argv))
        {
            continue;
        }
        kaiError error;
        kaiModel* model = NULL;
        if (kaiModel_Load("bench/smooth.kai", p->experiment, &model, &error) != KAI_OK)
        {
            fprintf(stderr, "cannot load %s\n", p->experiment);
            return 1;
        }
        double rk45 = measure(model, p, "rk45"), taylor = measure(model, p, "taylor");
        printf("%-11s at an error of 1e-8: rk45 %.1f us, taylor %.1f us, ratio %.3f\n", p->experiment, 1e6 * rk45,
               1e6 * taylor, taylor / rk45);
        kaiModel_Free(model);
    }
    return 0;
}
