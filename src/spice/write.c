// The text: models of the subcircuits, the circuit, its experiment.
#include "base/utf8.h"
#include "spice/netlist.h"
#include "spice/spice.h"

#include <string.h>

static const char* const library[] = {
    "Se",
    "Sf",
    "R",
    "C",
    "I",
    "TF",
    "GY",
    "J0",
    "J1",
    "Ground",
    "Resistor",
    "Capacitor",
    "Inductor",
    "VoltageSource",
    "CurrentSource",
    "Switch",
    "Diode",
    "Transformer",
    "OpAmp",
    "OpenEnd",
    "Voltmeter",
    "ThresholdSwitch",
    "Thyristor",
    "Triac",
    "GTO",
    "Mosfet",
    "Igbt",
    "CoupledInductors",
    "CoupledInductors3",
    "VCVS",
    "VCCS",
    "CCVS",
    "CCCS",
    "Nullor",
    "SaturatingOpAmp",
    "TransmissionLine",
    "PiecewiseLinear",
    "pulse",
    "square",
    "ramp",
    "trapezoid",
    "damped_sine",
    "exp_pulse",
    "chirp",
    "ThreePhase",
    "ThreePhaseSource",
    "NoiseSource",
};

// Old netlists are in old encodings.
static void write_title(Writer* w, const char* title)
{
    size_t left = strlen(title);
    while (left > 0)
    {
        uint32_t point;
        size_t length = utf8_length(title, left, &point);
        char piece[5] = {0};
        memcpy(piece, title, length);
        bool plain = length > 0 && point >= ' ' && point != '"' && point != '\\' && point != 0x7f;
        writer_put(w, plain ? piece : length == 0 ? "?" : point == '"' ? "'" : " ");
        title += length > 0 ? length : 1;
        left -= length > 0 ? length : 1;
    }
}

static void write_parameters(Writer* w, const Circuit* c)
{
    for (uint32_t i = 0; i < c->parameters.count; i++)
        writer_say(w, "  param %s = %s\n", c->parameters.at[i].name, c->parameters.at[i].formula.text);
}

static void write_line(Writer* w, const Circuit* c, const Line* line)
{
    if (!c->netlist->solved || c->outer != NULL || line->cut == NULL)
    {
        writer_say(w, "  %s\n", line->text);
        return;
    }
    writer_say(w, "  %s", line->cut);
    for (uint32_t i = 0; i < line->count; i++)
        if (c->stamps.at[line->stamp[i]].answer != 0)
            writer_say(w, ", %s = %.15g", line->start[i], c->stamps.at[line->stamp[i]].answer);
    writer_put(w, ")\n");
}

static void write_parts(Writer* w, const Circuit* c)
{
    for (uint32_t i = 0; i < c->lines.count; i++)
        write_line(w, c, &c->lines.at[i]);
    for (uint32_t i = 0; i < c->nodes.count; i++)
        if (c->nodes.at[i].pins.count == 1)
        {
            Node* node = &c->nodes.at[i];
            const char* name = circuit_unique((Circuit*)c, arena_printf(c->netlist->arena, "end_%s", node->name));
            writer_say(w, "  %s : OpenEnd\n", name);
            circuit_pin((Circuit*)c, i, name, "a");
        }
}

static void write_pin(Writer* w, const Pin* pin)
{
    if (pin->port != NULL)
        writer_say(w, "%s.%s", pin->part, pin->port);
    else
        writer_put(w, pin->part);
}

static void write_nodes(Writer* w, const Circuit* c)
{
    for (uint32_t i = 0; i < c->nodes.count; i++)
    {
        const Node* node = &c->nodes.at[i];
        if (node->pins.count < 2)
            continue;
        writer_put(w, "  connect ");
        for (uint32_t k = 0; k < node->pins.count; k++)
        {
            writer_put(w, k > 0 ? ", " : "");
            write_pin(w, &node->pins.at[k]);
        }
        if (!is_ground(node->key))
        {
            writer_say(w, ";  signal %s%s = ", node->signal, c->netlist->live ? "" : " [V]");
            write_pin(w, &node->pins.at[0]);
            writer_put(w, ".e");
        }
        writer_put(w, "\n");
    }
}

static void write_circuit(Writer* w, const Circuit* c)
{
    writer_say(w, "\nmodel %s", c->name);
    if (c->title[0] != 0)
    {
        writer_put(w, " \"");
        write_title(w, c->title);
        writer_put(w, "\"");
    }
    writer_put(w, " {\n");
    for (uint32_t i = 0; i < c->ports.count; i++)
        writer_say(w, "%s%s : electrical%s", i == 0 ? "  port " : ", ", c->ports.at[i],
                   i + 1 == c->ports.count ? "\n" : "");
    write_parameters(w, c);
    write_parts(w, c);
    write_nodes(w, c);
    writer_put(w, "}\n");
}

// ---- the experiment

// Without .print: the voltages of all nodes, the currents of sources and coils.
static void record_all(Netlist* n)
{
    Circuit* c = n->top;
    for (uint32_t i = 0; i < c->nodes.count; i++)
        if (!is_ground(c->nodes.at[i].key))
            vec_push(n->arena, n->analysis.records, c->nodes.at[i].signal);
    for (uint32_t i = 0; i < c->elements.count; i++)
    {
        const Element* e = &c->elements.at[i];
        if (e->key[0] == 'l' && e->winding > 0)
            vec_push(n->arena, n->analysis.records, arena_printf(n->arena, "%s.i%u", e->name, e->winding));
        else if (e->key[0] == 'v' || e->key[0] == 'l')
            vec_push(n->arena, n->analysis.records, arena_printf(n->arena, "%s.i", e->name));
    }
}

