// The graph of plain operators: building, sharing and folding.
#include "lower/scalar.h"

#include <math.h>
#include <string.h>

void scalars_init(Scalars* scalars, Arena* arena)
{
    *scalars = (Scalars){.arena = arena, .walk = {.arena = arena}};
    map_init(&scalars->constant_index, arena);
    map_init(&scalars->seen, arena);
    (void)vec_add(arena, scalars->list);  // 0 = none
    scalars->slot_count = 1024;
    scalars->slots = arena_array(arena, uint32_t, scalars->slot_count);
}

static uint64_t scalar_hash(const Scalar* s)
{
    uint64_t h = s->op;
    for (int i = 0; i < 3; i++)
        h = (h ^ s->arg[i]) * 0x9e3779b97f4a7c15u;
    h = (h ^ s->reg) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static bool scalar_same(const Scalar* a, const Scalar* b)
{
    return a->op == b->op && a->reg == b->reg && memcmp(a->arg, b->arg, sizeof a->arg) == 0;
}

static void place_slot(Scalars* s, ScalarId id)
{
    uint32_t mask = s->slot_count - 1;
    uint32_t at = (uint32_t)scalar_hash(&s->list.at[id]) & mask;
    while (s->slots[at] != 0)
        at = (at + 1) & mask;
    s->slots[at] = id;
}

static void grow_slots(Scalars* s)
{
    arena_release(s->arena, s->slots, sizeof *s->slots * s->slot_count);
    s->slot_count *= 2;
    s->slots = arena_array(s->arena, uint32_t, s->slot_count);
    for (ScalarId id = 1; id < s->list.count; id++)
        place_slot(s, id);
}

static ScalarId scalar_intern(Scalars* s, Scalar wanted)
{
    uint32_t mask = s->slot_count - 1;
    uint32_t at = (uint32_t)scalar_hash(&wanted) & mask;
    for (; s->slots[at] != 0; at = (at + 1) & mask)
        if (scalar_same(&s->list.at[s->slots[at]], &wanted))
            return s->slots[at];
    ScalarId id = s->list.count;
    vec_push(s->arena, s->list, wanted);
    s->slots[at] = id;
    if (s->list.count * 2 > s->slot_count)
        grow_slots(s);
    return id;
}

ScalarId scalar_reg(Scalars* scalars, SymReg reg)
{
    bool fixed = sym_class(reg) == REG_CONST || sym_class(reg) == REG_PARAM;
    return scalar_intern(scalars, (Scalar){.op = SCALAR_REG, .fixed = fixed, .reg = reg});
}

ScalarId scalar_const(Scalars* scalars, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t index;
    if (!map_get(&scalars->constant_index, bits, &index))
    {
        index = scalars->constants.count;
        vec_push(scalars->arena, scalars->constants, value);
        map_set(&scalars->constant_index, bits, index);
    }
    return scalar_reg(scalars, sym_reg(REG_CONST, index));
}

bool scalar_is_const(const Scalars* scalars, ScalarId id, double* value)
{
    const Scalar* s = &scalars->list.at[id];
    if (id == 0 || s->op != SCALAR_REG || sym_class(s->reg) != REG_CONST)
        return false;
    *value = scalars->constants.at[sym_index(s->reg)];
    return true;
}

static bool fold_value(VmOp op, double a, double b, double* out)
{
    switch (op)
    {
    case VM_ADD: *out = a + b; break;
    case VM_SUB: *out = a - b; break;
    case VM_MUL: *out = a * b; break;
    case VM_DIV: *out = a / b; break;
    case VM_NEG: *out = -a; break;
    case VM_LT: *out = a < b; break;
    case VM_LE: *out = a <= b; break;
    case VM_EQ: *out = a == b; break;
    case VM_NE: *out = a != b; break;
    case VM_AND: *out = a != 0 && b != 0; break;
    case VM_OR: *out = a != 0 || b != 0; break;
    case VM_NOT: *out = a == 0; break;
    case VM_ABS: *out = fabs(a); break;
    case VM_FLOOR: *out = floor(a); break;
    case VM_SQRT: *out = sqrt(a); break;
    case VM_POW: *out = pow(a, b); break;
    default: return false;
    }
    return isfinite(*out);
}

// Identities that hold for every double, NaN included, except that an absent value may be anything.
static ScalarId simplify_logic(Scalars* s, VmOp op, ScalarId a, ScalarId b, ScalarId c)
{
    double v;
    if (op == VM_SELECT)
    {
        if (scalar_is_const(s, a, &v))
            return v != 0 ? b : c;
        return b == c ? b : 0;
    }
    if (op != VM_AND && op != VM_OR)
        return 0;
    if (scalar_is_const(s, a, &v))
        return (v != 0) == (op == VM_AND) ? b : a;
    if (scalar_is_const(s, b, &v))
        return (v != 0) == (op == VM_AND) ? a : b;
    return a == b ? a : 0;
}

static ScalarId simplify_arithmetic(Scalars* s, VmOp op, ScalarId a, ScalarId b)
{
    double v;
    if (op == VM_NEG && s->list.at[a].op == VM_NEG)
        return s->list.at[a].arg[0];
    if (op == VM_NOT && s->list.at[a].op == VM_NOT)
        return s->list.at[a].arg[0];
    if ((op == VM_MUL || op == VM_DIV) && scalar_is_const(s, b, &v) && v == 1)
        return a;
    if (op == VM_MUL && scalar_is_const(s, a, &v) && v == 1)
        return b;
    if ((op == VM_ADD || op == VM_SUB) && scalar_is_const(s, b, &v) && v == 0 && !signbit(v) == (op == VM_SUB))
        return a;  // x - 0 and x + -0 are x, bit for bit
    return 0;
}

static bool is_fixed(const Scalars* s, ScalarId id)
{
    return id == 0 || s->list.at[id].fixed;
}

ScalarId scalar_make(Scalars* s, VmOp op, ScalarId a, ScalarId b, ScalarId c, Span span)
{
    double va = 0, vb = 0, out;
    if (op != VM_SELECT && scalar_is_const(s, a, &va) && (b == 0 || scalar_is_const(s, b, &vb)) &&
        fold_value(op, va, vb, &out))
        return scalar_const(s, out);
    ScalarId simple = simplify_logic(s, op, a, b, c);
    if (simple == 0)
        simple = simplify_arithmetic(s, op, a, b);
    if (simple != 0)
        return simple;
    bool fixed = op != VM_DELAYED && op != VM_RANDOM && is_fixed(s, a) && is_fixed(s, b) && is_fixed(s, c);
    return scalar_intern(s, (Scalar){.op = (uint8_t)op, .fixed = fixed, .arg = {a, b, c}, .span = span});
}

bool scalar_walk_next(Scalars* s, Scalar* x)
{
    ScalarId id = walk_pop(&s->walk);
    if (id == 0)
        return false;
    *x = s->list.at[id];
    for (int i = 0; x->op != SCALAR_REG && i < vm_op_arity((VmOp)x->op); i++)
        walk_push(&s->walk, x->arg[i]);
    return true;
}
