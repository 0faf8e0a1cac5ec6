// Where the parts of a circuit go. Nets are rails in a row, the one that is held at rest (ground) is the line below all
// of them. A part between a net and ground stands under its rail; one between neighbours lies between their rails; what
// joins nets further apart, or neighbours for a second time, goes above them, the longer the higher. A part with more
// than two terminals is a block between rails, with wires to its nets. What is left to choose is the order of the
// rails: neighbours in the circuit should be neighbours on the sheet.
#include "diagram/schematic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MARGIN = 24,
    RAIL = 150,  // from the rails to the line of ground
    ROW = 62,    // between the wires above the rails
    GAP = 46,    // between rails that nothing joins
    SLOT = 70,   // at least, for what stands under a rail
    STUB = 14,   // between the wires beside a block
    PITCH = 46,  // between the terminals at a side of a block
    ABOVE = 26,  // how far a ground of its own ends above the line below
    WRONG_SIDE = 3,
    SLOW = 150,  // more items than this are put in order with less effort
};

typedef struct Item
{
    bool block;
    uint32_t index;         // net or part
    double left, right;     // of the rail, or of the block
    int bias;               // has a source: belongs to the left
    VEC(uint32_t) hanging;  // parts under the rail
} Item;

typedef struct Link
{
    uint32_t part;  // + 1; 0: a plain wire
    uint32_t from_net, to_net;
    CanvasPoint from, to;  // where the risers begin; after placing from is on the left
    bool from_rail, to_rail;
    bool swapped;
    int row;
} Link;

// Items that something joins. A block has sides: b should be on the left (-1) or right (1) of it; 0: it does not
// matter.
typedef struct Pair
{
    uint32_t a, b;
    int side;
} Pair;

typedef struct Placer
{
    Schematic* s;
    const Circuit* circuit;
    Arena* arena;
    uint32_t base;  // the net of the line below + 1
    VEC(Item) items;
    uint32_t *net_item, *part_item;  // + 1
    uint32_t* order;                 // item at a place
    uint32_t* place;                 // place of an item
    VEC(Pair) pairs;
    VEC(Link) links;
    bool* lies;              // per part: it is placed between two rails
    VEC(double) contacts;    // with the line below
    VEC(SchematicDot) tips;  // terminals of blocks that wait for the rail beside them
    int rows;
} Placer;

static uint32_t net_at(const Placer* p, uint32_t part, uint32_t k)
{
    return p->circuit->terminals.at[p->circuit->parts.at[part].first + k].net;
}

static bool is_anchor(const CircuitPart* part)
{
    return part->symbol == SYMBOL_GROUND || part->symbol == SYMBOL_WALL;
}

// Held at rest: no rail of its own.
static bool is_base(const Placer* p, uint32_t net)
{
    return net + 1 == p->base || p->circuit->nets.at[net].anchor != 0;
}

// How many parts with two terminals a net has.
static uint32_t count_bridges(const Placer* p, uint32_t net)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->circuit->terminals.count; i++)
        count +=
            p->circuit->terminals.at[i].net == net && p->circuit->parts.at[p->circuit->terminals.at[i].part].count == 2;
    return count;
}

static bool may_be_base(const Placer* p, uint32_t net, bool anchored)
{
    uint32_t anchor = p->circuit->nets.at[net].anchor;
    return anchored ? anchor != 0 && p->circuit->parts.at[anchor - 1].symbol == SYMBOL_GROUND
                    : anchor == 0 && count_bridges(p, net) > 2;
}

// The net below: the ground with the most terminals; without a ground the net between the most parts.
static void find_base(Placer* p)
{
    uint32_t best = 0, most = 1;
    for (int anchored = 1; anchored >= 0 && best == 0; anchored--)
        for (uint32_t i = 0; i < p->circuit->nets.count; i++)
            if (may_be_base(p, i, anchored) && p->circuit->nets.at[i].degree > most)
                best = i + 1, most = p->circuit->nets.at[i].degree;
    p->base = best;
}

// ---- what goes where

typedef enum Stand
{
    STAND_NOT,    // an anchor: only its mark is drawn
    STAND_HANGS,  // under a rail, to ground or alone
    STAND_LIES,   // between two rails
    STAND_BLOCK,
} Stand;

