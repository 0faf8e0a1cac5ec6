// Guards that are a sum of states with factors that stand still between instants, but for what stands still itself: a
// level, a distance, an effort of a circuit with constant sources. Their polynomials are the same sums of the states'
// polynomials and need no series. Which guards are such is read from their code before the run; factors that hang on
// registers (parameters, rows of a map) are taken anew where the guard is armed. Such are the guards of one-way
// junctions alone, of which the selection has the last word: whether another relation comes to rest on its level (rule
// C7) is told from the last digits of its own terms, which products would hide.
#include "flow/guard_path.h"
#include "model/code.h"
#include "vm/vm.h"

#include <string.h>

enum
{
    STATES_MOST = 8,
    STATES_FEW = 4,    // of a guard that is no sign
    VALUES_MOST = 64,  // results of the code
    VALUES_FEW = 24,
    TERMS_MOST = 16,  // of one of them
};

typedef struct Value  // of a register: a sum of terms, and something that stands still
{
    uint32_t reg, count;
    GuardTerm terms[TERMS_MOST];
} Value;

typedef struct Reading
{
    const kaiModel* model;
    const Guard* guard;
    Value values[VALUES_MOST];
    uint32_t count;
} Reading;

static bool is_still(const kaiModel* model, uint32_t reg)
{
    return reg < model->reg_first[REG_VALUE] && reg != model->reg_time &&
           (reg < model->reg_first[REG_STATE] || reg >= model->reg_first[REG_MEMORY]);
}

static bool value_of(const Reading* r, uint32_t reg, Value* v)
{
    v->reg = reg;
    v->count = 0;
    for (uint32_t i = r->count; i-- > 0;)
        if (r->values[i].reg == reg)
        {
            v->count = r->values[i].count;
            memcpy(v->terms, r->values[i].terms, sizeof *v->terms * v->count);
            return true;
        }
    for (uint32_t i = 0; i < r->guard->state_count; i++)
        if (reg == r->model->reg_first[REG_STATE] + (uint32_t)r->model->guard_states[r->guard->first_state + i])
        {
            v->terms[v->count++] = (GuardTerm){.state = i, .times = NO_REG, .over = NO_REG, .factor = 1};
            return true;
        }
    return is_still(r->model, reg);
}

static bool constant_of(const Reading* r, uint32_t reg, double* value)
{
    bool constant = reg < r->model->reg_first[REG_PARAM];
    *value = constant ? r->model->constants[reg - r->model->reg_first[REG_CONST]] : 0;
    return constant;
}

// z += a x. False: there are too many terms.
static bool add(Value* z, const Value* x, double a)
{
    for (uint32_t i = 0; i < x->count; i++)
    {
        GuardTerm t = x->terms[i];
        uint32_t k = 0;
        while (k < z->count &&
               (z->terms[k].state != t.state || z->terms[k].times != t.times || z->terms[k].over != t.over))
            k++;
        if (k == TERMS_MOST)
            return false;
        if (k == z->count)
            z->terms[z->count++] = (GuardTerm){.state = t.state, .times = t.times, .over = t.over};
        z->terms[k].factor += a * t.factor;
    }
    return true;
}

// Times what a register holds that stands still.
static bool scale(const Reading* r, Value* x, uint32_t reg)
{
    bool plain = is_still(r->model, reg);
    for (uint32_t i = 0; i < x->count && plain; i++)
    {
        plain = x->terms[i].times == NO_REG;
        x->terms[i].times = reg;
    }
    return plain;
}

static bool divide(const Reading* r, Value* x, const Value* y, uint32_t reg)
{
    bool plain = y->count == 0 && (x->count == 0 || is_still(r->model, reg));
    for (uint32_t i = 0; i < x->count && plain; i++)
    {
        plain = x->terms[i].over == NO_REG;
        x->terms[i].over = reg;
    }
    return plain;
}

static bool multiply(const Reading* r, const Value* x, const Value* y, const uint32_t* pc, Value* z)
{
    const Value* moves = x->count > 0 ? x : y;
    uint32_t other = x->count > 0 ? pc[2] : pc[1];
    double c;
    if (x->count > 0 && y->count > 0)
        return false;
    if (constant_of(r, other, &c))
        return add(z, moves, c);
    return r->guard->one_way && (moves->count == 0 || (add(z, moves, 1) && scale(r, z, other)));
}

// A row of a map: its coefficients stand still.
static bool read_row(const Reading* r, const uint32_t* pc, Value* z)
{
    Value x;
    for (uint32_t i = 0; i < vm_constant(r->model, pc[3]); i++)
        if (!value_of(r, pc[1] + i, &x) || !is_still(r->model, pc[2] + i) ||
            (x.count > 0 && !scale(r, &x, pc[2] + i)) || !add(z, &x, 1))
            return false;
    return true;
}

static bool combine(const Reading* r, VmOp op, const uint32_t* pc, Value* z)
{
    Value x, y;
    y.count = 0;
    bool two = op != VM_MOVE && op != VM_NEG;
    if ((op == VM_ROW || op == VM_DIV) && !r->guard->one_way)
        return false;
    if (op == VM_ROW)
        return read_row(r, pc, z);
    if (op > VM_NEG || !value_of(r, pc[1], &x) || (two && !value_of(r, pc[2], &y)))
        return false;
    switch (op)
    {
    case VM_MOVE: return add(z, &x, 1);
    case VM_NEG: return add(z, &x, -1);
    case VM_ADD: return add(z, &x, 1) && add(z, &y, 1);
    case VM_SUB: return add(z, &x, 1) && add(z, &y, -1);
    case VM_MUL: return multiply(r, &x, &y, pc, z);
    case VM_DIV: return divide(r, &x, &y, pc[2]) && add(z, &x, 1);
    default: return false;
    }
}

