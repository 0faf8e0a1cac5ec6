// A graph in a set of modes, as its blocks. See net.h.
#include "bond/net.h"

#include "base/tolerance.h"
#include "bond/mode_parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

typedef struct NetBlock
{
    BondCache* cache;
    BondMode* mode;
} NetBlock;

struct BondNet
{
    Arena arena;
    jmp_buf fail;
    kaiAllocator allocator;
    const BondGraph* graph;
    BondBlocks* blocks;
    NetBlock* at;
    unsigned long trimmed;
    // Scratch, long enough for any block.
    bool* on;
    double *storage, *b0, *b1, *b2, *most, *z0, *z1, *size0, *size1, *dx, *work;
    double *classes0, *classes1, *sizes0, *sizes1;  // per class of the whole graph
    int* input;                                     // of a dependence
    double *coefficient, *weight;                   // weight: per input of the whole graph, 0 in between
};

// -------------------------------------------------------------------------------------------------------------- create

static void make_scratch(BondNet* net)
{
    size_t switches = 1, slopes = 1, inputs = 1, unknowns = 1, ports = 1, work = 1;
    size_t classes = (size_t)net->graph->class_count + 1;
    for (int i = 0; i < net->blocks->block_count; i++)
    {
        const BondGraph* graph = net->blocks->blocks[i].graph;
#define MOST(a, b) a = (a) > (size_t)(b) ? (a) : (size_t)(b)
        MOST(switches, graph->switch_count + 1);
        MOST(slopes, graph->block_size + 1);
        MOST(inputs, graph->input_count + 1);
        MOST(unknowns, 2 * graph->bond_count + 1);
        MOST(ports, graph->port_count + 1);
        MOST(work, bond_work_size(graph) + 1);
#undef MOST
    }
    net->on = arena_array(&net->arena, bool, switches);
    double** vectors[] = {&net->storage,  &net->b0,     &net->b1,     &net->b2,          &net->most,  &net->z0,
                          &net->z1,       &net->size0,  &net->size1,  &net->dx,          &net->work,  &net->classes0,
                          &net->classes1, &net->sizes0, &net->sizes1, &net->coefficient, &net->weight};
    size_t lengths[] = {slopes,
                        inputs,
                        inputs,
                        inputs,
                        inputs,
                        unknowns,
                        unknowns,
                        unknowns,
                        unknowns,
                        ports,
                        work,
                        classes,
                        classes,
                        classes,
                        classes,
                        (size_t)net->graph->input_count + 1,
                        (size_t)net->graph->input_count + 1};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = arena_array(&net->arena, double, lengths[i]);
    net->input = arena_array(&net->arena, int, net->graph->input_count + 1);
}

BondNet* bond_net_create(const BondGraph* graph, kaiAllocator allocator)
{
    BondNet* net = allocator.alloc(allocator.user, NULL, 0, sizeof *net);
    if (net == NULL)
        return NULL;
    memset(net, 0, sizeof *net);
    net->allocator = allocator;
    net->graph = graph;
    arena_init(&net->arena, allocator, &net->fail);
    if (setjmp(net->fail) != 0)
    {
        bond_net_destroy(net);
        return NULL;
    }
    net->blocks = bond_blocks_create(graph, &net->arena);
    net->at = arena_array(&net->arena, NetBlock, net->blocks->block_count + 1);
    make_scratch(net);
    for (int i = 0; i < net->blocks->block_count; i++)
    {
        net->at[i].cache = bond_cache_create(net->blocks->blocks[i].graph, allocator);
        if (net->at[i].cache != NULL)
            continue;
        bond_net_destroy(net);
        return NULL;
    }
    return net;
}

void bond_net_destroy(BondNet* net)
{
    if (net == NULL)
        return;
    for (int i = 0; net->at != NULL && i < net->blocks->block_count; i++)
        bond_cache_destroy(net->at[i].cache);
    arena_free(&net->arena);
    kaiAllocator allocator = net->allocator;
    allocator.alloc(allocator.user, net, sizeof *net, 0);
}

