// What a block shows of an FMU: parameters, inputs, outputs and states with their units and dependencies.
#include "guest/guest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is(const char* a, const char* b)
{
    return a != NULL && strcmp(a, b) == 0;
}

static bool is_true(const char* text)
{
    return is(text, "true") || is(text, "1");
}

// ---- types and units

static GuestType type_of(const DescribedVariable* v)
{
    static const struct
    {
        const char* name;
        GuestType type;
    } names[] = {{"Real", GUEST_FLOAT64},  {"Float64", GUEST_FLOAT64}, {"Float32", GUEST_FLOAT32},
                 {"Integer", GUEST_INT32}, {"Boolean", GUEST_BOOLEAN}, {"Enumeration", GUEST_INT64},
                 {"Int8", GUEST_INT8},     {"UInt8", GUEST_UINT8},     {"Int16", GUEST_INT16},
                 {"UInt16", GUEST_UINT16}, {"Int32", GUEST_INT32},     {"UInt32", GUEST_UINT32},
                 {"Int64", GUEST_INT64},   {"UInt64", GUEST_UINT64},   {"Clock", GUEST_CLOCK}};
    for (size_t i = 0; v->type != NULL && i < sizeof names / sizeof *names; i++)
        if (is(names[i].name, v->type->name))
            return names[i].type;
    return GUEST_NONE;
}

static const XmlElement* named(const XmlElement* list, const char* name)
{
    for (const XmlElement* e = list != NULL ? list->child : NULL; e != NULL; e = e->next)
        if (is(xml_value(e, "name"), name))
            return e;
    return NULL;
}

// An attribute of a variable, or of the type that it is declared with.
static const char* attribute_of(const Described* d, const DescribedVariable* v, const char* attribute)
{
    const char *own = xml_value(v->type, attribute), *declared = xml_value(v->type, "declaredType");
    if (own != NULL || declared == NULL)
        return own;
    const XmlElement* type = named(xml_child(d->root, "TypeDefinitions"), declared);
    return xml_value(d->version == 2 && type != NULL ? type->child : type, attribute);
}

static double number(const char* text, double otherwise)
{
    return text != NULL ? strtod(text, NULL) : otherwise;
}

// What no unit has stays so large that the unit is refused, and small enough to be counted with.
static int exponent(const char* text)
{
    long power = text != NULL ? strtol(text, NULL, 10) : 0;
    return (int)(power < -1000 ? -1000 : power > 1000 ? 1000 : power);
}

// "kg*m^2/s^3": the SI unit of what has these exponents; NULL: of a plain number.
static const char* si_unit(Arena* arena, const XmlElement* base)
{
    static const char* const bases[] = {"kg", "m", "s", "A", "K", "mol", "cd"};
    const char* text = "";
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 7; i++)
        {
            int power = exponent(xml_value(base, bases[i]));
            if (pass == 0 ? power <= 0 : power >= 0)
                continue;
            const char* sign = pass == 1 ? (text[0] != 0 ? "/" : "1/") : text[0] != 0 ? "*" : "";
            text = abs(power) == 1 ? arena_printf(arena, "%s%s%s", text, sign, bases[i])
                                   : arena_printf(arena, "%s%s%s^%d", text, sign, bases[i], abs(power));
        }
    return text[0] != 0 ? text : NULL;
}

static const char* take_unit(Guest* g, const DescribedVariable* v, GuestVariable* to)
{
    const char* name = to->type <= GUEST_FLOAT64 ? attribute_of(&g->described, v, "unit") : NULL;
    const XmlElement* unit = name != NULL ? named(xml_child(g->described.root, "UnitDefinitions"), name) : NULL;
    const XmlElement* base = unit != NULL ? xml_child(unit, "BaseUnit") : NULL;
    to->scale = 1;
    if (base == NULL)
        return NULL;
    double scale = number(xml_value(base, "factor"), 1), offset = number(xml_value(base, "offset"), 0);
    if (isfinite(scale) && scale != 0 && isfinite(offset))
    {
        to->scale = scale;
        to->offset = is_true(attribute_of(&g->described, v, "relativeQuantity")) ? 0 : offset;
    }
    return si_unit(&g->arena, base);
}

