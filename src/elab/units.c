// The SI with its derived units and prefixes, and a few units that engineers write beside it.
#include "elab/units.h"

#include "base/text.h"
#include "lang/idioms.h"

#include <math.h>
#include <string.h>

typedef struct UnitEntry
{
    const char* name;
    double scale;
    bool prefixes;
    int8_t exponent[DIM_COUNT];  // m kg s A K mol cd
} UnitEntry;

#define PI 3.14159265358979323846

// clang-format off
static const UnitEntry entries[] = {
    {"m", 1, true, {1}},
    {"g", 1e-3, true, {0, 1}},
    {"s", 1, true, {0, 0, 1}},
    {"A", 1, true, {0, 0, 0, 1}},
    {"K", 1, true, {0, 0, 0, 0, 1}},
    {"mol", 1, true, {0, 0, 0, 0, 0, 1}},
    {"cd", 1, true, {0, 0, 0, 0, 0, 0, 1}},
    {"N", 1, true, {1, 1, -2}},
    {"Pa", 1, true, {-1, 1, -2}},
    {"J", 1, true, {2, 1, -2}},
    {"W", 1, true, {2, 1, -3}},
    {"C", 1, true, {0, 0, 1, 1}},
    {"V", 1, true, {2, 1, -3, -1}},
    {"F", 1, true, {-2, -1, 4, 2}},
    {"Ohm", 1, true, {2, 1, -3, -2}},
    {"ohm", 1, true, {2, 1, -3, -2}},
    {"Ω", 1, true, {2, 1, -3, -2}},       // the Greek letter
    {"Ω", 1, true, {2, 1, -3, -2}},       // the sign for the unit
    {"S", 1, true, {-2, -1, 3, 2}},
    {"Wb", 1, true, {2, 1, -2, -1}},
    {"T", 1, true, {0, 1, -2, -1}},
    {"H", 1, true, {2, 1, -2, -2}},
    {"Hz", 1, true, {0, 0, -1}},
    {"Bq", 1, true, {0, 0, -1}},
    {"Gy", 1, true, {2, 0, -2}},
    {"Sv", 1, true, {2, 0, -2}},
    {"kat", 1, true, {0, 0, -1, 0, 0, 1}},
    {"rad", 1, true, {0}},
    {"sr", 1, true, {0}},
    {"lm", 1, true, {0, 0, 0, 0, 0, 0, 1}},
    {"lx", 1, true, {-2, 0, 0, 0, 0, 0, 1}},
    {"L", 1e-3, true, {3}},
    {"l", 1e-3, true, {3}},
    {"bar", 1e5, true, {-1, 1, -2}},
    {"Nm", 1, true, {2, 1, -2}},
    {"Wh", 3600, true, {2, 1, -2}},
    {"Ah", 3600, true, {0, 0, 1, 1}},
    {"VA", 1, true, {2, 1, -3}},
    {"var", 1, true, {2, 1, -3}},
    {"eV", 1.602176634e-19, true, {2, 1, -2}},
    {"t", 1e3, false, {0, 1}},
    {"min", 60, false, {0, 0, 1}},
    {"h", 3600, false, {0, 0, 1}},
    {"d", 86400, false, {0, 0, 1}},
    {"deg", PI / 180, false, {0}},
    {"rev", 2 * PI, false, {0}},
    {"rpm", 2 * PI / 60, false, {0, 0, -1}},
    {"degC", 1, false, {0, 0, 0, 0, 1}},
    {"°C", 1, false, {0, 0, 0, 0, 1}},
    {"degF", 5.0 / 9, false, {0, 0, 0, 0, 1}},
    {"°F", 5.0 / 9, false, {0, 0, 0, 0, 1}},
    {"°", PI / 180, false, {0}},
    {"atm", 101325, false, {-1, 1, -2}},
    {"ppm", 1e-6, false, {0}},
    {"percent", 1e-2, false, {0}},
    {"%", 1e-2, false, {0}},
};
enum { ENTRY_COUNT = sizeof entries / sizeof entries[0] };