const BondBlocks* bond_net_blocks(const BondNet* net)
{
    return net->blocks;
}

BondMode* bond_net_mode(const BondNet* net, int block)
{
    return net->at[block].mode;
}

BondCache* bond_net_cache(const BondNet* net, int block)
{
    return net->at[block].cache;
}

// --------------------------------------------------------------------------------------------------------------- enter

static void gather_storage(const BondNet* net, const BondBlock* block, const double* storage, double* out)
{
    for (int n = 0; n < block->graph->node_count; n++)
    {
        int first = block->graph->block_first[n], count = block->graph->block_first[n + 1] - first;
        if (count > 0)
            memcpy(out + first, storage + net->graph->block_first[block->node_of[n]], sizeof(double) * (size_t)count);
    }
}

bool bond_net_enter(BondNet* net, const bool* on, const double* storage)
{
    for (int i = 0; i < net->blocks->block_count; i++)
    {
        const BondBlock* block = &net->blocks->blocks[i];
        for (int k = 0; k < block->graph->switch_count; k++)
            net->on[k] = on[block->switch_of[k]];
        if (net->at[i].mode != NULL && bond_mode_is(net->at[i].mode, net->on))
            continue;
        BondMode* known = bond_cache_find(net->at[i].cache, net->on);
        if (known == NULL)
            gather_storage(net, block, storage, net->storage);
        net->at[i].mode =
            known != NULL ? known : bond_cache_mode(net->at[i].cache, net->on, net->storage, net->at[i].mode);
        if (net->at[i].mode == NULL)
            return false;
    }
    return true;
}

BondStatus bond_net_storage(BondNet* net, const double* storage)
{
    BondStatus worst = BOND_OK;
    for (int i = 0; i < net->blocks->block_count; i++)
    {
        gather_storage(net, &net->blocks->blocks[i], storage, net->storage);
        BondStatus status = bond_mode_storage(net->at[i].mode, net->storage);
        worst = status > worst ? status : worst;
    }
    return worst;
}

void bond_net_trim(BondNet* net, size_t room, BondMode* const* also)
{
    size_t used = 0;
    for (int i = 0; i < net->blocks->block_count; i++)
        used += bond_cache_size(net->at[i].cache);
    net->trimmed += used > room;
    for (int i = 0; i < net->blocks->block_count && used > room; i++)
        bond_cache_trim(net->at[i].cache, net->at[i].mode, also != NULL ? also[i] : NULL);
}

unsigned long bond_net_trimmed(const BondNet* net)
{
    return net->trimmed;
}

void bond_net_save(const BondNet* net, BondMode** modes)
{
    for (int i = 0; i < net->blocks->block_count; i++)
        modes[i] = net->at[i].mode;
}

void bond_net_restore(BondNet* net, BondMode* const* modes)
{
    for (int i = 0; i < net->blocks->block_count; i++)
        net->at[i].mode = modes[i];
}

BondStatus bond_net_status(const BondNet* net)
{
    BondStatus worst = BOND_OK;
    for (int i = 0; i < net->blocks->block_count; i++)
    {
        BondStatus status = bond_mode_status(net->at[i].mode);
        worst = status > worst ? status : worst;
    }
    return worst;
}

static bool class_unique(const BondNet* net, int class)
{
    const BondBlocks* blocks = net->blocks;
    int place = blocks->place[class];
    if (place >= 0)
    {
        const BondBlock* block = &blocks->blocks[place];
        for (int i = 0; i < block->class_count; i++)
            if (block->classes[i] == class)
                return bond_mode_unique(net->at[place].mode, block->unknowns[i]);
        return true;
    }
    for (int i = 0; place == BOND_SUM && i < blocks->count[class]; i++)
        if (!class_unique(net, blocks->pieces[blocks->first[class] + i].index))
            return false;
    return true;
}

bool bond_net_unique(const BondNet* net, int unknown)
{
    return class_unique(net, net->graph->class_of[unknown]);
}

