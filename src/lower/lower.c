// Flat expressions → plain operators, for a reaction or for the flow between instants. Here absence (rule V1), latched
// relations (C1), `pre` (R6), edges (R7) and kinks become ordinary arithmetic on registers.
#include "base/hash.h"
#include "lower/compiler.h"

#include <math.h>
#include <string.h>

static ScalarId yes(Compiler* c)
{
    return scalar_const(&c->scalars, 1);
}

static ScalarId no(Compiler* c)
{
    return scalar_const(&c->scalars, 0);
}

static ScalarId reg(Compiler* c, SymReg r)
{
    return scalar_reg(&c->scalars, r);
}

// The presence of an event: it holds at single tags.
static ScalarId event_flag(Compiler* c, SymReg r)
{
    map_set(&c->event_flags, r, 1);
    return scalar_reg(&c->scalars, r);
}

bool is_kink(NodeOp op)
{
    return op >= NODE_ABS && op <= NODE_MOD;
}

// ---- kinks ----------------------------------------------------------------------------------------------------------

static NodeId branch(Compiler* c, NodeOp relation, NodeId a, NodeId b, NodeId then, NodeId other, Span s)
{
    NodeId test = flat_node(c->flat, relation, TYPE_BOOL, a, b, 0, 0, 0, s);
    return flat_node(c->flat, NODE_IF, TYPE_REAL, test, then, other, 0, 0, s);
}

static NodeId unary(Compiler* c, NodeOp op, NodeId a, Span s)
{
    return flat_node(c->flat, op, TYPE_REAL, a, 0, 0, 0, 0, s);
}

static NodeId binary(Compiler* c, NodeOp op, NodeId a, NodeId b, Span s)
{
    return flat_node(c->flat, op, TYPE_REAL, a, b, 0, 0, 0, s);
}

static NodeId spell_out(Compiler* c, NodeId n)
{
    const Node node = c->flat->nodes.at[n];
    NodeId a = node.arg[0], b = node.arg[1], zero = flat_const(c->flat, 0, TYPE_REAL);
    Span s = node.span;
    switch (node.op)
    {
    case NODE_ABS: return branch(c, NODE_LT, a, zero, unary(c, NODE_NEG, a, s), a, s);
    case NODE_MIN: return branch(c, NODE_LT, b, a, b, a, s);
    case NODE_MAX: return branch(c, NODE_LT, a, b, b, a, s);
    case NODE_SIGN:
        return branch(c, NODE_LT, zero, a, flat_const(c->flat, 1, TYPE_REAL),
                      branch(c, NODE_LT, a, zero, flat_const(c->flat, -1, TYPE_REAL), zero, s), s);
    case NODE_CEIL: return unary(c, NODE_NEG, unary(c, NODE_FLOOR, unary(c, NODE_NEG, a, s), s), s);
    case NODE_ROUND: return unary(c, NODE_FLOOR, binary(c, NODE_ADD, a, flat_const(c->flat, 0.5, TYPE_REAL), s), s);
    case NODE_MOD:
        return binary(c, NODE_SUB, a, binary(c, NODE_MUL, b, unary(c, NODE_FLOOR, binary(c, NODE_DIV, a, b, s), s), s),
                      s);
    case NODE_TABLE: return rows_spell_out(c, n);
    default: return n;
    }
}

// What is lowered as its spelled-out form.
static bool is_spelled_out(Compiler* c, NodeId n, bool smooth)
{
    const Node* node = &c->flat->nodes.at[n];
    if (node->op == NODE_CEIL || node->op == NODE_ROUND || node->op == NODE_MOD)
        return true;
    if (node->op == NODE_TABLE)
        return !smooth && node_varies(c, node->arg[0]) >= VARIES_OUTSIDE;
    return is_kink((NodeOp)node->op) && node->op != NODE_FLOOR && !smooth;
}

NodeId rewrite_kink(Compiler* c, NodeId n)
{
    while (c->rewrites.count < c->flat->nodes.count)
        vec_push(c->arena, c->rewrites, 0);
    if (c->rewrites.at[n] == 0)
    {
        NodeId made = spell_out(c, n);
        while (c->rewrites.count < c->flat->nodes.count)
            vec_push(c->arena, c->rewrites, 0);
        c->rewrites.at[n] = made;
    }
    return c->rewrites.at[n];
}

// ---- cells ----------------------------------------------------------------------------------------------------------

static uint32_t node_ctx(const Compiler* c, NodeId n)
{
    uint32_t ctx = n < c->node_ctxs.count ? c->node_ctxs.at[n] : 0;
    return ctx == CTX_UNUSED ? 0 : ctx;
}