static void write_list(Writer* w, Netlist* n, const char* word, const char** list, uint32_t count)
{
    Map seen;
    map_init(&seen, n->arena);
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t there;
        uint64_t key = (uint64_t)(uintptr_t)intern_string(n->names, list[i]);
        if (map_get(&seen, key, &there))
            continue;
        map_set(&seen, key, 1);
        writer_say(w, "%s%s", i == 0 ? word : ", ", list[i]);
    }
}

static void write_experiment(Writer* w, Netlist* n)
{
    Analysis* a = &n->analysis;
    if (!a->given)
        return;
    if (a->records.count == 0)
        record_all(n);
    writer_say(w, "\nexperiment tran of %s {\n  stop = %s\n", n->top->name, a->stop);
    write_list(w, n, "  record ", a->records.at, a->records.count);
    if (a->step != NULL && a->records.count > 0)
        writer_say(w, " every %s", a->step);
    writer_put(w, "\n");
    write_list(w, n, "  plot ", a->plots.at, a->plots.count);
    writer_put(w, a->plots.count > 0 ? "\n}\n" : "}\n");
}

const char* netlist_write(Netlist* n)
{
    Writer w = {.arena = n->arena};
    const char* path = n->sources->list.at[n->top->span.file - 1].path;
    const char* slash = strrchr(path, '/');
    writer_say(&w,
               "// From %s by kairos import: ideal parts with the names of the netlist, node x is the signal v_x.\n",
               slash != NULL ? slash + 1 : path);
    writer_put(&w, "import \"electrical.kai\"\n");
    if (n->waves)
        writer_put(&w, "import \"sources.kai\"\n");
    for (uint32_t i = 0; i < n->written.count; i++)
        write_circuit(&w, n->written.at[i]);
    write_circuit(&w, n->top);
    write_experiment(&w, n);
    return writer_text(&w);
}

// ---- all of it

// As SPICE: in the operating point, unless `uic` says otherwise or every source is 0.
static void find_start(Netlist* n)
{
    if (!n->awake || n->analysis.rests || !n->top->stores || !n->analysis.given)
        return;
    n->solved = operating_solve(n);
    if (n->solved)
        return;
    Diag* d = diag_warning(n->diags, K_NETLIST_IDEAL, n->analysis.span,
                           "the run starts from rest or IC, as with `uic`: the operating point is not looked for where "
                           "there are subcircuits, lines or expressions, or it is not a single one");
    diag_help(n->diags, d, "write `uic` and the start values as `IC =`, or let the run settle first");
}

static const char* model_name(Netlist* n, const char* path)
{
    const char* slash = strrchr(path, '/');
    const char* base = slash != NULL ? slash + 1 : path;
    char* name = arena_copy_string(n->arena, base, strcspn(base, "."));
    if (name[0] >= 'a' && name[0] <= 'z')
        name[0] = (char)(name[0] - 'a' + 'A');
    return circuit_unique(n->file, name[0] != 0 ? name : "Circuit");
}

static void add_ground(Netlist* n)
{
    Sign ground = {.kind = SIGN_WORD, .text = "0", .key = key_of(n, "0", 1), .span = n->top->span};
    uint32_t index;
    if (!map_get(&n->top->node_of, (uint64_t)(uintptr_t)ground.key, &index))
    {
        Diag* d = diag_error(n->diags, K_NETLIST_SYNTAX, n->top->span, "no part is connected to ground, node 0");
        diag_help(n->diags, d, "call one node 0");
        return;
    }
    const char* name = circuit_unique(n->top, "gnd");
    circuit_line(n->top, line_say(n->top, "%s : Ground", name));
    circuit_pin(n->top, circuit_node(n->top, &ground), name, "a");
}

const char* spice_import(Arena* arena, Sources* sources, Diags* diags, uint32_t file)
{
    Interner names;
    interner_init(&names, arena);
    Netlist* n = arena_new(arena, Netlist);
    *n = (Netlist){.arena = arena, .sources = sources, .diags = diags, .names = &names};
    Sign name = {.kind = SIGN_WORD, .text = "", .key = "", .span = {file + 1, 0, 0}};
    n->file = circuit_new(n, NULL, &name);
    n->top = circuit_new(n, NULL, &name);
    for (size_t i = 0; i < sizeof library / sizeof *library; i++)
        circuit_unique(n->file, library[i]);
    n->top->name = model_name(n, sources->list.at[file].path);
    vec_push(arena, n->open, files_identity(sources->files, arena, sources->list.at[file].path));
    cards_read(n, file);
    netlist_collect(n);
    circuit_work_out(n->top);
    commands_after(n);
    add_ground(n);
    find_start(n);
    if (!n->analysis.given)
    {
        Diag* d = diag_warning(diags, K_NETLIST_IDEAL, n->top->span, "there is no `.tran`: the text has no experiment");
        diag_help(diags, d, "write `.tran step stop` into the netlist, or an experiment into the text");
    }
    return diags->error_count == 0 ? netlist_write(n) : NULL;
}
