// Expressions of the flat model → formulas at one tag. Absence is a second formula (rule V1). Relations are exact:
// that the far side of a located crossing counts whatever the rounding (rule C2) is not modelled.
#include "prove/circuit.h"

#include <math.h>

static Term here(const Encoder* e, Formula value)
{
    return (Term){value, e->logic->yes};
}

// ---- frames
// ----------------------------------------------------------------------------------------------------------

Frame* frame_new(Encoder* e, uint32_t number, bool start)
{
    Frame* f = arena_new(e->arena, Frame);
    f->number = number;
    f->start = start;
    f->slots = arena_array(e->arena, Formula, e->slots.count);
    f->nodes = arena_array(e->arena, Term, e->flat->nodes.count);
    f->vars = arena_array(e->arena, Term, e->flat->vars.count + 1);
    f->busy = arena_array(e->arena, uint8_t, e->flat->vars.count + 1);
    f->enabled = arena_array(e->arena, Formula, e->reactions.count + 1);
    f->fires = arena_array(e->arena, Formula, e->reactions.count + 1);
    f->active = e->logic->no;
    for (uint32_t i = 0; i < e->slots.count; i++)
    {
        Slot* slot = &e->slots.at[i];
        if (!slot->written && slot->fixed == NULL)
            slot->fixed = logic_variable(e->logic, slot->name, slot->boolean);
        f->slots[i] =
            slot->written
                ? logic_variable(e->logic, arena_printf(e->arena, "%s/%u@%u", slot->name, i, e->unique), slot->boolean)
                : slot->fixed;
    }
    e->unique++;
    return f;
}

void encode_side(Encoder* e, Formula condition)
{
    if (condition != e->logic->yes)
        vec_push(e->arena, e->side, condition);
}

// ---- what formulas cannot say
// -----------------------------------------------------------------------------------------

Term encode_vague(Encoder* e, NodeId n, bool boolean)
{
    bool known = false;
    for (uint32_t i = 0; i < e->vague.count; i++)
        known |= e->vague.at[i] == n;
    if (!known)
        vec_push(e->arena, e->vague, n);
    return here(e, logic_variable(e->logic, arena_printf(e->arena, "?%u@%u", n, e->unique++), boolean));
}

// A function of one argument that is not a polynomial: an unknown with the sign and bounds that are easy to say.
static Term vague_function(Encoder* e, NodeId n, Term a)
{
    Logic* l = e->logic;
    Term t = encode_vague(e, n, false);
    t.present = a.present;
    for (uint32_t i = 0; i < e->calls.count; i++)  // equal arguments have equal values
        if (e->calls.at[i].op == e->flat->nodes.at[n].op)
            encode_side(e, logic_or(l, logic_not(l, logic_equal(l, e->calls.at[i].argument, a.value)),
                                    logic_equal(l, e->calls.at[i].value, t.value)));
    for (uint32_t i = 0; i < e->points.count; i++)
        if (e->points.at[i].op == e->flat->nodes.at[n].op)
            encode_side(e, logic_or(l, logic_not(l, logic_equal(l, logic_number(l, e->points.at[i].argument), a.value)),
                                    logic_equal(l, logic_number(l, e->points.at[i].value), t.value)));
    vec_push(e->arena, e->calls, (VagueCall){e->flat->nodes.at[n].op, a.value, t.value});
    switch (e->flat->nodes.at[n].op)
    {
    case NODE_SIN:
    case NODE_COS:
    case NODE_TANH:
        encode_side(e, logic_at_most(l, t.value, l->one));
        encode_side(e, logic_at_most(l, logic_number(l, -1), t.value));
        break;
    case NODE_EXP:
    case NODE_COSH: encode_side(e, logic_less(l, l->zero, t.value)); break;
    default: break;
    }
    return t;
}

// ---- arithmetic
// ------------------------------------------------------------------------------------------------------

static Formula negate(Encoder* e, Formula a)
{
    return logic_subtract(e->logic, e->logic->zero, a);
}