static Cell* find_cell(Compiler* c, NodeId n, CellKind kind, bool* made)
{
    uint32_t index;
    *made = !map_get(&c->cell_index, n, &index);
    if (*made)
    {
        index = c->cells.count;
        map_set(&c->cell_index, n, index);
        Cell cell = {.kind = kind, .node = n, .ctx = node_ctx(c, n), .latch_present = NO_REG};
        cell.latch = compiler_reg(c, REG_MEMORY);
        vec_push(c->arena, c->cells, cell);
    }
    return &c->cells.at[index];
}

// A cell that watches g: relation, crossing or floor.
static Cell* guard_cell(Compiler* c, NodeId n, CellKind kind, NodeId g)
{
    bool made;
    Cell* cell = find_cell(c, n, kind, &made);
    if (!made)
        return cell;
    cell->g = g;
    cell->last = compiler_reg(c, REG_MEMORY);
    cell->side = kind == CELL_CROSSING ? compiler_reg(c, REG_MEMORY) : NO_REG;
    return cell;
}

// a < b and a > b as g < 0; a <= b and a >= b as g <= 0.
static NodeId relation_difference(Compiler* c, const Node* node)
{
    bool turned = node->op == NODE_GT || node->op == NODE_GE;
    NodeId a = node->arg[turned ? 1 : 0], b = node->arg[turned ? 0 : 1];
    return flat_node(c->flat, NODE_SUB, TYPE_REAL, a, b, 0, 0, 0, node->span);
}

// `floor`, and the segment of a table.
static bool is_step(const Node* node)
{
    return node->op == NODE_FLOOR || node->op == NODE_SEGMENT;
}

static bool is_watched(Compiler* c, NodeId n, bool smooth)
{
    const Node* node = &c->flat->nodes.at[n];
    if (smooth || n >= c->asked.watched.count || !c->asked.watched.at[n])
        return false;
    if (is_step(node))
        return node_varies(c, node->arg[0]) >= VARIES_OUTSIDE;
    if (node->op < NODE_LT || node->op > NODE_GE)
        return false;
    NodeId a = node->arg[0], b = node->arg[1];
    return node_varies(c, a) >= VARIES_OUTSIDE || node_varies(c, b) >= VARIES_OUTSIDE;
}

// ---- what must be lowered first -------------------------------------------------------------------------------------

static NodeId watched_argument(Compiler* c, NodeId n)
{
    const Node node = c->flat->nodes.at[n];
    return is_step(&node) ? node.arg[0] : relation_difference(c, &node);
}

// Fills the nodes that `n` is made of in this phase; their number.
static int needs(Compiler* c, Phase phase, bool smooth, NodeId n, NodeId out[3])
{
    const Node node = c->flat->nodes.at[n];
    switch (node.op)
    {
    case NODE_UP:
    case NODE_DOWN:
    case NODE_CROSS:
    case NODE_CLOCK:
    case NODE_ENTRY:
    case NODE_DELTA:
    case NODE_AREA:
    case NODE_VAR: return 0;
    case NODE_DELAY: out[0] = node.arg[1]; return node.type == TYPE_EVENT ? 0 : 1;
    case NODE_AT:
    case NODE_LEFT:
    case NODE_AT_INDEX:
    case NODE_FINAL:
    case NODE_COUNT:
    case NODE_TIME_OF:
    case NODE_LEAST:
    case NODE_GREATEST: return 0;
    case NODE_HOLD:
    case NODE_EDGE: out[0] = node.arg[0]; return phase == PHASE_REACT ? 1 : 0;
    case NODE_QUEUE:
        out[0] = node.arg[0];
        out[1] = node.arg[1];
        return phase == PHASE_REACT ? 2 : 0;
    case NODE_PRE: out[0] = node.arg[0]; return 1;
    case NODE_SLOPE:
    case NODE_COMMITTED:
    case NODE_DER: out[0] = node.arg[0]; return 1;
    default: break;
    }
    if (is_watched(c, n, smooth))
    {
        out[0] = watched_argument(c, n);
        return 1;
    }
    if (is_spelled_out(c, n, smooth))
    {
        out[0] = rewrite_kink(c, n);
        return 1;
    }
    int count = 0;
    for (int i = 0; i < node_op_arity((NodeOp)node.op); i++)
        if (node.arg[i] != 0)
            out[count++] = node.arg[i];
    return count;
}

// ---- leaves ---------------------------------------------------------------------------------------------------------