static Stand stand_of(const Placer* p, uint32_t index)
{
    const CircuitPart* part = &p->circuit->parts.at[index];
    if (is_anchor(part))
        return STAND_NOT;
    bool first = part->count > 0 && is_base(p, net_at(p, index, 0));
    if (part->count == 1)
        return first ? STAND_BLOCK : STAND_HANGS;
    if (part->count != 2 || net_at(p, index, 0) == net_at(p, index, 1))
        return STAND_BLOCK;
    bool second = is_base(p, net_at(p, index, 1));
    return first && second ? STAND_BLOCK : first || second ? STAND_HANGS : STAND_LIES;
}

// The net from whose rail a part hangs.
static uint32_t hanging_net(const Placer* p, uint32_t part)
{
    return is_base(p, net_at(p, part, 0)) ? net_at(p, part, 1) : net_at(p, part, 0);
}

static bool is_source(const CircuitPart* part)
{
    return part->symbol == SYMBOL_VOLTAGE || part->symbol == SYMBOL_CURRENT;
}

static void add_items(Placer* p)
{
    for (uint32_t i = 0; i < p->circuit->nets.count; i++)
        if (!is_base(p, i))
        {
            vec_push(p->arena, p->items, (Item){.index = i});
            p->net_item[i] = p->items.count;
        }
    for (uint32_t i = 0; i < p->circuit->parts.count; i++)
    {
        Stand stand = stand_of(p, i);
        if (stand == STAND_BLOCK)
        {
            vec_push(p->arena, p->items, (Item){.block = true, .index = i});
            p->part_item[i] = p->items.count;
        }
        if (stand == STAND_HANGS)
        {
            Item* item = &p->items.at[p->net_item[hanging_net(p, i)] - 1];
            vec_push(p->arena, item->hanging, i);
            item->bias += is_source(&p->circuit->parts.at[i]);
        }
    }
}

static bool ends_with(const char* text, char letter)
{
    size_t length = strlen(text);
    return length > 1 && text[length - 1] == letter;
}

// Whether a terminal is on the right: outputs, the second of two sides, what is mechanical.
static bool is_right(const Placer* p, uint32_t part, uint32_t k)
{
    const CircuitPart* at = &p->circuit->parts.at[part];
    const char* port = p->circuit->terminals.at[at->first + k].port;
    if (at->symbol == SYMBOL_AMPLIFIER)
        return strcmp(port, "out") == 0;
    bool sided = true;
    for (uint32_t i = 0; i < at->count; i++)
    {
        const char* other = p->circuit->terminals.at[at->first + i].port;
        sided = sided && (ends_with(other, '1') || ends_with(other, '2') || ends_with(other, '3'));
    }
    if (sided)
        return !ends_with(port, '1');
    return k >= (at->count + 1) / 2;
}

static void add_pairs(Placer* p)
{
    for (uint32_t i = 0; i < p->circuit->parts.count; i++)
    {
        Stand stand = stand_of(p, i);
        if (stand == STAND_LIES)
            vec_push(p->arena, p->pairs, (Pair){p->net_item[net_at(p, i, 0)] - 1, p->net_item[net_at(p, i, 1)] - 1, 0});
        for (uint32_t k = 0; stand == STAND_BLOCK && k < p->circuit->parts.at[i].count; k++)
            if (!is_base(p, net_at(p, i, k)))
                vec_push(p->arena, p->pairs,
                         (Pair){p->part_item[i] - 1, p->net_item[net_at(p, i, k)] - 1, is_right(p, i, k) ? 1 : -1});
    }
}

// ---- the order of the rails

static double cost_of(const Placer* p)
{
    double cost = 0;
    for (uint32_t i = 0; i < p->pairs.count; i++)
    {
        const Pair* pair = &p->pairs.at[i];
        double apart = (double)p->place[pair->b] - (double)p->place[pair->a];
        cost += fabs(apart) + (pair->side * apart < 0 ? WRONG_SIDE : 0);
    }
    for (uint32_t i = 0; i < p->items.count; i++)
        cost += 0.3 * p->items.at[i].bias * p->place[i];
    return cost;
}

static void number_places(Placer* p)
{
    for (uint32_t i = 0; i < p->items.count; i++)
        p->place[p->order[i]] = i;
}

static void move(Placer* p, uint32_t from, uint32_t to)
{
    uint32_t item = p->order[from];
    if (from < to)
        memmove(p->order + from, p->order + from + 1, sizeof *p->order * (to - from));
    else
        memmove(p->order + to + 1, p->order + to, sizeof *p->order * (from - to));
    p->order[to] = item;
    number_places(p);
}