// q with q*b = a; where b = 0 the run stops, so that any q will do.
static Formula divide(Encoder* e, Formula a, Formula b)
{
    Logic* l = e->logic;
    if (logic_is_number(l, b))
        return b == l->zero ? a : logic_multiply(l, a, Z3_simplify(l->z, Z3_mk_div(l->z, l->one, b)));
    Formula q = logic_variable(l, arena_printf(e->arena, "q@%u", e->unique++), false);
    encode_side(e, logic_or(l, logic_equal(l, logic_multiply(l, q, b), a), logic_equal(l, b, l->zero)));
    return q;
}

static Formula square_root(Encoder* e, Formula a)
{
    Logic* l = e->logic;
    Formula r = logic_variable(l, arena_printf(e->arena, "r@%u", e->unique++), false);
    encode_side(e, logic_at_most(l, l->zero, r));
    encode_side(e, logic_or(l, logic_equal(l, logic_multiply(l, r, r), a), logic_less(l, a, l->zero)));
    return r;
}

static Term power(Encoder* e, Frame* f, NodeId n)
{
    const Node* node = &e->flat->nodes.at[n];
    Term a = encode_node(e, f, node->arg[0]), b = encode_node(e, f, node->arg[1]);
    const Node* exponent = &e->flat->nodes.at[node->arg[1]];
    double k = exponent->op == NODE_CONST ? exponent->value : NAN;
    Term out = {NULL, logic_and(e->logic, a.present, b.present)};
    if (k == 0.5)
        out.value = square_root(e, a.value);
    else if (fabs(k) <= 8 && k == floor(k))
    {
        out.value = e->logic->one;
        for (int i = 0; i < (int)fabs(k); i++)
            out.value = logic_multiply(e->logic, out.value, a.value);
        if (k < 0)
            out.value = divide(e, e->logic->one, out.value);
    }
    else
        out.value = encode_vague(e, n, false).value;
    return out;
}

// ---- relations
// -------------------------------------------------------------------------------------------------------

static bool is_made_strict(const Encoder* e, NodeId n)
{
    for (uint32_t i = 0; i < e->change_count; i++)
        if (e->changes[i].relation == n)
            return true;
    return false;
}

static Formula relation(Encoder* e, NodeId n, NodeOp op, Formula a, Formula b)
{
    Logic* l = e->logic;
    bool strict = is_made_strict(e, n);
    switch (op)
    {
    case NODE_LT: return logic_less(l, a, b);
    case NODE_GT: return logic_less(l, b, a);
    case NODE_LE: return strict ? logic_less(l, a, b) : logic_at_most(l, a, b);
    case NODE_GE: return strict ? logic_less(l, b, a) : logic_at_most(l, b, a);
    case NODE_EQ: return logic_equal(l, a, b);
    default: return logic_not(l, logic_equal(l, a, b));
    }
}

// ---- variables
// -------------------------------------------------------------------------------------------------------

Formula encode_ctx(Encoder* e, Frame* f, uint32_t ctx)
{
    Formula active = e->logic->yes;
    for (; ctx != 0; ctx = e->flat->ctxs.at[ctx].parent)
    {
        const FlatCtx* at = &e->flat->ctxs.at[ctx];
        active = logic_and(e->logic, f->slots[e->machine_slot[at->machine] + at->mode], active);
    }
    return active;
}

static Term mode_value(Encoder* e, Frame* f, uint32_t machine)
{
    const FlatMachine* m = &e->flat->machines.at[machine];
    Formula value = logic_number(e->logic, 0);
    for (uint32_t k = 1; k < m->modes.count; k++)
        value = logic_if(e->logic, f->slots[e->machine_slot[machine] + k], logic_number(e->logic, k), value);
    return (Term){value, encode_ctx(e, f, m->ctx)};
}

// A definition per mode; where none is active the signal is absent.
static Term defined(Encoder* e, Frame* f, uint32_t v)
{
    Logic* l = e->logic;
    Term out = {NULL, l->no};
    for (uint32_t d = e->first_def[v]; d != 0; d = e->next_def[d - 1])
    {
        const FlatDef* def = &e->flat->defs.at[d - 1];
        Formula active = encode_ctx(e, f, def->ctx);
        Term t = encode_node(e, f, def->value);
        out.value = out.value == NULL ? t.value : logic_if(l, active, t.value, out.value);
        out.present = logic_or(l, out.present, logic_and(l, active, t.present));
    }
    if (out.value == NULL)
        out.value = e->flat->vars.at[v].type == TYPE_BOOL ? l->no : l->zero;
    return out;
}

