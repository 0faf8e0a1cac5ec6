// Instants that do not end (rule R5). Two ways to tell before any bound is met:
// (a) The reactions revisit a state. States and memories decide all that follows, so one repetition proves the cycle.
//     Brent's method finds it with one remembered hash; the cycle is then run once more, to be shown.
// (b) The reactions repeat a round and each round moves the variables by the same factor < 1 (masses stacked
//     inelastically). The factor must have settled to 1e-6: where a sequence turns and ends at last, as balls do whose
//     restitution is just high enough, the factor belongs to complex eigenvalues and changes from round to round. And
//     the same reactions must still be enabled far closer to the limit: `when x > 1e-3 { x := x/2 }` ends.
// An instant of fewer than eight tags pays for a hash of the reactions that fired and nothing else.
#include "watch/endless.h"
#include "base/tolerance.h"

#include "watch/surface.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
    PATIENCE = 8,     // tags that any instant may take unwatched
    SHOWN = 8,        // tags of a cycle that are shown
    ROUNDS_KEPT = 4,  // values at the ends of rounds
};

bool endless_make(Endless* e, Kernel* kernel, const Record* record)
{
    uint32_t count = kernel->model->vars_count;
    kaiAllocator a = kernel->options->allocator;
    *e = (Endless){.kernel = kernel, .record = record, .round_slots = count > 256 ? 16 : 64};
    e->rounds = a.alloc(a.user, NULL, 0, sizeof *e->rounds * (e->round_slots * (size_t)count + 1));
    return e->rounds != NULL;
}

void endless_free(Endless* e)
{
    if (e->rounds == NULL)
        return;
    kaiAllocator a = e->kernel->options->allocator;
    a.alloc(a.user, e->rounds, sizeof *e->rounds * (e->round_slots * (size_t)e->kernel->model->vars_count + 1), 0);
}

void endless_begin(Endless* e)
{
    e->tags = e->next_mark = e->mark = e->changed_states = 0;
    e->period = e->confirmed = 0;
    e->show = e->cycle = 0;
    e->place = 0;
    e->shrinks = false;
    e->text.length = 0;
    e->text.at[0] = 0;
}

static uint64_t mix(uint64_t h, uint64_t bits)
{
    h = (h ^ bits) * 1099511628211u;
    return h ^ h >> 31;
}

// What decides the rest of the instant: states and memories. Two equal ones within one t can never end.
static uint64_t state_hash(const Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    uint64_t h = 14695981039346656037u;
    for (uint32_t i = model->reg_first[REG_STATE]; i < model->reg_first[REG_VALUE]; i++)
    {
        uint64_t bits;
        memcpy(&bits, &kernel->R[i], sizeof bits);
        h = mix(h, bits);
    }
    return mix(h, kernel->random);  // choice = random: another draw may end it
}

static uint64_t reaction_hash(const Kernel* kernel)
{
    uint64_t h = 14695981039346656037u;
    for (uint32_t i = 0; i < kernel->reacted_count; i++)
        h = mix(h, kernel->reacted[i] + 1);
    return h;
}

// ---- the report
// ------------------------------------------------------------------------------------------------------

// "mode = slip", "x = 3 m".
static void say_value(Endless* e, const ModelVar* v, const char* joint)
{
    const kaiModel* model = e->kernel->model;
    double value = var_shown(v, e->record->tag_last[v->reg]);
    const char* name = model_string(model, v->name);
    if (v->kind == MODEL_MODE)
        text_say(&e->text, "%s%s = %s", joint, name,
                 e->record->mode_names[model->machines[v->machine].first_mode + (uint32_t)value]);
    else
        text_say(&e->text, "%s%s = %.9g%s", joint, name, value, var_unit_said(model, v));
}

static void say_changes(Endless* e)
{
    Kernel* kernel = e->kernel;
    const kaiModel* model = kernel->model;
    int count = 0;
    for (uint32_t i = 0; i < model->vars_count && count < 6; i++)
        if (!model->vars[i].hidden && model->vars[i].kind != MODEL_PARAM && record_var_changed(e->record, i))
            say_value(e, &model->vars[i], count++ > 0 ? ", " : " ");
}

