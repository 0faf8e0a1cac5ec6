// Cures that paper 002 uses: strict relations for others, and the sign of a state added to two guards so that they
// exclude each other. Each is tried on the guards of the cycle; a cure must make the whole group *proved*.
#include "prove/cure.h"

#include "prove/circuit.h"

static const double share = 1.0 / 3;  // of the time that is left, for all tries together

typedef VEC(NodeId) Nodes;

// The relations with equality below a guard, looking through signals.
static void find_relations(const Encoder* e, NodeId n, Nodes* found, bool* seen)
{
    if (n == 0 || seen[n])
        return;
    seen[n] = true;
    const Node* node = &e->flat->nodes.at[n];
    if (node->op == NODE_LE || node->op == NODE_GE)
        vec_push(e->arena, *found, n);
    if (node->op == NODE_VAR)
        for (uint32_t d = e->first_def[node->aux]; d != 0; d = e->next_def[d - 1])
            find_relations(e, e->flat->defs.at[d - 1].value, found, seen);
    for (int i = 0; i < node_op_arity((NodeOp)node->op); i++)
        find_relations(e, node->arg[i], found, seen);
}

static bool fires_in_cycle(const Search* s, uint32_t r)
{
    for (uint32_t t = s->witness.stem; t < s->witness.stem + s->witness.length; t++)
        if (s->witness.fires[t][r])
            return true;
    return false;
}

static bool helps(const Search* refuted, double until)
{
    Encoder* e = refuted->e;
    double deadline = e->logic->deadline;
    Search s = {.e = e, .quick = true, .group = refuted->group, .region = refuted->region, .start = refuted->start};
    double now = logic_clock();
    e->logic->deadline = now + (until - now) / 2;
    bool cured = now < until && search_decide(&s) == ANSWER_PROVED;
    e->logic->deadline = deadline;
    e->change_count = 0;
    return cured;
}

// ---- strict relations
// ------------------------------------------------------------------------------------------------

static const char* say_strict(const ProveRequest* q, const Encoder* e, const NodeId* relations, int count)
{
    Writer w = {.arena = q->arena};
    for (int i = 0; i < count; i++)
    {
        const Node* node = &e->flat->nodes.at[relations[i]];
        writer_say(&w, "%swrite `%s` for `%s` in `%s` at %s", i > 0 ? " and " : "", node->op == NODE_LE ? "<" : ">",
                   node->op == NODE_LE ? "<=" : ">=", flat_text(e->flat, q->arena, relations[i]),
                   report_place(q, node->span));
    }
    return writer_text(&w);
}

static const char* try_strict(const ProveRequest* q, const Search* s, const Nodes* relations, double until)
{
    Encoder* e = s->e;
    for (uint32_t i = 0; i < relations->count; i++)
    {
        e->changes[0] = (Change){.relation = relations->at[i]};
        e->change_count = 1;
        if (helps(s, until))
            return say_strict(q, e, &relations->at[i], 1);
    }
    for (uint32_t i = 0; i < relations->count; i++)
        for (uint32_t k = 0; k < i; k++)
        {
            e->changes[0] = (Change){.relation = relations->at[k]};
            e->changes[1] = (Change){.relation = relations->at[i]};
            e->change_count = 2;
            if (helps(s, until))
                return say_strict(q, e, (NodeId[]){relations->at[k], relations->at[i]}, 2);
        }
    return NULL;
}

// ---- signs
// -----------------------------------------------------------------------------------------------------------

static const char* sign_text(int sign)
{
    return sign == 1 ? "> 0" : sign == 2 ? ">= 0" : sign == -1 ? "< 0" : "<= 0";
}

static const char* say_sign(const ProveRequest* q, const Encoder* e, const Change* a, const Change* b)
{
    const char* name = e->flat->vars.at[a->var].name;
    return arena_printf(q->arena, "add `%s %s` to the guard at %s and `%s %s` to the one at %s", name,
                        sign_text(a->sign), report_place(q, e->reactions.at[a->reaction].span), name,
                        sign_text(b->sign), report_place(q, e->reactions.at[b->reaction].span));
}

static const char* try_signs(const ProveRequest* q, const Search* s, uint32_t a, uint32_t b, double until)
{
    static const int pairs[][2] = {{1, -2}, {-2, 1}, {-1, 2}, {2, -1}};
    Encoder* e = s->e;
    for (uint32_t i = 0; i < 2 * e->flat->vars.count; i++)  // momenta and charges first
    {
        uint32_t v = i % e->flat->vars.count;
        bool stored = e->circuits->storage[v] != 0;
        if (e->flat->vars.at[v].kind != VAR_STATE || stored != (i < e->flat->vars.count))
            continue;
        for (int k = 0; k < 4; k++)
        {
            Change one = {.reaction = a, .var = v, .sign = pairs[k][0]};
            Change two = {.reaction = b, .var = v, .sign = pairs[k][1]};
            e->changes[0] = one;
            e->changes[1] = two;
            e->change_count = 2;
            if (helps(s, until))
                return say_sign(q, e, &one, &two);
        }
    }
    return NULL;
}

static bool leaves_closed(const Encoder* e, uint32_t r)
{
    const FlatTransition* t = e->reactions.at[r].transition;
    return t != NULL && e->flat->machines.at[t->machine].modes.at[t->from].on;
}

const char* cure_find(const ProveRequest* q, const Search* s)
{
    Encoder* e = s->e;
    double until = logic_clock() + share * logic_time_left(e->logic);
    Nodes relations = {0};
    bool* seen = arena_array(e->arena, bool, e->flat->nodes.count);
    for (int closed = 1; closed >= 0; closed--)  // guards that open a closed junction first
        for (uint32_t r = 0; r < e->reactions.count; r++)
            if (fires_in_cycle(s, r) && leaves_closed(e, r) == closed)
            {
                find_relations(e, e->reactions.at[r].trigger, &relations, seen);
                find_relations(e, e->reactions.at[r].guard, &relations, seen);
            }
    const char* cure = try_strict(q, s, &relations, until);
    for (uint32_t a = 0; cure == NULL && a < e->reactions.count; a++)
        for (uint32_t b = a + 1; cure == NULL && b < e->reactions.count; b++)
            if (fires_in_cycle(s, a) && fires_in_cycle(s, b))
                cure = try_signs(q, s, a, b, until);
    return cure;
}