// Whether some place for the item is better than the one it has; then it goes there.
static bool improve(Placer* p, uint32_t item)
{
    uint32_t start = p->place[item], best = start;
    double least = cost_of(p) - 1e-9;
    for (uint32_t to = 0; to < p->items.count; to++)
    {
        move(p, p->place[item], to);
        double cost = cost_of(p);
        if (cost < least)
            best = to, least = cost;
    }
    move(p, p->place[item], best);
    return best != start;
}

static void find_order(Placer* p)
{
    p->order = arena_array(p->arena, uint32_t, p->items.count + 1);
    p->place = arena_array(p->arena, uint32_t, p->items.count + 1);
    for (uint32_t i = 0; i < p->items.count; i++)
        p->order[i] = i;
    number_places(p);
    bool better = true;
    for (int round = 0; better && round < (p->items.count > SLOW ? 2 : 30); round++)
    {
        better = false;
        for (uint32_t i = 0; i < p->items.count; i++)
            better |= improve(p, i);
    }
}

// ---- along the row of rails

int schematic_labels(const CircuitPart* part, const char* lines[2])
{
    int count = 0;
    lines[count++] = part->name;
    if (part->value != NULL)
        lines[count++] = part->value;
    else if (part->symbol == SYMBOL_BOX)
        lines[count++] = part->model;
    return count;
}

static double label_width(const CircuitPart* part)
{
    TextStyle style = {.size = 11};
    const char* lines[2];
    int count = schematic_labels(part, lines);
    double width = 0;
    for (int i = 0; i < count; i++)
        width = fmax(width, text_width(lines[i], &style));
    return width;
}

static double lying_width(const CircuitPart* part)
{
    return fmax(SYMBOL_LENGTH + 36, label_width(part) + 24);
}

static void wire(Placer* p, uint32_t net, CanvasPoint from, CanvasPoint to)
{
    if (from.x != to.x || from.y != to.y)
        vec_push(p->arena, p->s->wires, (SchematicWire){from, to, net});
}

static void tip(Placer* p, uint32_t net, CanvasPoint at)
{
    vec_push(p->arena, p->tips, (SchematicDot){at, net});
}

// A part in the middle of the way from one point to another, and the wires that lead there.
static void put_between(Placer* p, uint32_t index, CanvasPoint from, CanvasPoint to, bool swapped)
{
    SchematicPart* part = &p->s->parts[index];
    double length = hypot(to.x - from.x, to.y - from.y), ux = (to.x - from.x) / length, uy = (to.y - from.y) / length;
    double lead = (length - SYMBOL_LENGTH) / 2;
    CanvasPoint a = {from.x + lead * ux, from.y + lead * uy}, b = {to.x - lead * ux, to.y - lead * uy};
    wire(p, net_at(p, index, swapped), from, a);
    part->a = swapped ? b : a;
    part->b = swapped ? a : b;
    part->shown = true;
    if (p->circuit->parts.at[index].count < 2)
        return;
    wire(p, net_at(p, index, !swapped), b, to);
}

static double depth_of(const Placer* p, uint32_t net)
{
    return net + 1 == p->base ? RAIL : RAIL - ABOVE;
}

// A point at the line below, or at a ground of its own.
static void reach_base(Placer* p, uint32_t net, CanvasPoint at)
{
    const CircuitNet* n = &p->circuit->nets.at[net];
    if (net + 1 == p->base)
        vec_push(p->arena, p->contacts, at.x);
    else
        vec_push(p->arena, p->s->marks, (SchematicMark){at, p->circuit->parts.at[n->anchor - 1].symbol});
}

static void hang(Placer* p, uint32_t index, double x)
{
    const CircuitPart* part = &p->circuit->parts.at[index];
    CanvasPoint top = {x, 0}, bottom = {x, RAIL};
    if (part->count == 1)
    {
        p->s->parts[index].a = (CanvasPoint){x, 30};
        p->s->parts[index].b = (CanvasPoint){x, 30 + SYMBOL_LENGTH};
        p->s->parts[index].shown = true;
        wire(p, net_at(p, index, 0), top, p->s->parts[index].a);
        return;
    }
    bool swapped = is_base(p, net_at(p, index, 0));
    bottom.y = depth_of(p, net_at(p, index, !swapped));
    put_between(p, index, top, bottom, swapped);
    reach_base(p, net_at(p, index, !swapped), bottom);
}