// One tag of the cycle: what changed at it, and the reactions that fired there.
static void show_tag(Endless* e, kaiTag at)
{
    Kernel* kernel = e->kernel;
    const kaiModel* model = kernel->model;
    text_say(&e->text, "%s(%d, %d)", e->text.length > 0 ? "; " : "", at.p, at.m);
    say_changes(e);
    for (uint32_t i = 0; i < kernel->reacted_count; i++)
    {
        uint32_t place = model->reactions[kernel->reacted[i]].place;
        kaiPlace p = model_place(model, place);
        text_say(&e->text, "%s%s:%d:%d", i > 0 ? " and " : " fires ", p.file != NULL ? p.file : "?", p.line, p.column);
        e->place = e->place != 0 ? e->place : place;
    }
}

static kaiStatus fail_cycle(const Endless* e)
{
    Kernel* kernel = e->kernel;
    return kernel_fail(
        kernel, e->place, "make the guards exclude each other, or add a mode to rest in",
        "chattering Zeno at t = %.17g: the reactions repeat themselves every %u tags, the %s are endless; "
        "the cycle (p, m): %s",
        kernel->now.t, e->cycle, e->changed_states > 0 ? "pinnacles" : "microsteps", e->text.at);
}

static kaiStatus fail_shrinking(const Endless* e)
{
    Kernel* kernel = e->kernel;
    return kernel_fail(
        kernel, e->place,
        "give the state after it a mode or a rule of its own (masses that stay together below a speed), or "
        "set zeno = continue",
        "Zeno inside the instant t = %.17g: a round of %u tags repeats without end, each %.9g of the one "
        "before, towards%s; the %s are endless; the round (p, m): %s",
        kernel->now.t, e->cycle, e->ratio, e->limit, e->changed_states > 0 ? "pinnacles" : "microsteps", e->text.at);
}

static kaiStatus fail_bound(Endless* e)
{
    Kernel* kernel = e->kernel;
    const kaiModel* model = kernel->model;
    e->text.length = 0;
    for (uint32_t i = 0; i < model->vars_count; i++)
        if (!model->vars[i].hidden && model->vars[i].kind != MODEL_PARAM && record_var_changed(e->record, i))
            text_say(&e->text, "%s%s (line %d): %.6g, %.6g", e->text.length > 0 ? "; " : "",
                     model_string(model, model->vars[i].name), model->places[model->vars[i].place].line,
                     e->record->tag_before[model->vars[i].reg], e->record->tag_last[model->vars[i].reg]);
    uint32_t place = kernel->reacted_count > 0 ? model->reactions[kernel->reacted[0]].place : 0;
    return kernel_fail(kernel, place,
                       "raise max_microsteps if this should end; a signal that adds to its own `pre` never does",
                       "chattering Zeno at t = %.17g: no end after %u tags, the %s are endless; still changing: %s",
                       kernel->now.t, e->tags, e->changed_states > 0 ? "pinnacles" : "microsteps",
                       e->text.length > 0 ? e->text.at : "nothing that has a name");
}

// The verdict is known; the tags of one more round go into the report.
static void start_showing(Endless* e, uint32_t cycle, bool shrinks)
{
    e->cycle = cycle;
    e->show = cycle < SHOWN ? cycle : SHOWN;
    e->shrinks = shrinks;
    e->changed_states = 0;  // those of the round decide
    e->text.length = 0;
}

// ---- rounds that shrink
// ----------------------------------------------------------------------------------------------

static uint64_t hash_at(const Endless* e, uint32_t tag)
{
    return e->reactions[tag % (sizeof e->reactions / sizeof *e->reactions)];
}

static bool repeats(const Endless* e, uint32_t period, uint32_t times)
{
    if (e->tags <= period * (times + 1))
        return false;
    for (uint32_t i = 0; i < period * times; i++)
        if (hash_at(e, e->tags - i) != hash_at(e, e->tags - i - period))
            return false;
    return true;
}

static bool is_value(const ModelVar* var)
{
    return var->kind == MODEL_STATE || var->kind == MODEL_DISCRETE;
}

// The variables at a recent tag. Every phase of a round is looked at: what ends it may hold in one phase only.
static double* values_at(const Endless* e, uint32_t tag)
{
    return e->rounds + (size_t)(tag % e->round_slots) * e->kernel->model->vars_count;
}

static void take_values(const Endless* e)
{
    Kernel* kernel = e->kernel;
    const kaiModel* model = kernel->model;
    double* x = values_at(e, e->tags);
    for (uint32_t i = 0; i < model->vars_count; i++)
        x[i] = is_value(&model->vars[i]) ? kernel->R[model->vars[i].reg] : 0;
}

