// What fires at the tags of an instant, told as it happens to whoever asked (kaiSimOptions.fired).
#include "kernel/sim.h"

#include <stdio.h>

// The mode that a transition with these actions goes to, or NULL.
static const char* mode_entered(const kaiModel* model, uint32_t reaction)
{
    for (uint32_t i = 0; i < model->machines_count; i++)
        for (uint32_t k = 0; k < model->machines[i].mode_count; k++)
        {
            const ModeInfo* mode = &model->modes[model->machines[i].first_mode + k];
            for (uint32_t j = 0; j < mode->transition_count; j++)
            {
                const Transition* t = &model->transitions[mode->first_transition + j];
                if (t->reaction == reaction)
                    return model_string(model, model->modes[model->machines[i].first_mode + t->to].name);
            }
        }
    return NULL;
}

void fired_describe(const kaiModel* model, uint32_t reaction, char* text, size_t size)
{
    const Reaction* r = &model->reactions[reaction];
    const char* mode = reaction >= model->when_count ? mode_entered(model, reaction) : NULL;
    Text words = {0};
    if (mode != NULL)
        text_say(&words, "-> %s", mode);
    for (uint32_t i = 0; i < r->act_count; i++)
    {
        const Act* act = &model->acts[r->first_act + i];
        text_say(&words, "%s%s", words.length > 0 ? ", " : "",
                 act->kind == ACT_HALT ? "halt" : model_string(model, model->vars[act->var].name));
    }
    snprintf(text, size, "%s", words.at);
}

static void tell(kaiSim* sim, kaiFiredKind kind, uint32_t place, const char* text)
{
    kaiFired fired = {sim->now, kind, model_place(sim->model, place), text};
    sim->options.fired(sim->options.fired_user, &fired);
}

void fired_guard(kaiSim* sim, uint32_t guard)
{
    const Guard* g = &sim->model->guards[guard];
    if (sim->options.fired != NULL)
        tell(sim, KAI_FIRED_CROSSING, g->place, model_string(sim->model, g->text));
}

void fired_clock(kaiSim* sim, uint32_t clock)
{
    if (sim->options.fired != NULL)
        tell(sim, KAI_FIRED_CLOCK, sim->model->clocks[clock].place, "clock");
}

void fired_reactions(kaiSim* sim)
{
    const kaiModel* model = sim->model;
    for (uint32_t i = 0; i < sim->reacted_count && sim->options.fired != NULL; i++)
    {
        char text[200];
        uint32_t reaction = sim->reacted[i];
        fired_describe(model, reaction, text, sizeof text);
        tell(sim, reaction < model->when_count ? KAI_FIRED_WHEN : KAI_FIRED_TRANSITION,
             model->reactions[reaction].place, text);
    }
}

void fired_switch(kaiSim* sim, uint32_t machine, uint32_t place)
{
    const kaiModel* model = sim->model;
    const Machine* m = &model->machines[machine];
    Text text = {0};
    if (sim->options.fired == NULL)
        return;
    text_say(&text, "%s -> %s", model_string(model, m->name),
             model_string(model, model->modes[m->first_mode + (uint32_t)sim->R[m->reg]].name));
    tell(sim, KAI_FIRED_TRANSITION, place, text.at);
}
