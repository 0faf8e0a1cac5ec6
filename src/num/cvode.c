// SUNDIALS CVODE (Cohen and Hindmarsh 1996; Hindmarsh et al. 2005) behind the contract of ode.h: Adams with fixed point
// iteration for smooth systems at tight tolerances, BDF with Newton iteration for large stiff ones.
//
// CVODE's memory can be neither copied nor cut. So each step is taken in CV_ONE_STEP mode up to a stop time, its
// interpolant is read out at once by CVodeGetDky as a Taylor polynomial around the end of the step (order <= 12), and
// after a cut, a restart or a snapshot CVODE is initialised anew from (t, x) before the next step: both the run that
// goes on and the one that is resumed then compute the same. It starts again at order 1: dear after every event, which
// is why one-step methods exist.
//
// Linear solver of BDF: dense, or KLU where linear_choose finds the pattern sparse (its own Jacobian by coloured
// differences if the system gives none). Error messages of SUNDIALS are silenced; the status says what failed.
#include "base/tolerance.h"
#include "num/control.h"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

struct Cvode
{
    SUNContext context;
    void* memory;
    N_Vector y;     // on the buffer x_start of the next step
    N_Vector term;  // on a coefficient of the dense output
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver nonlinear;
    bool anew;                                    // initialise before the next step
    bool nan;                                     // the last failure of f was a NaN
    long rejected, diverged, iterations, setups;  // CVODE's counters when they were last added to ours
};

// ---------------------------------------------------------------------------------------------------------- callbacks

// 1 / (atol + rtol |y|), with the tolerance of each state.
static int error_weights(N_Vector y, N_Vector weights, void* user)
{
    const Ode* ode = user;
    const double* x = N_VGetArrayPointer(y);
    double* w = N_VGetArrayPointer(weights);
    for (int i = 0; i < ode->n; i++)
    {
        w[i] = 1 / (ode->atol[i] + ode->options.rtol * fabs(x[i]));
    }
    return 0;
}

static int call_rhs(double t, N_Vector y, N_Vector dy, void* user)
{
    Ode* ode = user;
    int status = ode_rhs(ode, t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy));
    if (status != TRIAL_OK)
    {
        ode->cvode->nan = false;
        return status;
    }
    ode->cvode->nan = !ode_finite(ode->n, N_VGetArrayPointer(dy));
    return ode->cvode->nan ? 1 : 0;
}

static void fill_dense(const OdeSystem* system, const double* values, SUNMatrix matrix)
{
    for (int j = 0; j < system->n; j++)
    {
        double* column = SUNDenseMatrix_Column(matrix, j);
        if (!system->column_start)
        {
            memcpy(column, values + (size_t)j * (size_t)system->n, sizeof(double) * (size_t)system->n);
            continue;
        }
        memset(column, 0, sizeof(double) * (size_t)system->n);
        for (int p = system->column_start[j]; p < system->column_start[j + 1]; p++)
        {
            column[system->row_index[p]] = values[p];
        }
    }
}

static void fill_sparse(const OdeSystem* system, const double* values, SUNMatrix matrix)
{
    sunindextype *start = SUNSparseMatrix_IndexPointers(matrix), *row = SUNSparseMatrix_IndexValues(matrix);
    int entries = system->column_start[system->n];
    for (int j = 0; j <= system->n; j++)
    {
        start[j] = system->column_start[j];
    }
    for (int p = 0; p < entries; p++)
    {
        row[p] = system->row_index[p];
    }
    memcpy(SUNSparseMatrix_Data(matrix), values, sizeof(double) * (size_t)entries);
}

static int call_jacobian(double t, N_Vector y, N_Vector fy, SUNMatrix matrix, void* user, N_Vector a, N_Vector b,
                         N_Vector c)
{
    Ode* ode = user;
    double h = 0;
    (void)a, (void)b, (void)c;
    CVodeGetCurrentStep(ode->cvode->memory, &h);
    int status = ode_jacobian(ode, t, N_VGetArrayPointer(y), N_VGetArrayPointer(fy), fabs(h), false);
    if (status != TRIAL_OK)
    {
        return status;
    }
    if (SUNMatGetID(matrix) == SUNMATRIX_DENSE)
    {
        fill_dense(ode->system, ode->jacobian->values, matrix);
    }
    else
    {
        fill_sparse(ode->system, ode->jacobian->values, matrix);
    }
    return 0;
}

