// A block of C for the tests: a ball that bounces, with a state that is reset, an indicator, a lamp that is switched at
// its own times, two rounds an impact (a click, then a clack) and everything saved. See docs/language.md.
#include <kairos/block.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    CLICKS,
    CLACKS,
    LAMP,
    ENERGY,
    OUTPUTS
};

typedef struct Ball
{
    kaiBlockHost host;
    double g, e, period;
    double t, y, v, push;
    double clicks, clacks, lamp, next;
    bool second, above;  // a clack follows; y was above the floor when the last instant ended
} Ball;

static kaiStatus open_ball(const kaiBlock* block, const kaiBlockHost* host, void** instance)
{
    (void)block;
    Ball* b = calloc(1, sizeof *b);
    if (b == NULL)
        return KAI_ERR_MEMORY;
    b->host = *host;
    *instance = b;
    return KAI_OK;
}

static void close_ball(void* instance)
{
    free(instance);
}

static kaiStatus begin(void* instance, double t, const double* parameters, const double* inputs, double* states)
{
    Ball* b = instance;
    b->g = parameters[0];
    b->e = parameters[1];
    b->period = parameters[2];
    b->push = inputs[0];
    b->t = t;
    b->y = states[0] = isnan(states[0]) ? 1 : states[0];
    b->v = states[1] = isnan(states[1]) ? 0 : states[1];
    b->next = t + b->period;
    b->above = true;
    return KAI_OK;
}

static kaiStatus set(void* instance, double t, const double* states, const double* inputs)
{
    Ball* b = instance;
    b->t = t;
    b->y = states[0];
    b->v = states[1];
    b->push = inputs[0];
    return KAI_OK;
}

static kaiStatus get_rates(void* instance, double* rates)
{
    const Ball* b = instance;
    rates[0] = b->v;
    rates[1] = b->push - b->g;
    return KAI_OK;
}

static kaiStatus get_outputs(void* instance, double* outputs)
{
    const Ball* b = instance;
    outputs[CLICKS] = b->clicks;
    outputs[CLACKS] = b->clacks;
    outputs[LAMP] = b->lamp;
    outputs[ENERGY] = b->g * b->y + b->v * b->v / 2;
    return KAI_OK;
}

static kaiStatus get_indicators(void* instance, double* indicators)
{
    const Ball* b = instance;
    indicators[0] = b->y;
    return KAI_OK;
}

static kaiStatus commit(void* instance, double t, const double* inputs, kaiBlockEvents* events, double* states)
{
    Ball* b = instance;
    b->push = inputs[0];
    if (b->g < 0)
    {
        b->host.log(b->host.user, true, "the ball falls upwards");
        return KAI_ERR_RUN;
    }
    if (b->second)
    {
        b->clacks++;
        b->second = false;
    }
    else if (b->v < 0 && b->y <= 1e-9)
    {
        b->clicks++;
        b->v = -b->e * b->v;
        b->second = true;
    }
    if (t >= b->next)
    {
        b->lamp = 1 - b->lamp;
        b->next += b->period;
    }
    events->more = b->second;
    events->next = b->next;
    events->end = b->clicks >= 20;
    states[0] = b->y;
    states[1] = b->v;
    return KAI_OK;
}

static kaiStatus save(void* instance, void* bytes, size_t* size)
{
    if (bytes != NULL)
        memcpy(bytes, instance, sizeof(Ball));
    *size = sizeof(Ball);
    return KAI_OK;
}

static kaiStatus restore(void* instance, const void* bytes, size_t size)
{
    Ball* b = instance;
    kaiBlockHost host = b->host;
    if (size != sizeof *b)
        return KAI_ERR_USAGE;
    memcpy(b, bytes, size);
    b->host = host;
    return KAI_OK;
}

const kaiBlock* ball(void)
{
    static const kaiBlockVariable parameters[] = {{.name = "g", .unit = "m/s^2", .start = 9.81},
                                                  {.name = "e", .start = 0.8},
                                                  {.name = "period", .unit = "s", .start = 0.3}};
    static const kaiBlockVariable inputs[] = {{.name = "push", .unit = "m/s^2"}};
    static const kaiBlockVariable states[] = {{.name = "y", .unit = "m"}, {.name = "v", .unit = "m/s"}};
    static const uint32_t both[] = {0, 1};
    static const kaiBlockVariable outputs[] = {{.name = "clicks[1]", .discrete = true},
                                               {.name = "clicks[2]", .discrete = true},
                                               {.name = "event", .discrete = true},
                                               {.name = "energy", .unit = "m^2/s^2", .reads = both, .read_count = 2}};
    static const kaiBlock block = {.version = KAI_BLOCK_VERSION,
                                   .name = "ball",
                                   .description = "a ball that bounces",
                                   .parameters = parameters,
                                   .inputs = inputs,
                                   .outputs = outputs,
                                   .states = states,
                                   .parameter_count = 3,
                                   .input_count = 1,
                                   .output_count = OUTPUTS,
                                   .state_count = 2,
                                   .indicator_count = 1,
                                   .open = open_ball,
                                   .close = close_ball,
                                   .begin = begin,
                                   .set = set,
                                   .get_rates = get_rates,
                                   .get_outputs = get_outputs,
                                   .get_indicators = get_indicators,
                                   .commit = commit,
                                   .save = save,
                                   .restore = restore};
    return &block;
}
