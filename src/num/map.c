// Between two ticks of a clock a linear field always does the same: the change of its states is a sum of what order 0
// brings (f, and what turns or rises with time) with factors that depend on the field and the length of the step alone.
// A step that comes a second time is such a map: one product of a matrix with a vector instead of a series. The factors
// are made by that same series, from unit vectors, to the last digit and not to the tolerance.
//
// Lengths that clocks take differ by the rounding of their times. So a length is split into 28 bits, which a map is
// for, and the rest d, over which the solution moves by d times its slope; what that leaves out, d^2 x''/2, is below
// 2^-56 of the second term of the series.
//
// Whether a step is taken so depends on the state of the solver alone (`met`, a few keys of the last steps), and what a
// map holds on its key. So a run and its resumption from a snapshot agree to the last bit, though maps are in no
// snapshot.
//
// The coefficients of such a step are made when somebody asks for them, by the same factors order by order.
#include "num/map.h"

#include "base/tolerance.h"

enum
{
    STATES = 8,  // of a field that is worth it: beyond that the matrix has more factors than the series
    INPUTS = 8,
    KEPT = 4,
    GROWTH = 5,  // from this order on terms must shrink, or the sum loses digits
};

// Factors of every input in every state, one such matrix after the other: for the end of the step, its slope, and the
// coefficients from order 2 on.
struct OdeMap
{
    uint64_t key;
    double h;
    size_t size;
    int terms;
    bool good;  // it converges fast enough
    double factors[];
};

struct OdeMaps
{
    OdeMap* kept[KEPT];
    int next, count;       // inputs beside the states
    const OdeMap* last;    // that took the last step
    double given[INPUTS];  // with these
};

static int width_of(const Ode* ode)
{
    return ode->n + ode->maps->count;
}

static const double* matrix_of(const Ode* ode, const OdeMap* map, int number)
{
    return map->factors + (size_t)number * (size_t)(ode->n * width_of(ode));
}

// ------------------------------------------------------------------------------------------------------------- making

static double power_of(double h, int k)
{
    double power = 1;
    for (; k > 0; k--)
    {
        power *= h;
    }
    return power;
}

// The column of one input: coefficients from order 2 on.
static void make_column(Ode* ode, OdeMap* map, int input)
{
    const int n = ode->n, width = width_of(ode);
    double inputs[INPUTS] = {0};
    for (int i = 0; i < n; i++)
    {
        ode->dense[1][i] = i == input;
    }
    if (input >= n)
    {
        inputs[input - n] = 1;
    }
    ode->system->try_inputs(ode->ctx, inputs, ODE_ORDER, ode->dense);
    for (int k = 2; k <= ODE_ORDER; k++)
    {
        for (int i = 0; i < n; i++)
        {
            map->factors[(k * n + i) * width + input] = ode->dense[k][i];
        }
    }
}

// The order at which one factor has converged; 0: it has not, or not well.
static int order_of(const Ode* ode, const OdeMap* map, int at, double first)
{
    const int size = ode->n * width_of(ode), least = width_of(ode) + 1;
    double sum = fabs(first), before = sum, power = map->h;
    int small = 0;
    for (int k = 2; k <= ODE_ORDER; k++)
    {
        power *= map->h;
        double term = fabs(map->factors[k * size + at]) * power;
        if (!(term < INFINITY) || (k > GROWTH && before > 0 && term > before))
        {
            return 0;
        }
        sum += term;
        before = term > 0 ? term : before;
        small = term <= MAP_TERM * sum ? small + 1 : 0;
        if (small >= 2 && k > least)
        {
            return k;
        }
    }
    return 0;
}

// The sums for the end and for its slope, from the last term on.
static void add_up(const Ode* ode, OdeMap* map, int at, double first)
{
    const int size = ode->n * width_of(ode);
    double sum = 0, slope = 0;
    for (int k = map->terms - 1; k >= 2; k--)
    {
        sum += map->factors[k * size + at] * power_of(map->h, k);
        slope += k * map->factors[k * size + at] * power_of(map->h, k - 1);
    }
    map->factors[at] = sum + first * map->h;
    map->factors[size + at] = slope + first;
}

static void fill(Ode* ode, OdeMap* map)
{
    const int n = ode->n, width = width_of(ode);
    for (int j = 0; j < width; j++)
    {
        make_column(ode, map, j);
    }
    map->good = true;
    for (int at = 0; at < n * width && map->good; at++)
    {
        int order = order_of(ode, map, at, at / width == at % width ? map->h : 0);
        map->good = order > 0;
        map->terms = order >= map->terms ? order + 1 : map->terms;
    }
    for (int at = 0; at < n * width && map->good; at++)
    {
        add_up(ode, map, at, at / width == at % width);
    }
}