ScalarId lower_ctx_active(Compiler* c, uint32_t ctx)
{
    ScalarId active = yes(c);
    for (; ctx != 0; ctx = c->flat->ctxs.at[ctx].parent)
    {
        const FlatCtx* at = &c->flat->ctxs.at[ctx];
        SymReg mode = c->vars.at[c->flat->machines.at[at->machine].mode_var].reg;
        ScalarId here =
            scalar_make(&c->scalars, VM_EQ, reg(c, mode), scalar_const(&c->scalars, at->mode), 0, (Span){0});
        active = scalar_and(&c->scalars, here, active);
    }
    return active;
}

// Presence by the modes alone: it does not wait for the value (rule R2).
static ScalarId lower_defined(Compiler* c, uint32_t v)
{
    ScalarId defined = no(c);
    for (uint32_t d = c->vars.at[v].first_def[0]; d != 0; d = c->next_def.at[d - 1])
        defined = scalar_or(&c->scalars, defined, lower_ctx_active(c, c->flat->defs.at[d - 1].ctx));
    return defined;
}

static Lowered lower_var(Compiler* c, Phase phase, const Node* node)
{
    const FlatVar* var = &c->flat->vars.at[node->aux];
    const VarInfo* info = &c->vars.at[node->aux];
    Lowered out = {reg(c, info->reg), yes(c)};
    if (phase == PHASE_REACT && var->kind == VAR_STATE && info->rhs_order >= 0)
        out.value = reg(c, info->now);  // contains the jump of an impulse at this tag (rule R2)
    if (var->kind == VAR_EVENT)
        out.present = phase == PHASE_REACT ? event_flag(c, info->present) : no(c);
    else if (info->present != NO_REG && info->modal && c->has_impulses)
        out.present = lower_defined(c, node->aux);
    else if (info->present != NO_REG)
        out.present = reg(c, info->present);
    else if (info->maybe_absent && var->ctx != 0)
        out.present = lower_ctx_active(c, var->ctx);
    return out;
}

static Lowered lower_pre(Compiler* c, Phase phase, NodeId n, Lowered now)
{
    const Node node = c->flat->nodes.at[n];
    uint32_t v = c->flat->nodes.at[node.arg[0]].aux;
    if (phase == PHASE_FLOW && !c->vars.at[v].looped)
        return now;
    bool made;
    Cell* cell = find_cell(c, n, CELL_PRE, &made);
    if (made && (c->vars.at[v].present != NO_REG || c->vars.at[v].maybe_absent))
        cell->latch_present = compiler_reg(c, REG_MEMORY);
    if (made && !c->vars.at[v].looped)
        map_set(&c->pre_latches, cell->latch, (uint32_t)(cell - c->cells.at));
    return (Lowered){reg(c, cell->latch), cell->latch_present != NO_REG ? reg(c, cell->latch_present) : yes(c)};
}

// The value before the switching of this tag; between instants nothing switches.
static Lowered lower_committed(Compiler* c, Phase phase, NodeId n, Lowered now)
{
    bool made;
    Cell* cell = find_cell(c, n, CELL_COMMITTED, &made);
    return phase == PHASE_FLOW ? now : (Lowered){reg(c, cell->latch), yes(c)};
}

// ---- rounding in the guards of junctions (rule B5) ------------------------------------------------------------------

static ScalarId magnitude(Compiler* c, NodeId n)
{
    return scalar_make(&c->scalars, VM_ABS, lower(c, PHASE_REACT, n).value, 0, 0, c->flat->nodes.at[n].span);
}

static ScalarId size_of_terms(Compiler* c, NodeId n, int depth);

// The sizes of the inputs of a map, as a list. (Not by recursion: the list may be long.)
static ScalarId sizes_of_list(Compiler* c, NodeId list, int depth)
{
    VEC(ScalarId) sizes = {0};
    for (NodeId n = list; n != 0; n = c->flat->nodes.at[n].arg[1])
        vec_push(c->arena, sizes, size_of_terms(c, c->flat->nodes.at[n].arg[0], depth));
    ScalarId out = no(c);
    for (uint32_t i = sizes.count; i-- > 0;)
        out = scalar_make(&c->scalars, VM_ARGUMENT, sizes.at[i], out, 0, c->flat->nodes.at[list].span);
    return out;
}

static ScalarId lower_row(Compiler* c, VmOp op, const Node* node, ScalarId list)
{
    uint32_t count = 0;
    for (NodeId n = node->arg[0]; n != 0; n = c->flat->nodes.at[n].arg[1])
        count++;
    return scalar_make(&c->scalars, op, list, reg(c, c->coefficients + node->aux), scalar_const(&c->scalars, count),
                       node->span);
}

