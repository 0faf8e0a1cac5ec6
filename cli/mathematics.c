// libm when it is first called. The dynamic linker takes as long for libm as for a tenth of a program that prints
// hello, and most starts (a version, a check, a ball) call nothing of it. Each function here looks its namesake up once
// and goes on there, through a pointer as through any shared library: the same code, the same bits. A function that is
// missing here makes the linker load libm at the start again, and nothing else.
//
// A library of somebody else (external functions, FMUs) may call sin without saying where it is from; it finds libm as
// if the program had been linked with it, because dlopen comes through here (-Wl,--wrap=dlopen).
#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

void* __real_dlopen(const char* file, int flags);
void* __wrap_dlopen(const char* file, int flags);

static void* open_libm(void)
{
    return __real_dlopen("libm.so.6", RTLD_LAZY | RTLD_GLOBAL);
}

void* __wrap_dlopen(const char* file, int flags)
{
    open_libm();
    return __real_dlopen(file, flags);
}

static void* look_up(const char* name)
{
    void* library = open_libm();
    void* found = library != NULL ? dlsym(library, name) : NULL;
    if (found != NULL)
        return found;
    fprintf(stderr, "kairos: %s\n", dlerror());
    abort();  // a system without the libm that this program was built with
}

// Threads that come at once find the same.
#define FIND(name)                                                                                                     \
    static _Atomic(void*) at;                                                                                          \
    void* found = atomic_load_explicit(&at, memory_order_relaxed);                                                     \
    if (__builtin_expect(found == NULL, 0))                                                                            \
        atomic_store_explicit(&at, found = look_up(#name), memory_order_relaxed);

#define LATE(type, name, parameters, arguments)                                                                        \
    __attribute__((visibility("hidden"))) type name parameters                                                         \
    {                                                                                                                  \
        FIND(name)                                                                                                     \
        return ((type(*) parameters)found)arguments;                                                                   \
    }

#define LATE_1(name) LATE(double, name, (double x), (x))
#define LATE_2(name) LATE(double, name, (double x, double y), (x, y))

LATE_1(acos)
LATE_1(asin)
LATE_1(atan)
LATE_1(cbrt)
LATE_1(ceil)
LATE_1(cos)
LATE_1(cosh)
LATE_1(exp)
LATE_1(floor)
LATE_1(log)
LATE_1(log10)
LATE_1(log1p)
LATE_1(nearbyint)
LATE_1(round)
LATE_1(sin)
LATE_1(sinh)
LATE_1(sqrt)
LATE_1(tan)
LATE_1(tanh)
LATE_1(trunc)
LATE_1(fabs)
LATE_2(atan2)
LATE_2(fmax)
LATE_2(fmin)
LATE_2(fmod)
LATE_2(hypot)
LATE_2(nextafter)
LATE_2(pow)
LATE(double, cabs, (double complex x), (x))
LATE(double complex, csqrt, (double complex x), (x))
LATE(double, ldexp, (double x, int power), (x, power))
LATE(double, frexp, (double x, int* power), (x, power))
LATE(long, lrint, (double x), (x))
LATE(long, lround, (double x), (x))
LATE(long long, llround, (double x), (x))

__attribute__((visibility("hidden"))) void sincos(double x, double* sine, double* cosine)
{
    FIND(sincos)
    ((void (*)(double, double*, double*))found)(x, sine, cosine);
}
