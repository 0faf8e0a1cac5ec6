// An FMU written by hand against FMI 2.0 and 3.0, Model Exchange and Co-Simulation in one binary, for unit tests.
//
//   x' = -k x + u from 1. Where x falls to 1/2 it is filled up by 1, in the first of two rounds; at 0.4, 0.8, … `rings`
//   counts. Without inflow x is exp(-k t), from ln 2 / k on 3/2 exp(-k (t - ln 2 / k)). Co-Simulation has the same x,
//   by the closed form; in 3.0 it returns early where it is filled. Numbers of every type come back one larger, truths
//   turned, ticks as ticks.
//
// The parameter `trouble` says what goes wrong; see the words below.
#define TANK_INSIDE
#include "tank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- the tank

Tank* tank_make(double t)
{
    Tank* tank = calloc(1, sizeof *tank);
    tank->x = 1;
    tank->k = 1;
    tank->t = t;
    tank->next = t + 0.4;
    return tank;
}

int tank_say(Tank* tank, int status, const char* text)
{
    if (tank->callbacks.logger != NULL)
        tank->callbacks.logger(tank->callbacks.componentEnvironment, "tank", (fmi2Status)status, "log", "%s", text);
    else if (tank->log != NULL)
        tank->log(tank->environment, (fmi3Status)status, "log", text);
    return status;
}

// What the derivatives and outputs answer.
int tank_look(Tank* tank)
{
    tank->asked++;
    switch (tank->trouble)
    {
    case TANK_SILENT: return 3;
    case TANK_STRANGE: return 77;
    case TANK_DISCARDS: return tank->t > 0.3 ? 2 : 0;
    case TANK_CRASHES: abort();
    case TANK_LEAVES: _exit(3);
    case TANK_HANGS:
        for (;;)
            usleep(1000);
    default: return 0;
    }
}

double tank_rate(const Tank* tank)
{
    return -tank->k * tank->x + tank->u + (tank->trouble == TANK_REMEMBERS ? tank->asked : 0);
}

// One round at t. True: another one is wanted.
bool tank_react(Tank* tank, bool* moved, bool* ends)
{
    bool more = false;
    *moved = *ends = false;
    if (tank->round == 0 && tank->x <= 0.5)
    {
        tank->x += 1;
        tank->round = 1;
        *moved = more = true;
    }
    else
        tank->round = 0;
    if (tank->t >= tank->next)
    {
        tank->rings++;
        tank->next += 0.4;
    }
    if (tank->trouble == TANK_ENDS)
        *ends = tank->t >= 0.7;
    return more || tank->trouble == TANK_ENDLESS;
}

double tank_next_time(const Tank* tank)
{
    return tank->trouble == TANK_STANDS ? tank->t : tank->next;
}

// From t over h by the closed form; stops where x is 1/2 if it may.
double tank_flow(Tank* tank, double h)
{
    double rest = tank->u / tank->k;  // where it would go
    double until = rest < 0.5 && tank->x > 0.5 ? log((tank->x - rest) / (0.5 - rest)) / tank->k : INFINITY;
    double step = h < until ? h : until;
    tank->x = h < until ? rest + (tank->x - rest) * exp(-tank->k * step) : 0.5;
    tank->t += step;
    return step;
}

// All of a step, filled on the way.
void tank_flow_through(Tank* tank, double h)
{
    bool moved, ends;
    for (double left = h; left > 0;)
    {
        left -= tank_flow(tank, left);
        while (tank->x <= 0.5 && tank_react(tank, &moved, &ends))
            ;
    }
}

// ---- copies

int tank_copy(const Tank* tank, void** state)
{
    Tank* made = *state != NULL ? *state : malloc(sizeof *made);  // a copy that was made before is overwritten
    *made = *tank;
    *state = made;
    return tank->trouble == TANK_NO_COPY ? 3 : 0;
}

int tank_go_back(Tank* tank, const void* state)
{
    fmi2CallbackFunctions callbacks = tank->callbacks;
    if (tank->trouble == TANK_NO_WAY_BACK)
        return tank_say(tank, 3, "there is no way back");
    double x = tank->x + 1;
    *tank = *(const Tank*)state;
    tank->callbacks = callbacks;
    if (tank->trouble == TANK_FORGETS)
        tank->x = x;
    return 0;
}

int tank_copy_size(Tank* tank, size_t* size)
{
    *size = sizeof *tank + (tank->trouble == TANK_GROWS ? (size_t)++tank->asked : 0);
    return tank->trouble == TANK_NO_SIZE ? 3 : 0;
}

int tank_from_bytes(const void* bytes, size_t size, void** state)
{
    if (size < sizeof(Tank))
        return 3;
    *state = malloc(sizeof(Tank));
    memcpy(*state, bytes, sizeof(Tank));
    return 0;
}