static int rank_of(const Placer* p, uint32_t part)
{
    static const int ranks[] = {[SYMBOL_VOLTAGE] = 1,    [SYMBOL_CURRENT] = 1,   [SYMBOL_SWITCH] = 2,
                                [SYMBOL_TRANSISTOR] = 2, [SYMBOL_DIODE] = 3,     [SYMBOL_THYRISTOR] = 3,
                                [SYMBOL_INDUCTOR] = 4,   [SYMBOL_CAPACITOR] = 5, [SYMBOL_RESISTOR] = 6};
    SymbolKind kind = p->circuit->parts.at[part].symbol;
    int rank = (size_t)kind < sizeof ranks / sizeof *ranks ? ranks[kind] : 0;
    return rank != 0 ? rank : 7;
}

// Sources on the left, loads on the right.
static void sort_hanging(const Placer* p, Item* item)
{
    for (uint32_t i = 1; i < item->hanging.count; i++)
        for (uint32_t k = i; k > 0 && rank_of(p, item->hanging.at[k]) < rank_of(p, item->hanging.at[k - 1]); k--)
        {
            uint32_t other = item->hanging.at[k];
            item->hanging.at[k] = item->hanging.at[k - 1];
            item->hanging.at[k - 1] = other;
        }
}

static double put_rail(Placer* p, Item* item, double x)
{
    sort_hanging(p, item);
    item->left = item->right = x;
    for (uint32_t i = 0; i < item->hanging.count; i++)
    {
        uint32_t part = item->hanging.at[i];
        hang(p, part, x);
        item->right = x;
        // The label stands on the right of the symbol: the next one begins behind it.
        double label = label_width(&p->circuit->parts.at[part]) + SYMBOL_WIDTH + 26;
        x += i + 1 < item->hanging.count ? fmax(SLOT, label) : 0;
    }
    wire(p, item->index, (CanvasPoint){item->left, 0}, (CanvasPoint){item->right, 0});
    return x;
}

// ---- blocks

static uint32_t side_count(const Placer* p, uint32_t part, bool right)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < p->circuit->parts.at[part].count; k++)
        count += is_right(p, part, k) == right;
    return count;
}

static bool is_neighbour(const Placer* p, uint32_t part, uint32_t net, bool right)
{
    uint32_t place = p->place[p->part_item[part] - 1];
    if (is_base(p, net) || (right ? place + 1 >= p->items.count : place == 0))
        return false;
    return p->order[right ? place + 1 : place - 1] == p->net_item[net] - 1;
}

// From a terminal to its net: straight to the rail beside it, down to ground, or up and over. What goes up has its own
// way beside the block.
static void lead_away(Placer* p, uint32_t part, uint32_t k, CanvasPoint at, int lane)
{
    bool right = is_right(p, part, k);
    uint32_t net = net_at(p, part, k);
    CanvasPoint out = {at.x + (right ? STUB : -STUB) * lane, at.y};
    wire(p, net, at, out);
    if (is_base(p, net))
    {
        CanvasPoint down = {out.x, fmax(depth_of(p, net), out.y + ABOVE)};
        wire(p, net, out, down);
        reach_base(p, net, down);
        return;
    }
    Link link = {.from = out, .from_net = net, .to_net = net, .to_rail = true};
    vec_push(p->arena, p->links, link);
}

static double put_block(Placer* p, Item* item, double x)
{
    uint32_t part = item->index, left = side_count(p, part, false), right = side_count(p, part, true);
    SchematicPart* at = &p->s->parts[part];
    const CircuitPart* own = &p->circuit->parts.at[part];
    uint32_t most = left > right ? left : right;
    double width = fmax(BLOCK_WIDTH, own->symbol == SYMBOL_BOX ? label_width(own) + 20 : 0);
    x += STUB * (left + 1);
    at->block = at->shown = true;
    at->corner = (CanvasPoint){x, -18};
    at->size = (CanvasPoint){width, 36 + PITCH * (most > 1 ? most - 1 : 0)};
    item->left = x;
    item->right = x + width;
    int next[2] = {0, 0}, lanes[2] = {1, 1};
    for (uint32_t k = 0; k < own->count; k++)
    {
        bool side = is_right(p, part, k);
        double middle = own->symbol == SYMBOL_AMPLIFIER && side ? PITCH / 2.0 : 0;
        CanvasPoint end = {side ? item->right : item->left, middle + PITCH * next[side]};
        vec_push(p->arena, p->s->ends, (SchematicDot){end, own->first + k});
        if (next[side]++ == 0 && middle == 0 && is_neighbour(p, part, net_at(p, part, k), side))
            tip(p, net_at(p, part, k), end);  // the rail comes to it: see join_neighbours
        else
            lead_away(p, part, k, end, lanes[side]++);
    }
    return item->right + STUB * right;
}

