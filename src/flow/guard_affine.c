// Guards that are a sum of states with constant factors, but for a constant: a level, a distance. Their polynomials are
// the same sums of the states' polynomials and need no series. Which guards are such is read from their code before the
// run.
#include "flow/guard_path.h"
#include "model/code.h"

#include <string.h>

enum
{
    STATES_MOST = 4,
    VALUES_MOST = 24,  // results of the code
};

typedef struct Value  // of a register: sum of factors[i] · state i, and something that stands still
{
    uint32_t reg;
    double factors[STATES_MOST];
    bool moves;
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
    *v = (Value){.reg = reg};
    for (uint32_t i = r->count; i-- > 0;)
        if (r->values[i].reg == reg)
        {
            *v = r->values[i];
            return true;
        }
    for (uint32_t i = 0; i < r->guard->state_count; i++)
        if (reg == r->model->reg_first[REG_STATE] + (uint32_t)r->model->guard_states[r->guard->first_state + i])
        {
            v->factors[i] = 1;
            v->moves = true;
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

static Value combine(const Value* x, double a, const Value* y, double b)
{
    Value z = {.moves = x->moves || y->moves};
    for (int i = 0; i < STATES_MOST; i++)
        z.factors[i] = a * x->factors[i] + b * y->factors[i];
    return z;
}

static bool read_instruction(Reading* r, VmOp op, const uint32_t* pc)
{
    Value x, y = {0}, z;
    double c;
    bool two = op != VM_MOVE && op != VM_NEG;
    if (r->count == VALUES_MOST || !value_of(r, pc[1], &x) || (two && !value_of(r, pc[2], &y)))
        return false;
    switch (op)
    {
    case VM_MOVE: z = x; break;
    case VM_NEG: z = combine(&x, -1, &y, 0); break;
    case VM_ADD: z = combine(&x, 1, &y, 1); break;
    case VM_SUB: z = combine(&x, 1, &y, -1); break;
    case VM_MUL:
        if (x.moves ? !constant_of(r, pc[2], &c) : !constant_of(r, pc[1], &c))
            return false;
        z = x.moves ? combine(&x, c, &y, 0) : combine(&y, c, &x, 0);
        break;
    default: return false;
    }
    z.reg = pc[0];
    r->values[r->count++] = z;
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

bool guard_affine_read(const kaiModel* model, const Guard* guard, double* factors)
{
    Reading r = {.model = model, .guard = guard};
    CodeItem item;
    Value g;
    if (guard->curved || guard->state_count == 0 || guard->state_count > STATES_MOST)
        return false;
    CodeRange code = body_of(model, guard);
    for (uint32_t at = code.start; at < code.end; at += item.words)
    {
        if (!code_item(model->code, at, code.end, &item) || item.op > VM_NEG || item.stride == 0)
            return false;
        for (uint32_t i = 0; i < item.reg_count; i += item.stride)
            if (!read_instruction(&r, (VmOp)item.op, model->code + item.first_reg + i))
                return false;
    }
    if (r.count == 0 || !value_of(&r, guard->g, &g))
        return false;
    memcpy(factors, g.factors, sizeof(double) * guard->state_count);
    return true;
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