static void silence(int code, const char* module, const char* function, char* message, void* user)
{
    (void)code, (void)module, (void)function, (void)message, (void)user;
}

// ------------------------------------------------------------------------------------------------------------- create

static int create_newton(Ode* ode, Cvode* cv)
{
    const OdeSystem* system = ode->system;
    if (linear_choose(system->n, system->column_start, system->row_index) == LINEAR_DENSE)
    {
        cv->matrix = SUNDenseMatrix(system->n, system->n, cv->context);
        cv->linear = cv->matrix ? SUNLinSol_Dense(cv->y, cv->matrix, cv->context) : NULL;
    }
    else  // KLU also serves bands: nothing is gained by a third path through SUNDIALS
    {
        cv->matrix = SUNSparseMatrix(system->n, system->n, system->column_start[system->n], CSC_MAT, cv->context);
        cv->linear = cv->matrix ? SUNLinSol_KLU(cv->y, cv->matrix, cv->context) : NULL;
    }
    ode->jacobian = ode->jacobian ? ode->jacobian : jacobian_create(system, ode->allocator);
    if (!cv->linear || !ode->jacobian || CVodeSetLinearSolver(cv->memory, cv->linear, cv->matrix) != CV_SUCCESS)
    {
        return ODE_ERR_MEMORY;
    }
    return CVodeSetJacFn(cv->memory, call_jacobian) == CV_SUCCESS ? ODE_OK : ODE_ERR_MEMORY;
}

static int create_fixed_point(Cvode* cv)
{
    cv->nonlinear = SUNNonlinSol_FixedPoint(cv->y, 0, cv->context);
    return cv->nonlinear && CVodeSetNonlinearSolver(cv->memory, cv->nonlinear) == CV_SUCCESS ? ODE_OK : ODE_ERR_MEMORY;
}

static int create(Ode* ode, int lmm)
{
    Cvode* cv = ode->allocator.alloc(ode->allocator.user, NULL, 0, sizeof(Cvode));
    if (!cv)
    {
        return ODE_ERR_MEMORY;
    }
    memset(cv, 0, sizeof *cv);
    ode->cvode = cv;
    if (SUNContext_Create(NULL, &cv->context) != 0)
    {
        return ODE_ERR_MEMORY;
    }
    cv->y = N_VMake_Serial(ode->n, ode->x_start, cv->context);
    cv->term = N_VMake_Serial(ode->n, ode->dense[0], cv->context);
    cv->memory = CVodeCreate(lmm, cv->context);
    if (!cv->y || !cv->term || !cv->memory)
    {
        return ODE_ERR_MEMORY;
    }
    CVodeSetErrHandlerFn(cv->memory, silence, NULL);
    if (CVodeInit(cv->memory, call_rhs, 0, cv->y) != CV_SUCCESS ||
        CVodeWFtolerances(cv->memory, error_weights) != CV_SUCCESS)
    {
        return ODE_ERR_MEMORY;
    }
    CVodeSetUserData(cv->memory, ode);
    CVodeSetNonlinConvCoef(cv->memory, 0.01);  // 0.1: a quarter more steps, and less accurate
    cv->anew = true;
    return lmm == CV_BDF ? create_newton(ode, cv) : create_fixed_point(cv);
}

static int create_adams(Ode* ode)
{
    return create(ode, CV_ADAMS);
}

static int create_bdf(Ode* ode)
{
    return create(ode, CV_BDF);
}

static void cvode_destroy(Ode* ode)
{
    Cvode* cv = ode->cvode;
    if (!cv)
    {
        return;
    }
    if (cv->memory)
    {
        CVodeFree(&cv->memory);
    }
    if (cv->linear)
    {
        SUNLinSolFree(cv->linear);
    }
    if (cv->nonlinear)
    {
        SUNNonlinSolFree(cv->nonlinear);
    }
    if (cv->matrix)
    {
        SUNMatDestroy(cv->matrix);
    }
    if (cv->y)
    {
        N_VDestroy(cv->y);
    }
    if (cv->term)
    {
        N_VDestroy(cv->term);
    }
    SUNContext_Free(&cv->context);
    ode->allocator.alloc(ode->allocator.user, cv, sizeof *cv, 0);
}

static void cvode_restart(Ode* ode)
{
    ode->cvode->anew = true;
}

