// The plane is cut into quarters until a piece is departed as a whole, or not at all, or small.
#include "prove/phase.h"

#include "elab/constant.h"
#include "prove/switching.h"

#include <math.h>

enum
{
    GRID = 64,
    SETS_MOST = 16
};

typedef struct Plane
{
    Search* s;
    LogicSession session;
    Formula x, y, departs;
    const PhaseFigure* figure;
    bool some_rest;
    bool grid[GRID * GRID];  // departed; row by row from below
} Plane;

static Formula prior_guards(Encoder* e, Frame* base, uint32_t group)
{
    Formula any = e->logic->no;
    for (uint32_t t = 0; t < e->flat->transitions.count; t++)
    {
        const FlatTransition* at = &e->flat->transitions.at[t];
        if (at->posterior || e->flat->machines.at[at->machine].junction == 0 ||
            slot_group(e, e->machine_slot[at->machine]) != group)
            continue;
        Formula here = base->slots[e->machine_slot[at->machine] + at->from];
        Formula holds = encode_condition(e, base, at->trigger);
        if (at->guard != 0)
            holds = logic_and(e->logic, holds, encode_condition(e, base, at->guard));
        any = logic_or(e->logic, any, logic_and(e->logic, here, holds));
    }
    return any;
}

// ---- quarters
// --------------------------------------------------------------------------------------------------------

static bool possible(Plane* p, Formula condition)
{
    logic_session_push(&p->session);
    logic_session_add(&p->session, condition);
    bool yes = logic_session_ask(&p->session, 2) == VERDICT_YES;
    logic_session_pop(&p->session);
    return yes;
}

static double grid_line(const double range[2], int i)
{
    return range[0] + (range[1] - range[0]) * i / GRID;
}

// A square of the grid, `size` cells wide, without its edges: thresholds often lie on them.
static void cut(Plane* p, int column, int line, int size)
{
    Logic* l = p->s->e->logic;
    const PhaseFigure* f = p->figure;
    logic_session_push(&p->session);
    logic_session_add(&p->session, logic_less(l, logic_number(l, grid_line(f->x, column)), p->x));
    logic_session_add(&p->session, logic_less(l, p->x, logic_number(l, grid_line(f->x, column + size))));
    logic_session_add(&p->session, logic_less(l, logic_number(l, grid_line(f->y, line)), p->y));
    logic_session_add(&p->session, logic_less(l, p->y, logic_number(l, grid_line(f->y, line + size))));
    bool departs = possible(p, p->departs), rests = !departs || possible(p, logic_not(l, p->departs));
    logic_session_pop(&p->session);
    p->some_rest |= rests;
    if (!departs || (rests && size == 1))
        return;
    if (!rests)
    {
        for (int k = 0; k < size * size; k++)
            p->grid[(line + k / size) * GRID + column + k % size] = true;
        return;
    }
    for (int k = 0; k < 4; k++)
        cut(p, column + (k & 1) * size / 2, line + (k >> 1) * size / 2, size / 2);
}

// Runs of departed cells, row by row.
static void take_cells(Plane* p, PhasePanel* panel)
{
    const PhaseFigure* f = p->figure;
    panel->some_rest = p->some_rest;
    for (int line = 0; line < GRID; line++)
        for (int column = 0; column < GRID; column++)
        {
            int from = column;
            while (column < GRID && p->grid[line * GRID + column])
                column++;
            if (column > from)
                vec_push(p->s->e->arena, panel->cells,
                         (PhaseCell){grid_line(f->x, from), grid_line(f->y, line), grid_line(f->x, column),
                                     grid_line(f->y, line + 1)});
        }
}

// ---- sets
// ------------------------------------------------------------------------------------------------------------

static bool is_mine(Search* s, uint32_t m)
{
    return s->e->flat->machines.at[m].junction != 0 && slot_group(s->e, s->e->machine_slot[m]) == s->group;
}

static bool next_set(Search* s, uint32_t* modes)
{
    for (uint32_t m = s->e->flat->machines.count; m-- > 0;)
    {
        if (!is_mine(s, m))
            continue;
        if (++modes[m] < s->e->flat->machines.at[m].modes.count)
            return true;
        modes[m] = 0;
    }
    return false;
}

static const char* set_title(Search* s, const uint32_t* modes)
{
    const char* text = "";
    for (uint32_t m = 0; m < s->e->flat->machines.count; m++)
        if (is_mine(s, m))
        {
            const FlatMachine* machine = &s->e->flat->machines.at[m];
            text =
                arena_printf(s->e->arena, "%s%s%s %s", text, text[0] != 0 ? ", " : "",
                             s->e->flat->bond_nodes.at[machine->junction - 1].name, machine->modes.at[modes[m]].name);
        }
    return text;
}

