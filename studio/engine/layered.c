// A layout of diagrams for browsers, where there is no Graphviz: ranks by longest paths, arrows that would close a
// cycle turned round, orders by the means of neighbours (Sugiyama, Tagawa, Toda, "Methods for visual understanding of
// hierarchical system structures", 1981). Each group is laid out by itself and is a box to what is around it. Plainer
// than Graphviz: arrows do not avoid boxes of other groups.
#include "layered.h"

#include <math.h>
#include <stdlib.h>

enum
{
    SWEEPS = 8,
    GAP_ALONG = 24,   // between ranks
    GAP_ACROSS = 24,  // between neighbours of a rank
    GROUP_MARGIN = 14,
    GROUP_TITLE = 18,
    PORT_STEP = 16,
};

// What a rank consists of: a node, a group as a box, or the place where a long arrow passes.
typedef struct Item
{
    int node, group;       // -1: not that
    double along, across;  // sizes
    double at, off;        // centre: along the ranks, across them
    double wish;
    int rank, order;
    int state;  // of the search for cycles
} Item;

typedef struct Link
{
    int edge;                    // of the diagram
    int low, high;               // items, in the direction of ranks
    bool turned;                 // the arrow goes from high to low
    int first;                   // its passing places are `first`, `first` + 1, …; one for each rank between
    int label;                   // the place of its label, if it has one
    double low_port, high_port;  // where it leaves and arrives, from the centre
} Link;

typedef struct Level
{
    Diagram* diagram;
    VEC(Item) items;
    VEC(Link) links;
    int* item_of_node;  // -1: it is not below this group
    int* item_of_group;
    int ranks;
    double along, across;  // of everything
} Level;

typedef struct Layered
{
    Diagram* diagram;
    Level* levels;  // of each group
} Layered;

// ---- what a group consists of

static int add_item(Level* l, int node, int group, double width, double height)
{
    bool down = l->diagram->top_down;
    Item item = {.node = node, .group = group, .along = down ? height : width, .across = down ? width : height};
    vec_push(l->diagram->arena, l->items, item);
    return (int)l->items.count - 1;
}

// The group below `top` that holds `group`, or `top` itself; -1: it is elsewhere.
static int child_group(const Diagram* d, uint32_t group, uint32_t top)
{
    if (group == top)
        return (int)top;
    while (group != 0 && d->groups.at[group].parent != top)
        group = d->groups.at[group].parent;
    return group != 0 ? (int)group : -1;
}

static void gather_items(Level* l, uint32_t group)
{
    Diagram* d = l->diagram;
    l->item_of_node = arena_array(d->arena, int, d->nodes.count + 1);
    l->item_of_group = arena_array(d->arena, int, d->groups.count);
    for (uint32_t g = 1; g < d->groups.count; g++)
        l->item_of_group[g] = d->groups.at[g].parent == group
                                  ? add_item(l, -1, (int)g, d->groups.at[g].size.x, d->groups.at[g].size.y)
                                  : -1;
    for (uint32_t n = 0; n < d->nodes.count; n++)
    {
        int child = child_group(d, d->nodes.at[n].group, group);
        l->item_of_node[n] = child < 0 ? -1
                             : (uint32_t)child == group
                                 ? add_item(l, (int)n, -1, d->nodes.at[n].width, d->nodes.at[n].height)
                                 : l->item_of_group[child];
    }
}

static void gather_links(Level* l)
{
    Diagram* d = l->diagram;
    for (uint32_t e = 0; e < d->edges.count; e++)
    {
        int from = l->item_of_node[d->edges.at[e].from], to = l->item_of_node[d->edges.at[e].to];
        if (from >= 0 && to >= 0 && from != to)
            vec_push(d->arena, l->links, (Link){.edge = (int)e, .low = from, .high = to});
    }
}

// ---- ranks

static void turn(Link* link)
{
    int low = link->low;
    link->low = link->high;
    link->high = low;
    link->turned = !link->turned;
}

