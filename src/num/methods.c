// The methods by name and number, and what each of them needs.
#include "num/choice.h"
#include "num/sundials.h"

static const OdeMethodTable* const tables[] = {
    [ODE_AUTO] = &ode_auto,           [ODE_RK45] = &ode_rk45,
    [ODE_RK23] = &ode_rk23,           [ODE_EULER] = &ode_euler,
    [ODE_RIEMANN] = &ode_riemann,     [ODE_BACKWARD_EULER] = &ode_backward_euler,
    [ODE_TRAPEZOID] = &ode_trapezoid, [ODE_ROSENBROCK] = &ode_rosenbrock,
    [ODE_CVODE_ADAMS] = NULL,  // of the part `sundials`
    [ODE_CVODE_BDF] = NULL,           [ODE_TAYLOR] = &ode_taylor,
};

const SundialsPart* sundials_load(const char** trouble)
{
    return part_load(PART_SUNDIALS, sizeof(SundialsPart), trouble);
}

const OdeMethodTable* method_table(OdeMethod method, const char** trouble)
{
    if (tables[method])
    {
        return tables[method];
    }
    const SundialsPart* part = sundials_load(trouble);
    return !part ? NULL : method == ODE_CVODE_ADAMS ? part->adams : part->bdf;
}

const char* ode_trouble(const OdeSystem* system, const OdeOptions* options)
{
    const char* trouble = NULL;
    const OdeMethodTable* method = method_table(options->method, &trouble);
    if (!method)
    {
        return trouble;
    }
    bool matrix = system->n > 0 && (method->matrix || options->breakpoint != ODE_BREAK_SAME);
    return matrix ? linear_trouble(system->n, system->column_start, system->row_index) : NULL;
}

static const char* const names[] = {
#define X(name, text, about) text,
    ODE_METHODS(X)
#undef X
};

static const char* const abouts[] = {
#define X(name, text, about) about,
    ODE_METHODS(X)
#undef X
};

const char* ode_method_name(OdeMethod method)
{
    return (unsigned)method < ODE_METHOD_COUNT ? names[method] : NULL;
}

const char* ode_method_about(OdeMethod method)
{
    return (unsigned)method < ODE_METHOD_COUNT ? abouts[method] : NULL;
}

bool ode_method_is_fixed(OdeMethod method)
{
    return tables[method] && tables[method]->fixed;
}

int ode_method_find(const char* name)
{
    for (int i = 0; i < ODE_METHOD_COUNT; i++)
    {
        if (strcmp(names[i], name) == 0)
        {
            return i;
        }
    }
    return -1;
}

bool ode_method_uses_jacobian(OdeMethod method)
{
    return method == ODE_AUTO || method == ODE_CVODE_BDF || (tables[method] && tables[method]->matrix);
}