// The size of the terms that a value is the sum of, looking through signals with one definition.
static ScalarId size_of_terms(Compiler* c, NodeId n, int depth)
{
    const Node node = c->flat->nodes.at[n];
    Scalars* s = &c->scalars;
    if (depth == 0)
        return magnitude(c, n);
    switch (node.op)
    {
    case NODE_VAR:
    {
        const VarInfo* info = &c->vars.at[node.aux];
        uint32_t d = c->flat->vars.at[node.aux].kind == VAR_SIGNAL ? info->first_def[0] : 0;
        bool plain = d != 0 && c->next_def.at[d - 1] == 0 && c->flat->defs.at[d - 1].ctx == 0;
        return plain ? size_of_terms(c, c->flat->defs.at[d - 1].value, depth - 1) : magnitude(c, n);
    }
    case NODE_ADD:
    case NODE_SUB:
    case NODE_MUL:
        return scalar_make(s, node.op == NODE_MUL ? VM_MUL : VM_ADD, size_of_terms(c, node.arg[0], depth - 1),
                           size_of_terms(c, node.arg[1], depth - 1), 0, node.span);
    case NODE_DIV:
        return scalar_make(s, VM_DIV, size_of_terms(c, node.arg[0], depth - 1), magnitude(c, node.arg[1]), 0,
                           node.span);
    case NODE_REGULAR:
    case NODE_NEG: return size_of_terms(c, node.arg[0], depth - 1);
    case NODE_MAP: return lower_row(c, VM_ROW_SIZE, &node, sizes_of_list(c, node.arg[0], depth - 1));
    default: return magnitude(c, n);
    }
}

// The difference of a relation, 0 if it is rounding.
static ScalarId rounded(Compiler* c, NodeId difference, ScalarId value)
{
    enum
    {
        DEPTH = 60
    };
    Scalars* s = &c->scalars;
    Span span = c->flat->nodes.at[difference].span;
    ScalarId size = size_of_terms(c, difference, DEPTH);
    ScalarId bound = scalar_make(s, VM_MUL, scalar_const(s, 1e-12), size, 0, span);
    ScalarId small =
        scalar_make(s, VM_LT, scalar_make(s, VM_ABS, value, 0, 0, span), bound, 0, span);  // not infinities
    return scalar_select(s, small, no(c), value);
}

static Lowered lower_watched(Compiler* c, Phase phase, NodeId n, Lowered g)
{
    const Node node = c->flat->nodes.at[n];
    bool is_floor = is_step(&node);
    Cell* cell = guard_cell(c, n, is_floor ? CELL_FLOOR : CELL_RELATION, watched_argument(c, n));
    ScalarId latch = reg(c, cell->latch), last = reg(c, cell->last);
    NodeId difference = cell->g;
    if (phase == PHASE_FLOW)
        return (Lowered){latch, g.present};
    Scalars* s = &c->scalars;
    VmOp op = node.op == NODE_LT || node.op == NODE_GT ? VM_LT : VM_LE;
    ScalarId value = node.aux == 1 && !is_floor ? rounded(c, difference, g.value) : g.value;
    ScalarId fresh =
        is_floor ? scalar_make(s, VM_FLOOR, g.value, 0, 0, node.span) : scalar_make(s, op, value, no(c), 0, node.span);
    ScalarId same = scalar_make(s, VM_EQ, g.value, last, 0, node.span);
    return (Lowered){scalar_select(s, same, latch, fresh), g.present};
}

static Lowered lower_delay(Compiler* c, Phase phase, NodeId n)
{
    const Node node = c->flat->nodes.at[n];
    bool made;
    Cell* cell = find_cell(c, n, CELL_DELAY, &made);
    if (made)
    {
        cell->index = c->delay_count++;
        cell->latch_present = node.type == TYPE_EVENT ? compiler_reg(c, REG_MEMORY) : NO_REG;
    }
    if (node.type == TYPE_EVENT)
        return (Lowered){reg(c, cell->latch), phase == PHASE_REACT ? event_flag(c, cell->latch_present) : no(c)};
    ScalarId index = scalar_const(&c->scalars, cell->index);
    ScalarId at = scalar_make(&c->scalars, VM_SUB, scalar_reg(&c->scalars, c->time), lower(c, phase, node.arg[1]).value,
                              0, node.span);
    ScalarId past = scalar_make(&c->scalars, VM_DELAYED, index, at, scalar_const(&c->scalars, 0), node.span);
    if (c->numeric && phase == PHASE_REACT && node_order(c, n) >= 0)  // pulses do not go through the history
        past = scalar_make(&c->scalars, VM_ADD, past, numeric_pulse(c, n), 0, node.span);
    return (Lowered){past, yes(c)};
}

