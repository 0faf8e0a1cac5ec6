// Inside src/spice: a netlist between its text and the text that is made of it.
//
// cards → netlist_collect → circuits with elements → parts and pins → text. Names of SPICE do not tell capitals apart:
// `key` is the name in small letters, `name` what stands in the text that is made.
#ifndef KAIROS_SPICE_NETLIST_H
#define KAIROS_SPICE_NETLIST_H

#include "base/intern.h"
#include "base/map.h"
#include "base/text.h"
#include "lang/diagnostics.h"

typedef enum SignKind
{
    SIGN_WORD,
    SIGN_FORMULA,  // {…} or '…', without them
    SIGN_TEXT,     // "…", without them
    SIGN_OPEN,
    SIGN_CLOSE,
    SIGN_EQUALS,
    SIGN_COMMA,
    SIGN_END,  // behind the last one of a card
} SignKind;

typedef struct Sign
{
    SignKind kind;
    const char *text, *key;
    Span span;
} Sign;

// A logical line: continuations joined, comments gone.
typedef struct Card
{
    Sign* signs;  // ended by one of SIGN_END
    uint32_t count;
    Span span;
} Card;

typedef struct Circuit Circuit;

// A value in the text that is made. `value` is NAN where it is not known before the run.
typedef struct Formula
{
    const char* text;
    double value;
} Formula;

typedef struct Parameter
{
    const char *name, *key;
    const char* raw;  // as written; NULL: borrowed from where the subcircuit is used
    Span span;
    Formula formula;
    int state;  // 0 not looked at, 1 being worked out, 2 done
} Parameter;

typedef struct Assignment
{
    const char *name, *key, *raw;
    Span span;
} Assignment;

// .model
typedef struct Device
{
    const char *key, *type;
    Span span;
    VEC(Assignment) values;
    bool told;  // that it is ideal
} Device;

typedef struct Element
{
    const char *name, *key;
    const Card* card;
    uint32_t winding;  // of a coupled coil: its number on the core, from 1; `name` is the core then
    bool written;      // a resistor of 0 ohms is a source of 0 V: its current has another sign
    const char* bare;  // a signal with its current as a bare number; NULL: none yet
} Element;

typedef struct Pin
{
    const char *part, *port;  // port NULL: `part` is a port of the model itself
} Pin;

typedef struct Node
{
    const char *key, *name;
    const char* signal;  // its voltage in the text
    Span span;
    VEC(Pin) pins;
    bool given;  // by .ic
    Formula start;
} Node;

enum
{
    COILS_MOST = 3,
};

// A part in the text. A storage without a start value is cut before its last parenthesis: where the run starts in the
// operating point, `start[i]` = value of stamp[i] is put there.
typedef struct Line
{
    const char *text, *cut;  // cut NULL: nothing is missing
    const char* start[COILS_MOST];
    uint32_t stamp[COILS_MOST], count;
} Line;

// What an element is in the operating point: a conductance r, a voltage v or current i, one that follows a voltage (e,
// g) or a current (h, f), a wire l, nothing c, a diode d, a switch that follows a voltage (s) or a current (w).
typedef struct Stamp
{
    char kind;
    uint32_t a, b, c, d;  // nodes
    const char* control;  // h, f: the element whose current it follows
    const char* key;      // of the element itself
    double value;         // of the conductance, the source or the gain
    double answer;        // voltage of c, current of l
    bool closed;          // d, s, w
} Stamp;

typedef struct Use  // of a subcircuit
{
    const char *name, *key;
    const Circuit* circuit;
} Use;

// The netlist itself, or a subcircuit.
struct Circuit
{
    struct Netlist* netlist;
    Circuit* outer;  // in whose text it is defined; NULL: the netlist itself
    const char *name, *key, *title;
    Span span;
    const Card* card;  // .subckt
    VEC(Element) elements;
    VEC(Device) devices;
    VEC(Parameter) parameters;
    VEC(Circuit*) circuits;  // defined in it
    VEC(const Card*) couplings;
    VEC(Node) nodes;
    VEC(const char*) ports;  // names in the text, in order: its own, then shared nodes
    VEC(uint32_t) shared;    // nodes that all circuits have in common: ground and .global
    VEC(Line) lines;
    VEC(Stamp) stamps;
    VEC(Use) uses;
    Map element_of, node_of, parameter_of, used;  // by interned keys; `used` has every name in the text
    int state;                                    // 0 not looked at, 1 being worked out, 2 done
    bool switches, stores;                        // has such parts
    bool unsolved;                                // has parts whose operating point is not looked for
};

