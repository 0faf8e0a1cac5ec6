// The places of an exploration. A key is a row of doubles: the states first, then everything else that decides what
// follows, and what the expectations have seen so far (an order that an `expect` can tell from another is not the same
// order). Two keys coincide if every value does: within EXPLORE_VALUE of its size plus the absolute tolerance of the
// solver, below which its states mean nothing. Whole numbers among what is not a state (modes, counters, flags) must be
// equal. Times must agree to EXPLORE_TIME. Entries are found by the leading bits of their time.
#include "run/explore_table.h"
#include "base/tolerance.h"

#include <math.h>
#include <string.h>

void table_open(PlaceTable* table, const kaiSim* sim)
{
    const kaiSimOptions* o = &sim->options;
    *table = (PlaceTable){
        .allocator = o->allocator, .state_count = sim->kernel.model->state_count, .relative = EXPLORE_VALUE};
    table->absolute = o->atol > 0 ? o->atol : o->rtol / 100;
}

void table_free(PlaceTable* table)
{
    kaiAllocator a = table->allocator;
    if (table->values != NULL)
        a.alloc(a.user, table->values, sizeof(double) * table->value_capacity, 0);
    if (table->entries != NULL)
        a.alloc(a.user, table->entries, sizeof *table->entries * table->entry_capacity, 0);
    table->values = NULL;
    table->entries = NULL;
}

// ---- keys
// ------------------------------------------------------------------------------------------------------------

static void put(PlaceTable* table, double value)
{
    size_t at = table->value_count + table->key_count;
    if (at == table->value_capacity && !table->failed)
    {
        kaiAllocator a = table->allocator;
        size_t capacity = 2 * table->value_capacity + 256;
        double* made = a.alloc(a.user, table->values, sizeof *made * table->value_capacity, sizeof *made * capacity);
        table->failed = made == NULL;
        if (made == NULL)
            return;
        table->values = made;
        table->value_capacity = capacity;
    }
    if (table->failed)
        return;
    table->values[at] = value;
    table->key_count++;
}

static void put_queue(PlaceTable* table, const kaiSim* sim)
{
    const Queue* q = &sim->kernel.queue;
    put(table, q->count);
    for (uint32_t i = 0; i < q->count; i++)
    {
        put(table, queue_at(q, i)->t);
        put(table, queue_at(q, i)->target);
        put(table, queue_at(q, i)->value);
    }
}

static void put_history(PlaceTable* table, const History* h)
{
    put(table, h->count);
    for (uint32_t i = 0; i < h->count; i++)
    {
        const HistoryPiece* piece = history_piece(h, i);
        put(table, piece->start);
        for (uint32_t k = 0; k <= piece->degree; k++)
            put(table, history_coefficient(h, piece, k));
    }
}

static void put_probes(PlaceTable* table, const kaiSim* sim)
{
    for (uint32_t i = 0; i < sim->kernel.model->probes_count; i++)
    {
        const ProbeState* p = &sim->record.probes[i];
        put(table, p->present);
        put(table, p->present ? p->value : 0);
        put(table, p->left_present);
        put(table, p->left_present ? p->left : 0);
        put(table, (double)p->count);
        if (sim->kernel.model->probes[i].kind == PROBE_INDEX)
            put(table, sim->record.rank);
    }
}

// Inside a run: all that the rest of it depends on.
static void put_place(PlaceTable* table, const kaiSim* sim, PlaceKind kind)
{
    const kaiModel* model = sim->kernel.model;
    for (uint32_t i = 0; i < model->islands_count; i++)
        island_load((Flow*)(uintptr_t)&sim->flow, i, sim->kernel.now.t);
    for (uint32_t i = model->reg_first[REG_STATE]; i < model->reg_first[REG_VALUE]; i++)
        put(table, sim->kernel.R[i]);
    put(table, kind);
    put(table, sim->kernel.halted);
    put_queue(table, sim);
    for (uint32_t i = 0; i < model->delays_count; i++)
        put_history(table, &sim->kernel.histories[i]);
}