// ---- between the rails

// A part that lies between these two neighbours and has no place yet, + 1.
static uint32_t part_between(const Placer* p, const Item* a, const Item* b)
{
    if (a->block || b->block)
        return 0;
    for (uint32_t i = 0; i < p->circuit->parts.count; i++)
    {
        if (p->lies[i] || stand_of(p, i) != STAND_LIES)
            continue;
        uint32_t one = net_at(p, i, 0), two = net_at(p, i, 1);
        if ((one == a->index && two == b->index) || (one == b->index && two == a->index))
            return i + 1;
    }
    return 0;
}

// The wire from a rail to the terminal of a block that waits for it.
static void join_neighbours(Placer* p, const Item* a, const Item* b)
{
    const Item *net = a->block ? b : a, *block = a->block ? a : b;
    if (a->block == b->block)
        return;
    double rail = a->block ? net->left : net->right, side = a->block ? block->right : block->left;
    for (uint32_t i = 0; i < p->tips.count; i++)
        if (p->tips.at[i].net == net->index && p->tips.at[i].at.x == side)
            wire(p, net->index, p->tips.at[i].at, (CanvasPoint){rail, 0});
}

static void put_items(Placer* p)
{
    double x = 0;
    for (uint32_t i = 0; i < p->items.count; i++)
    {
        Item *item = &p->items.at[p->order[i]], *before = i > 0 ? &p->items.at[p->order[i - 1]] : NULL;
        uint32_t lying = before != NULL ? part_between(p, before, item) : 0;
        if (before != NULL)
            x += lying != 0 ? lying_width(&p->circuit->parts.at[lying - 1]) : GAP;
        if (before != NULL && !before->block && before->hanging.count > 0)
        {
            // The label of the last part under the rail.
            uint32_t last = before->hanging.at[before->hanging.count - 1];
            x = fmax(x, before->right + label_width(&p->circuit->parts.at[last]) + SYMBOL_WIDTH + 26);
        }
        x = item->block ? put_block(p, item, x) : put_rail(p, item, x);
        if (lying != 0)
        {
            bool swapped = net_at(p, lying - 1, 0) == item->index;
            put_between(p, lying - 1, (CanvasPoint){before->right, 0}, (CanvasPoint){item->left, 0}, swapped);
            p->lies[lying - 1] = true;
        }
        if (before != NULL)
            join_neighbours(p, before, item);
    }
}

// ---- above the rails

static void add_lying_links(Placer* p)
{
    for (uint32_t i = 0; i < p->circuit->parts.count; i++)
        if (!p->lies[i] && stand_of(p, i) == STAND_LIES)
            vec_push(p->arena, p->links,
                     (Link){.part = i + 1,
                            .from_net = net_at(p, i, 0),
                            .to_net = net_at(p, i, 1),
                            .from_rail = true,
                            .to_rail = true});
}

// The end of a rail that faces x.
static CanvasPoint rail_end(const Placer* p, uint32_t net, double x)
{
    const Item* item = &p->items.at[p->net_item[net] - 1];
    return (CanvasPoint){x > (item->left + item->right) / 2 ? item->right : item->left, 0};
}

static void aim_links(Placer* p)
{
    for (uint32_t i = 0; i < p->links.count; i++)
    {
        Link* l = &p->links.at[i];
        const Item *from = &p->items.at[p->net_item[l->from_net] - 1], *to = &p->items.at[p->net_item[l->to_net] - 1];
        if (l->from_rail)
            l->from = rail_end(p, l->from_net, (to->left + to->right) / 2);
        l->to = rail_end(p, l->to_net, l->from_rail ? (from->left + from->right) / 2 : l->from.x);
        if (l->from.x <= l->to.x)
            continue;
        Link old = *l;
        *l = (Link){old.part, old.to_net, old.from_net, old.to, old.from, old.to_rail, old.from_rail, true, 0};
    }
}