static Term input(Encoder* e, Frame* f, uint32_t v)
{
    const FlatVar* var = &e->flat->vars.at[v];
    if (var->type == TYPE_EVENT)
        return (Term){e->logic->one, e->logic->no};
    if (var->init != 0)
        return encode_node(e, f, var->init);
    if (e->inputs[v] == NULL)
        e->inputs[v] = logic_variable(e->logic, var->name, var->type == TYPE_BOOL);
    return here(e, e->inputs[v]);
}

static Term make_variable(Encoder* e, Frame* f, uint32_t v)
{
    const FlatVar* var = &e->flat->vars.at[v];
    Logic* l = e->logic;
    switch (var->kind)
    {
    case VAR_PARAM: return var->init != 0 ? encode_node(e, f, var->init) : here(e, l->zero);
    case VAR_STATE:
    {
        Formula value = f->slots[e->var_slot[v]];
        for (uint32_t d = e->impulsive[v] ? e->first_rate[v] : 0; d != 0; d = e->next_rate[d - 1])
        {
            const FlatDef* def = &e->flat->defs.at[d - 1];
            Formula area = encode_area(e, f, def->value);
            value = logic_add(l, value, logic_if(l, encode_ctx(e, f, def->ctx), area, l->zero));
        }
        return (Term){value, encode_ctx(e, f, var->ctx)};
    }
    case VAR_DISCRETE: return (Term){f->slots[e->var_slot[v]], encode_ctx(e, f, var->ctx)};
    case VAR_MODE: return mode_value(e, f, var->machine);
    case VAR_INPUT: return input(e, f, v);
    case VAR_EVENT:
        if (e->var_slot[v] != NO_SLOT)
            return (Term){f->slots[e->var_payload[v]], f->slots[e->var_slot[v]]};
        return defined(e, f, v);
    default: return defined(e, f, v);
    }
}

// A definition that needs itself at the same tag is solved by the run (rule R1); here it is an unknown.
Term encode_var(Encoder* e, Frame* f, uint32_t v, NodeId node)
{
    if (f->vars[v].value != NULL)
        return f->vars[v];
    if (f->busy[v])
        return encode_vague(e, node, e->flat->vars.at[v].type == TYPE_BOOL);
    f->busy[v] = 1;
    Term made = e->circuits->outputs[v].graph != 0 ? circuit_value(e, f, v) : make_variable(e, f, v);
    f->busy[v] = 0;
    f->vars[v] = made;
    return made;
}

// ---- events and memories
// ---------------------------------------------------------------------------------------------

// A tick at the first tag of a run; later tags of an instant have none (rule T3).
static Term clock(Encoder* e, Frame* f, NodeId n)
{
    const Node* node = &e->flat->nodes.at[n];
    if (!f->start)
        return (Term){e->logic->one, e->logic->no};
    Formula first = node->arg[1] != 0 ? encode_node(e, f, node->arg[1]).value : e->logic->zero;
    return (Term){e->logic->one, logic_equal(e->logic, e->time, first)};
}

static uint32_t second_slot(const Encoder* e, NodeId n)
{
    uint32_t slot = NO_SLOT;
    map_get(&e->node_slot2, n, &slot);
    return slot;
}

static Term with_memory(Encoder* e, Frame* f, NodeId n)
{
    const Node* node = &e->flat->nodes.at[n];
    Logic* l = e->logic;
    uint32_t slot = slot_of_node(e, n);
    if (slot == NO_SLOT)  // nothing that reacts reads it
        return encode_vague(e, n, node->type == TYPE_BOOL);
    switch (node->op)
    {
    case NODE_EDGE:
        return (Term){l->one, logic_and(l, encode_condition(e, f, node->arg[0]), logic_not(l, f->slots[slot]))};
    case NODE_PRE: return (Term){f->slots[slot], f->slots[second_slot(e, n)]};
    case NODE_ENTRY: return (Term){l->one, f->slots[slot]};
    case NODE_HOLD:
    {
        Term event = encode_node(e, f, node->arg[0]);
        return here(e, logic_if(l, event.present, event.value, f->slots[slot]));
    }
    default: return (Term){l->one, f->slots[second_slot(e, n)]};
    }
}

// ---- the weight of δ
// -------------------------------------------------------------------------------------------------

