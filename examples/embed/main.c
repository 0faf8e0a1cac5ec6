// A program with a bouncing ball inside: compiles the model from text, sets a parameter, goes from bounce to bounce,
// asks what would happen if the ball were softer from here on, and comes back.
#include <kairos/kairos.h>

#include <math.h>
#include <stdio.h>

static const char text[] = "model Ball {\n"
                           "  param g [m/s^2] = 9.81\n"
                           "  input e = 0.8\n"
                           "  state y [m] = 1, v [m/s] = 0\n"
                           "  event hit = down(y)\n"
                           "  y' = v\n"
                           "  v' = -g\n"
                           "  when hit { v := -e*v }\n"
                           "}\n";

static kaiModel* load(void)
{
    kaiProgramOptions options = kaiDefaultProgramOptions();
    options.path = "ball.kai";  // the name in messages
    options.text = text;
    kaiCompileOptions compile = kaiDefaultCompileOptions();
    kaiProgram* program = NULL;
    kaiModel* model = NULL;
    kaiError error;
    if (kaiProgram_Open(&options, &program, &error) == KAI_OK)
        kaiProgram_Compile(program, &compile, &model);
    else if (program == NULL)
        fprintf(stderr, "%s\n", error.message);
    for (int i = 0; i < kaiProgram_MessageCount(program); i++)
        fprintf(stderr, "%s\n", kaiProgram_MessageText(program, i, false));
    kaiProgram_Free(program);  // the model needs it no longer
    return model;
}

static int failed(const kaiSim* sim)
{
    fprintf(stderr, "the run failed: %s\n", kaiSim_Failure(sim)->message);
    return 1;
}

// Prints `count` bounces beside their closed form: speed after the bounce falls by e, flights take 2 v / g.
static int bounce(const kaiModel* model, kaiSim* sim, const char* title, double t, double v, double e, int count)
{
    const double g = 1.62;
    int speed = kaiModel_FindVariable(model, "v");
    printf("%s\n", title);
    for (int i = 0; i < count; i++)
    {
        if (kaiSim_Step(sim) != KAI_INSTANT)
            return failed(sim);
        double now = 0;
        kaiSim_Get(sim, speed, &now);
        v *= e;
        double miss = fmax(fabs(kaiSim_Now(sim).t - t), fabs(now - v));
        printf("  t = %.9f  v = %.9f  %s\n", kaiSim_Now(sim).t, now, miss < 1e-8 ? "as the closed form" : "WRONG");
        t += 2 * v / g;
    }
    return 0;
}

static int run(const kaiModel* model)
{
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.stop = 100;
    kaiError failure;
    kaiSim* sim = kaiSim_Create(model, &options, &failure);
    if (sim == NULL)
    {
        fprintf(stderr, "%s\n", failure.message);
        return 1;
    }
    const double g = 1.62, e = 0.8, t1 = sqrt(2 / g), v1 = sqrt(2 * g);
    kaiSim_Set(sim, kaiModel_FindVariable(model, "g"), g);  // on the moon
    kaiSim_Step(sim);                                       // the start is an instant too
    int code = bounce(model, sim, "three bounces", t1, v1, e, 3);
    double t = t1 + 2 * v1 / g * (e + e * e + e * e * e), v = v1 * e * e * e;

    kaiSnapshot* here = kaiSim_Save(sim);
    kaiSim_Set(sim, kaiModel_FindVariable(model, "e"), 0.5);
    code |= bounce(model, sim, "a softer ball from here on", t, v, 0.5, 2);
    if (here == NULL || kaiSim_Restore(sim, here) != KAI_OK)
        code = 1;
    code |= bounce(model, sim, "back, as if nothing had happened", t, v, e, 2);
    kaiSnapshot_Free(here);
    kaiSim_Free(sim);
    return code;
}

int main(void)
{
    kaiModel* model = load();
    int code = model != NULL ? run(model) : 1;
    kaiModel_Free(model);
    return code;
}