static const OdeMap* make(Ode* ode, uint64_t key, double h)
{
    OdeMaps* maps = ode->maps;
    size_t factors = (size_t)(ODE_ORDER + 1) * (size_t)(ode->n * width_of(ode));
    size_t size = sizeof(OdeMap) + sizeof(double) * factors;
    OdeMap* map = ode->allocator.alloc(ode->allocator.user, NULL, 0, size);
    if (!map)
    {
        return NULL;  // the series does it
    }
    memset(map, 0, size);
    map->key = key;
    map->h = h;
    map->size = size;
    fill(ode, map);
    ode->system->try_inputs(ode->ctx, maps->given, 1, ode->dense);  // as order 0 had it
    OdeMap** place = &maps->kept[maps->next++ % KEPT];
    if (*place)
    {
        ode->allocator.alloc(ode->allocator.user, *place, (*place)->size, 0);
    }
    return *place = map;
}

void map_free(Ode* ode)
{
    OdeMaps* maps = ode->maps;
    for (int i = 0; maps && i < KEPT; i++)
    {
        if (maps->kept[i])
        {
            ode->allocator.alloc(ode->allocator.user, maps->kept[i], maps->kept[i]->size, 0);
        }
    }
    if (maps)
    {
        ode->allocator.alloc(ode->allocator.user, maps, sizeof *maps, 0);
    }
    ode->maps = NULL;
}

// ------------------------------------------------------------------------------------------------------------- finding

static double round_length(double h)
{
    double large = h * 0x1p25;
    return (h + large) - large;
}

static uint64_t key_of(uint64_t field, double h)
{
    uint64_t bits;
    memcpy(&bits, &h, sizeof bits);
    return (field ^ (bits >> 20)) * 0x9e3779b97f4a7c15U | 1;
}

// Whether one of the last steps was such a one. If not, this one is remembered.
static bool is_met(OdeState* s, uint64_t key)
{
    const int room = (int)(sizeof s->met / sizeof *s->met);
    for (int i = 0; i < room; i++)
    {
        if (s->met[i] == key)
        {
            return true;
        }
    }
    s->met[s->met_next] = key;
    s->met_next = (s->met_next + 1) % room;
    return false;
}

static OdeMaps* open_maps(Ode* ode)
{
    if (!ode->maps)
    {
        ode->maps = ode->allocator.alloc(ode->allocator.user, NULL, 0, sizeof *ode->maps);
        if (ode->maps)
        {
            *ode->maps = (OdeMaps){.next = 0};
        }
    }
    return ode->maps;
}

bool map_serves(const Ode* ode)
{
    return ode->system->inputs && ode->n <= STATES && ode->options.rtol >= MAP_RTOL_LEAST;
}

const OdeMap* map_find(Ode* ode, double h)
{
    uint64_t field;
    double given[INPUTS];
    int count = ode->system->inputs(ode->ctx, INPUTS, given, &field);
    if (count < 0)
    {
        return NULL;
    }
    double rounded = round_length(h);
    uint64_t key = key_of(field, rounded);
    if (!is_met(&ode->state, key) || !open_maps(ode))
    {
        return NULL;
    }
    OdeMaps* maps = ode->maps;
    maps->count = count;
    for (int i = 0; i < count; i++)
    {
        maps->given[i] = given[i];
    }
    const OdeMap* map = NULL;
    for (int i = 0; i < KEPT && !map; i++)
    {
        map = maps->kept[i] && maps->kept[i]->key == key ? maps->kept[i] : NULL;
    }
    map = map ? map : make(ode, key, rounded);
    return map && map->good ? map : NULL;
}

// -------------------------------------------------------------------------------------------------------------- taking

int map_terms(const OdeMap* map)
{
    return map->terms;
}

bool map_take(Ode* ode, const OdeMap* map, double h)
{
    OdeMaps* maps = ode->maps;
    const int n = ode->n, count = maps->count;
    const double* restrict f = ode->slope, *given = maps->given, *x = ode->x, *carry = ode->dense[ODE_ORDER + 1];
    const double *end = map->factors, *rate = end + n * (n + count), rest = h - map->h;
    double all = 0;
    maps->last = map;
    for (int i = 0; i < n; i++)
    {
        double sum = 0, slope = 0;
        for (int j = 0; j < n; j++)
        {
            sum += *end++ * f[j];
            slope += *rate++ * f[j];
        }
        for (int j = 0; j < count; j++)
        {
            sum += *end++ * given[j];
            slope += *rate++ * given[j];
        }
        double change = sum + rest * slope + carry[i], to = x[i] + change, part = to - x[i];
        ode->stage[2][i] = (x[i] - (to - part)) + (change - part);
        ode->x_start[i] = to;
        ode->slope_start[i] = slope;
        all += 0 * to + 0 * slope;
    }
    return all == 0;
}

void map_expand(Ode* ode)
{
    const OdeMaps* maps = ode->maps;
    const int n = ode->n, width = width_of(ode);
    for (int i = 0; i < n; i++)
    {
        ode->dense[0][i] = ode->x_start[i];
        ode->dense[1][i] = ode->slope_start[i];
    }
    for (int k = 2; k < ode->state.terms; k++)
    {
        const double* factor = matrix_of(ode, maps->last, k);
        for (int i = 0; i < n; i++, factor += width)
        {
            double sum = 0;
            for (int j = 0; j < width; j++)
            {
                sum += factor[j] * (j < n ? ode->slope_start[j] : maps->given[j - n]);
            }
            ode->dense[k][i] = sum;
        }
    }
}
