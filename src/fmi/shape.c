// See shape.h.
#include "fmi/shape.h"

#include "base/hash.h"
#include "base/map.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

char* shape_skeleton(Arena* arena, const char* name)
{
    char *to = arena_copy_string(arena, name, strlen(name)), *at = to;
    for (int depth = 0; *name != 0; name++)
    {
        depth += *name == '[';
        if (depth == 0)
            *at++ = *name;
        depth -= *name == ']';
    }
    *at = 0;
    return to;
}

uint32_t shape_size(const ShapeDimension* d)
{
    return d->high >= d->low ? (uint32_t)(d->high - d->low + 1) : 0;
}

// ---- names
// ------------------------------------------------------------------------------------------------------------

typedef struct Indices
{
    int rank;
    int64_t at[SHAPE_RANK_MOST];
    const char* arrays[SHAPE_RANK_MOST];
} Indices;

// The indices of a name, and the paths that have them. False: there are more than fit.
static bool read_indices(Arena* arena, const char* name, Indices* indices)
{
    indices->rank = 0;
    const char* path = strncmp(name, "der(", 4) == 0 ? name + 4 : name;
    for (const char* at = strchr(name, '['); at != NULL; at = strchr(at + 1, '['))
    {
        char* end = NULL;
        if (indices->rank == SHAPE_RANK_MOST)
            return false;
        indices->at[indices->rank] = strtoll(at + 1, &end, 10);
        indices->arrays[indices->rank++] = shape_skeleton(arena, arena_copy_string(arena, path, (size_t)(at - path)));
        if (*end != ']')
            return false;
    }
    return true;
}

static const SizeRule* rule_of(const SizeRules* rules, const char* array)
{
    for (uint32_t i = 0; rules != NULL && i < rules->count; i++)
        if (strcmp(rules->at[i].array, array) == 0 || strcmp(rules->at[i].array, "*") == 0)
            return &rules->at[i];
    return NULL;
}

static bool is_resized(const SizeRules* rules, const Indices* indices)
{
    for (int i = 0; i < indices->rank; i++)
        if (rule_of(rules, indices->arrays[i]) != NULL)
            return true;
    return false;
}

// ---- groups
// -----------------------------------------------------------------------------------------------------------

typedef struct Making
{
    Arena* arena;
    Catalogue* catalogue;
    const kaiModel* model;
    const SizeRules* rules;
    Shapes* shapes;
    Indices* indices;  // of the entries
    bool* alone;       // of the shapes: their elements do not go together
} Making;

static bool has_same_modes(const kaiModel* model, int a, int b)
{
    const char *first, *second;
    int k = 0;
    do
    {
        first = catalogue_mode(model, a, k);
        second = catalogue_mode(model, b, k++);
    } while (first != NULL && second != NULL && strcmp(first, second) == 0);
    return first == NULL && second == NULL;
}