static Lowered lower_probe(Compiler* c, NodeId n)
{
    bool made;
    Cell* cell = find_cell(c, n, CELL_PROBE, &made);
    if (made)
        cell->latch_present = compiler_reg(c, REG_MEMORY);
    return (Lowered){reg(c, cell->latch), reg(c, cell->latch_present)};
}

static Lowered lower_event(Compiler* c, Phase phase, NodeId n, const Lowered* arg)
{
    const Node node = c->flat->nodes.at[n];
    if (phase == PHASE_FLOW)
        return (Lowered){yes(c), no(c)};
    bool made;
    Cell* cell;
    switch (node.op)
    {
    case NODE_EDGE:
        cell = find_cell(c, n, CELL_EDGE, &made);
        return (Lowered){yes(c), scalar_and(&c->scalars, scalar_and(&c->scalars, arg[0].present, arg[0].value),
                                            scalar_not(&c->scalars, reg(c, cell->latch)))};
    case NODE_CLOCK:
        cell = find_cell(c, n, CELL_CLOCK, &made);
        if (made)
            cell->count = compiler_reg(c, REG_MEMORY);
        return (Lowered){yes(c), event_flag(c, cell->latch)};
    default: cell = guard_cell(c, n, CELL_CROSSING, node.arg[0]); return (Lowered){yes(c), event_flag(c, cell->latch)};
    }
}

static Lowered lower_hold(Compiler* c, Phase phase, NodeId n, const Lowered* arg)
{
    bool made;
    Cell* cell = find_cell(c, n, CELL_HOLD, &made);
    ScalarId held = reg(c, cell->latch);
    if (phase == PHASE_FLOW)
        return (Lowered){held, yes(c)};
    // MOVE keeps derivatives out: what is held is constant beside its jump.
    ScalarId now = scalar_select(&c->scalars, arg[0].present, arg[0].value, held);
    return (Lowered){scalar_make(&c->scalars, VM_MOVE, now, 0, 0, c->flat->nodes.at[n].span), yes(c)};
}

// queue(put, take): at `take` the oldest value that waits, or else the one that is put at this very tag.
static Lowered lower_queue(Compiler* c, Phase phase, NodeId n, const Lowered* arg)
{
    bool made;
    Cell* cell = find_cell(c, n, CELL_QUEUE, &made);
    if (made)
    {
        cell->index = c->delay_count++;  // queues and delays share one table
        cell->count = compiler_reg(c, REG_MEMORY);
    }
    if (phase == PHASE_FLOW)
        return (Lowered){reg(c, cell->latch), no(c)};
    Scalars* s = &c->scalars;
    ScalarId waiting = scalar_make(s, VM_LT, no(c), reg(c, cell->count), 0, c->flat->nodes.at[n].span);
    return (Lowered){scalar_select(s, waiting, reg(c, cell->latch), arg[0].value),
                     scalar_and(s, arg[1].present, scalar_or(s, waiting, arg[0].present))};
}

// ---- operators ------------------------------------------------------------------------------------------------------

// clang-format off
static int vm_operator(NodeOp op)
{
    switch (op)
    {
#define SAME(name)                                                                                                     \
    case NODE_##name: return VM_##name;
        SAME(ADD)
        SAME(SUB) SAME(MUL) SAME(DIV) SAME(NEG) SAME(SIN) SAME(COS) SAME(TAN) SAME(ASIN) SAME(ACOS) SAME(ATAN)
            SAME(ATAN2) SAME(SINH) SAME(COSH) SAME(TANH) SAME(EXP) SAME(LOG) SAME(LOG10) SAME(SQRT) SAME(HYPOT)
                SAME(ABS) SAME(SIGN) SAME(MIN) SAME(MAX) SAME(FLOOR) SAME(LT) SAME(LE) SAME(EQ) SAME(NE) SAME(AND)
                    SAME(OR) SAME(NOT)
#undef SAME
                        default : return -1;
    }
}
// clang-format on

