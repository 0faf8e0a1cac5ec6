// The ball with a Runge-Kutta loop of our own: Kairos says what the model means, we move the states (kairos/eval.h).
#include <kairos/kairos.h>

#include <math.h>
#include <stdio.h>

// Classical Runge-Kutta from (t, x) over h; whether the level has been crossed there.
static bool step(kaiEval* eval, double t, double h, const double x[2], double out[2])
{
    double k[4][2], at[2] = {x[0], x[1]};
    for (int s = 0; s < 4; s++)
    {
        const double part[] = {0, 0.5, 0.5, 1};
        for (int i = 0; s > 0 && i < 2; i++)
            at[i] = x[i] + part[s] * h * k[s - 1][i];
        kaiEval_Rates(eval, t + part[s] * h, at, k[s]);
    }
    for (int i = 0; i < 2; i++)
        out[i] = x[i] + h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    return kaiEval_Crossed(eval, t + h, out);
}

// The shortest step at whose end the level has been crossed, by halving.
static double locate(kaiEval* eval, double t, double h, const double x[2], double out[2])
{
    double before = 0;
    for (int i = 0; i < 60 && h - before > 1e-16 * t; i++)
        *(step(eval, t, 0.5 * (before + h), x, out) ? &h : &before) = 0.5 * (before + h);
    step(eval, t, h, x, out);
    return h;
}

int main(int argc, char** argv)
{
    kaiProgramOptions file = kaiDefaultProgramOptions();
    kaiCompileOptions compile = kaiDefaultCompileOptions();
    kaiProgram* program = NULL;
    kaiModel* model = NULL;
    double x[2], next[2], t = 0;
    file.path = argc > 1 ? argv[1] : "model.kai";
    if (kaiProgram_Open(&file, &program, NULL) != KAI_OK || kaiProgram_Compile(program, &compile, &model) != KAI_OK)
        return 1;
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiEval* eval = kaiEval_Create(model, &options, NULL);
    kaiEval_Start(eval, x);
    for (int bounces = 0; bounces < 10;)
    {
        double h = fmin(0.05, kaiEval_Next(eval) - t);
        bool crossed = step(eval, t, h, x, next);
        t += crossed ? locate(eval, t, h, x, next) : h;
        if (!crossed)
            kaiEval_StepDone(eval, t, next);
        else if (kaiEval_Instant(eval, t, next) == KAI_OK)
            printf("bounce %d at t = %.12f, v = %.12f\n", ++bounces, t, next[1]);
        x[0] = next[0], x[1] = next[1];
    }
    kaiEval_Free(eval), kaiModel_Free(model), kaiProgram_Free(program);
    return 0;
}
