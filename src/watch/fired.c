// What fires at the tags of an instant, told as it happens to whoever asked (kaiSimOptions.fired).
#include "watch/fired.h"

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

static void tell(Kernel* kernel, kaiFiredKind kind, uint32_t place, const char* text)
{
    kaiFired fired = {kernel->now, kind, model_place(kernel->model, place), text};
    kernel->options->fired(kernel->options->fired_user, &fired);
}

static void tell_guard(Kernel* kernel, uint32_t guard)
{
    const Guard* g = &kernel->model->guards[guard];
    tell(kernel, KAI_FIRED_CROSSING, g->place, model_string(kernel->model, g->text));
}

static void tell_clock(Kernel* kernel, uint32_t clock)
{
    tell(kernel, KAI_FIRED_CLOCK, kernel->model->clocks[clock].place, "clock");
}

static void tell_reactions(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    for (uint32_t i = 0; i < kernel->reacted_count; i++)
    {
        char text[200];
        uint32_t reaction = kernel->reacted[i];
        fired_describe(model, reaction, text, sizeof text);
        tell(kernel, reaction < model->when_count ? KAI_FIRED_WHEN : KAI_FIRED_TRANSITION,
             model->reactions[reaction].place, text);
    }
}

static void tell_switch(Kernel* kernel, uint32_t machine, uint32_t place)
{
    const kaiModel* model = kernel->model;
    const Machine* m = &model->machines[machine];
    Text text = {0};
    text_say(&text, "%s -> %s", model_string(model, m->name),
             model_string(model, model->modes[m->first_mode + (uint32_t)kernel->R[m->reg]].name));
    tell(kernel, KAI_FIRED_TRANSITION, place, text.at);
}

void fired_tell(Kernel* kernel, KernelSign sign, uint32_t index, uint32_t place)
{
    if (kernel->options->fired == NULL)
        return;
    switch (sign)
    {
    case SIGN_GUARD: tell_guard(kernel, index); break;
    case SIGN_CLOCK: tell_clock(kernel, index); break;
    case SIGN_REACTIONS: tell_reactions(kernel); break;
    case SIGN_SWITCH: tell_switch(kernel, index, place); break;
    }
}