// --------------------------------------------------------------------------------------------------------------- step

// From (t, x), at order 1; nothing of the past is kept, not even the pivots of KLU. `step` is the first to be tried; 0:
// CVODE finds one.
static int initialise(Ode* ode, double step)
{
    Cvode* cv = ode->cvode;
    memcpy(N_VGetArrayPointer(cv->y), ode->x, sizeof(double) * (size_t)ode->n);
    if (CVodeReInit(cv->memory, ode->state.t, cv->y) != CV_SUCCESS)
    {
        return ODE_ERR_MEMORY;
    }
    if (cv->matrix && SUNMatGetID(cv->matrix) == SUNMATRIX_SPARSE)
    {
        // The matrix of CVODE is I - gamma J, and may have grown by the diagonal; partial: the symbolic part is made
        // anew from its pattern at the next factorisation.
        SUNLinSol_KLUReInit(cv->linear, cv->matrix, 0, SUNKLU_REINIT_PARTIAL);
    }
    CVodeSetInitStep(cv->memory, step);
    ode->state.fresh = false;
    cv->rejected = cv->diverged = cv->iterations = cv->setups = 0;
    cv->anew = false;
    return ODE_OK;
}

static void limit_step(Ode* ode)
{
    double caution = ode->state.caution, most = ode->options.max_step;
    double h = caution > 0 && (most <= 0 || caution < most) ? caution : most;
    CVodeSetMaxStep(ode->cvode->memory, h > 0 ? h : 0);
    if (ode->options.min_step > 0)
        CVodeSetMinStep(ode->cvode->memory, ode->options.min_step);
    if (ode->options.max_iterations > 0)
        CVodeSetMaxNonlinIters(ode->cvode->memory, ode->options.max_iterations);
}

static void count(Ode* ode)
{
    Cvode* cv = ode->cvode;
    OdeStats* stats = &ode->state.stats;
    long rejected = 0, diverged = 0, iterations = 0, setups = 0;
    CVodeGetNumErrTestFails(cv->memory, &rejected);
    CVodeGetNumNonlinSolvConvFails(cv->memory, &diverged);
    CVodeGetNumNonlinSolvIters(cv->memory, &iterations);
    CVodeGetNumLinSolvSetups(cv->memory, &setups);
    stats->rejected += rejected - cv->rejected + diverged - cv->diverged;
    stats->halvings += diverged - cv->diverged;
    stats->newton_iterations += cv->matrix ? iterations - cv->iterations : 0;
    stats->factorisations += setups - cv->setups;
    cv->rejected = rejected;
    cv->diverged = diverged;
    cv->iterations = iterations;
    cv->setups = setups;
}

static int translate(const Ode* ode, int flag)
{
    switch (flag)
    {
    case CV_RHSFUNC_FAIL: return ODE_ERR_RHS;
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR: return ode->cvode->nan ? ODE_ERR_STEP : ODE_ERR_RHS;
    case CV_CONV_FAILURE: return ODE_ERR_CONVERGE;
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL:
    case CV_LINIT_FAIL: return ODE_ERR_LINEAR;
    case CV_MEM_FAIL: return ODE_ERR_MEMORY;
    default: return ODE_ERR_STEP;
    }
}

// The interpolant of the step that has just been taken: coefficients h^k x^(k) / k! at its end t. CVODE's own last step
// may begin before ours (never: one step at a time) or end a few ulp from the stop time, which Dky tolerates.
static int read_dense(Ode* ode, double t, double h)
{
    Cvode* cv = ode->cvode;
    int order = 0;
    double factor = 1;
    CVodeGetLastOrder(cv->memory, &order);
    order = order < ODE_TERMS ? order : ODE_TERMS - 1;
    for (int k = 0; k <= order; k++)
    {
        N_VSetArrayPointer(ode->dense[k], cv->term);
        if (CVodeGetDky(cv->memory, t, k, cv->term) != CV_SUCCESS)
        {
            return ODE_ERR_STEP;
        }
        factor *= k > 0 ? h / k : 1;
        for (int i = 0; i < ode->n; i++)
        {
            ode->dense[k][i] *= factor;
        }
    }
    ode->state.terms = order + 1;
    return ODE_OK;
}