// Depth first: an arrow to an item that is still being visited closes a cycle.
static void break_cycles(Level* l, int item)
{
    l->items.at[item].state = 1;
    for (uint32_t i = 0; i < l->links.count; i++)
    {
        Link* link = &l->links.at[i];
        if (link->low != item)
            continue;
        if (l->items.at[link->high].state == 1)
            turn(link);
        else if (l->items.at[link->high].state == 0)
            break_cycles(l, link->high);
    }
    l->items.at[item].state = 2;
}

static bool has_label(const Level* l, const Link* link)
{
    return l->diagram->edges.at[link->edge].label.count > 0;
}

static void set_ranks(Level* l)
{
    for (uint32_t i = 0; i < l->items.count; i++)
        if (l->items.at[i].state == 0)
            break_cycles(l, (int)i);
    bool moved = true;
    for (uint32_t round = 0; moved && round <= l->items.count; round++)
    {
        moved = false;
        for (uint32_t i = 0; i < l->links.count; i++)
        {
            int least = l->items.at[l->links.at[i].low].rank + (has_label(l, &l->links.at[i]) ? 2 : 1);
            Item* high = &l->items.at[l->links.at[i].high];
            moved |= high->rank < least;
            high->rank = high->rank < least ? least : high->rank;
        }
    }
}

// Long arrows get a place in every rank that they cross, and a label has the one in the middle.
static void add_passes(Level* l)
{
    for (uint32_t i = 0; i < l->links.count; i++)
    {
        Link* link = &l->links.at[i];
        int from = l->items.at[link->low].rank, to = l->items.at[link->high].rank;
        link->first = (int)l->items.count;
        for (int r = from + 1; r < to; r++)
        {
            const DiagramEdge* edge = &l->diagram->edges.at[link->edge];
            bool label = has_label(l, link) && r == (from + to) / 2;
            int pass = add_item(l, -1, -1, label ? edge->label_width : 4, label ? edge->label_height : 4);
            l->items.at[pass].rank = r;
            link->label = label ? pass : link->label;
        }
    }
    for (uint32_t i = 0; i < l->items.count; i++)
        l->ranks = l->items.at[i].rank >= l->ranks ? l->items.at[i].rank + 1 : l->ranks;
    int* counts = arena_array(l->diagram->arena, int, l->ranks + 1);
    for (uint32_t i = 0; i < l->items.count; i++)
        l->items.at[i].order = counts[l->items.at[i].rank]++;
}

static int pass_count(const Level* l, const Link* link)
{
    return l->items.at[link->high].rank - l->items.at[link->low].rank - 1;
}

// The k-th item of a link: low, its passing places, high.
static int on_link(const Level* l, const Link* link, int k)
{
    return k == 0 ? link->low : k <= pass_count(l, link) ? link->first + k - 1 : link->high;
}

// ---- orders and places

static int* items_of_rank(const Level* l, int rank, int* count)
{
    int* list = arena_array(l->diagram->arena, int, l->items.count + 1);
    *count = 0;
    for (uint32_t i = 0; i < l->items.count; i++)
        *count += l->items.at[i].rank == rank;
    for (uint32_t i = 0; i < l->items.count; i++)
        if (l->items.at[i].rank == rank)
            list[l->items.at[i].order] = (int)i;
    return list;
}

// Where its neighbours on one side are (up: lower ranks), by order or by place; where it is itself if it has none.
static double mean_of_neighbours(const Level* l, int item, bool up, bool by_place)
{
    double sum = 0;
    int count = 0;
    for (uint32_t i = 0; i < l->links.count; i++)
        for (int k = 0; k <= pass_count(l, &l->links.at[i]); k++)
        {
            int a = on_link(l, &l->links.at[i], k), b = on_link(l, &l->links.at[i], k + 1);
            int other = up && b == item ? a : !up && a == item ? b : -1;
            if (other < 0)
                continue;
            sum += by_place ? l->items.at[other].off : l->items.at[other].order;
            count++;
        }
    const Item* own = &l->items.at[item];
    return count > 0 ? sum / count : by_place ? own->off : own->order;
}

