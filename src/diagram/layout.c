// Graphviz places nodes, groups and labels and routes the edges (Gansner, Koutsofios, North, Vo, "A technique for
// drawing directed graphs", 1993). Only its layout is used: sizes come from our own text widths, the drawing is ours.
// The layout code is linked, not looked for: a list of plugins without demand loading needs no configuration file and
// no `dot`. This is the part `diagrams`.
#include "diagram/placement.h"
#include "part_stamp.h"

#include <graphviz/gvc.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

extern gvplugin_library_t gvplugin_dot_layout_LTX_library;

// Graphviz keeps its state in globals: one layout at a time.
static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;

typedef struct Layout
{
    Diagram* diagram;
    GVC_t* context;
    Agraph_t* graph;  // of the try in work; NULL: none
    uint32_t* order;  // of the nodes in this try
    Agraph_t** groups;
    Agnode_t** nodes;
    Agedge_t** edges;
    double height;  // of the drawing: Graphviz counts y upwards
} Layout;

// ---- to Graphviz

// Inches at 72 points each: a unit of ours counts as a point.
static void set_size(void* object, const char* name, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.4f", value / 72);
    agsafeset(object, (char*)name, text, "");
}

// An empty table of a fixed size: Graphviz keeps the place free and asks no font.
static char* blank(Agraph_t* graph, double width, double height)
{
    char text[200];
    snprintf(text, sizeof text,
             "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"0\" FIXEDSIZE=\"TRUE\" WIDTH=\"%d\" "
             "HEIGHT=\"%d\"><TR><TD></TD></TR></TABLE>",
             (int)ceil(width), (int)ceil(height));
    return agstrdup_html(graph, text);
}

static void add_groups(Layout* l)
{
    Diagram* d = l->diagram;
    l->groups = arena_array(d->arena, Agraph_t*, d->groups.count);
    l->groups[0] = l->graph;
    for (uint32_t i = 1; i < d->groups.count; i++)
    {
        char name[32];
        snprintf(name, sizeof name, "cluster%u", i);
        l->groups[i] = agsubg(l->groups[d->groups.at[i].parent], name, 1);
        char* label = blank(l->graph, d->groups.at[i].title_width + 8, 16);
        agsafeset(l->groups[i], "label", label, "");
        agsafeset(l->groups[i], "labeljust", "l", "");
        agsafeset(l->groups[i], "margin", "12", "");
        agstrfree(l->graph, label);
    }
}

static void add_nodes(Layout* l)
{
    Diagram* d = l->diagram;
    l->nodes = arena_array(d->arena, Agnode_t*, d->nodes.count);
    for (uint32_t n = 0; n < d->nodes.count; n++)
    {
        uint32_t i = l->order[n];
        DiagramNode* node = &d->nodes.at[i];
        char name[32];
        snprintf(name, sizeof name, "n%u", i);
        l->nodes[i] = agnode(l->groups[node->group], name, 1);
        agsafeset(l->nodes[i], "label", "", "");
        agsafeset(l->nodes[i], "fixedsize", "true", "");
        bool round = node->shape == SHAPE_DOT || node->shape == SHAPE_ANCHOR;
        agsafeset(l->nodes[i], "shape", round ? "circle" : "box", "");
        set_size(l->nodes[i], "width", node->width);
        set_size(l->nodes[i], "height", node->height);
    }
}

static void add_edges(Layout* l)
{
    Diagram* d = l->diagram;
    l->edges = arena_array(d->arena, Agedge_t*, d->edges.count);
    for (uint32_t i = 0; i < d->edges.count; i++)
    {
        DiagramEdge* edge = &d->edges.at[i];
        char name[32];
        snprintf(name, sizeof name, "e%u", i);
        l->edges[i] = agedge(l->graph, l->nodes[edge->from], l->nodes[edge->to], name, 1);
        agsafeset(l->edges[i], "dir", "none", "");
        if (edge->label.count > 0)
        {
            char* label = blank(l->graph, edge->label_width, edge->label_height);
            agsafeset(l->edges[i], "label", label, "");
            agstrfree(l->graph, label);
        }
        if (edge->from_group != 0)
            agsafeset(l->edges[i], "ltail", agnameof(l->groups[edge->from_group]), "");
        if (edge->to_group != 0)
            agsafeset(l->edges[i], "lhead", agnameof(l->groups[edge->to_group]), "");
    }
}