// x at the end and the slope of the interpolant there; f itself where it is needed is CVODE's business.
static void take_ends(Ode* ode, double h)
{
    memcpy(ode->x_start, ode->dense[0], sizeof(double) * (size_t)ode->n);
    for (int i = 0; i < ode->n; i++)
    {
        ode->slope_start[i] = ode->dense[1][i] / h;
    }
}

// CVODE refuses a first step of a few ulp; forward Euler is exact there to rounding.
static int tiny_step(Ode* ode, double limit)
{
    double h = limit - ode->state.t;
    for (int i = 0; i < ode->n; i++)
    {
        ode->x_start[i] = ode->x[i] + h * ode->slope[i];
    }
    int status = ode_rhs(ode, limit, ode->x_start, ode->slope_start);
    if (status != TRIAL_OK)
    {
        return ODE_ERR_RHS;
    }
    ode_accept(ode, h, limit, FORM_LINEAR);
    ode->cvode->anew = true;
    return ODE_OK;
}

static void cvode_shares(Ode* ode)
{
    Cvode* cv = ode->cvode;
    double* share = ode->stage[0];
    memset(share, 0, sizeof(double) * (size_t)ode->n);
    N_VSetArrayPointer(share, cv->term);
    if (cv->anew || CVodeGetEstLocalErrors(cv->memory, cv->term) != CV_SUCCESS)
    {
        return;  // a step that was not CVODE's
    }
    for (int i = 0; i < ode->n; i++)
    {
        share[i] /= ode_scale(ode, i, ode->x[i], ode->x[i]);
    }
}

static bool is_too_short(const Ode* ode, double t_end, double limit)
{
    return t_end < limit && t_end - ode->state.t < ode_shortest(ode);
}

// One step of CVODE's. The first one that it finds by itself is no longer than what changes a state by its tolerance,
// which near 0 may be less than t resolves: that says nothing about the equations, and a longer one is tried.
static int go(Ode* ode, double limit, double* t_end)
{
    Cvode* cv = ode->cvode;
    bool first = cv->anew;
    int status = first ? initialise(ode, ode->state.fresh ? ode->options.step : 0) : ODE_OK;
    for (int tried = 0; status == ODE_OK; tried++)
    {
        limit_step(ode);
        CVodeSetStopTime(cv->memory, limit);
        int flag = CVode(cv->memory, limit, cv->y, t_end, CV_ONE_STEP);
        count(ode);
        if (flag < 0)
            return translate(ode, flag);
        if (!is_too_short(ode, *t_end, limit))
            return ODE_OK;
        bool again = first && tried == 0;  // otherwise CVODE only warns, and would go on for ever
        double step = fmin(CVODE_FIRST * ode_shortest(ode), 0.5 * (limit - ode->state.t));
        status = again ? initialise(ode, step) : ODE_ERR_STEP;
    }
    return status;
}

static int cvode_step(Ode* ode, double limit)
{
    Cvode* cv = ode->cvode;
    OdeState* s = &ode->state;
    double t_end = s->t;
    if (limit - s->t <= TIME_CVODE_CLOSEST * ode_larger(fabs(s->t), fabs(limit)))
    {
        return tiny_step(ode, limit);
    }
    N_VSetArrayPointer(ode->x_start, cv->y);
    int status = go(ode, limit, &t_end);
    if (status != ODE_OK)
    {
        cv->anew = true;
        return status;
    }
    double h = t_end - s->t;
    status = read_dense(ode, t_end, h);
    if (status == ODE_OK)
    {
        take_ends(ode, h);
        ode_accept(ode, h, t_end, FORM_TAYLOR);
        s->dense_ready = true;
        CVodeGetCurrentStep(cv->memory, &s->next);
    }
    return status;
}

const OdeMethodTable ode_cvode_adams = {.stages = 1,
                                        .terms = ODE_TERMS,
                                        .order = 1,
                                        .plans = true,
                                        .step = cvode_step,
                                        .create = create_adams,
                                        .destroy = cvode_destroy,
                                        .restart = cvode_restart,
                                        .shares = cvode_shares};
const OdeMethodTable ode_cvode_bdf = {.stages = 1,
                                      .terms = 6,
                                      .order = 1,
                                      .plans = true,
                                      .step = cvode_step,
                                      .create = create_bdf,
                                      .destroy = cvode_destroy,
                                      .restart = cvode_restart,
                                      .shares = cvode_shares};