// Whole powers up to 4 and square roots as the operators they are: exact where pow is only close, and far cheaper.
static ScalarId lower_power(Compiler* c, ScalarId a, ScalarId b, Span span)
{
    Scalars* s = &c->scalars;
    double e;
    if (!scalar_is_const(s, b, &e))
        return scalar_make(s, VM_POW, a, b, 0, span);
    if (e == 1)
        return a;
    if (e == 0.5)
        return scalar_make(s, VM_SQRT, a, 0, 0, span);
    if (e < 0 && e >= -4 && e == floor(e))
        return scalar_make(s, VM_DIV, yes(c), lower_power(c, a, scalar_const(s, -e), span), 0, span);
    ScalarId square = scalar_make(s, VM_MUL, a, a, 0, span);
    if (e == 2)
        return square;
    if (e == 3)
        return scalar_make(s, VM_MUL, square, a, 0, span);
    if (e == 4)
        return scalar_make(s, VM_MUL, square, square, 0, span);
    return scalar_make(s, VM_POW, a, b, 0, span);
}

static Lowered lower_operator(Compiler* c, Phase phase, const Node* node, const Lowered* arg, int count)
{
    Scalars* s = &c->scalars;
    Lowered out = {0, yes(c)};
    for (int i = 0; i < count; i++)
        out.present = scalar_and(s, out.present, arg[i].present);
    ScalarId a = arg[0].value, b = count > 1 ? arg[1].value : 0;
    if (phase == PHASE_REACT && is_relation((NodeOp)node->op) && node->aux == 1)
    {
        NodeId difference = flat_node(c->flat, NODE_SUB, TYPE_REAL, node->arg[0], node->arg[1], 0, 0, 0, node->span);
        a = rounded(c, difference, scalar_make(s, VM_SUB, a, b, 0, node->span));
        b = no(c);
    }
    switch (node->op)
    {
    case NODE_POW: out.value = lower_power(c, a, b, node->span); break;
    case NODE_GT: out.value = scalar_make(s, VM_LT, b, a, 0, node->span); break;
    case NODE_GE: out.value = scalar_make(s, VM_LE, b, a, 0, node->span); break;
    case NODE_ROWS: out.value = scalar_make(s, VM_TABLE_ROWS, a, scalar_const(s, node->aux), 0, node->span); break;
    case NODE_PLACE: out.value = rows_place(c, node->aux, a, node->span); break;
    case NODE_SEGMENT: out.value = scalar_make(s, VM_FLOOR, a, 0, 0, node->span); break;
    case NODE_LIST: out.value = scalar_make(s, VM_ARGUMENT, a, count > 1 ? b : no(c), 0, node->span); break;
    case NODE_TABLE: out.value = scalar_make(s, VM_TABLE, a, scalar_const(s, node->aux), 0, node->span); break;
    default: out.value = scalar_make(s, (VmOp)vm_operator((NodeOp)node->op), a, b, 0, node->span); break;
    }
    return out;
}

// ---- random draws

// One stream per instance path and seed, and per place in the text: the key hashes the path and the draw's number in
// it.
static double stream_key(const Compiler* c, NodeId n, uint32_t salt)
{
    const Node* node = &c->flat->nodes.at[n];
    const char* name = c->flat->streams.at[node->aux].name;
    uint64_t h = hash_bytes(HASH_START + salt, name, strlen(name));
    uint32_t place = 0;
    for (NodeId i = 1; i < n; i++)
    {
        const Node* other = &c->flat->nodes.at[i];
        place += other->op >= NODE_UNIFORM && other->op <= NODE_EXPONENTIAL && other->aux == node->aux;
    }
    h = (h ^ place) * 1099511628211u;
    return (double)(h >> 12);  // exact in a double
}

static ScalarId uniform_scalar(Compiler* c, NodeId n, uint32_t salt)
{
    bool made;
    Cell* cell = find_cell(c, n, CELL_DRAW, &made);
    if (c->seed == NO_REG)
        c->seed = compiler_reg(c, REG_MEMORY);
    ScalarId number = reg(c, c->cells.at[cell - c->cells.at].latch);
    return scalar_make(&c->scalars, VM_RANDOM, scalar_const(&c->scalars, stream_key(c, n, salt)), number,
                       reg(c, c->seed), c->flat->nodes.at[n].span);
}