static const struct
{
    const char* text;
    int power;
} prefixes[] = {
    {"da", 1},  {"y", -24}, {"z", -21}, {"a", -18}, {"f", -15}, {"p", -12}, {"n", -9}, {"u", -6}, {"µ", -6}, {"μ", -6},
    {"m", -3},  {"c", -2},  {"d", -1},  {"h", 2},   {"k", 3},   {"M", 6},   {"G", 9},  {"T", 12}, {"P", 15}, {"E", 18},
    {"Z", 21},  {"Y", 24},
};
enum { PREFIX_COUNT = sizeof prefixes / sizeof prefixes[0] };

// clang-format on

static const UnitEntry* find_entry(const char* name)
{
    for (int i = 0; i < ENTRY_COUNT; i++)
        if (strcmp(entries[i].name, name) == 0)
            return &entries[i];
    return NULL;
}

// Temperatures that do not count from absolute zero: where they do, in kelvin.
static double zero_of(const UnitEntry* entry)
{
    bool celsius = strcmp(entry->name, "degC") == 0 || strcmp(entry->name, "°C") == 0;
    bool fahrenheit = strcmp(entry->name, "degF") == 0 || strcmp(entry->name, "°F") == 0;
    return celsius ? 273.15 : fahrenheit ? 459.67 * 5 / 9 : 0;
}

// A whole name wins over a prefix: `min` is a minute, `cd` a candela.
static const UnitEntry* find_unit(const char* name, double* scale)
{
    const UnitEntry* entry = find_entry(name);
    if (entry)
        return *scale = entry->scale, entry;
    for (int i = 0; i < PREFIX_COUNT; i++)
    {
        size_t length = strlen(prefixes[i].text);
        if (strncmp(name, prefixes[i].text, length) != 0 || name[length] == 0)
            continue;
        entry = find_entry(name + length);
        if (!entry || !entry->prefixes)
            continue;
        int power = prefixes[i].power;
        *scale = power < 0 ? entry->scale / pow(10, -power) : entry->scale * pow(10, power);
        if (strcmp(entry->name, "g") == 0 && power == 3)
            *scale = 1;  // exactly
        return entry;
    }
    return NULL;
}

const char* const* unit_names(uint32_t* count)
{
    static const char* const names[] = {
        "m",   "kg",  "s",   "A",   "K",   "mol", "cd",  "N",   "Pa",      "J",    "W",   "C",   "V",
        "F",   "Ohm", "S",   "Wb",  "T",   "H",   "Hz",  "rad", "sr",      "lm",   "lx",  "L",   "g",
        "bar", "eV",  "min", "h",   "d",   "deg", "rev", "rpm", "percent", "mm",   "cm",  "km",  "ms",
        "us",  "kHz", "MHz", "Nm",  "Wh",  "kWh", "Ah",  "VA",  "degC",    "degF", "atm", "ppm", "µm",
        "µF",  "µs",  "kN",  "kPa", "MPa", "mA",  "mV",  "kV",  "uF",      "nF",   "pF",  "mH",  "kOhm",
    };
    *count = sizeof names / sizeof names[0];
    return names;
}