// ---- arrays

enum
{
    ELEMENTS_MOST = 10000,  // of one array; larger ones are left out
    DIMENSIONS_MOST = 8,
};

// The lengths of the dimensions of a variable, a fixed number or the start value of a structural parameter; how many
// there are. *elements: of all together, 0 if that cannot be said.
static uint32_t dimensions_of(const Described* d, const DescribedVariable* v, uint32_t* lengths, uint32_t* elements)
{
    uint32_t count = 0;
    *elements = 1;
    for (const XmlElement* e = d->version == 3 ? v->element->child : NULL; e != NULL; e = e->next)
    {
        if (!is(e->name, "Dimension"))
            continue;
        const char *length = xml_value(e, "start"), *reference = xml_value(e, "valueReference");
        int64_t of = reference != NULL ? described_find(d, (uint32_t)number(reference, -1)) : -1;
        length = of >= 0 ? d->variables.at[of].start : length;
        uint32_t n = 0;
        bool fine = length != NULL && described_number(length, &n) && n > 0 && n <= ELEMENTS_MOST &&
                    count<DIMENSIONS_MOST&& * elements> 0 && *elements * (uint64_t)n <= ELEMENTS_MOST;
        *elements = fine ? *elements * n : 0;
        if (fine)
            lengths[count++] = n;
    }
    return count;
}

static uint32_t elements_of(const Described* d, const DescribedVariable* v)
{
    uint32_t lengths[DIMENSIONS_MOST], elements;
    dimensions_of(d, v, lengths, &elements);
    return elements;
}

// "w[2,1]": the last index runs first.
static const char* element_name(Arena* arena, const Described* d, const DescribedVariable* v, uint32_t element)
{
    uint32_t lengths[DIMENSIONS_MOST], elements, count = dimensions_of(d, v, lengths, &elements);
    const char* inside = "";
    for (uint32_t i = count; i-- > 0; element /= lengths[i])
        inside = arena_printf(arena, "%u%s%s", element % lengths[i] + 1, inside[0] != 0 ? "," : "", inside);
    return count > 0 ? arena_printf(arena, "%s[%s]", v->name, inside) : v->name;
}

// Start values of an array are a list; a single one is that of every element.
static const char* element_start(const char* list, uint32_t element)
{
    const char* last = list;
    for (uint32_t i = 0; i < element && list != NULL; i++)
    {
        last = list;
        list += strcspn(list, " \t\n\r");
        list += strspn(list, " \t\n\r");
        if (*list == 0)
            return last;
    }
    return list;
}

// ---- dependencies

// Where a variable stands among the states and inputs; UINT32_MAX: it is none.
static uint32_t known_number(const Guest* g, const DescribedVariable* v)
{
    for (uint32_t i = 0; i < g->block.state_count; i++)
        if (g->states[i].reference == v->reference)
            return i;
    for (uint32_t i = 0; i < g->block.input_count; i++)
        if (g->inputs[i].reference == v->reference && g->inputs[i].type == type_of(v))
            return g->block.state_count + i;
    return UINT32_MAX;
}

static const XmlElement* output_entry(const Described* d, uint32_t index)
{
    const XmlElement* s = xml_child(d->root, "ModelStructure");
    const XmlElement* list = d->version == 2 && s != NULL ? xml_child(s, "Outputs") : s;
    for (const XmlElement* e = list != NULL ? list->child : NULL; e != NULL; e = e->next)
    {
        const char* text = xml_value(e, d->version == 2 ? "index" : "valueReference");
        uint32_t at = (uint32_t)number(text, -1);
        if (text != NULL && is(e->name, d->version == 2 ? "Unknown" : "Output") &&
            (d->version == 2 ? at == index + 1 : at == d->variables.at[index].reference))
            return e;
    }
    return NULL;
}