static Lowered lower_random(Compiler* c, Phase phase, NodeId n, const Lowered* arg, int count)
{
    const Node node = c->flat->nodes.at[n];
    Scalars* s = &c->scalars;
    Span at = node.span;
    ScalarId present = count > 1 ? scalar_and(s, arg[0].present, arg[1].present) : arg[0].present;
    if (phase == PHASE_FLOW)
        return (Lowered){no(c), present};
    ScalarId u = uniform_scalar(c, n, 0), a = arg[0].value, b = count > 1 ? arg[1].value : 0;
    if (node.op == NODE_UNIFORM)
        return (Lowered){
            scalar_make(s, VM_ADD, a, scalar_make(s, VM_MUL, scalar_make(s, VM_SUB, b, a, 0, at), u, 0, at), 0, at),
            present};
    // 1 - u lies in (0, 1]: its logarithm is finite
    ScalarId minus_log =
        scalar_make(s, VM_NEG, scalar_make(s, VM_LOG, scalar_make(s, VM_SUB, yes(c), u, 0, at), 0, 0, at), 0, 0, at);
    if (node.op == NODE_EXPONENTIAL)
        return (Lowered){scalar_make(s, VM_DIV, minus_log, a, 0, at), present};
    ScalarId angle =
        scalar_make(s, VM_MUL, scalar_const(s, 2 * 3.14159265358979323846), uniform_scalar(c, n, 1), 0, at);
    ScalarId length = scalar_make(s, VM_SQRT, scalar_make(s, VM_MUL, scalar_const(s, 2), minus_log, 0, at), 0, 0, at);
    ScalarId z = scalar_make(s, VM_MUL, length, scalar_make(s, VM_COS, angle, 0, 0, at), 0, at);  // Box and Muller
    return (Lowered){scalar_make(s, VM_ADD, a, scalar_make(s, VM_MUL, b, z, 0, at), 0, at), present};
}

// f(a, b, …): the arguments are a chain, so that whoever walks over operators need not know about calls.
static Lowered lower_external(Compiler* c, const Node* node, const Lowered* arg, int count)
{
    Lowered list = count > 0 ? arg[0] : (Lowered){no(c), yes(c)};
    ScalarId index = scalar_const(&c->scalars, node->aux);
    return (Lowered){scalar_make(&c->scalars, VM_EXTERNAL, list.value, index, 0, node->span), list.present};
}

// rows(file, u) jumps at every row. Nobody looks for these times, so u must change at events only.
static void refuse_step(Compiler* c, NodeId n, bool smooth)
{
    const Node node = c->flat->nodes.at[n];
    bool watched = n < c->asked.watched.count && c->asked.watched.at[n];
    if (smooth || !watched || c->refused == n || node_varies(c, node.arg[0]) != VARIES_ALWAYS)
        return;
    c->refused = n;
    Diag* diag =
        diag_error(c->diags, K_STEP_OF_SIGNAL, node.span, "rows() jumps, and its argument `%s` changes between events",
                   flat_text(c->flat, c->arena, node.arg[0]));
    diag_help(c->diags, diag, "ask at events only: in an action, or with `sample(rows(…), ev)`");
}

static Lowered lower_entry(Compiler* c, Phase phase, uint32_t ctx)
{
    if (c->entries[ctx] == NO_REG)
        c->entries[ctx] = compiler_reg(c, REG_MEMORY);
    return (Lowered){yes(c), phase == PHASE_REACT ? event_flag(c, c->entries[ctx]) : no(c)};
}

static Lowered lower_derivative(Compiler* c, Phase phase, NodeId n, Lowered arg)
{
    const Node node = c->flat->nodes.at[n];
    if (node.op == NODE_SLOPE && node.aux != 0)  // MOVE: of what hangs on its own slope there is no end of derivatives
                                                 // in time; with respect to unknowns it has some, which the 1 says
        return (Lowered){scalar_make(&c->scalars, VM_MOVE, flow_derivative(c, arg.value), scalar_const(&c->scalars, 1),
                                     0, node.span),
                         arg.present};
    if (node.op == NODE_SLOPE)
        return (Lowered){flow_derivative(c, arg.value), arg.present};
    if (c->numeric)
        return numeric_difference(c, phase, n, arg);
    refuse_opaque(c, n);
    return (Lowered){flow_derivative(c, arg.value), arg.present};
}

// Relations, kinks and plain operators.
static Lowered lower_plain(Compiler* c, Phase phase, bool smooth, NodeId n, const Lowered* arg, int count)
{
    const Node node = c->flat->nodes.at[n];
    if (is_watched(c, n, smooth))
        return lower_watched(c, phase, n, arg[0]);
    return is_spelled_out(c, n, smooth) ? arg[0] : lower_operator(c, phase, &node, arg, count);
}