static void sort_rank(Level* l, int* list, int count)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && l->items.at[list[k]].wish < l->items.at[list[k - 1]].wish; k--)
        {
            int kept = list[k];
            list[k] = list[k - 1];
            list[k - 1] = kept;
        }
    for (int i = 0; i < count; i++)
        l->items.at[list[i]].order = i;
}

static void set_orders(Level* l)
{
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int n = 0; n < l->ranks; n++)
        {
            int count, rank = sweep % 2 == 0 ? n : l->ranks - 1 - n;
            int* list = items_of_rank(l, rank, &count);
            for (int i = 0; i < count; i++)
                l->items.at[list[i]].wish = mean_of_neighbours(l, list[i], sweep % 2 == 0, false);
            sort_rank(l, list, count);
        }
}

// Side by side, each as near to its wish as the one before it lets it; then all as far as they are off on average.
static void place_rank(Level* l, const int* list, int count)
{
    double end = -INFINITY, off = 0;
    for (int i = 0; i < count; i++)
    {
        Item* item = &l->items.at[list[i]];
        double least = i > 0 ? end + GAP_ACROSS + item->across / 2 : item->wish;
        item->off = fmax(item->wish, least);
        end = item->off + item->across / 2;
        off += (item->wish - item->off) / count;
    }
    for (int i = 0; i < count; i++)
        l->items.at[list[i]].off += off;
}

static void set_across(Level* l)
{
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int n = 0; n < l->ranks; n++)
        {
            int count, rank = sweep % 2 == 0 ? n : l->ranks - 1 - n;
            const int* list = items_of_rank(l, rank, &count);
            for (int i = 0; i < count; i++)
                l->items.at[list[i]].wish = mean_of_neighbours(l, list[i], sweep % 2 == 0, true);
            place_rank(l, list, count);
        }
    double least = INFINITY, most = -INFINITY;
    for (uint32_t i = 0; i < l->items.count; i++)
    {
        least = fmin(least, l->items.at[i].off - l->items.at[i].across / 2);
        most = fmax(most, l->items.at[i].off + l->items.at[i].across / 2);
    }
    for (uint32_t i = 0; i < l->items.count; i++)
        l->items.at[i].off -= least;
    l->across = l->items.count > 0 ? most - least : 0;
}

static void set_along(Level* l)
{
    double at = 0;
    for (int r = 0; r < l->ranks; r++)
    {
        double size = 0;
        for (uint32_t i = 0; i < l->items.count; i++)
            size = l->items.at[i].rank == r ? fmax(size, l->items.at[i].along) : size;
        for (uint32_t i = 0; i < l->items.count; i++)
            if (l->items.at[i].rank == r)
                l->items.at[i].at = at + size / 2;
        l->along = at + size;
        at += size + GAP_ALONG;
    }
}

// The item next to the end of a link, and how many of the arrows at the same side have theirs before it.
static int before(const Level* l, const Link* link, bool high, int* count)
{
    int own = high ? link->high : link->low, less = 0;
    double off = l->items.at[on_link(l, link, high ? pass_count(l, link) : 1)].off;
    *count = 0;
    for (uint32_t i = 0; i < l->links.count; i++)
    {
        const Link* other = &l->links.at[i];
        if ((high ? other->high : other->low) != own)
            continue;
        double there = l->items.at[on_link(l, other, high ? pass_count(l, other) : 1)].off;
        less += there < off || (there == off && other < link);
        ++*count;
    }
    return less;
}

// Arrows that leave or arrive at the same side stand beside each other, in the order of where they go.
static void set_ports(Level* l)
{
    for (uint32_t i = 0; i < l->links.count; i++)
        for (int high = 0; high < 2; high++)
        {
            Link* link = &l->links.at[i];
            int count, less = before(l, link, high, &count);
            double step = fmin(PORT_STEP, l->items.at[high ? link->high : link->low].across / (count + 1));
            *(high ? &link->high_port : &link->low_port) = (less - (count - 1) / 2.0) * step;
        }
}

