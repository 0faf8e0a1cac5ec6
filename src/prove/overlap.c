// `on x <= 0 -> b` in a and `on x >= 0 -> a` in b: at x = 0 neither mode can stay. No solver: both guards must be one
// relation between the same two expressions.
#include "prove/overlap.h"

typedef struct Relation
{
    NodeId less, more;  // less <= more
} Relation;

static bool read_relation(const Flat* f, const FlatTransition* t, Relation* r)
{
    const Node* node = &f->nodes.at[t->trigger];
    if (t->guard != 0 || (node->op != NODE_LE && node->op != NODE_GE))
        return false;
    bool turned = node->op == NODE_GE;
    *r = (Relation){node->arg[turned ? 1 : 0], node->arg[turned ? 0 : 1]};
    return true;
}

// A model is checked once by itself and once per experiment.
static bool is_known(const Diags* diags, Span span)
{
    for (uint32_t i = 0; i < diags->list.count; i++)
        if (diags->list.at[i]->code == K_GUARDS_OVERLAP && diags->list.at[i]->span.start == span.start &&
            diags->list.at[i]->span.file == span.file)
            return true;
    return false;
}

static void check_pair(const Flat* f, Diags* diags, const FlatTransition* a, const FlatTransition* b)
{
    Relation there, back;
    bool both = a->machine == b->machine && a->from == b->to && a->to == b->from;
    if (!both || !read_relation(f, a, &there) || !read_relation(f, b, &back))
        return;
    if (there.less != back.more || there.more != back.less || is_known(diags, a->span))
        return;
    Diag* d = diag_warning(diags, K_GUARDS_OVERLAP, a->span, "where `%s` is exactly `%s` neither mode can stay",
                           flat_text(f, diags->arena, there.less), flat_text(f, diags->arena, there.more));
    diag_note(diags, d, b->span, "the guard of the way back holds there too");
}

void overlap_check(const Flat* flat, Diags* diags)
{
    for (uint32_t i = 0; i < flat->transitions.count; i++)
        for (uint32_t k = i + 1; k < flat->transitions.count; k++)
            check_pair(flat, diags, &flat->transitions.at[i], &flat->transitions.at[k]);
}
