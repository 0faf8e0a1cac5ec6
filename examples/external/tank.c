// Functions of doubles that a model calls. They have no state: the same arguments give the same result, in any thread.
//
//     cc -shared -fPIC -O2 -o libtank.so tank.c -lm
#include <math.h>

// Torricelli: the speed of a jet from a hole at depth h, negative depths give none.
double jet(double h, double g)
{
    return h > 0 ? sqrt(2 * g * h) : 0;
}

// Volume of liquid of height h in a cone that widens with slope s.
double cone(double h, double s)
{
    return 3.14159265358979323846 * s * s * h * h * h / 3;
}