static void lay_out(Layered* all, uint32_t group)
{
    Diagram* d = all->diagram;
    Level* l = &all->levels[group];
    for (uint32_t g = 1; g < d->groups.count; g++)
        if (d->groups.at[g].parent == group)
            lay_out(all, g);
    l->diagram = d;
    gather_items(l, group);
    gather_links(l);
    set_ranks(l);
    add_passes(l);
    set_orders(l);
    set_across(l);
    set_along(l);
    set_ports(l);
    if (group == 0)
        return;
    CanvasPoint inner = d->top_down ? (CanvasPoint){l->across, l->along} : (CanvasPoint){l->along, l->across};
    d->groups.at[group].size = (CanvasPoint){fmax(inner.x, d->groups.at[group].title_width + 8) + 2 * GROUP_MARGIN,
                                             inner.y + 2 * GROUP_MARGIN + GROUP_TITLE};
}

// ---- on the sheet

static CanvasPoint on_sheet(const Diagram* d, CanvasPoint corner, double at, double off)
{
    return d->top_down ? (CanvasPoint){corner.x + off, corner.y + at} : (CanvasPoint){corner.x + at, corner.y + off};
}

static void put_items(Layered* all, uint32_t group, CanvasPoint corner)
{
    Diagram* d = all->diagram;
    const Level* l = &all->levels[group];
    for (uint32_t i = 0; i < l->items.count; i++)
    {
        const Item* item = &l->items.at[i];
        CanvasPoint centre = on_sheet(d, corner, item->at, item->off);
        if (item->node >= 0)
        {
            d->nodes.at[item->node].x = centre.x;
            d->nodes.at[item->node].y = centre.y;
        }
        if (item->group < 0)
            continue;
        DiagramGroup* g = &d->groups.at[item->group];
        g->corner = (CanvasPoint){centre.x - g->size.x / 2, centre.y - g->size.y / 2};
        put_items(all, (uint32_t)item->group,
                  (CanvasPoint){g->corner.x + GROUP_MARGIN, g->corner.y + GROUP_MARGIN + GROUP_TITLE});
    }
}

// The middle of a side of a node, or of the group that the arrow ends at.
static CanvasPoint end_of(const Diagram* d, uint32_t node, uint32_t group, bool far, double port)
{
    const DiagramNode* n = &d->nodes.at[node];
    CanvasPoint centre = {n->x, n->y}, half = {n->width / 2, n->height / 2};
    if (group != 0)
    {
        half = (CanvasPoint){d->groups.at[group].size.x / 2, d->groups.at[group].size.y / 2};
        centre = (CanvasPoint){d->groups.at[group].corner.x + half.x, d->groups.at[group].corner.y + half.y};
    }
    double side = far ? 1 : -1;
    if (d->top_down)
        return (CanvasPoint){centre.x + fmax(-half.x, fmin(half.x, port)), centre.y + side * half.y};
    return (CanvasPoint){centre.x + side * half.x, centre.y + fmax(-half.y, fmin(half.y, port))};
}

// From one point to the next along the ranks, and straight out of either.
static void add_curve(const Diagram* d, DiagramEdge* e, CanvasPoint to)
{
    CanvasPoint from = e->points[e->point_count - 1];
    double x = (to.x - from.x) / 2, y = (to.y - from.y) / 2;
    CanvasPoint a = d->top_down ? (CanvasPoint){from.x, from.y + y} : (CanvasPoint){from.x + x, from.y};
    CanvasPoint b = d->top_down ? (CanvasPoint){to.x, to.y - y} : (CanvasPoint){to.x - x, to.y};
    e->points[e->point_count++] = a;
    e->points[e->point_count++] = b;
    e->points[e->point_count++] = to;
}

static void reverse(DiagramEdge* e)
{
    for (int i = 0, k = e->point_count - 1; i < k; i++, k--)
    {
        CanvasPoint kept = e->points[i];
        e->points[i] = e->points[k];
        e->points[k] = kept;
    }
}