// Units that are none here, and what to write instead.
const char* unit_foreign(const char* name)
{
    static const char* const foreign[][2] = {
        {" sec second seconds ", "write `[s]`"},
        {" minute minutes mins ", "write `[min]`"},
        {" hour hours hr hrs ", "write `[h]`"},
        {" day days ", "write `[d]`"},
        {" year years yr a ", "a year is 365.25[d]"},
        {" meter meters metre metres ", "write `[m]`"},
        {" gram grams ", "write `[g]`"},
        {" Volt volt volts ", "write `[V]`"},
        {" Ampere amp amps Amp ", "write `[A]`"},
        {" Watt watt watts ", "write `[W]`"},
        {" Newton newton ", "write `[N]`"},
        {" Celsius celsius ", "write `[degC]`"},
        {" Kelvin kelvin degK ", "write `[K]`"},
        {" degree degrees ", "write `[deg]`"},
        {" radian radians ", "write `[rad]`"},
        {" RPM U ", "write `[rpm]`"},
        {" in inch inches ", "an inch is 25.4[mm]"},
        {" ft foot feet ", "a foot is 0.3048[m]"},
        {" yd yard ", "a yard is 0.9144[m]"},
        {" mi mile miles ", "a mile is 1.609344[km]"},
        {" mph ", "a mile per hour is 1.609344[km/h]"},
        {" kmh kph ", "write `[km/h]`"},
        {" kn knot knots ", "a knot is 1.852[km/h]"},
        {" lb lbs lbm pound ", "a pound is 0.45359237[kg]"},
        {" oz ounce ", "an ounce is 28.349523125[g]"},
        {" lbf ", "a pound of force is 4.4482216152605[N]"},
        {" psi ", "a pound per square inch is 6.894757293168[kPa]"},
        {" Torr torr mmHg ", "a millimetre of mercury is 133.322[Pa]"},
        {" hp HP PS ", "a horsepower is 745.7[W], the metric one 735.49875[W]"},
        {" cal ", "a calorie is 4.184[J]"},
        {" kcal Cal ", "a kilocalorie is 4.184[kJ]"},
        {" BTU Btu ", "a British thermal unit is 1.05505585262[kJ]"},
        {" gal gallon ", "a gallon (US) is 3.785411784[L]"},
        {" gauss Gauss Gs ", "a gauss is 0.1[mT]"},
        {" dB dBm ", "a ratio has no unit: 10^(x/20) of amplitudes, 10^(x/10) of powers"},
        {" rps ", "write `[rev/s]`"},
        {" Angstrom angstrom ", "an ångström is 0.1[nm]"},
    };
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (idiom_lists(foreign[i][0], name))
            return foreign[i][1];
    return NULL;
}

static void write_term(Writer* text, const UnitTerm* term)
{
    int exponent = term->exponent, shown = exponent < 0 ? -exponent : exponent;
    bool first = text->text.count == 0;
    writer_put(text, !first ? (exponent < 0 ? "/" : "*") : (exponent < 0 ? "1/" : ""));
    if (term->name)
        writer_put(text, term->name);
    else
        writer_say(text, "%g", term->number);
    if (shown != 1)
        writer_say(text, "^%d", shown);
}

static int8_t clamp_exponent(int value)
{
    return (int8_t)(value > 127 ? 127 : value < -127 ? -127 : value);
}

static void put_factors(Writer* text, const Unit* unit, int sign)
{
    const char* joint = "";
    for (uint32_t i = 0; i < unit->terms.count; i++)
    {
        const UnitTerm* term = &unit->terms.at[i];
        int exponent = term->exponent * sign;
        if (exponent < 0 || (exponent == 0 && sign < 0))
            continue;
        writer_put(text, joint);
        joint = "*";
        if (term->name)
            writer_put(text, term->name);
        else
            writer_say(text, "%g", term->number);
        if (exponent != 1)
            writer_say(text, "^%d", exponent);
    }
}

// "J/(kg*K)", however it was written.
static char* unit_text(Arena* arena, const Unit* unit)
{
    uint32_t above = 0, below = 0;
    for (uint32_t i = 0; i < unit->terms.count; i++)
        unit->terms.at[i].exponent < 0 ? below++ : above++;
    Writer text = {.arena = arena};
    put_factors(&text, unit, 1);
    if (above == 0)
        writer_put(&text, "1");
    if (below > 0)
        writer_put(&text, below > 1 ? "/(" : "/");
    put_factors(&text, unit, -1);
    if (below > 1)
        writer_put(&text, ")");
    return writer_text(&text);
}

bool unit_resolve(Arena* arena, const Unit* unit, FlatUnit* result, const UnitTerm** unknown)
{
    *result = (FlatUnit){.known = true, .si = {1, 0}};
    for (uint32_t i = 0; i < unit->terms.count; i++)
    {
        const UnitTerm* term = &unit->terms.at[i];
        double scale = term->number;
        const UnitEntry* entry = term->name ? find_unit(term->name, &scale) : NULL;
        if (term->name && !entry)
            return *unknown = term, false;
        result->si.scale *= scale == 1 ? 1 : pow(scale, term->exponent);
        if (entry && unit->terms.count == 1 && term->exponent == 1)  // in W/degC a degree is a difference
            result->si.offset = zero_of(entry);
        for (int k = 0; entry && k < DIM_COUNT; k++)
            result->dim[k] = clamp_exponent(result->dim[k] + entry->exponent[k] * term->exponent);
    }
    result->text = unit_text(arena, unit);
    return true;
}

