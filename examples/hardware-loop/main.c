// The controller under test, and around it the loop that a board would have.
#include <kairos/kairos.h>
#include <stdio.h>

// The firmware: on below 0.95, off above 1.05.
static double control(double x)
{
    static double u = 0;
    if (x < 0.95)
        u = 2;
    if (x > 1.05)
        u = 0;
    return u;
}

int main(void)
{
    kaiModel* model = NULL;
    kaiError error;
    if (kaiModel_Load("plant.kai", "test", &model, &error) != KAI_OK)
        return fprintf(stderr, "%s\n", error.message), 1;
    kaiSimOptions options = kaiModel_SimOptions(model);
    kaiSim* plant = kaiSim_Create(model, &options, &error);
    if (plant == NULL)
        return fprintf(stderr, "%s\n", error.message), 1;
    int u = kaiModel_FindVariable(model, "u"), x = kaiModel_FindVariable(model, "x");
    double most = 0, value = 0;
    for (int tick = 0; tick <= 120; tick++)
    {
        double t = 0.5 * tick;
        if (kaiSim_StepTo(plant, t) < 0)
            return fprintf(stderr, "%s\n", kaiSim_Failure(plant)->message), 1;
        kaiSim_Get(plant, x, &value);
        kaiSim_Set(plant, u, control(value));
        most = value > most ? value : most;
        if (tick % 20 == 0)
            printf("t = %4.1f  x = %.9f\n", t, value);
    }
    printf("never above %.9f\n", most);
    kaiSim_Free(plant);
    kaiModel_Free(model);
    return 0;
}
