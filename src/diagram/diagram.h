// A drawing of boxes and arrows: what is in it, before and after it has a layout. Three makers fill it (blocks, modes,
// bonds), Graphviz places it, one painter draws it, so that all pictures look alike.
//
// Units are those of the canvas (1/96 inch), y down. Index 0 of `groups` is the sheet itself.
#ifndef KAIROS_DIAGRAM_DIAGRAM_H
#define KAIROS_DIAGRAM_DIAGRAM_H

#include "base/arena.h"
#include "plot/canvas.h"

enum
{
    DIAGRAM_MARGIN = 16,
    DIAGRAM_TITLE = 26,  // room for the title of the sheet
    DIAGRAM_READ = 100,  // boxes: with more, instances fold unless a depth is given
    DIAGRAM_MOST = 400,  // boxes: more than that nobody can read
};

typedef enum DiagramShape
{
    SHAPE_BOX,     // a block
    SHAPE_ROUND,   // a mode
    SHAPE_PORT,    // an input or output: a pill
    SHAPE_EVENT,   // dashed pill
    SHAPE_ACTION,  // dashed box: a reaction
    SHAPE_DOT,     // where a machine starts
    SHAPE_TEXT,    // no outline: a junction or element of a bond graph
    SHAPE_ANCHOR,  // not drawn: the end of an arrow that ends at a group
} DiagramShape;

typedef VEC(const char*) DiagramLines;

typedef struct DiagramNode
{
    DiagramShape shape;
    uint32_t group;
    const char* name;    // of the SVG group, "" for none
    const char* title;   // or NULL
    DiagramLines lines;  // under the title, in the font of programs (TEXT: of labels)
    Colour accent;       // of outline and title
    bool thick;          // a double outline: holds more (a folded instance, a nested machine)
    double width, height;
    double x, y;  // of its centre; after the layout
} DiagramNode;

typedef enum DiagramArrow
{
    ARROW_FULL,
    ARROW_HALF,  // a bond
    ARROW_NONE,
} DiagramArrow;

typedef struct DiagramEdge
{
    uint32_t from, to;              // nodes
    uint32_t from_group, to_group;  // the arrow ends at the outline of this group instead; 0: at the node
    DiagramArrow arrow;
    bool dashed;
    bool history;        // a circled H at the head
    bool preempt;        // a dot at the tail
    int stroke;          // a bond: the causal stroke is at the head (1), at the tail (-1), nowhere (0)
    DiagramLines label;  // empty: none
    Colour colour;
    double label_width, label_height;
    // after the layout
    CanvasPoint* points;  // Bézier pieces, 1 + 3k of them; NULL: not routed
    int point_count;
    CanvasPoint label_at;  // centre
} DiagramEdge;

typedef struct DiagramGroup
{
    const char* title;
    uint32_t parent;
    bool round, dashed;
    Colour accent;
    CanvasPoint corner, size;  // after the layout: upper left
    double title_width;
} DiagramGroup;

typedef struct Diagram
{
    Arena* arena;
    const char* title;
    bool top_down;  // else from left to right
    VEC(DiagramNode) nodes;
    VEC(DiagramEdge) edges;
    VEC(DiagramGroup) groups;
    double width, height;  // after the layout
} Diagram;

void diagram_init(Diagram* diagram, Arena* arena);
uint32_t diagram_group(Diagram* diagram, uint32_t parent, const char* title);
uint32_t diagram_node(Diagram* diagram, DiagramShape shape, uint32_t group, const char* title);
DiagramEdge* diagram_edge(Diagram* diagram, uint32_t from, uint32_t to);  // valid until the next one
// Adds a line, or several if it is long; after a few of them nothing but …
void diagram_line(Diagram* diagram, DiagramLines* lines, const char* text);

// The styles that measuring and drawing share.
TextStyle diagram_title_style(void);
TextStyle diagram_line_style(void);
TextStyle diagram_label_style(void);

// The sizes of boxes and labels, which a layout needs.
void diagram_measure(Diagram* diagram);
// Places everything. False: the library gave up, or *trouble says why it is not there (NULL otherwise).
bool diagram_layout(Diagram* diagram, const char** trouble);

// draw.c: an error of canvas_open in *error, or a status.
kaiStatus diagram_draw(const Diagram* diagram, const char* path, CanvasFormat format, kaiSink sink,
                       kaiAllocator allocator, const char** error);

#endif