Dim dim_of_unit(const FlatUnit* unit)
{
    Dim dim = {.kind = unit->known ? DIM_KNOWN : DIM_BARE};
    if (unit->known)
        memcpy(dim.exponent, unit->dim, sizeof dim.exponent);
    return dim;
}

Dim dim_none(void)
{
    return (Dim){.kind = DIM_KNOWN};
}

Dim dim_number(void)
{
    return (Dim){.kind = DIM_NUMBER};
}

Dim dim_second(void)
{
    return (Dim){.kind = DIM_KNOWN, .exponent = {0, 0, 1}};
}

bool dim_equal(const Dim* a, const Dim* b)
{
    return memcmp(a->exponent, b->exponent, sizeof a->exponent) == 0;
}

bool dim_is_none(const Dim* a)
{
    Dim none = dim_none();
    return dim_equal(a, &none);
}

bool dim_join(const Dim* a, const Dim* b, Dim* result)
{
    *result = a->kind == DIM_KNOWN ? *a : b->kind == DIM_KNOWN ? *b : a->kind == DIM_BARE ? *a : *b;
    return a->kind != DIM_KNOWN || b->kind != DIM_KNOWN || dim_equal(a, b);
}

Dim dim_multiply(const Dim* a, const Dim* b, int sign)
{
    if (a->kind == DIM_BARE || b->kind == DIM_BARE)
        return (Dim){.kind = DIM_BARE};
    if (a->kind == DIM_NUMBER && b->kind == DIM_NUMBER)
        return dim_number();
    Dim result = {.kind = DIM_KNOWN};
    for (int i = 0; i < DIM_COUNT; i++)
        result.exponent[i] = clamp_exponent(a->exponent[i] + sign * b->exponent[i]);
    return result;
}

Dim dim_power(const Dim* a, double exponent)
{
    if (a->kind != DIM_KNOWN)
        return *a;
    Dim result = {.kind = DIM_KNOWN};
    for (int i = 0; i < DIM_COUNT; i++)
    {
        double value = a->exponent[i] * exponent;
        if (value != floor(value) || fabs(value) > 127)
            return (Dim){.kind = DIM_BARE};
        result.exponent[i] = (int8_t)value;
    }
    return result;
}

// `first` and the bases that are left, those below a line last.
static const char* product_text(Arena* arena, const char* first, const Dim* dim)
{
    static const char* const bases[DIM_COUNT] = {"m", "kg", "s", "A", "K", "mol", "cd"};
    Writer text = {.arena = arena};
    if (first != NULL)
        write_term(&text, &(UnitTerm){.name = first, .exponent = 1});
    for (int sign = 1; sign >= -1; sign -= 2)
        for (int i = 0; i < DIM_COUNT; i++)
            if (dim->exponent[i] * sign > 0)
                write_term(&text, &(UnitTerm){.name = bases[i], .exponent = dim->exponent[i]});
    return text.text.count > 0 ? writer_text(&text) : "1";
}

static int count_bases(const Dim* dim)
{
    int count = 0;
    for (int i = 0; i < DIM_COUNT; i++)
        count += dim->exponent[i] != 0;
    return count;
}

const char* dim_bases(Arena* arena, const Dim* dim)
{
    return product_text(arena, NULL, dim);
}

const char* dim_text(Arena* arena, const Dim* dim)
{
    static const char* const names[] = {"N", "Pa", "J", "W", "C", "V", "F", "Ohm", "S", "Wb", "T", "H"};
    int least = count_bases(dim);
    const char* best = NULL;
    Dim rest = *dim;
    for (size_t i = 0; i < sizeof names / sizeof *names && count_bases(dim) > 1; i++)
    {
        Dim left = *dim;
        const UnitEntry* entry = find_entry(names[i]);
        for (int k = 0; k < DIM_COUNT; k++)
            left.exponent[k] = (int8_t)(dim->exponent[k] - entry->exponent[k]);
        // One factor beside the name reads well, but not where two bases say it too: kg/s is no N*s/m.
        int count = 1 + count_bases(&left);
        if (count <= 2 && count < least)
            best = names[i], rest = left, least = count;
    }
    return best != NULL ? product_text(arena, best, &rest) : dim_bases(arena, dim);
}