static Lowered lower_node(Compiler* c, Phase phase, bool smooth, NodeId n, const Lowered* arg, int count)
{
    const Node node = c->flat->nodes.at[n];
    Scalars* s = &c->scalars;
    switch (node.op)
    {
    case NODE_CONST: return (Lowered){scalar_const(s, node.value), yes(c)};
    case NODE_TIME: return (Lowered){reg(c, c->time), yes(c)};
    case NODE_VAR: return lower_var(c, phase, &node);
    case NODE_PRE: return lower_pre(c, phase, n, arg[0]);
    case NODE_UP:
    case NODE_DOWN:
    case NODE_CROSS:
    case NODE_EDGE:
    case NODE_CLOCK: return lower_event(c, phase, n, arg);
    case NODE_ENTRY: return lower_entry(c, phase, node.aux);
    case NODE_HOLD: return lower_hold(c, phase, n, arg);
    case NODE_DELAY: return lower_delay(c, phase, n);
    case NODE_QUEUE: return lower_queue(c, phase, n, arg);
    case NODE_ROWS: refuse_step(c, n, smooth); break;
    case NODE_AT:
    case NODE_LEFT:
    case NODE_AT_INDEX:
    case NODE_FINAL:
    case NODE_COUNT:
    case NODE_TIME_OF:
    case NODE_LEAST:
    case NODE_GREATEST: return lower_probe(c, n);
    case NODE_COMMITTED: return lower_committed(c, phase, n, arg[0]);
    case NODE_SLOPE:
    case NODE_DER: return lower_derivative(c, phase, n, arg[0]);
    case NODE_WHILE:
        return (Lowered){yes(c), phase == PHASE_FLOW ? no(c) : scalar_and(s, arg[0].present, arg[0].value)};
    case NODE_FILTER:
        return (Lowered){arg[0].value, scalar_and(s, arg[0].present, scalar_and(s, arg[1].present, arg[1].value))};
    case NODE_SAMPLE:
        return (Lowered){arg[0].value, phase == PHASE_FLOW ? no(c) : scalar_and(s, arg[0].present, arg[1].present)};
    case NODE_PRESENT: return (Lowered){arg[0].present, yes(c)};
    case NODE_VALUE:
    case NODE_REGULAR:
    case NODE_SMOOTH: return arg[0];
    case NODE_DEFAULT:
        return (Lowered){scalar_select(s, arg[0].present, arg[0].value, arg[1].value),
                         scalar_or(s, arg[0].present, arg[1].present)};
    case NODE_IF:
        return (Lowered){scalar_select(s, arg[0].value, arg[1].value, arg[2].value),
                         scalar_and(s, arg[0].present, scalar_select(s, arg[0].value, arg[1].present, arg[2].present))};
    case NODE_DELTA:  // all impulse, no regular part
        return (Lowered){c->numeric && phase == PHASE_REACT ? numeric_pulse(c, n) : no(c), yes(c)};
    case NODE_AREA:
        return (Lowered){phase == PHASE_REACT ? impulse_part(c, node.arg[0], (int)node.aux) : no(c), yes(c)};
    case NODE_UNIFORM:
    case NODE_NORMAL:
    case NODE_EXPONENTIAL: return lower_random(c, phase, n, arg, count);
    case NODE_EXTERNAL: return lower_external(c, &node, arg, count);
    case NODE_MAP: return (Lowered){lower_row(c, VM_ROW, &node, arg[0].value), arg[0].present};
    default: break;
    }
    return lower_plain(c, phase, smooth, n, arg, count);
}

// ---- traversal ------------------------------------------------------------------------------------------------------

static Lowered* slot(Compiler* c, Phase phase, bool smooth, NodeId n)
{
    while (c->lowered[phase][smooth].count < c->flat->nodes.count)
        vec_push(c->arena, c->lowered[phase][smooth], (Lowered){0});
    return &c->lowered[phase][smooth].at[n];
}

Lowered lower(Compiler* c, Phase phase, NodeId root)
{
    uint32_t base = c->todo.count;  // of a lowering around this one
    vec_push(c->arena, c->todo, (Todo){root, false});
    while (c->todo.count > base)
    {
        Todo top = c->todo.at[c->todo.count - 1];
        if (slot(c, phase, top.smooth, top.node)->value != 0)
        {
            c->todo.count--;
            continue;
        }
        bool inner = top.smooth || c->flat->nodes.at[top.node].op == NODE_SMOOTH;
        NodeId need[3];
        Lowered arg[3] = {{0}};
        int count = needs(c, phase, top.smooth, top.node, need);
        bool ready = true;
        for (int i = 0; i < count; i++)
        {
            arg[i] = *slot(c, phase, inner, need[i]);
            if (arg[i].value == 0)
            {
                vec_push(c->arena, c->todo, (Todo){need[i], inner});
                ready = false;
            }
        }
        if (!ready)
            continue;
        Lowered made = lower_node(c, phase, top.smooth, top.node, arg, count);
        *slot(c, phase, top.smooth, top.node) = made;
        c->todo.count--;
    }
    return *slot(c, phase, false, root);
}