typedef struct Rounds
{
    const double* x[ROUNDS_KEPT];
    double ratio, residual;
} Rounds;

static double move(const Rounds* r, uint32_t round, uint32_t var)
{
    return r->x[round][var] - r->x[round - 1][var];
}

// A discrete that counts the rounds does not converge and need not.
static bool counts(const kaiModel* model, const Rounds* r, uint32_t var)
{
    double d = move(r, 3, var);
    return d == 0 || (model->vars[var].kind == MODEL_DISCRETE && d == move(r, 2, var) && d == move(r, 1, var));
}

static double limit_of(const Rounds* r, uint32_t var)
{
    double now = r->x[3][var], limit = now + move(r, 3, var) * r->ratio / (1 - r->ratio);
    return fabs(limit) <= fmax(ROUND_CLOSEST, 10 * r->residual) * fabs(now - limit) ? 0 : limit;
}

// Whether the last three rounds moved by one steady factor.
static bool is_steady(const Kernel* kernel, Rounds* r)
{
    double n1 = 0, n2 = 0, n3 = 0, d12 = 0, d23 = 0, rest = 0;
    for (uint32_t i = 0; i < kernel->model->vars_count; i++)
    {
        if (counts(kernel->model, r, i))
            continue;
        double a = move(r, 1, i), b = move(r, 2, i), c = move(r, 3, i);
        n1 += a * a;
        n2 += b * b;
        n3 += c * c;
        d12 += a * b;
        d23 += b * c;
    }
    if (!(n1 > 0 && n2 > 0 && n3 > 0) || !isfinite(n1))
        return false;
    r->ratio = d23 / n2;
    for (uint32_t i = 0; i < kernel->model->vars_count; i++)
        if (!counts(kernel->model, r, i))
            rest += pow(move(r, 3, i) - r->ratio * move(r, 2, i), 2);
    r->residual = sqrt(rest / n3);
    return fabs(r->ratio) < 0.9999 && fabs(r->ratio - d12 / n1) <= ROUND_RATIO * fabs(r->ratio) &&
           r->residual <= ROUND_RESIDUAL;
}

// How close to the limit the rounds can be looked at: not below rounding, nor below the error of the limit.
static double closest_look(const Kernel* kernel, const Rounds* r)
{
    double scale = fmax(ROUND_CLOSEST, 100 * r->residual);
    for (uint32_t i = 0; i < kernel->model->vars_count; i++)
        if (!counts(kernel->model, r, i))
            scale = fmax(scale, ROUND_ULPS * fabs(limit_of(r, i)) / fabs(r->x[3][i] - limit_of(r, i)));
    return scale;
}

// Moves the converging variables to limit + scale (now - limit).
static void move_towards_limit(Kernel* kernel, const Rounds* r, double scale)
{
    for (uint32_t i = 0; i < kernel->model->vars_count; i++)
        if (!counts(kernel->model, r, i))
        {
            double limit = limit_of(r, i);
            kernel->R[kernel->model->vars[i].reg] = scale == 1 ? r->x[3][i] : limit + scale * (r->x[3][i] - limit);
        }
}

// The reactions that the next tag would enable.
static uint64_t enabled_hash(Kernel* kernel)
{
    const kaiModel* model = kernel->model;
    uint64_t h = vm_run(model, kernel->R, model->react, &kernel->host);
    for (uint32_t i = 0; i < model->reactions_count; i++)
        if (kernel_ctx_active(kernel, model->reactions[i].ctx))
            h = mix(h, kernel->R[model->reactions[i].fire] != 0);
    return h;
}

static bool goes_on_near_limit(Kernel* kernel, const Rounds* r)
{
    double scale = closest_look(kernel, r);
    if (scale > 0.1)
        return false;
    uint64_t now = enabled_hash(kernel);
    move_towards_limit(kernel, r, scale);
    bool same = enabled_hash(kernel) == now;
    move_towards_limit(kernel, r, 1);
    return same;
}