static bool read_run(Reading* r, const CodeItem* item)
{
    for (uint32_t i = 0; i < item->reg_count; i += item->stride)
    {
        const uint32_t* pc = r->model->code + item->first_reg + i;
        if (r->count == (r->guard->one_way ? VALUES_MOST : VALUES_FEW))
            return false;
        Value* z = &r->values[r->count];  // which is not among the values yet
        z->reg = pc[0];
        z->count = 0;
        if (!combine(r, (VmOp)item->op, pc, z))
            return false;
        r->count++;
    }
    return true;
}

// The mode of the machine in a register that the guard belongs to: it is asked for nowhere else. False: to none.
static bool own_mode(const Reading* r, uint32_t reg, uint32_t* mode)
{
    const kaiModel* model = r->model;
    for (uint32_t ctx = r->guard->ctx; ctx != 0; ctx = model->contexts[ctx].parent)
        if (model->machines[model->contexts[ctx].machine].reg == reg)
            return *mode = model->contexts[ctx].mode, true;
    return false;
}

static bool read_code(Reading* r, CodeRange range)
{
    CodeItem item;
    uint32_t mode, after = 0;  // the end of the switch whose block is read
    for (uint32_t at = range.start; at < range.end;)
    {
        if (!code_item(r->model->code, at, range.end, &item))
            return false;
        const uint32_t* pc = r->model->code + at;
        uint32_t next = at + item.words;
        if (item.op == VM_SWITCH)
        {
            if (after != 0 || !r->guard->one_way || !own_mode(r, pc[1], &mode) || mode >= pc[2])
                return false;
            after = next + pc[3 + pc[2]];
            next = pc[3 + mode] != NO_REG ? next + pc[3 + mode] : after;
        }
        else if (item.op == VM_JUMP && after != 0 && at + pc[1] == after)
            next = after;
        else if (item.stride == 0 || !read_run(r, &item))
            return false;
        after = next == after ? 0 : after;
        at = next;
    }
    return true;
}

// The code of a guard, which may lie in the block of the mode that the guard belongs to: it is asked for nowhere else.
static CodeRange body_of(const kaiModel* model, const Guard* guard)
{
    CodeRange body = guard->code;
    const Context* ctx = &model->contexts[guard->ctx];
    const uint32_t* pc = model->code + body.start;
    CodeItem item;
    if (guard->ctx == 0 || body.end == body.start || (pc[0] & 0xff) != VM_SWITCH ||
        pc[1] != model->machines[ctx->machine].reg || ctx->mode >= pc[2] || pc[3 + ctx->mode] == NO_REG)
        return body;
    CodeRange block = {body.start + 4 + pc[2] + pc[3 + ctx->mode], body.end};
    for (uint32_t at = block.start; at < body.end && code_item(model->code, at, body.end, &item); at += item.words)
        if (item.op == VM_JUMP)
        {
            block.end = at;
            return at + model->code[at + 1] == body.end ? block : body;
        }
    return body;
}

bool guard_affine_read(const kaiModel* model, const Guard* guard, double* factors, GuardTerm* terms, uint32_t* count)
{
    Reading r;  // large, and filled as it is read
    Value g;
    r.model = model;
    r.guard = guard;
    r.count = 0;
    *count = 0;
    if (guard->curved || guard->state_count == 0 || guard->state_count > (guard->one_way ? STATES_MOST : STATES_FEW))
        return false;
    if (!read_code(&r, guard->one_way ? guard->code : body_of(model, guard)) || r.count == 0 ||
        !value_of(&r, guard->g, &g))
        return false;
    bool fixed = true;
    for (uint32_t i = 0; i < g.count; i++)
        fixed &= g.terms[i].times == NO_REG && g.terms[i].over == NO_REG;
    memset(factors, 0, sizeof(double) * guard->state_count);
    for (uint32_t i = 0; i < g.count && fixed; i++)
        factors[g.terms[i].state] += g.terms[i].factor;
    for (uint32_t i = 0; i < g.count && !fixed && terms != NULL; i++)
        terms[i] = g.terms[i];
    *count = fixed ? 0 : g.count;
    return true;
}

void guard_affine_refresh(Flow* flow, uint32_t guard)
{
    const double* R = flow->kernel->R;
    double* factors = flow->guard_factors + flow->model->guards[guard].first_state;
    uint32_t first = flow->guard_term_first[guard], last = flow->guard_term_first[guard + 1];
    if (first == last)
        return;
    memset(factors, 0, sizeof(double) * flow->model->guards[guard].state_count);
    for (const GuardTerm* t = flow->guard_terms + first; t < flow->guard_terms + last; t++)
    {
        double factor = t->times != NO_REG ? t->factor * R[t->times] : t->factor;
        factors[t->state] += t->over != NO_REG ? factor / R[t->over] : factor;
    }
}

void guard_affine_refresh_all(Flow* flow)
{
    for (uint32_t i = 0; i < flow->model->guards_count && flow->guard_terms != NULL; i++)
        guard_affine_refresh(flow, i);
}

bool guard_is_direct(const kaiModel* model, const Guard* guard)
{
    CodeItem item;
    CodeRange body = body_of(model, guard);
    const uint32_t* code = model->code + body.start;
    return guard->state_count == 1 && body.end > body.start && code_item(model->code, body.start, body.end, &item) &&
           item.op == VM_MOVE && item.reg_count == 2 && body.start + item.words == body.end && code[1] == guard->g &&
           code[2] == model->reg_first[REG_STATE] + (uint32_t)model->guard_states[guard->first_state];
}