// ---- from Graphviz

static CanvasPoint convert(const Layout* l, pointf p)
{
    return (CanvasPoint){p.x + DIAGRAM_MARGIN, l->height - p.y + DIAGRAM_MARGIN + DIAGRAM_TITLE};
}

static void take_edge(Layout* l, uint32_t index)
{
    DiagramEdge* edge = &l->diagram->edges.at[index];
    Agedge_t* from = l->edges[index];
    if (ED_label(from) != NULL)
        edge->label_at = convert(l, ED_label(from)->pos);
    const splines* all = ED_spl(from);
    if (all == NULL || all->size < 1)
        return;
    const bezier* piece = &all->list[0];
    edge->points = arena_array(l->diagram->arena, CanvasPoint, piece->size);
    for (size_t i = 0; i < (size_t)piece->size; i++)
        edge->points[i] = convert(l, piece->list[i]);
    edge->point_count = (int)piece->size;
}

static void take_all(Layout* l)
{
    Diagram* d = l->diagram;
    boxf box = GD_bb(l->graph);
    l->height = box.UR.y;
    d->width = box.UR.x + 2 * DIAGRAM_MARGIN;
    d->height = box.UR.y + 2 * DIAGRAM_MARGIN + DIAGRAM_TITLE;
    TextStyle style = diagram_title_style();
    d->width = fmax(d->width, text_width(d->title, &style) + 2 * DIAGRAM_MARGIN);
    for (uint32_t i = 0; i < d->nodes.count; i++)
    {
        CanvasPoint at = convert(l, ND_coord(l->nodes[i]));
        d->nodes.at[i].x = at.x;
        d->nodes.at[i].y = at.y;
    }
    for (uint32_t i = 1; i < d->groups.count; i++)
    {
        boxf b = GD_bb(l->groups[i]);
        d->groups.at[i].corner = convert(l, (pointf){b.LL.x, b.UR.y});
        d->groups.at[i].size = (CanvasPoint){b.UR.x - b.LL.x, b.UR.y - b.LL.y};
    }
    for (uint32_t i = 0; i < d->edges.count; i++)
        take_edge(l, i);
}

// ---- crossings

enum
{
    PIECES = 8,          // straight ones, of a Bézier piece
    EDGES_COUNTED = 160  // with more than these nobody follows arrows, and counting takes its time
};

typedef struct Path
{
    CanvasPoint* at;
    int count;
} Path;

