// Building a diagram, and the size of what is in it.
#include "diagram/diagram.h"

#include "base/utf8.h"
#include "diagram/placement.h"

#include <math.h>
#include <string.h>

enum
{
    LINE_MOST = 46,  // characters of a line; what is longer goes on in the next one
    LINES_MOST = 8,
    PADDING_X = 10,
    PADDING_Y = 6,
};

void diagram_init(Diagram* d, Arena* arena)
{
    *d = (Diagram){.arena = arena};
    *vec_add(arena, d->groups) = (DiagramGroup){.title = ""};
}

uint32_t diagram_group(Diagram* d, uint32_t parent, const char* title)
{
    TextStyle style = diagram_label_style();
    DiagramGroup group = {.title = title, .parent = parent, .accent = COLOUR(0x777777)};
    group.title_width = text_width(title, &style);
    vec_push(d->arena, d->groups, group);
    return d->groups.count - 1;
}

uint32_t diagram_node(Diagram* d, DiagramShape shape, uint32_t group, const char* title)
{
    DiagramNode node = {.shape = shape, .group = group, .title = title, .accent = COLOUR(0x333333)};
    node.name = title != NULL ? title : "";
    vec_push(d->arena, d->nodes, node);
    return d->nodes.count - 1;
}

DiagramEdge* diagram_edge(Diagram* d, uint32_t from, uint32_t to)
{
    DiagramEdge* edge = vec_add(d->arena, d->edges);
    *edge = (DiagramEdge){.from = from, .to = to, .colour = COLOUR(0x333333)};
    return edge;
}

// How many bytes of `text` fit into a line: all, or up to a blank (none: as many as fit).
static size_t line_length(const char* text)
{
    size_t left = strlen(text), bytes = 0, blank = 0;
    for (int i = 0; i < LINE_MOST && bytes < left; i++)
    {
        uint32_t code;
        size_t step = utf8_length(text + bytes, left - bytes, &code);
        bytes += step + (step == 0);
        if (bytes < left && text[bytes] == ' ' && i > LINE_MOST / 3)
            blank = bytes;
    }
    return bytes == left || blank == 0 ? bytes : blank;
}

void diagram_line(Diagram* d, DiagramLines* lines, const char* text)
{
    for (const char* indent = ""; *text != 0; indent = "  ")
    {
        size_t length = line_length(text);
        if (lines->count == LINES_MOST)
        {
            lines->at[LINES_MOST - 1] = "…";
            return;
        }
        vec_push(d->arena, *lines, arena_printf(d->arena, "%s%.*s", indent, (int)length, text));
        text += length;
        text += *text == ' ';
    }
}

// ---- styles

TextStyle diagram_title_style(void)
{
    return (TextStyle){.size = 13, .colour = COLOUR(0x111111), .anchor = TEXT_MIDDLE, .bold = true};
}

TextStyle diagram_line_style(void)
{
    return (TextStyle){.size = 11, .colour = COLOUR(0x333333), .anchor = TEXT_MIDDLE, .mono = true};
}

TextStyle diagram_label_style(void)
{
    return (TextStyle){.size = 11, .colour = COLOUR(0x333333), .anchor = TEXT_MIDDLE};
}

// ---- sizes

static double widest(const DiagramLines* lines, const TextStyle* style)
{
    double width = 0;
    for (uint32_t i = 0; i < lines->count; i++)
        width = fmax(width, text_width(lines->at[i], style));
    return width;
}

static void measure_node(DiagramNode* node)
{
    TextStyle title = diagram_title_style();
    TextStyle line = node->shape == SHAPE_TEXT ? diagram_label_style() : diagram_line_style();
    double width = node->title != NULL ? text_width(node->title, &title) : 0;
    double height = (node->title != NULL ? 1.25 * title.size : 0) + 1.25 * line.size * node->lines.count;
    width = fmax(width, widest(&node->lines, &line));
    double x = PADDING_X, y = PADDING_Y;
    if (node->shape == SHAPE_TEXT)
        x = y = 4;
    else if (node->shape == SHAPE_PORT || node->shape == SHAPE_EVENT)
        x += 6;
    node->width = width + 2 * x + 2 * node->thick;
    node->height = height + 2 * y + 2 * node->thick;
    if (node->shape == SHAPE_DOT)
        node->width = node->height = 10;
    if (node->shape == SHAPE_ANCHOR)
        node->width = node->height = 2;
}

static void measure_edge(DiagramEdge* edge)
{
    TextStyle style = diagram_label_style();
    if (edge->label.count == 0)
        return;
    edge->label_width = widest(&edge->label, &style) + 8;
    edge->label_height = 1.25 * style.size * edge->label.count + 2;
}

void diagram_measure(Diagram* d)
{
    for (uint32_t i = 0; i < d->nodes.count; i++)
        measure_node(&d->nodes.at[i]);
    for (uint32_t i = 0; i < d->edges.count; i++)
        measure_edge(&d->edges.at[i]);
}

bool diagram_layout(Diagram* d, const char** trouble)
{
    const DiagramsPart* part = part_load(PART_DIAGRAMS, sizeof *part, trouble);
    if (part == NULL)
        return false;
    *trouble = NULL;
    return part->layout(d);
}