// Between instants there are no events to hang on.
static bool is_flowing(const Guest* g, uint32_t known)
{
    if (known < g->block.state_count)
        return true;
    const GuestVariable* v = &g->inputs[known - g->block.state_count];
    return !v->event && !v->part;
}

static void take_reads(Guest* g, uint32_t index, kaiBlockVariable* to, bool at_tags)
{
    const Described* d = &g->described;
    const char* list = xml_value(output_entry(d, index), "dependencies");
    VEC(uint32_t) reads = {0};
    if (list == NULL)
        return;
    vec_push(&g->arena, reads, 0);
    reads.count = 0;
    for (char* end = NULL; *list != 0; list = *end != 0 ? end + 1 : end)
    {
        uint32_t at = (uint32_t)strtoul(list, &end, 10);
        if (end == list)
            break;
        int64_t of = d->version == 2 ? (int64_t)at - 1 : described_find(d, at);
        uint32_t known = of >= 0 && of < d->variables.count ? known_number(g, &d->variables.at[of]) : UINT32_MAX;
        uint32_t size = known != UINT32_MAX ? elements_of(d, &d->variables.at[of]) : 0;
        for (uint32_t k = 0; k < size; k++)
            if (at_tags || is_flowing(g, known + k))
                vec_push(&g->arena, reads, known + k);
    }
    to->reads = reads.at;
    to->read_count = reads.count;
}

// ---- the lists

typedef VEC(GuestVariable) VariableList;
typedef VEC(kaiBlockVariable) ShownList;

static double start_of(const DescribedVariable* v, const GuestVariable* to)
{
    const char* text = element_start(v->start, to->element);
    if (text == NULL)
        return 0;
    bool word = strncmp(text, "true", 4) == 0;
    return to->scale * (word ? 1 : number(text, 0)) + to->offset;
}

static void add_element(Guest* g, uint32_t index, uint32_t element, VariableList* list, ShownList* shown)
{
    const DescribedVariable* v = &g->described.variables.at[index];
    GuestVariable made = {.reference = v->reference, .type = type_of(v), .element = element};
    made.size = elements_of(&g->described, v);
    made.discrete = !is(v->variability, "continuous") || made.type > GUEST_FLOAT64;
    kaiBlockVariable show = {.name = element_name(&g->arena, &g->described, v, element)};
    show.unit = take_unit(g, v, &made);
    show.description = xml_value(v->element, "description");
    show.start = start_of(v, &made);
    show.discrete = made.discrete;
    show.event = made.event = described_is_event(&g->described, index);
    vec_push(&g->arena, *list, made);
    vec_push(&g->arena, *shown, show);
}

// All elements of a variable.
static void add(Guest* g, uint32_t index, VariableList* list, ShownList* shown)
{
    uint32_t count = elements_of(&g->described, &g->described.variables.at[index]);
    for (uint32_t i = 0; i < count; i++)
        add_element(g, index, i, list, shown);
}

static bool has_number(const Described* d, uint32_t index)
{
    const DescribedVariable* v = &d->variables.at[index];
    return type_of(v) != GUEST_NONE && elements_of(d, v) > 0;
}

static void add_states(Guest* g)
{
    const Described* d = &g->described;
    VariableList list = {0};
    ShownList shown = {0};
    for (uint32_t i = 0; i < d->rates.count && g->exchange; i++)
    {
        uint32_t state = (uint32_t)d->variables.at[d->rates.at[i]].derivative, first = list.count;
        add(g, state, &list, &shown);
        const char* initial = d->variables.at[state].initial;
        double nominal = number(attribute_of(d, &d->variables.at[state], "nominal"), 0);
        for (uint32_t k = first; k < list.count; k++)
        {
            list.at[k].settable = list.at[k].size == 1 && (is(initial, "exact") || is(initial, "approx"));
            shown.at[k].start = nominal * list.at[k].scale;
        }
    }
    g->rates = arena_array(&g->arena, uint32_t, d->rates.count + 1);
    g->rate_count = d->rates.count;
    for (uint32_t i = 0; i < g->rate_count; i++)
        g->rates[i] = d->variables.at[d->rates.at[i]].reference;
    g->states = list.at;
    g->block.states = shown.at;
    g->block.state_count = list.count;
}