// ------------------------------------------------------------------------------------------------------ known and sums

static double weigh(const BondPiece* pieces, int count, const double* from, bool sizes)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += (sizes ? abs(pieces[i].weight) : pieces[i].weight) * from[pieces[i].index];
    return sum;
}

void bond_net_gather(const BondNet* net, int index, const double* b, bool sizes, double* out)
{
    const BondBlock* block = &net->blocks->blocks[index];
    for (int i = 0; i < block->graph->input_count; i++)
        if (b != NULL && block->input_of[i] >= 0)
            out[i] = b[block->input_of[i]];
        else
        {
            int count = b != NULL ? block->border[i + 1] - block->border[i] : 0;
            out[i] = count > 0 ? weigh(block->known + block->border[i], count, b, sizes) : 0;
        }
}

void bond_net_known(const BondNet* net, const double* b, bool sizes, double* classes)
{
    const BondBlocks* blocks = net->blocks;
    for (int c = 0; c < net->graph->class_count; c++)
        if (blocks->place[c] == BOND_KNOWN)
            classes[c] = b == NULL ? 0 : weigh(blocks->pieces + blocks->first[c], blocks->count[c], b, sizes);
}

void bond_net_sums(const BondNet* net, bool sizes, double* classes)
{
    const BondBlocks* blocks = net->blocks;
    for (int i = 0; i < blocks->sum_count; i++)
    {
        int c = blocks->sums[i];
        classes[c] = weigh(blocks->pieces + blocks->first[c], blocks->count[c], classes, sizes);
    }
}

static void scatter(const BondBlock* block, const double* z, double* classes)
{
    for (int i = 0; i < block->class_count; i++)
        classes[block->classes[i]] = z[block->unknowns[i]];
}

static void spread(const BondNet* net, const double* classes, double* z)
{
    for (int u = 0; u < 2 * net->graph->bond_count; u++)
        z[u] = classes[net->graph->class_of[u]];
}

// ---------------------------------------------------------------------------------------------------------------- flow

BondStatus bond_net_flow(BondNet* net, const double* b1, const double* b2, double* z)
{
    BondStatus worst = BOND_OK;
    bond_net_known(net, b1, false, net->classes1);
    for (int i = 0; i < net->blocks->block_count; i++)
    {
        bond_net_gather(net, i, b1, false, net->b1);
        bond_net_gather(net, i, b2, false, net->b2);
        BondStatus status = bond_mode_flow(net->at[i].mode, net->b1, net->b2, net->z1, net->work);
        worst = status > worst ? status : worst;
        scatter(&net->blocks->blocks[i], net->z1, net->classes1);
    }
    bond_net_sums(net, false, net->classes1);
    spread(net, net->classes1, z);
    return worst;
}

// ---------------------------------------------------------------------------------------------------------------- jump

// What a sum is beside the size of its terms (rule B5).
static void settle_sums(const BondNet* net, double* classes, double* sizes)
{
    const BondBlocks* blocks = net->blocks;
    for (int i = 0; i < blocks->sum_count; i++)
    {
        int c = blocks->sums[i];
        const BondPiece* pieces = blocks->pieces + blocks->first[c];
        double sum = weigh(pieces, blocks->count[c], classes, false),
               size = weigh(pieces, blocks->count[c], sizes, true);
        bool nothing = fabs(sum) <= BOND_NOTHING * size && isfinite(size);
        classes[c] = nothing || isnan(sum) ? 0 : sum;
        sizes[c] = nothing ? 0 : size;
    }
}