static void say_limit(Endless* e, const Rounds* r)
{
    Kernel* kernel = e->kernel;
    int length = 0;
    e->limit[0] = 0;
    for (uint32_t i = 0; i < kernel->model->vars_count && (size_t)length + 60 < sizeof e->limit; i++)
        if (!counts(kernel->model, r, i))
            length += snprintf(e->limit + length, sizeof e->limit - (size_t)length, "%s%.40s = %.9g%.12s",
                               length > 0 ? ", " : " ", model_string(kernel->model, kernel->model->vars[i].name),
                               var_shown(&kernel->model->vars[i], limit_of(r, i)),
                               var_unit_said(kernel->model, &kernel->model->vars[i]));
}

// Limits that differ by no more than their error are one value, so that strict relations between them end the rounds.
static void go_to_limit(Kernel* kernel, const Rounds* r)
{
    const kaiModel* model = kernel->model;
    for (uint32_t i = 0; i < model->vars_count; i++)
    {
        if (counts(model, r, i))
            continue;
        double limit = limit_of(r, i), error = fmax(ROUND_CLOSEST, 100 * r->residual) * fabs(r->x[3][i] - limit);
        error += ROUND_LIMITS * fabs(limit);
        for (uint32_t k = 0; k < i; k++)
            if (!counts(model, r, k) && fabs(kernel->R[model->vars[k].reg] - limit) <= error)
                limit = kernel->R[model->vars[k].reg];
        kernel->R[model->vars[i].reg] = limit;
    }
    kernel_disturb_all(kernel);
}

static void warn_limit(const Endless* e)
{
    Kernel* kernel = e->kernel;
    uint32_t place = kernel->reacted_count > 0 ? kernel->model->reactions[kernel->reacted[0]].place : 0;
    kernel_warn(
        kernel, place,
        "Zeno inside the instant t = %.17g: a round of %u tags repeats, each %.9g of the one before; it goes on "
        "from the limit%s",
        kernel->now.t, e->period, e->ratio, e->limit);
}

static void find_period(Endless* e)
{
    for (uint32_t p = 1; e->period == 0 && p <= e->round_slots / ROUNDS_KEPT; p++)
        if (repeats(e, p, 2))
        {
            e->period = p;
            e->confirmed = 0;
        }
    if (e->period != 0 && !repeats(e, e->period, 1))
        e->period = 0;
}

static void watch_rounds(Endless* e)
{
    Kernel* kernel = e->kernel;
    take_values(e);
    find_period(e);
    uint32_t p = e->period;
    if (p == 0 || e->tags < PATIENCE + (ROUNDS_KEPT - 1) * p)
        return;
    Rounds r = {.x = {values_at(e, e->tags - 3 * p), values_at(e, e->tags - 2 * p), values_at(e, e->tags - p),
                      values_at(e, e->tags)}};
    e->confirmed = is_steady(kernel, &r) && goes_on_near_limit(kernel, &r) ? e->confirmed + 1 : 0;
    if (e->confirmed < p)
        return;
    e->ratio = r.ratio;
    say_limit(e, &r);
    if (!surfaces_wanted(kernel->options) || e->limited)
    {
        start_showing(e, p, true);
        return;
    }
    warn_limit(e);
    go_to_limit(kernel, &r);
    e->limited = true;
    e->period = 0;
}

// ---- cycles
// ----------------------------------------------------------------------------------------------------------

static void watch_cycle(Endless* e)
{
    Kernel* kernel = e->kernel;
    uint64_t hash = state_hash(kernel);
    if (e->next_mark != 0 && hash == e->marked)
    {
        start_showing(e, e->tags - e->mark, false);
        return;
    }
    if (e->tags < e->next_mark)
        return;
    e->marked = hash;
    e->mark = e->tags;
    e->next_mark = e->tags * 2;
}

kaiStatus endless_watch(Endless* e, kaiTag at, bool state_changed)
{
    Kernel* kernel = e->kernel;
    e->tags++;
    e->changed_states += state_changed;
    e->reactions[e->tags % (sizeof e->reactions / sizeof *e->reactions)] = reaction_hash(kernel);
    if (e->tags < PATIENCE)
        return KAI_OK;
    if (e->show > 0)
    {
        show_tag(e, at);
        if (--e->show > 0)
            return KAI_OK;
        return e->shrinks ? fail_shrinking(e) : fail_cycle(e);
    }
    if (e->tags == PATIENCE)
        e->limited = false;
    watch_cycle(e);
    if (e->show == 0)
        watch_rounds(e);
    return e->tags >= kernel->options->max_microsteps ? fail_bound(e) : KAI_OK;
}