static bool is_same_text(const char* a, const char* b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool goes_with(const Making* m, const Shape* shape, const FmiVariable* v)
{
    const FmiVariable* like = &shape->like;
    bool parameter = like->causality == FMI_PARAMETER || like->causality == FMI_CALCULATED;
    bool causality = like->causality == v->causality ||
                     (parameter && (v->causality == FMI_PARAMETER || v->causality == FMI_CALCULATED));
    return causality && like->type == v->type && like->aspect == v->aspect && (like->state >= 0) == (v->state >= 0) &&
           is_same_text(like->unit, v->unit) &&
           (v->type != FMI_ENUMERATION || has_same_modes(m->model, like->machine, v->machine));
}

// What holds for all: an array moves if one element does, and is calculated if one is.
static void take_common(Shape* shape, const FmiVariable* v)
{
    FmiVariable* like = &shape->like;
    like->continuous |= v->continuous;
    like->fixed &= v->fixed;
    if (v->causality != like->causality)
        like->causality = FMI_CALCULATED;
    if (v->initial != like->initial)
        like->initial = FMI_CALCULATED_INITIAL;
    if (like->initial == FMI_CALCULATED_INITIAL)
        like->start = NAN;
}

static void widen(Shape* shape, const Indices* indices)
{
    for (int k = 0; k < shape->rank; k++)
    {
        ShapeDimension* d = &shape->dimensions[k];
        d->low = indices->at[k] < d->low ? indices->at[k] : d->low;
        d->high = indices->at[k] > d->high ? indices->at[k] : d->high;
    }
}

static Shape begin_shape(const Making* m, uint32_t entry, const char* name, bool whole)
{
    Shape s = {.name = name, .like = m->catalogue->list.at[entry], .derivative = -1};
    const Indices* indices = &m->indices[entry];
    s.rank = whole ? indices->rank : 0;
    for (int k = 0; k < s.rank; k++)
        s.dimensions[k] = (ShapeDimension){indices->arrays[k], indices->at[k], indices->at[k], -1};
    return s;
}

// Clocks are scalars: events of an array of fixed size stay what they are, those of others are Booleans.
static bool may_be_element(const Making* m, uint32_t entry)
{
    FmiVariable* v = &m->catalogue->list.at[entry];
    if (m->indices[entry].rank == 0 || (v->type == FMI_CLOCK && !is_resized(m->rules, &m->indices[entry])))
        return false;
    if (v->type == FMI_CLOCK)
        v->type = FMI_BOOLEAN;
    return true;
}

// The indicators are one array if their number follows a size.
static void read_names(Making* m)
{
    const SizeRule* watched = rule_of(m->rules, "_indicators");
    for (uint32_t i = 0; i < m->catalogue->list.count; i++)
    {
        FmiVariable* v = &m->catalogue->list.at[i];
        if (v->aspect == FMI_WATCH && watched != NULL)
            m->indices[i] = (Indices){1, {v->state + 1}, {"_indicators"}};
        else if (!read_indices(m->arena, v->name, &m->indices[i]))
            m->indices[i].rank = 0;
    }
}

static const char* group_name(const Making* m, uint32_t entry)
{
    const FmiVariable* v = &m->catalogue->list.at[entry];
    return v->aspect == FMI_WATCH ? "_indicators" : shape_skeleton(m->arena, v->name);
}

// Every entry with its shape; the shapes in the order of their first entries. Returns whether all go together.
static bool group(Making* m, const Map* alone, Map* found)
{
    bool all = true;
    Shapes* s = m->shapes;
    s->list.count = 0;
    for (uint32_t i = 0; i < m->catalogue->list.count; i++)
    {
        const FmiVariable* v = &m->catalogue->list.at[i];
        bool whole = may_be_element(m, i);
        const char* name = whole ? group_name(m, i) : v->name;
        uint64_t key = hash_bytes(HASH_START, name, strlen(name));
        uint32_t at = 0;
        if (whole && map_get(alone, key, &at))
        {
            whole = false;
            name = v->name;
        }
        if (whole && map_get(found, key, &at))
        {
            Shape* shape = &s->list.at[at];
            bool fits = shape->rank == m->indices[i].rank && goes_with(m, shape, v);
            m->alone[at] |= !fits;
            all &= fits;
            take_common(shape, v);
            if (fits)
                widen(shape, &m->indices[i]);
        }
        else
        {
            at = s->list.count;
            vec_push(m->arena, s->list, begin_shape(m, i, name, whole));
            if (whole)
                map_set(found, key, at);
        }
        s->shape[i] = at;
        s->list.at[at].count++;
    }
    return all;
}

static uint64_t product_of(const Shape* shape)
{
    uint64_t product = 1;
    for (int k = 0; k < shape->rank; k++)
        product *= shape_size(&shape->dimensions[k]);
    return product;
}

// Groups until all are whole boxes of elements that go together; what is not falls apart into scalars.
static void find_groups(Making* m)
{
    Map alone;
    map_init(&alone, m->arena);
    for (bool fine = false; !fine;)
    {
        Map found;
        map_init(&found, m->arena);
        memset(m->alone, 0, sizeof *m->alone * m->catalogue->list.count);
        fine = group(m, &alone, &found);
        for (uint32_t i = 0; i < m->shapes->list.count; i++)
        {
            const Shape* shape = &m->shapes->list.at[i];
            if (shape->rank == 0 || (!m->alone[i] && product_of(shape) == shape->count))
                continue;
            map_set(&alone, hash_bytes(HASH_START, shape->name, strlen(shape->name)), 1);
            fine = false;
        }
    }
}

// ---- the list
// ---------------------------------------------------------------------------------------------------------

static uint32_t place_of(const Shape* shape, const Indices* indices)
{
    uint32_t place = 0;
    for (int k = 0; k < shape->rank; k++)
        place = place * shape_size(&shape->dimensions[k]) + (uint32_t)(indices->at[k] - shape->dimensions[k].low);
    return place;
}

static void list_elements(Making* m)
{
    Shapes* s = m->shapes;
    uint32_t at = 0;
    for (uint32_t i = 0; i < s->list.count; i++)
    {
        s->list.at[i].at = at;
        at += s->list.at[i].count;
    }
    for (uint32_t i = 0; i < m->catalogue->list.count; i++)
    {
        const Shape* shape = &s->list.at[s->shape[i]];
        FmiVariable* v = &m->catalogue->list.at[i];
        s->place[i] = place_of(shape, &m->indices[i]);
        s->elements[shape->at + s->place[i]] = i;
        if (shape->rank == 0)
            continue;
        v->causality = shape->like.causality;
        v->initial = shape->like.initial;
        v->continuous = shape->like.continuous;
        v->fixed = shape->like.fixed;
        if (isnan(shape->like.start))
            v->start = NAN;
    }
}

static int find_shape(const Shapes* s, const char* name)
{
    for (uint32_t i = 0; i < s->list.count; i++)
        if (strcmp(s->list.at[i].name, name) == 0)
            return (int)i;
    return -1;
}

static const char* size_name(Arena* arena, const char* array)
{
    char* name = arena_printf(arena, "_size_%s", array[0] == '_' ? array + 1 : array);
    for (char* at = name; *at != 0; at++)
        if (*at == '.')
            *at = '_';
    return name;
}

// The parameter that a dimension follows, made if it is one of its own.
static int size_shape(Making* m, const ShapeDimension* d, const SizeRule* rule)
{
    if (strcmp(rule->parameter, "*") != 0)
        return find_shape(m->shapes, rule->parameter);
    const char* name = size_name(m->arena, d->array);
    int found = find_shape(m->shapes, name);
    if (found >= 0)
        return found;
    FmiVariable like = {.name = name,
                        .description = arena_printf(m->arena, "the number of elements of %s, which follows", d->array),
                        .aspect = FMI_SIZE,
                        .type = FMI_COUNTING,
                        .causality = FMI_STRUCTURAL,
                        .initial = FMI_EXACT,
                        .fixed = true,
                        .start = shape_size(d)};
    like.variable = like.state = like.machine = like.other = -1;
    Shape made = {.name = name, .like = like, .derivative = -1, .count = 1, .at = m->catalogue->list.count};
    vec_push(m->arena, m->catalogue->list, like);
    m->shapes->elements[made.at] = made.at;
    m->shapes->shape[made.at] = m->shapes->list.count;
    vec_push(m->arena, m->shapes->list, made);
    return (int)m->shapes->list.count - 1;
}

static void find_sizes(Making* m)
{
    Shapes* s = m->shapes;
    for (uint32_t i = 0; i < s->list.count; i++)
        for (int k = 0; k < s->list.at[i].rank; k++)
        {
            ShapeDimension d = s->list.at[i].dimensions[k];
            const SizeRule* rule = rule_of(m->rules, d.array);
            int by = rule != NULL ? size_shape(m, &d, rule) : -1;
            s->list.at[i].dimensions[k].by = by;
            if (by < 0)
                continue;
            s->list.at[by].like.type = FMI_COUNTING;
            m->catalogue->list.at[s->elements[s->list.at[by].at]].type = FMI_COUNTING;
        }
}

static void order_states(Shapes* s, const Catalogue* catalogue)
{
    int count = 0;
    s->ordered = true;
    for (uint32_t i = 0; i < s->list.count; i++)
    {
        Shape* shape = &s->list.at[i];
        if (shape->like.aspect != FMI_RATE)
            continue;
        if (shape->derivative < 0)
            shape->derivative = (int)s->shape[shape->like.other];
        for (uint32_t k = 0; k < shape->count; k++)
        {
            int state = catalogue->list.at[s->elements[shape->at + k]].state;
            s->ordered &= state == count;
            s->states[count++] = state;
        }
    }
}

void shapes_make(Shapes* shapes, Arena* arena, Catalogue* catalogue, const kaiModel* model, const SizeRules* rules)
{
    uint32_t count = catalogue->list.count, most = 2 * count + 1;
    *shapes = (Shapes){.elements = arena_array(arena, uint32_t, most),
                       .shape = arena_array(arena, uint32_t, most),
                       .place = arena_array(arena, uint32_t, most),
                       .states = arena_array(arena, int, catalogue->rates.count + 1)};
    Making m = {.arena = arena,
                .catalogue = catalogue,
                .model = model,
                .rules = rules,
                .shapes = shapes,
                .indices = arena_array(arena, Indices, count + 1),
                .alone = arena_array(arena, bool, count + 1)};
    read_names(&m);
    find_groups(&m);
    list_elements(&m);
    find_sizes(&m);
    order_states(shapes, catalogue);
}

// ---- other sizes
// ------------------------------------------------------------------------------------------------------

static bool is_sized(const Shape* shape)
{
    bool sized = false;
    for (int k = 0; k < shape->rank; k++)
        sized |= shape->dimensions[k].by >= 0;
    return sized;
}

static bool is_same_kind(const Shape* a, const Shape* b)
{
    bool same = a->rank == b->rank && a->like.type == b->like.type && a->like.aspect == b->like.aspect &&
                a->like.causality == b->like.causality;
    for (int k = 0; k < a->rank && same; k++)
        same = a->dimensions[k].by >= 0 || shape_size(&a->dimensions[k]) == shape_size(&b->dimensions[k]);
    return same;
}

// An array whose size has become 0 has no elements to be found by.
static Shape nothing_of(const Shape* described)
{
    Shape none = *described;
    none.at = none.count = 0;
    for (int k = 0; k < none.rank; k++)
        none.dimensions[k].high = none.dimensions[k].low - 1;
    if (described->like.aspect == FMI_SIZE)
        none.like.start = 0;
    return none;
}

static void list_names(Map* names, Arena* arena, const Shapes* s)
{
    map_init(names, arena);
    for (uint32_t i = 0; i < s->list.count; i++)
        map_set(names, hash_bytes(HASH_START, s->list.at[i].name, strlen(s->list.at[i].name)), i);
}

bool shapes_follow(Shapes* made, Arena* arena, const Catalogue* catalogue, const Shapes* described, const char** why)
{
    uint32_t matched = 0, at = 0;
    Map names;
    list_names(&names, arena, made);
    Shapes ordered = *made;
    uint32_t* to = arena_array(arena, uint32_t, made->list.count + 1);
    memset(&ordered.list, 0, sizeof ordered.list);
    for (uint32_t i = 0; i < described->list.count; i++)
    {
        const Shape* d = &described->list.at[i];
        bool found = map_get(&names, hash_bytes(HASH_START, d->name, strlen(d->name)), &at);
        bool gone = !found && (is_sized(d) || d->like.aspect == FMI_SIZE);
        *why = d->name;
        if (!gone && (!found || !is_same_kind(d, &made->list.at[at])))
            return false;
        Shape s = gone ? nothing_of(d) : made->list.at[at];
        for (int k = 0; k < s.rank; k++)
            s.dimensions[k].by = d->dimensions[k].by;
        s.derivative = d->derivative;
        if (!gone)
            to[at] = i;
        matched += !gone;
        vec_push(arena, ordered.list, s);
    }
    *why = "a variable that is not in the description";
    if (matched != made->list.count)
        return false;
    for (uint32_t i = 0; i < made->list.count; i++)
        for (uint32_t k = 0; k < made->list.at[i].count; k++)
            made->shape[made->elements[made->list.at[i].at + k]] = to[i];
    *made = ordered;
    order_states(made, catalogue);
    return true;
}