static int by_length(const void* a, const void* b)
{
    const Link *one = a, *two = b;
    double x = one->to.x - one->from.x, y = two->to.x - two->from.x;
    return x != y ? (x > y) - (x < y) : (one->from.x > two->from.x) - (one->from.x < two->from.x);
}

static bool overlap(const Link* a, const Link* b)
{
    return a->from.x < b->to.x + 4 && b->from.x < a->to.x + 4;
}

static void give_rows(Placer* p)
{
    if (p->links.count > 1)
        qsort(p->links.at, p->links.count, sizeof *p->links.at, by_length);
    for (uint32_t i = 0; i < p->links.count; i++)
    {
        Link* l = &p->links.at[i];
        bool free = false;
        for (l->row = 1; !free; l->row += !free)
        {
            free = true;
            for (uint32_t k = 0; k < i && free; k++)
                free = p->links.at[k].row != l->row || !overlap(l, &p->links.at[k]);
        }
        p->rows = l->row > p->rows ? l->row : p->rows;
    }
}

// One wire up from a point of a rail, as high as the highest link that begins there.
static void raise(Placer* p, uint32_t net, CanvasPoint at)
{
    int highest = 0;
    for (uint32_t i = 0; i < p->links.count; i++)
    {
        const Link* l = &p->links.at[i];
        bool from = l->from_net == net && l->from.x == at.x && l->from.y == at.y;
        bool to = l->to_net == net && l->to.x == at.x && l->to.y == at.y;
        highest = (from || to) && l->row > highest ? l->row : highest;
    }
    CanvasPoint top = {at.x, -(double)ROW * highest};
    for (uint32_t i = 0; i < p->s->wires.count; i++)
    {
        const SchematicWire* w = &p->s->wires.at[i];
        if (w->net == net && w->from.x == at.x && w->from.y == at.y && w->to.x == top.x && w->to.y == top.y)
            return;  // is there already
    }
    wire(p, net, at, top);
}

static void put_links(Placer* p)
{
    for (uint32_t i = 0; i < p->links.count; i++)
    {
        const Link* l = &p->links.at[i];
        CanvasPoint from = {l->from.x, -(double)ROW * l->row}, to = {l->to.x, from.y};
        raise(p, l->from_net, l->from);
        raise(p, l->to_net, l->to);
        if (l->part == 0)
            wire(p, l->from_net, from, to);
        else
            put_between(p, l->part - 1, from, to, l->swapped);
    }
}

// ---- below

static void put_base(Placer* p)
{
    if (p->base == 0 || p->contacts.count == 0)
        return;
    double left = INFINITY, right = -INFINITY;
    for (uint32_t i = 0; i < p->contacts.count; i++)
    {
        left = fmin(left, p->contacts.at[i]);
        right = fmax(right, p->contacts.at[i]);
    }
    wire(p, p->base - 1, (CanvasPoint){left, RAIL}, (CanvasPoint){right, RAIL});
    const CircuitNet* net = &p->circuit->nets.at[p->base - 1];
    if (net->anchor == 0)
        return;
    CanvasPoint at = {left, RAIL + 14};
    wire(p, p->base - 1, (CanvasPoint){left, RAIL}, at);
    vec_push(p->arena, p->s->marks, (SchematicMark){at, p->circuit->parts.at[net->anchor - 1].symbol});
}

// ---- dots

static bool at_point(CanvasPoint a, CanvasPoint b)
{
    return fabs(a.x - b.x) < 0.5 && fabs(a.y - b.y) < 0.5;
}

static bool passes(const SchematicWire* w, CanvasPoint at)
{
    double left = fmin(w->from.x, w->to.x), right = fmax(w->from.x, w->to.x);
    double top = fmin(w->from.y, w->to.y), bottom = fmax(w->from.y, w->to.y);
    return at.x >= left - 0.5 && at.x <= right + 0.5 && at.y >= top - 0.5 && at.y <= bottom + 0.5;
}