// The value of a state that is not drawn: of the witness, or where it starts.
static double value_of(const Search* s, uint32_t v)
{
    const Witness* w = &s->witness;
    double value = 0;
    if (s->answer == ANSWER_REFUTED && w->at_start)
        return w->mythical ? w->base[s->e->var_slot[v]] : w->values[0][s->e->var_slot[v]];
    NodeId init = s->e->flat->vars.at[v].init;
    return init != 0 && flat_eval_const(s->e->flat, init, &value) ? value : 0;
}

// All states but the two that are drawn, and the time.
static void fix_others(Search* s, const Frame* base, uint32_t x, uint32_t y, LogicSession* session)
{
    Encoder* e = s->e;
    for (uint32_t v = 0; v < e->flat->vars.count; v++)
    {
        const FlatVar* var = &e->flat->vars.at[v];
        if ((var->kind != VAR_STATE && var->kind != VAR_DISCRETE) || v == x || v == y || e->var_slot[v] == NO_SLOT)
            continue;
        Formula slot = base->slots[e->var_slot[v]];
        double value = value_of(s, v);
        logic_session_add(session, var->type == TYPE_BOOL
                                       ? logic_equal(e->logic, slot, value != 0 ? e->logic->yes : e->logic->no)
                                       : logic_equal(e->logic, slot, logic_number(e->logic, value)));
    }
    double time = s->answer == ANSWER_REFUTED && s->witness.at_start ? s->witness.time : s->start;
    logic_session_add(session, logic_equal(e->logic, e->time, logic_number(e->logic, time)));
}

static void find_range(const Search* s, uint32_t v, double range[2], double* at)
{
    double start = 0, size;
    NodeId init = s->e->flat->vars.at[v].init;
    if (init != 0)
        flat_eval_const(s->e->flat, init, &start);
    *at = value_of(s, v);
    size = 2.4 * fmax(fabs(start), fabs(*at));
    size = size > 0 ? size : 1;
    range[0] = -size;
    range[1] = size;
}

// The frame with the modes of one set.
static Frame* with_modes(Search* s, const Frame* base, const uint32_t* modes)
{
    Encoder* e = s->e;
    Frame* here = frame_new(e, 0, false);
    for (uint32_t i = 0; i < e->slots.count; i++)
    {
        const Slot* slot = &e->slots.at[i];
        bool mine = slot->kind == SLOT_MODE && is_mine(s, slot->index);
        here->slots[i] = !mine ? base->slots[i] : modes[slot->index] == slot->mode ? e->logic->yes : e->logic->no;
    }
    here->loose = true;
    return here;
}

static void draw_set(Plane* p, const Frame* base, const uint32_t* modes, uint32_t x, uint32_t y)
{
    Encoder* e = p->s->e;
    Frame* here = with_modes(p->s, base, modes);
    Frame* trial = circuit_set(e, here, p->s->group, modes);
    p->departs = logic_or(e->logic, prior_guards(e, here, p->s->group), switching_goes_on(e, trial, p->s->group));
    Formulas side = {0};
    encode_take_side(e, &side);
    p->session = logic_session_open(e->logic);
    fix_others(p->s, base, x, y, &p->session);
    for (uint32_t i = 0; i < side.count; i++)
        logic_session_add(&p->session, side.at[i]);
    cut(p, 0, 0, GRID);
    logic_session_close(&p->session);
}

static void draw_sets(Search* s, uint32_t x, uint32_t y, PhaseFigure* figure)
{
    Encoder* e = s->e;
    Frame* base = frame_new(e, 0, false);
    uint32_t* modes = arena_array(e->arena, uint32_t, e->flat->machines.count + 1);
    Plane* all = arena_new(e->arena, Plane);
    *all = (Plane){.s = s, .figure = figure};
    for (int i = 0; i < GRID * GRID; i++)
        all->grid[i] = true;
    do
    {
        Plane* p = arena_new(e->arena, Plane);
        *p = (Plane){.s = s, .figure = figure, .x = base->slots[e->var_slot[x]], .y = base->slots[e->var_slot[y]]};
        draw_set(p, base, modes, x, y);
        PhasePanel panel = {.title = set_title(s, modes)};
        take_cells(p, &panel);
        vec_push(e->arena, figure->panels, panel);
        for (int i = 0; i < GRID * GRID; i++)
            all->grid[i] &= p->grid[i];
    } while (figure->panels.count < SETS_MOST && next_set(s, modes));
    PhasePanel conjunction = {.title = "departed from every set"};
    take_cells(all, &conjunction);
    vec_push(e->arena, figure->panels, conjunction);
}

const char* phase_draw(Search* s, uint32_t x, uint32_t y, PhaseFigure* figure)
{
    Encoder* e = s->e;
    if (!switching_in_group(e, s->group))
        return "there are no switched junctions whose phase space could be drawn";
    *figure = (PhaseFigure){.x_name = e->flat->vars.at[x].name, .y_name = e->flat->vars.at[y].name};
    find_range(s, x, figure->x, &figure->witness_x);
    find_range(s, y, figure->y, &figure->witness_y);
    figure->has_witness = s->answer == ANSWER_REFUTED && s->witness.at_start;
    draw_sets(s, x, y, figure);
    return NULL;
}