bool table_outcome_var(const kaiSim* sim, uint32_t* position, uint32_t* var)
{
    const kaiModel* model = sim->kernel.model;
    if (*position < model->state_count)
        return *var = model->state_vars[(*position)++], true;
    for (; *position - model->state_count < model->vars_count; ++*position)
    {
        *var = *position - model->state_count;
        if (model->vars[*var].kind == MODEL_DISCRETE || model->vars[*var].kind == MODEL_MODE)
            return ++*position, true;
    }
    return false;
}

// At the end of a run: what it shows. A run that failed is another outcome than one that did not.
static void put_outcome(PlaceTable* table, const kaiSim* sim)
{
    for (uint32_t position = 0, var; table_outcome_var(sim, &position, &var);)
    {
        const ModelVar* v = &sim->kernel.model->vars[var];
        put(table, kernel_ctx_active(&sim->kernel, v->ctx) ? sim->kernel.R[v->reg] : NAN);
    }
    put(table, sim->kernel.failure.status);
    put(table, sim->kernel.failure.place.line);
    put(table, sim->kernel.failure.place.column);
}

// ---- comparing
// -------------------------------------------------------------------------------------------------------

static bool is_whole(double a)
{
    return fabs(a) < 0x1p53 && a == floor(a);
}

static bool coincide(const PlaceTable* table, const TableEntry* entry)
{
    if (entry->count != table->key_count ||
        fabs(entry->t - table->key_t) > EXPLORE_TIME * fmax(fabs(entry->t), fabs(table->key_t)))
        return false;
    const double *a = table->values + entry->first, *b = table->values + table->value_count;
    for (uint32_t i = 0; i < entry->count; i++)
    {
        if (a[i] == b[i] || (isnan(a[i]) && isnan(b[i])))
            continue;
        if (i >= table->state_count && is_whole(a[i]) && is_whole(b[i]))
            return false;
        if (!(fabs(a[i] - b[i]) <= table->relative * fmax(fabs(a[i]), fabs(b[i])) + table->absolute))
            return false;
    }
    return true;
}

// ---- finding
// ---------------------------------------------------------------------------------------------------------

// Times that differ in the last third of their bits share a drawer or lie in neighbouring ones.
static uint32_t drawer_of(double t, int beside)
{
    uint64_t bits;
    double plain = t + 0.0;  // no -0
    memcpy(&bits, &plain, sizeof bits);
    bits = (bits >> 22) + (uint64_t)(int64_t)beside;
    bits *= 0x9e3779b97f4a7c15u;
    return (uint32_t)(bits >> 52) & (TABLE_HEADS - 1);
}

static uint32_t find_in(const PlaceTable* table, uint32_t drawer)
{
    for (uint32_t link = table->heads[drawer]; link != 0; link = table->entries[link - 1].next)
        if (coincide(table, &table->entries[link - 1]))
            return link - 1;
    return NO_ENTRY;
}

uint32_t table_find(PlaceTable* table, const kaiSim* sim, PlaceKind kind)
{
    table->key_count = 0;
    table->key_t = sim->kernel.now.t;
    if (kind == PLACE_OUTCOME)
        put_outcome(table, sim);
    else
        put_place(table, sim, kind);
    put_probes(table, sim);
    uint32_t found = NO_ENTRY;
    for (int beside = -1; beside <= 1 && found == NO_ENTRY && !table->failed; beside++)
        found = find_in(table, drawer_of(table->key_t, beside));
    return found;
}

uint32_t table_add(PlaceTable* table)
{
    kaiAllocator a = table->allocator;
    if (table->failed)
        return NO_ENTRY;
    if (table->entry_count == table->entry_capacity)
    {
        uint32_t capacity = 2 * table->entry_capacity + 16;
        TableEntry* made =
            a.alloc(a.user, table->entries, sizeof *made * table->entry_capacity, sizeof *made * capacity);
        if (made == NULL)
            return NO_ENTRY;
        table->entries = made;
        table->entry_capacity = capacity;
    }
    uint32_t* head = &table->heads[drawer_of(table->key_t, 0)];
    table->entries[table->entry_count] =
        (TableEntry){.t = table->key_t, .first = table->value_count, .count = table->key_count, .next = *head};
    table->value_count += table->key_count;
    *head = ++table->entry_count;
    return table->entry_count - 1;
}