static Formula area_of_var(Encoder* e, Frame* f, uint32_t v)
{
    Formula area = e->logic->zero;
    if (e->flat->vars.at[v].kind != VAR_SIGNAL || f->busy[v])
        return area;
    f->busy[v] = 1;
    for (uint32_t d = e->first_def[v]; d != 0; d = e->next_def[d - 1])
    {
        const FlatDef* def = &e->flat->defs.at[d - 1];
        area = logic_if(e->logic, encode_ctx(e, f, def->ctx), encode_area(e, f, def->value), area);
    }
    f->busy[v] = 0;
    return area;
}

Formula encode_area(Encoder* e, Frame* f, NodeId n)
{
    const Node* node = &e->flat->nodes.at[n];
    Logic* l = e->logic;
    switch (node->op)
    {
    case NODE_DELTA:
    {
        Formula weight = encode_node(e, f, node->arg[1]).value;
        return logic_if(l, encode_node(e, f, node->arg[0]).present, weight, l->zero);
    }
    case NODE_VAR: return area_of_var(e, f, node->aux);
    case NODE_ADD: return logic_add(l, encode_area(e, f, node->arg[0]), encode_area(e, f, node->arg[1]));
    case NODE_SUB: return logic_subtract(l, encode_area(e, f, node->arg[0]), encode_area(e, f, node->arg[1]));
    case NODE_NEG: return negate(e, encode_area(e, f, node->arg[0]));
    case NODE_IF:
        return logic_if(l, encode_condition(e, f, node->arg[0]), encode_area(e, f, node->arg[1]),
                        encode_area(e, f, node->arg[2]));
    case NODE_DIV:
    {
        Formula area = encode_area(e, f, node->arg[0]);
        return area == l->zero ? area : divide(e, area, encode_node(e, f, node->arg[1]).value);
    }
    case NODE_MUL:
        for (int i = 0; i < 2; i++)
        {
            Formula area = encode_area(e, f, node->arg[i]);
            if (area != l->zero)
                return logic_multiply(l, area, encode_node(e, f, node->arg[1 - i]).value);
        }
        return l->zero;
    default: return l->zero;
    }
}

// ---- operators
// -------------------------------------------------------------------------------------------------------

static Term kink(Encoder* e, NodeId n, NodeOp op, const Term* a, Formula present)
{
    Logic* l = e->logic;
    Formula x = a[0].value, y = a[1].value;
    switch (op)
    {
    case NODE_ABS: return (Term){logic_if(l, logic_less(l, x, l->zero), negate(e, x), x), present};
    case NODE_MIN: return (Term){logic_if(l, logic_less(l, y, x), y, x), present};
    case NODE_MAX: return (Term){logic_if(l, logic_less(l, x, y), y, x), present};
    case NODE_SIGN:
        return (Term){logic_if(l, logic_less(l, l->zero, x), l->one,
                               logic_if(l, logic_less(l, x, l->zero), logic_number(l, -1), l->zero)),
                      present};
    default: return (Term){encode_vague(e, n, false).value, present};
    }
}

static Term arithmetic(Encoder* e, Frame* f, NodeId n)
{
    const Node* node = &e->flat->nodes.at[n];
    Logic* l = e->logic;
    NodeOp op = (NodeOp)node->op;
    Term a[3] = {{0}};
    Formula present = l->yes;
    for (int i = 0; i < node_op_arity(op); i++)
        if (node->arg[i] != 0)
        {
            a[i] = encode_node(e, f, node->arg[i]);
            present = logic_and(l, present, a[i].present);
        }
    if (op >= NODE_LT && op <= NODE_NE)
        return (Term){relation(e, n, op, a[0].value, a[1].value), present};
    if (op >= NODE_ABS && op <= NODE_MOD)
        return kink(e, n, op, a, present);
    switch (op)
    {
    case NODE_ADD: return (Term){logic_add(l, a[0].value, a[1].value), present};
    case NODE_SUB: return (Term){logic_subtract(l, a[0].value, a[1].value), present};
    case NODE_MUL: return (Term){logic_multiply(l, a[0].value, a[1].value), present};
    case NODE_DIV: return (Term){divide(e, a[0].value, a[1].value), present};
    case NODE_NEG: return (Term){negate(e, a[0].value), present};
    case NODE_SQRT: return (Term){square_root(e, a[0].value), present};
    case NODE_AND: return (Term){logic_and(l, a[0].value, a[1].value), present};
    case NODE_OR: return (Term){logic_or(l, a[0].value, a[1].value), present};
    case NODE_NOT: return (Term){logic_not(l, a[0].value), present};
    case NODE_HYPOT:
    {
        Formula x = a[0].value, y = a[1].value;
        return (Term){square_root(e, logic_add(l, logic_multiply(l, x, x), logic_multiply(l, y, y))), present};
    }
    default:
        return node_op_arity(op) == 1 ? vague_function(e, n, a[0]) : (Term){encode_vague(e, n, false).value, present};
    }
}