// .tran and its company
typedef struct Analysis
{
    bool given, rests;  // rests: `uic`
    Span span;
    const char *step, *stop;  // NULL: not given
    VEC(const char*) records;
    VEC(const char*) plots;
} Analysis;

typedef struct Netlist
{
    Arena* arena;
    Sources* sources;
    Diags* diags;
    Interner* names;
    VEC(char*) clean;       // by file: its text with blanks for comments and joints, so that places stay
    VEC(const char*) open;  // files that are being read
    VEC(Card*) cards;
    VEC(const Card*) commands;  // .tran, .ic, .print …, for the end
    VEC(const char*) globals;
    VEC(Circuit*) written;  // subcircuits in the order of the text
    Circuit* file;          // for the names of models
    Circuit* top;
    Analysis analysis;
    int circuit_depth, parameter_depth;  // that wait for each other
    bool waves;                          // sources.kai is needed
    bool awake;                          // a source is not 0 at the start
    bool solved;                         // the operating point is known, and the start
    bool live;                           // expressions mix volts and amperes: voltages are bare numbers
} Netlist;

// ---- cards.c
void cards_read(Netlist* n, uint32_t file);
// Between two signs, ends included, as written.
const char* cards_between(Netlist* n, Span first, Span last);

// ---- cursor.c: reading a card from left to right
typedef struct Cursor
{
    const Card* card;
    uint32_t at;
} Cursor;
const Sign* cursor_sign(const Cursor* c);
const Sign* cursor_take(Cursor* c);
bool cursor_accept(Cursor* c, SignKind kind);
bool cursor_accept_word(Cursor* c, const char* key);
bool cursor_at_assignment(const Cursor* c);  // name = …
// The rest of the card as name = value, each up to the next name. False: it is something else, and that was said.
bool cursor_assignments(Netlist* n, Cursor* c, Assignment** list, uint32_t* count);

// ---- number.c
// A number of SPICE, 4.7k, 10uF, 1meg, as Kairos text. False: it is none.
bool number_read(Arena* arena, const char* text, size_t length, size_t* used, Formula* formula);

// ---- formula.c
// `raw` in the names of `circuit`; voltages, currents and time if `live`. False: it was said what is wrong.
bool formula_read(Circuit* circuit, const char* raw, Span span, bool live, Formula* formula);
// Bare: no blanks around it are needed when it is a factor.
const char* formula_factor(Arena* arena, const Formula* formula);
bool formula_value(Circuit* circuit, Cursor* cursor, const char* what, Formula* formula);

// ---- circuit.c
Circuit* circuit_new(Netlist* n, Circuit* outer, const Sign* name);
const char* circuit_unique(Circuit* circuit, const char* wish);
uint32_t circuit_node(Circuit* circuit, const Sign* sign);
void circuit_pin(Circuit* circuit, uint32_t node, const char* part, const char* port);
const char* circuit_voltage(Circuit* circuit, const Sign* node);  // of a node that must be there; NULL: said
const char* circuit_current(Circuit* circuit, const char* key, Span span);
Parameter* circuit_parameter(Circuit* circuit, const char* key);
Parameter* circuit_add_parameter(Circuit* circuit, const char* name, const char* raw, Span span);
Element* circuit_element(const Circuit* circuit, const char* key);
Device* circuit_device(Circuit* circuit, const char* key);
Circuit* circuit_find(Circuit* circuit, const char* key);  // a subcircuit by its name
const char* key_of(Netlist* n, const char* text, size_t length);
bool is_ground(const char* key);

// ---- collect.c
void netlist_collect(Netlist* n);

// ---- elements.c, sources.c, coupling.c
void circuit_work_out(Circuit* circuit);
const char* line_say(Circuit* circuit, const char* format, ...) __attribute__((format(printf, 2, 3)));
void circuit_line(Circuit* circuit, const char* text);
bool source_read(Circuit* circuit, const Element* element, Cursor* cursor, Formula* formula, Formula* series);
void coupling_write(Circuit* circuit);
bool inductor_values(Circuit* circuit, const Element* element, Formula* henry, Formula* start, Sign ends[2]);

// ---- operating.c
void stamp_add(Circuit* circuit, Stamp stamp);
// Where the netlist starts: answers in the stamps of its circuit. False: it is not found.
bool operating_solve(Netlist* n);

// ---- commands.c
void commands_before(Netlist* n);  // .tran and .ic: what elements want to know
void commands_after(Netlist* n);   // .print and .plot

// ---- write.c
const char* netlist_write(Netlist* n);

#endif