static CanvasPoint on_curve(const CanvasPoint* p, double t)
{
    double s = 1 - t, a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;
    return (CanvasPoint){a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
                         a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

static Path path_of(Arena* arena, const DiagramEdge* edge)
{
    int curves = edge->points != NULL ? (edge->point_count - 1) / 3 : 0;
    Path path = {arena_array(arena, CanvasPoint, (size_t)(PIECES * curves + 1)), 0};
    for (int i = 0; i < curves; i++)
        for (int k = 0; k <= PIECES; k++)
            if (k > 0 || i == 0)
                path.at[path.count++] = on_curve(edge->points + 3 * i, (double)k / PIECES);
    return path;
}

static double side(CanvasPoint a, CanvasPoint b, CanvasPoint c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static bool cross(CanvasPoint a, CanvasPoint b, CanvasPoint c, CanvasPoint d)
{
    return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

static int crossings_of(const Path* a, const Path* b)
{
    int count = 0;
    for (int i = 0; i + 1 < a->count; i++)
        for (int k = 0; k + 1 < b->count; k++)
            count += cross(a->at[i], a->at[i + 1], b->at[k], b->at[k + 1]);
    return count;
}

static int count_crossings(const Layout* l)
{
    const Diagram* d = l->diagram;
    int count = 0;
    Path* paths = arena_array(d->arena, Path, d->edges.count + 1);
    for (uint32_t i = 0; i < d->edges.count; i++)
        paths[i] = path_of(d->arena, &d->edges.at[i]);
    for (uint32_t i = 0; i < d->edges.count; i++)
        for (uint32_t k = 0; k < i; k++)
            count += crossings_of(&paths[i], &paths[k]);
    return count;
}

// ---- tries

enum
{
    TRIES = 24  // half of them with groups ranked on their own
};

// The order in which a try names the nodes: forwards, backwards, then shuffled, the same on every day. Which arrows go
// back, and so most of the crossings, depends on it.
static void set_order(Layout* l, int try)
{
    uint32_t count = l->diagram->nodes.count;
    uint64_t seed = 0x9e3779b97f4a7c15u * (uint64_t)(try + 1);
    for (uint32_t i = 0; i < count; i++)
        l->order[i] = try == 1 ? count - 1 - i : i;
    for (uint32_t i = count; try > 1 && i > 1; i--)
    {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint32_t other = (uint32_t)((seed >> 33) % i), kept = l->order[i - 1];
        l->order[i - 1] = l->order[other];
        l->order[other] = kept;
    }
}

static bool place(Layout* l, int try)
{
    bool down = l->diagram->top_down;
    l->graph = agopen("diagram", Agdirected, NULL);
    set_order(l, try);
    agsafeset(l->graph, "rankdir", down ? "TB" : "LR", "");
    agsafeset(l->graph, "compound", "true", "");
    agsafeset(l->graph, "nodesep", "0.35", "");
    agsafeset(l->graph, "ranksep", down ? "0.45" : "0.6", "");
    add_groups(l);
    add_nodes(l);
    add_edges(l);
    agseterr(AGMAX);  // what it cannot do shows in the picture; its remarks are for authors of graphs
    bool fine = gvLayout(l->context, l->graph, "dot") == 0;
    if (fine)
    {
        take_all(l);
        gvFreeLayout(l->context, l->graph);
    }
    agclose(l->graph);
    l->graph = NULL;
    return fine;
}

// The try with the fewest crossings; the first of them, which keeps the order of the text, if that is no worse.
static bool place_best(Layout* l)
{
    int best = 0, least = INT_MAX, last = -1;
    int tries = l->diagram->edges.count > EDGES_COUNTED ? 1 : TRIES;
    for (int i = 0; i < tries && least > 0; i++)
    {
        if (!place(l, i))
            return false;
        int count = tries > 1 ? count_crossings(l) : 0;
        last = i;
        if (count < least)
            best = i, least = count;
    }
    return best == last || place(l, best);
}

// Memory that runs out in the arena must not leave the library's own behind, nor the lock closed.
static bool place_safely(Layout* l)
{
    Arena* arena = l->diagram->arena;
    jmp_buf* outer = arena->fail;
    jmp_buf here;
    volatile bool failed = false, fine = false;
    arena->fail = &here;
    if (setjmp(here) == 0)
    {
        l->order = arena_array(arena, uint32_t, l->diagram->nodes.count + 1);
        fine = place_best(l);
    }
    else
        failed = true;
    arena->fail = outer;
    if (l->graph != NULL)
        agclose(l->graph);
    gvFreeContext(l->context);
    pthread_mutex_unlock(&library);
    if (failed)
        longjmp(*outer, 1);
    return fine;
}

static bool layout(Diagram* d)
{
    static lt_symlist_t plugins[] = {{"gvplugin_dot_layout_LTX_library", &gvplugin_dot_layout_LTX_library}, {0, 0}};
    diagram_measure(d);
    pthread_mutex_lock(&library);
    Layout l = {.diagram = d, .context = gvContextPlugins(plugins, 0)};
    return place_safely(&l);
}

static const DiagramsPart part = {.head = {sizeof part, PART_STAMP}, .layout = layout};

const PartHead* kairos_part(void)
{
    return &part.head;
}