static BondStatus jump_block(BondNet* net, int index, const BondJump* jump)
{
    const BondBlock* block = &net->blocks->blocks[index];
    BondJump own = {.b1 = net->b1, .z0 = net->z0, .z1 = net->z1, .dx = net->dx};
    own.z0_size = net->size0;
    own.z1_size = net->size1;
    if (jump->b0 != NULL)
        bond_net_gather(net, index, jump->b0, false, net->b0);
    bond_net_gather(net, index, jump->b1, false, net->b1);
    if (jump->b2 != NULL)
        bond_net_gather(net, index, jump->b2, false, net->b2);
    if (jump->most != NULL)
        bond_net_gather(net, index, jump->most, true, net->most);
    own.b0 = jump->b0 != NULL ? net->b0 : NULL;
    own.b2 = jump->b2 != NULL ? net->b2 : NULL;
    own.most = jump->most != NULL ? net->most : NULL;
    BondStatus status = bond_mode_jump(net->at[index].mode, &own, net->work);
    if (status == BOND_DELTA_PRIME || status == BOND_SINGULAR)
        return status;
    scatter(block, net->z0, net->classes0);
    scatter(block, net->z1, net->classes1);
    scatter(block, net->size0, net->sizes0);
    scatter(block, net->size1, net->sizes1);
    for (int p = 0; p < block->graph->port_count; p++)
        jump->dx[block->port_of[p]] = net->dx[p];
    return status;
}

// Storages outside of blocks jump by impulses of sources alone.
static void jump_known(const BondNet* net, const BondJump* jump)
{
    const BondGraph* graph = net->graph;
    for (int n = 0; n < graph->node_count; n++)
        for (int p = graph->port_first[n]; p < graph->port_first[n + 1]; p++)
        {
            int bond = bond_at(graph, n, p - graph->port_first[n]);
            int class = graph->class_of[bond_storage_unknown(graph, n, bond)];
            if (net->blocks->place[graph->class_of[2 * bond + bond_imposes_flow(graph->nodes[n].kind)]] == BOND_KNOWN)
                jump->dx[p] = (graph->nodes[n].kind == BOND_C ? bond_sign(graph, bond, n) : 1) * net->classes0[class];
        }
}

// What is known, and the size of its terms.
static void known_sized(const BondNet* net, const double* b, double* classes, double* sizes)
{
    const BondBlocks* blocks = net->blocks;
    for (int c = 0; c < net->graph->class_count; c++)
    {
        if (blocks->place[c] != BOND_KNOWN)
            continue;
        double sum = 0, size = 0;
        const BondPiece* pieces = blocks->pieces + blocks->first[c];
        for (int i = 0; i < blocks->count[c] && b != NULL; i++)
        {
            sum += pieces[i].weight * b[pieces[i].index];
            size += fabs(pieces[i].weight * b[pieces[i].index]);
        }
        classes[c] = sum;
        sizes[c] = size;
    }
}

// Whether nothing can jump in this set of modes unless a source has an impulse: values after are those of the flow.
static bool is_plain(const BondNet* net)
{
    for (int i = 0; i < net->blocks->block_count; i++)
        if (!mode_is_plain(net->at[i].mode))
            return false;
    return true;
}

// No block has areas.
static bool is_still(const BondNet* net)
{
    bool still = true;
    for (int i = 0; i < net->blocks->block_count && still; i++)
        for (int k = 0; k < net->blocks->blocks[i].class_count && still; k++)
        {
            int class = net->blocks->blocks[i].classes[k];
            still = net->classes0[class] == 0 && net->sizes0[class] == 0;
        }
    return still;
}

static void stand_still(const BondNet* net, const BondJump* jump)
{
    size_t bytes = 2 * (size_t)net->graph->bond_count * sizeof(double);
    memset(jump->z0, 0, bytes);
    memset(jump->dx, 0, (size_t)net->graph->port_count * sizeof(double));
    if (jump->z0_size)
        memset(jump->z0_size, 0, bytes);
    if (jump->still)
        *jump->still = true;
}

// The values alone, with the sizes of their terms.
static void jump_plain(BondNet* net, const BondJump* jump)
{
    known_sized(net, jump->b1, net->classes1, net->sizes1);
    for (int i = 0; i < net->blocks->block_count; i++)
    {
        const BondBlock* block = &net->blocks->blocks[i];
        bond_net_gather(net, i, jump->b1, false, net->b1);
        for (int k = 0; k < block->class_count; k++)
            net->classes1[block->classes[k]] =
                mode_plain_value(net->at[i].mode, block->unknowns[k], net->b1, &net->sizes1[block->classes[k]]);
    }
    settle_sums(net, net->classes1, net->sizes1);
    spread(net, net->classes1, jump->z1);
    stand_still(net, jump);
    if (jump->z1_size)
        spread(net, net->sizes1, jump->z1_size);
}