static void route(Layered* all, uint32_t group, const Link* link, CanvasPoint corner)
{
    Diagram* d = all->diagram;
    const Level* l = &all->levels[group];
    DiagramEdge* e = &d->edges.at[link->edge];
    uint32_t low = link->turned ? e->to : e->from, high = link->turned ? e->from : e->to;
    uint32_t low_group = link->turned ? e->to_group : e->from_group,
             high_group = link->turned ? e->from_group : e->to_group;
    int passes = pass_count(l, link);
    e->points = arena_array(d->arena, CanvasPoint, 1 + 3 * (passes + 1));
    e->points[0] = end_of(d, low, low_group, true, link->low_port);
    e->point_count = 1;
    for (int k = 0; k < passes; k++)
    {
        const Item* item = &l->items.at[link->first + k];
        add_curve(d, e, on_sheet(d, corner, item->at, item->off));
    }
    add_curve(d, e, end_of(d, high, high_group, false, link->high_port));
    if (link->turned)
        reverse(e);
    if (has_label(l, link))
        e->label_at = on_sheet(d, corner, l->items.at[link->label].at, l->items.at[link->label].off);
}

// An arrow back to its own box: a loop beside it.
static void route_loop(Diagram* d, DiagramEdge* e)
{
    const DiagramNode* n = &d->nodes.at[e->from];
    double x = n->x + n->width / 2, y = n->y, h = fmin(10, n->height / 3), out = 34;
    CanvasPoint points[4] = {{x, y - h}, {x + out, y - 2 * h}, {x + out, y + 2 * h}, {x, y + h}};
    e->points = arena_array(d->arena, CanvasPoint, 4);
    e->point_count = 4;
    for (int i = 0; i < 4; i++)
        e->points[i] = points[i];
    e->label_at = (CanvasPoint){x + out * 0.75 + e->label_width / 2 + 4, y};
}

static void route_group(Layered* all, uint32_t group, CanvasPoint corner)
{
    Diagram* d = all->diagram;
    for (uint32_t i = 0; i < all->levels[group].links.count; i++)
        route(all, group, &all->levels[group].links.at[i], corner);
    for (uint32_t g = 1; g < d->groups.count; g++)
        if (d->groups.at[g].parent == group)
            route_group(all, g,
                        (CanvasPoint){d->groups.at[g].corner.x + GROUP_MARGIN,
                                      d->groups.at[g].corner.y + GROUP_MARGIN + GROUP_TITLE});
}

static double right_of(const Diagram* d, const DiagramEdge* e)
{
    double right = e->label.count > 0 ? e->label_at.x + e->label_width / 2 : 0;
    (void)d;
    for (int i = 0; i < e->point_count; i++)
        right = fmax(right, e->points[i].x);
    return right;
}

bool layered_layout(Diagram* d)
{
    Layered all = {.diagram = d, .levels = arena_array(d->arena, Level, d->groups.count)};
    TextStyle style = diagram_title_style();
    CanvasPoint corner = {DIAGRAM_MARGIN, DIAGRAM_MARGIN + DIAGRAM_TITLE};
    diagram_measure(d);
    lay_out(&all, 0);
    put_items(&all, 0, corner);
    route_group(&all, 0, corner);
    const Level* sheet = &all.levels[0];
    d->width = (d->top_down ? sheet->across : sheet->along) + 2 * DIAGRAM_MARGIN;
    d->height = (d->top_down ? sheet->along : sheet->across) + 2 * DIAGRAM_MARGIN + DIAGRAM_TITLE;
    d->width = fmax(d->width, text_width(d->title, &style) + 2 * DIAGRAM_MARGIN);
    for (uint32_t i = 0; i < d->edges.count; i++)
    {
        if (d->edges.at[i].from == d->edges.at[i].to && d->edges.at[i].points == NULL)
            route_loop(d, &d->edges.at[i]);
        d->width = fmax(d->width, right_of(d, &d->edges.at[i]) + DIAGRAM_MARGIN);
    }
    return true;
}