// Where the parts of events are, given where each variable is in the list (1 + its number; 0: it is not).
static void join_events(const Guest* g, const uint32_t* where, GuestVariable* list, kaiBlockVariable* shown)
{
    const Described* d = &g->described;
    for (uint32_t i = 0; i < d->variables.count; i++)
    {
        if (where[i] == 0 || !shown[where[i] - 1].event)
            continue;
        int64_t payload = described_event_part(d, i, "value"), count = described_event_part(d, i, "count");
        for (uint32_t k = 0; k < list[where[i] - 1].size; k++)
        {
            kaiBlockVariable* event = &shown[where[i] - 1 + k];
            event->payload = payload >= 0 && where[payload] > 0 ? where[payload] + k : 0;
            event->count = count >= 0 && where[count] > 0 ? where[count] + k : 0;
            if (event->payload > 0)
                list[event->payload - 1].part = true;
            if (event->count > 0)
                list[event->count - 1].part = true;
        }
    }
}

static void add_given(Guest* g, const char* causality, GuestVariable** variables, const kaiBlockVariable** shown,
                      uint32_t* count)
{
    const Described* d = &g->described;
    VariableList list = {0};
    ShownList show = {0};
    uint32_t* where = arena_array(&g->arena, uint32_t, d->variables.count + 1);
    for (uint32_t i = 0; i < d->variables.count; i++)
        if (is(d->variables.at[i].causality, causality) && has_number(d, i))
        {
            where[i] = list.count + 1;
            add(g, i, &list, &show);
        }
    join_events(g, where, list.at, show.at);
    *count = list.count;
    if (is(causality, "parameter") && !g->exchange)  // the last one is ours
    {
        const Described* x = &g->described;
        double span = x->stop - (isnan(x->start) ? 0 : x->start);
        kaiBlockVariable step = {.name = "communication_step", .unit = "s", .description = "of its Co-Simulation"};
        step.start = x->step > 0 ? x->step : span > 0 ? span / 500 : 0.01;
        vec_push(&g->arena, show, step);
        vec_push(&g->arena, list, (GuestVariable){.type = GUEST_NONE, .scale = 1, .size = 1});
        *count += 1;
    }
    *variables = list.at;
    *shown = show.at;
}

// Whether a variable is to be looked at: outputs, and local ones that are not there under another name.
static bool is_shown(const Guest* g, uint32_t index)
{
    const Described* d = &g->described;
    const DescribedVariable* v = &d->variables.at[index];
    bool output = is(v->causality, "output");
    bool looked_at = is(v->causality, "local") || is(v->causality, "calculatedParameter");
    if (!has_number(d, index) || (!output && !looked_at) || (g->exchange && d->states[index]))
        return false;
    bool alias = described_find(d, v->reference) != index || v->name[0] == '_';
    return output || (!alias && v->derivative < 0);
}

// A value that Kairos calculates shows with its tag; what is remembered changes for the tag after.
static bool is_calculated(const DescribedVariable* v)
{
    return !is(v->initial, "exact") && !is(v->initial, "approx") && !is(v->type->name, "Enumeration");
}

static void tell_at_tags(Guest* g, uint32_t index, GuestVariable* made, kaiBlockVariable* shown)
{
    const DescribedVariable* v = &g->described.variables.at[index];
    bool held = made->part || shown->event;
    shown->prompt = !held && shown->discrete && (!g->exchange || is(v->variability, "discrete"));
    made->after = g->own && (held || is_calculated(v));
    g->reacts |= shown->event || shown->prompt;
}