BondStatus bond_net_jump(BondNet* net, const BondJump* jump)
{
    BondStatus worst = BOND_OK;
    if (jump->b0 == NULL && is_plain(net))
        return jump_plain(net, jump), BOND_OK;
    known_sized(net, jump->b0, net->classes0, net->sizes0);
    known_sized(net, jump->b1, net->classes1, net->sizes1);
    for (int i = 0; i < net->blocks->block_count; i++)
    {
        BondStatus status = jump_block(net, i, jump);
        worst = status > worst ? status : worst;
    }
    if (worst == BOND_DELTA_PRIME || worst == BOND_SINGULAR)
        return worst;
    bool still = jump->b0 == NULL && is_still(net);
    if (still)
        stand_still(net, jump);
    else
    {
        settle_sums(net, net->classes0, net->sizes0);
        jump_known(net, jump);
        spread(net, net->classes0, jump->z0);
    }
    settle_sums(net, net->classes1, net->sizes1);
    spread(net, net->classes1, jump->z1);
    if (jump->z0_size && !still)
        spread(net, net->sizes0, jump->z0_size);
    if (jump->z1_size)
        spread(net, net->sizes1, jump->z1_size);
    return worst;
}

int bond_net_loop(BondNet* net, const double* b, int* nodes)
{
    for (int i = 0; i < net->blocks->block_count; i++)
    {
        const BondBlock* block = &net->blocks->blocks[i];
        bond_net_gather(net, i, b, false, net->b1);
        int count = bond_mode_loop(net->at[i].mode, net->b1, nodes, net->work), kept = 0;
        for (int k = 0; k < count; k++)
            if (block->node_of[nodes[k]] >= 0)
                nodes[kept++] = block->node_of[nodes[k]];
        if (kept > 0)
            return kept;
    }
    return 0;
}

// ---------------------------------------------------------------------------------------------------------- dependents

bool bond_net_has_dependents(const BondNet* net)
{
    for (int i = 0; i < net->blocks->block_count; i++)
        if (bond_mode_dependents(net->at[i].mode) > 0)
            return true;
    return false;
}

static void add_weight(BondNet* net, int input, double weight, int* count)
{
    bool listed = false;
    for (int i = 0; i < *count && !listed; i++)
        listed = net->input[i] == input;
    if (!listed)
        net->input[(*count)++] = input;
    net->weight[input] += weight;
}

static BondDependence translate(BondNet* net, const BondBlock* block, const BondDependent* d)
{
    BondDependence made = {.node = block->node_of[d->node], .port = block->port_of[d->port]};
    for (int i = 0; i < d->count; i++)
    {
        int input = d->input[i];
        if (block->input_of[input] >= 0)
            add_weight(net, block->input_of[input], d->coefficient[i], &made.count);
        for (int k = block->border[input]; k < block->border[input + 1]; k++)
            add_weight(net, block->known[k].index, d->coefficient[i] * block->known[k].weight, &made.count);
    }
    for (int i = 0; i < made.count; i++)
    {
        net->coefficient[i] = net->weight[net->input[i]];
        net->weight[net->input[i]] = 0;
    }
    made.input = net->input;
    made.coefficient = net->coefficient;
    return made;
}

void bond_net_dependents(BondNet* net, BondDependenceVisit* visit, void* user)
{
    for (int i = 0; i < net->blocks->block_count; i++)
        for (int k = 0; k < bond_mode_dependents(net->at[i].mode); k++)
        {
            BondDependent d = bond_mode_dependent(net->at[i].mode, k);
            BondDependence made = translate(net, &net->blocks->blocks[i], &d);
            if (!visit(user, &made))
                return;
        }
}
