// Model Exchange by CVODE: BDF with its own Jacobian by differences (Adams for thousands of states), variable steps,
// and the event indicators as the functions whose roots it looks for. What an importer of the trade does, with nothing
// known of the FMU but the standard.
#include "importer_loop.h"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int call_rates(realtype t, N_Vector y, N_Vector dy, void* user)
{
    Loop* m = user;
    if (m->states > 0)
        loop_rates(m, t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy));
    else
        N_VConst(0, dy);
    for (int i = 0; i < m->states; i++)
        if (!isfinite(NV_Ith_S(dy, i)))
            return 1;  // a shorter step
    return 0;
}

static int call_watch(realtype t, N_Vector y, realtype* z, void* user)
{
    loop_watch(user, t, N_VGetArrayPointer(y), z);
    return 0;
}

static void must(int flag, const char* what)
{
    if (flag >= 0)
        return;
    fprintf(stderr, "importer: %s answers %d\n", what, flag);
    exit(3);
}
#define MUST(call) must((call), #call)

typedef struct Solver
{
    SUNContext context;
    void* memory;
    N_Vector y;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver fixed;
} Solver;

static void make(Solver* s, Loop* m)
{
    int n = m->states > 0 ? m->states : 1;
    SUNContext_Create(NULL, &s->context);
    s->y = N_VNew_Serial(n, s->context);
    N_VConst(0, s->y);
    bool large = n > 300;  // a dense matrix of thousands of states takes minutes
    s->memory = CVodeCreate(large ? CV_ADAMS : CV_BDF, s->context);
    if (large)
        s->fixed = SUNNonlinSol_FixedPoint(s->y, 0, s->context);
    else
    {
        s->matrix = SUNDenseMatrix(n, n, s->context);
        s->linear = SUNLinSol_Dense(s->y, s->matrix, s->context);
    }
    MUST(CVodeInit(s->memory, call_rates, m->t, s->y));
    MUST(CVodeSStolerances(s->memory, 1e-10, 1e-12));
    MUST(CVodeSetUserData(s->memory, m));
    if (large)
        MUST(CVodeSetNonlinearSolver(s->memory, s->fixed));
    else
        MUST(CVodeSetLinearSolver(s->memory, s->linear, s->matrix));
    MUST(CVodeSetMaxNumSteps(s->memory, 1000000));
    MUST(CVodeSetMaxStep(s->memory, 10 * m->call->step));
    if (m->indicators > 0)
        MUST(CVodeRootInit(s->memory, m->indicators, call_watch));
}

static void release(Solver* s)
{
    CVodeFree(&s->memory);
    if (s->fixed != NULL)
        SUNNonlinSolFree(s->fixed);
    if (s->linear != NULL)
        SUNLinSolFree(s->linear);
    if (s->matrix != NULL)
        SUNMatDestroy(s->matrix);
    N_VDestroy(s->y);
    SUNContext_Free(&s->context);
}

static void begin(Solver* s, Loop* m)
{
    if (m->states > 0)
        memcpy(N_VGetArrayPointer(s->y), m->x, sizeof *m->x * (size_t)m->states);
    MUST(CVodeReInit(s->memory, m->t, s->y));
}

// One step, to the next root, or to the end: whether there is an event.
static bool advance(Solver* s, Loop* m)
{
    double end = m->events.has_next ? fmin(m->events.next, m->call->stop) : m->call->stop;
    bool due = m->events.has_next && m->events.next <= m->call->stop;
    if (end <= m->t)
        return due;
    MUST(CVodeSetStopTime(s->memory, end));
    int flag = CVode(s->memory, end, s->y, &m->t, CV_ONE_STEP);
    must(flag, "CVode");
    if (m->states > 0)
        memcpy(m->x, N_VGetArrayPointer(s->y), sizeof *m->x * (size_t)m->states);
    loop_watch(m, m->t, m->x, m->z);
    bool wanted = m->p->step_done(m->p->self);
    return wanted || flag == CV_ROOT_RETURN || (due && m->t >= end);
}

void exchange_cvode(Loop* m)
{
    Solver s = {.fixed = NULL};
    make(&s, m);
    loop_iterate(m);
    begin(&s, m);
    while (m->t < m->call->stop && !m->events.terminate)
    {
        bool event = advance(&s, m);
        loop_save_and_restore(m);
        if (!event)
            continue;
        m->p->enter_event(m->p->self);
        loop_iterate(m);
        begin(&s, m);
    }
    release(&s);
}