static void add_outputs(Guest* g)
{
    const Described* d = &g->described;
    VariableList list = {0};
    ShownList show = {0};
    uint32_t* where = arena_array(&g->arena, uint32_t, d->variables.count + 1);
    for (uint32_t i = 0; i < d->variables.count; i++)
    {
        if (!is_shown(g, i))
            continue;
        uint32_t first = list.count;
        add(g, i, &list, &show);
        where[i] = first + 1;
        for (uint32_t k = first; k < list.count; k++)
        {
            show.at[k].local = !is(d->variables.at[i].causality, "output");
            show.at[k].discrete |= !g->exchange;
            if (g->exchange && !show.at[k].local)
                take_reads(g, i, &show.at[k], show.at[k].discrete);
        }
    }
    join_events(g, where, list.at, show.at);
    for (uint32_t i = 0; i < d->variables.count; i++)
        for (uint32_t k = where[i]; k > 0 && k < where[i] + list.at[where[i] - 1].size; k++)
            tell_at_tags(g, i, &list.at[k - 1], &show.at[k - 1]);
    g->outputs = list.at;
    g->block.outputs = show.at;
    g->block.output_count = list.count;
}

// ---- what it can

static void take_abilities(Guest* g)
{
    const Described* d = &g->described;
    const XmlElement* kind = xml_child(d->root, g->exchange ? "ModelExchange" : "CoSimulation");
    bool two = d->version == 2;
    bool copies = is_true(xml_value(kind, two ? "canGetAndSetFMUstate" : "canGetAndSetFMUState"));
    bool bytes = is_true(xml_value(kind, two ? "canSerializeFMUstate" : "canSerializeFMUState"));
    g->varies = is_true(xml_value(kind, "canHandleVariableCommunicationStepSize"));
    g->event_mode = !two && is_true(xml_value(kind, "hasEventMode"));
    g->told = two ? !is_true(xml_value(kind, "completedIntegratorStepNotNeeded"))
                  : is_true(xml_value(kind, "needsCompletedIntegratorStep"));
    g->slopes = g->exchange &&
                is_true(xml_value(kind, two ? "providesDirectionalDerivative" : "providesDirectionalDerivatives"));
    g->block.fixed = copies && bytes ? NULL
                     : copies        ? "its FMU cannot write its state (canSerializeFMUState)"
                                     : "its FMU cannot get and set its state (canGetAndSetFMUState)";
}

// In 3.0 an indicator is a variable, and may be an array of them.
static uint32_t count_indicators(const Described* d)
{
    const XmlElement* s = d->version == 3 ? xml_child(d->root, "ModelStructure") : NULL;
    uint32_t count = s == NULL ? (uint32_t)d->indicators : 0;
    for (const XmlElement* e = s != NULL ? s->child : NULL; e != NULL; e = e->next)
    {
        uint32_t reference;
        if (!is(e->name, "EventIndicator") || !described_number(xml_value(e, "valueReference"), &reference))
            continue;
        int64_t of = described_find(d, reference);
        count += of >= 0 ? elements_of(d, &d->variables.at[of]) : 1;
    }
    return count;
}

void guest_tables(Guest* g)
{
    const Described* d = &g->described;
    const XmlElement* experiment = xml_child(d->root, "DefaultExperiment");
    g->block.version = KAI_BLOCK_VERSION;
    g->block.name = d->name;
    g->block.description = xml_value(d->root, "description");
    g->block.usual.start = d->start;
    g->block.usual.stop = d->stop;
    g->block.usual.step = d->step;
    g->block.usual.tolerance = experiment != NULL ? number(xml_value(experiment, "tolerance"), NAN) : NAN;
    g->own = described_is_own(d);
    g->block.indicator_count = g->exchange ? count_indicators(d) : 0;
    add_states(g);
    add_given(g, "parameter", &g->parameters, &g->block.parameters, &g->block.parameter_count);
    add_given(g, "input", &g->inputs, &g->block.inputs, &g->block.input_count);
    add_outputs(g);
    take_abilities(g);
}