static Term number(Encoder* e, const Node* node)
{
    if (node->type == TYPE_BOOL)
        return here(e, node->value != 0 ? e->logic->yes : e->logic->no);
    return here(e, logic_number(e->logic, node->value));
}

static Term make_node(Encoder* e, Frame* f, NodeId n)
{
    const Node* node = &e->flat->nodes.at[n];
    Logic* l = e->logic;
    switch (node->op)
    {
    case NODE_CONST: return number(e, node);
    case NODE_VAR: return encode_var(e, f, node->aux, n);
    case NODE_TIME: return here(e, e->time);
    case NODE_CLOCK: return clock(e, f, n);
    case NODE_EDGE:
    case NODE_PRE:
    case NODE_ENTRY:
    case NODE_HOLD:
    case NODE_UP:
    case NODE_DOWN:
    case NODE_CROSS: return with_memory(e, f, n);
    case NODE_POW: return power(e, f, n);
    case NODE_DELAY: return node->type == TYPE_EVENT ? (Term){l->one, l->no} : encode_vague(e, n, false);
    case NODE_COMMITTED: return encode_node(e, f->base != NULL ? f->base : f, node->arg[0]);
    case NODE_DELTA: return here(e, l->zero);
    case NODE_AREA: return here(e, encode_area(e, f, node->arg[0]));
    case NODE_SMOOTH:
    case NODE_REGULAR:
    case NODE_VALUE: return encode_node(e, f, node->arg[0]);
    case NODE_PRESENT: return here(e, encode_node(e, f, node->arg[0]).present);
    case NODE_WHILE: return (Term){l->one, encode_condition(e, f, node->arg[0])};
    case NODE_FILTER:
    {
        Term event = encode_node(e, f, node->arg[0]);
        return (Term){event.value, logic_and(l, event.present, encode_condition(e, f, node->arg[1]))};
    }
    case NODE_SAMPLE:
    {
        Term value = encode_node(e, f, node->arg[0]);
        return (Term){value.value, logic_and(l, value.present, encode_node(e, f, node->arg[1]).present)};
    }
    case NODE_DEFAULT:
    {
        Term a = encode_node(e, f, node->arg[0]), b = encode_node(e, f, node->arg[1]);
        return (Term){logic_if(l, a.present, a.value, b.value), logic_or(l, a.present, b.present)};
    }
    case NODE_IF:
    {
        Term c = encode_node(e, f, node->arg[0]), a = encode_node(e, f, node->arg[1]),
             b = encode_node(e, f, node->arg[2]);
        return (Term){logic_if(l, c.value, a.value, b.value),
                      logic_and(l, c.present, logic_if(l, c.value, a.present, b.present))};
    }
    case NODE_DER:
    case NODE_SLOPE:
    case NODE_TABLE:
    case NODE_EXTERNAL:
    case NODE_UNIFORM:
    case NODE_NORMAL:
    case NODE_EXPONENTIAL:
    case NODE_POST: return encode_vague(e, n, node->type == TYPE_BOOL);
    default: return arithmetic(e, f, n);
    }
}

Term encode_node(Encoder* e, Frame* f, NodeId n)
{
    if (f->nodes[n].value == NULL)
        f->nodes[n] = make_node(e, f, n);
    return f->nodes[n];
}

Formula encode_condition(Encoder* e, Frame* f, NodeId n)
{
    Term t = encode_node(e, f, n);
    if (e->flat->nodes.at[n].type == TYPE_EVENT)
        return t.present;
    return logic_and(e->logic, t.present, t.value);
}