// Ways out of a point: left, right, up, down.
static int ways(const Schematic* s, uint32_t net, CanvasPoint at)
{
    bool way[4] = {false, false, false, false};
    for (uint32_t i = 0; i < s->wires.count; i++)
    {
        const SchematicWire* w = &s->wires.at[i];
        if (w->net != net || !passes(w, at))
            continue;
        way[0] |= fmin(w->from.x, w->to.x) < at.x - 0.5;
        way[1] |= fmax(w->from.x, w->to.x) > at.x + 0.5;
        way[2] |= fmin(w->from.y, w->to.y) < at.y - 0.5;
        way[3] |= fmax(w->from.y, w->to.y) > at.y + 0.5;
    }
    return way[0] + way[1] + way[2] + way[3];
}

static void find_dots(Placer* p)
{
    Schematic* s = p->s;
    uint32_t count = s->wires.count;
    for (uint32_t i = 0; i < 2 * count; i++)
    {
        const SchematicWire* w = &s->wires.at[i / 2];
        CanvasPoint at = i % 2 == 0 ? w->from : w->to;
        bool known = false;
        for (uint32_t k = 0; k < s->dots.count; k++)
            known |= at_point(s->dots.at[k].at, at);
        if (!known && ways(s, w->net, at) > 2)
            vec_push(p->arena, s->dots, (SchematicDot){at, w->net});
    }
}

// ---- all together

static void shift(CanvasPoint* at, double x, double y)
{
    at->x += x;
    at->y += y;
}

// From rails at y = 0 to the coordinates of the sheet.
static void move_to_sheet(Placer* p)
{
    Schematic* s = p->s;
    double right = 0, bottom = 0, x = MARGIN + 24, y = MARGIN + 44 + (double)ROW * p->rows;
    for (uint32_t i = 0; i < s->wires.count; i++)
    {
        shift(&s->wires.at[i].from, x, y);
        shift(&s->wires.at[i].to, x, y);
        right = fmax(right, fmax(s->wires.at[i].from.x, s->wires.at[i].to.x));
        bottom = fmax(bottom, fmax(s->wires.at[i].from.y, s->wires.at[i].to.y) - y + 16);
    }
    for (uint32_t i = 0; i < s->dots.count; i++)
        shift(&s->dots.at[i].at, x, y);
    for (uint32_t i = 0; i < s->ends.count; i++)
        shift(&s->ends.at[i].at, x, y);
    for (uint32_t i = 0; i < s->marks.count; i++)
    {
        bottom = fmax(bottom, s->marks.at[i].at.y + 26);
        shift(&s->marks.at[i].at, x, y);
    }
    for (uint32_t i = 0; i < p->circuit->parts.count; i++)
    {
        SchematicPart* part = &s->parts[i];
        shift(&part->a, x, y);
        shift(&part->b, x, y);
        shift(&part->corner, x, y);
        if (!part->shown)
            continue;
        bottom = fmax(bottom, fmax(part->a.y, part->b.y) - y + SYMBOL_WIDTH / 2.0);
        bottom = fmax(bottom, part->block ? part->corner.y - y + part->size.y + 30 : 0);
        right =
            fmax(right, part->block ? part->corner.x + part->size.x
                                    : fmax(part->a.x, part->b.x) + SYMBOL_WIDTH / 2.0 + label_width(part->part) + 8);
    }
    TextStyle style = {.size = 13, .bold = true};
    s->width = fmax(right + MARGIN, text_width(s->title, &style) + 2 * MARGIN);
    s->height = y + bottom + MARGIN;
}

void schematic_place(Schematic* s, Arena* arena, const Circuit* circuit, const char* title)
{
    *s = (Schematic){.arena = arena, .circuit = circuit, .title = title};
    s->parts = arena_array(arena, SchematicPart, circuit->parts.count + 1);
    for (uint32_t i = 0; i < circuit->parts.count; i++)
        s->parts[i].part = &circuit->parts.at[i];
    Placer p = {.s = s,
                .circuit = circuit,
                .arena = arena,
                .net_item = arena_array(arena, uint32_t, circuit->nets.count + 1),
                .part_item = arena_array(arena, uint32_t, circuit->parts.count + 1),
                .lies = arena_array(arena, bool, circuit->parts.count + 1)};
    find_base(&p);
    add_items(&p);
    add_pairs(&p);
    find_order(&p);
    put_items(&p);
    add_lying_links(&p);
    aim_links(&p);
    give_rows(&p);
    put_links(&p);
    put_base(&p);
    find_dots(&p);
    move_to_sheet(&p);
}
