// What the parts of elaboration share: the elaborator, its instances, symbols and environments.
//
// Order of work: declare (instances, variables, machines; structural parameters are evaluated on the way) → find the
// targets of definitions → infer types → elaborate expressions → check definitions → experiment.
#ifndef KAIROS_ELAB_ELAB_H
#define KAIROS_ELAB_ELAB_H

#include "base/map.h"
#include "elab/constant.h"
#include "elab/elaborate.h"
#include "elab/units.h"
#include "settings/settings.h"

enum
{
    NO_INSTANCE = UINT32_MAX,
    MAX_VARIABLES = 2 * 1000 * 1000,  // also instances and passes of loops
    MAX_STEPS = 20 * 1000 * 1000,     // expressions looked at: stops functions that double at each call
    MAX_DEPTH = 4000,                 // nested expressions, with the functions and parameters they lead into
    MAX_INSTANCE_DEPTH = 500,
};

// What an expression elaborates to. A failed value has been reported: whatever is made of it is failed and silent.
typedef struct Value
{
    NodeId node;
    uint8_t type;  // ValueType
    bool failed;
    uint32_t machine;  // TYPE_MODE: whose modes
    // TYPE_BOOL made of events and levels: it is `level` (0: false) or the presence of `event` (0: a level only). As an
    // event it is `event`, and the moment `level` becomes true (rule E1). TYPE_EVENT made so: `level` is its presence.
    NodeId level, event;
    Dim dim;
} Value;

// A loop index or an argument of a function.
typedef struct Local
{
    const struct Local* next;
    const char* name;
    Value value;
} Local;

typedef struct Call
{
    const struct Call* up;
    const Function* function;
} Call;

// A branch of an `if` expression that is being elaborated.
typedef struct Branch
{
    struct Branch* up;
    const Expr* condition;
    NodeId test;     // the condition, elaborated
    bool when;       // the branch counts where the condition has this value
    bool ruled_out;  // … which it never has, and something in the branch does not exist
} Branch;

// Where an expression or item stands. Changed by copying.
typedef struct Env
{
    uint32_t instance;  // NO_INSTANCE: names of no instance can be seen (experiment arguments)
    uint32_t ctx;
    uint32_t choice;   // index + 1
    uint32_t entered;  // actions of a transition: the context it enters, whose names they may assign; 0 = none
    const Local* locals;
    const Call* calls;  // functions being inlined, innermost first: inside one only its arguments are visible
    Branch* branch;     // the innermost `if` expression around it
    bool constant;      // only constants and parameters may be read
    bool structural;    // … and those parameters decide the structure
    bool at_event;      // random draws may be made
    bool expect;        // operators over the whole run may be used
    bool in_operator;   // … and we are inside one
    bool junction;      // a guard of a switched junction: post() may be used
} Env;

typedef enum SymbolKind
{
    SYMBOL_FAILED,  // its declaration was reported
    SYMBOL_VAR,
    SYMBOL_VARS,  // array: variables first … first + to - from
    SYMBOL_INSTANCE,
    SYMBOL_INSTANCES,  // array: list
    SYMBOL_TEXT,       // a parameter that names a file: text
} SymbolKind;

typedef struct Symbol
{
    SymbolKind kind;
    const char* name;
    uint32_t instance;  // whose name it is
    uint32_t ctx;       // the mode it is declared in
    uint32_t first;
    int64_t from, to;
    const uint32_t* list;
    const Expr* text;  // the literal, wherever it was written
    Span span;
} Symbol;

typedef enum Progress
{
    NOT_BEGUN,
    UNDER_WAY,
    DONE,
} Progress;

typedef struct VarInfo
{
    const char* name;   // as declared
    const Expr* init;   // value, start value or definition, or NULL
    const Env* env;     // where `init` stands
    bool init_defines;  // `signal p = e`, `event h = e`
    bool failed;
    const Expr* def;  // some definition of it, for its type
    const Env* def_env;
    uint8_t init_progress, type_progress;
    uint32_t chain;        // variable of its first derivative + 1 where second derivatives are defined
    bool is_chain;         // it is such a first derivative
    bool has_first_order;  // x' = … is written somewhere
    uint32_t first_def;    // definition + 1, head of a list through Elab.def_next
    bool given;            // its definition is made here, not written (bond graphs), or it has equations
    const Expr* nominal;   // as written, or NULL
    const Expr* spread;    // of a parameter: its distribution as written, or NULL
    uint32_t area;         // variable of the area of its impulse + 1 (bond graphs)
} VarInfo;

typedef struct Instance
{
    const Model* model;
    uint32_t parent, ctx, depth;
    uint32_t stream;  // index + 1
    const ArgList* args;
    const Env* arg_env;
    uint32_t bond_node;  // + 1: an element, junction or port of a bond graph
    uint32_t bond;       // + 1: a named bond
    bool incomplete;     // a definition or condition in it failed: what is missing may be that
    Span span;           // of its name where it is declared
} Instance;

// An item whose expressions wait until everything is declared.
typedef struct Work
{
    const Item* item;
    const Env* env;
    uint32_t var;  // ITEM_DEF: target
    bool failed;
} Work;

// An element, junction or port of a bond graph until all is declared.
typedef struct BondItem
{
    const Item* item;    // NULL: a port
    const Env* env;      // where it stands
    const char* domain;  // of a port, or NULL
    uint32_t instance;
} BondItem;

typedef struct Elab
{
    Program* program;
    const ElabOptions* options;
    Arena* arena;
    Diags* diags;
    Flat* flat;
    bool* seen_files;  // whose names are in model_index and function_index
    Map model_index, function_index, name_index, symbol_index, seen, hidden_index, external_index, block_index,
        structural_seen, missed_index,
        machine_places;  // machine_places: (instance, context) → how many machines stand there
    VEC(Symbol) symbols;
    VEC(VarInfo) vars;
    VEC(Instance) instances;
    VEC(uint32_t) machine_instance;
    VEC(Work) works;
    VEC(BondItem) bond_items;  // per node of Flat.bond_nodes
    VEC(Work) bond_works;      // `bond` and `connect`
    VEC(uint32_t) def_next;
    bool* override_used;
    uint32_t error_count;  // repeated ones included
    uint32_t hidden_count;
    uint64_t steps, loops;
    int depth;
    bool too_large;
    uint32_t here;        // the instance that is worked on, for messages
    bool silent;          // names are only tried: nothing is reported
    bool in_experiment;   // names that modes declare can be seen
    bool choosing_items;  // in the condition of an `if` between items
    const char* wanted;   // a target is looked for: what it would be declared as; NULL: a value is read
    const char* word_mode;
} Elab;

// A diagnostic unless the same code was reported at the same place already (a model is elaborated once per instance).
// NULL then; elab_help and elab_note take NULL. `tag` tells apart several at one place.
Diag* elab_error(Elab* e, DiagCode code, Span span, const char* format, ...) __attribute__((format(printf, 4, 5)));
Diag* elab_error_about(Elab* e, DiagCode code, Span span, const char* tag, const char* format, ...)
    __attribute__((format(printf, 5, 6)));
Diag* elab_warning(Elab* e, DiagCode code, Span span, const char* format, ...) __attribute__((format(printf, 4, 5)));
void elab_help(Elab* e, Diag* diag, const char* format, ...) __attribute__((format(printf, 3, 4)));
void elab_note(Elab* e, Diag* diag, Span span, const char* format, ...) __attribute__((format(printf, 4, 5)));
void elab_suggest(Elab* e, Diag* diag, const char* word, const char* const* names, uint32_t count);
// The same; where none is near, `otherwise` is said first.
void elab_suggest_or(Elab* e, Diag* diag, const char* word, const char* const* names, uint32_t count,
                     const char* otherwise);
// True if this name was missed before in the same scope: the place is noted there, and nothing else is said. Otherwise
// the caller reports it next.
bool elab_missed_before(Elab* e, DiagCode code, const void* scope, const char* name, Span span);
bool elab_count_loop(Elab* e, Span span);  // false: the model is too large

// scope.c
// A model or function as the file sees it in which its name stands; NULL: it does not.
const Model* scope_model(Elab* e, const char* name, Span span);
const Function* scope_function(Elab* e, const char* name, Span span);
uint32_t scope_symbol(Elab* e, uint32_t instance, const char* name);                       // index + 1, 0 = none
Symbol* scope_add(Elab* e, const Env* env, SymbolKind kind, const char* name, Span span);  // reports a second one
typedef struct Target
{
    SymbolKind kind;
    uint32_t index;  // variable or instance, or first of an array
    const Symbol* symbol;
    const Local* local;  // not NULL: a loop index or argument, nothing else is set
} Target;
bool scope_resolve(Elab* e, const Env* env, const Path* path, Target* target);  // false: reported
void scope_suggest(Elab* e, Diag* diag, const Env* env, uint32_t instance, const char* name);
const char* scope_path(Elab* e, uint32_t instance, const char* name);  // "a.b[2].name"
const char* scope_model_name(Elab* e, const Env* env);
bool scope_range(Elab* e, const Env* env, const Range* range, int64_t* from, int64_t* to);
bool ctx_is_within(const Flat* flat, uint32_t ctx, uint32_t ancestor);
bool ctx_exclude(const Flat* flat, uint32_t a, uint32_t b);  // never active together
const char* ctx_text(Elab* e, uint32_t ctx);                 // "mode falling of a"

// The literal behind a text or the name of a text parameter; NULL: it is something else. Silent.
const Expr* scope_text(Elab* e, const Env* env, const Expr* expr);

// declare.c
void declare_root(Elab* e, const Model* model, const ArgList* args, Span span);
uint32_t declare_var(Elab* e, const Env* env, VarKind kind, ValueType type, const char* name, Span span);
const Expr* array_given(Elab* e, const Env* env, const Expr* expr);  // a list, or the elements of an array; or NULL
void var_add_def(Elab* e, uint32_t var, uint32_t ctx, int order, NodeId value, Span span);

// machines.c
void declare_machine(Elab* e, const Env* env, const Item* item);
void declare_items(Elab* e, const Env* env, const ItemList* items);  // in declare.c
void elaborate_transition(Elab* e, const Work* work);
const char* mode_name_of(Elab* e, uint32_t ctx);

// The machine of a switched junction: its modes stand in `env`, its name belongs to the junction.
uint32_t declare_switch(Elab* e, const Env* env, uint32_t element, const Item* item);

// bonds.c: elements, junctions, ports and bonds as declared; bond_graph.c: the equations of the whole.
void declare_element(Elab* e, const Env* env, const Item* item, BondKind kind, const char* name);
void declare_ports(Elab* e, const Env* env, const Item* item);
void declare_bond(Elab* e, const Env* env, const Item* item);
void join_bonds(Elab* e);          // after everything is declared: who is joined to whom
void elaborate_elements(Elab* e);  // their arguments
uint32_t add_element_hidden(Elab* e, const char* what, Span span);
NodeId elaborate_real(Elab* e, const Env* env, const Expr* expr);  // 0: failed
// multiport.c: storages with a matrix
typedef struct MultiportArgs
{
    const Arg *matrix, *start, *start_power;
} MultiportArgs;
uint32_t multiport_size(const Arg* matrix);  // rows; 0: no matrix
void declare_multiport(Elab* e, uint32_t scope, FlatBondNode* node, const Arg* matrix);
void elaborate_multiport(Elab* e, uint32_t index, const Env* env, const MultiportArgs* args);
NodeId multiport_value(Elab* e, const FlatBondNode* node, uint32_t port);  // e of a C, f of an I
void junction_guard(Elab* e, FlatTransition* t, NodeId guard);
void find_domains(Elab* e);                                         // domains.c: units, after join_bonds
void check_causality(Elab* e);                                      // causality.c
void check_wiring(Elab* e);                                         // wiring.c
void define_bonds(Elab* e);                                         // after all definitions: the equations
bool bonds_change_with(Elab* e, uint32_t parameter, double value);  // a resistance is 0 with it that was not before
void resolve_areas(Elab* e);                                        // after everything else

// bare.c
bool unit_find(Elab* e, const Unit* unit, FlatUnit* result);  // false: reported
// A plain number given to a variable counts in its unit.
void value_in_unit(Elab* e, Value* value, const FlatUnit* unit, const Expr* expr, const char* name);
// The value of a derivative counts in SI units: warns if the variable does not.
void rate_in_unit(Elab* e, const Value* value, const FlatUnit* unit, Span span, const char* name);
// A number where a difference is wanted: warns if its unit counts from another zero.
void check_difference(Elab* e, const Expr* expr);
// A number without a unit beside a value: warns if variables of the value are not in SI units.
void bare_beside(Elab* e, const Value* value, const Value* number, Span span);

// types.c
void infer_types(Elab* e);
ValueType infer_var(Elab* e, uint32_t var);
const char* type_name(ValueType type);
bool value_to_real(Elab* e, Value* value, Span span);
bool value_to_bool(Elab* e, Value* value, Span span);
bool value_to_event(Elab* e, const Env* env, Value* value, Span span);
bool value_to_type(Elab* e, const Env* env, Value* value, ValueType type, Span span);
bool value_check_dim(Elab* e, const Value* value, const Dim* wanted, Span span, const char* what);

// expression.c
Value elaborate_expr(Elab* e, const Env* env, const Expr* expr);
Value elaborate_var(Elab* e, const Env* env, uint32_t var, Span span);
bool elaborate_constant(Elab* e, const Env* env, const Expr* expr, ValueType type, Value* value, double* number);
Value value_failed(void);
Value value_make(NodeId node, ValueType type, Dim dim);
void value_forget_parts(Value* value);                                    // it is something else now
Value elaborate_as_var(Elab* e, const Env* env, Value value, Span span);  // a VAR node, hidden if need be

// builtins.c
bool builtin_exists(const char* name);       // a function
bool builtin_name_exists(const char* name);  // `time`, `pi` …
const char* const* builtin_value_names(uint32_t* count);
Value elaborate_builtin(Elab* e, const Env* env, const Expr* expr);
bool elaborate_builtin_name(Elab* e, const Env* env, const char* name, Span span, Value* value);
const char* const* builtin_names(Arena* arena, uint32_t* count);
const char* builtin_usage(uint32_t index, const char** name);  // NULL past the last

// table.c
typedef struct TableForm
{
    int column;   // of the value, from 1
    bool by_row;  // the argument is the number of a row, not a value of the first column
} TableForm;
bool table_read(Elab* e, const Expr* file, const TableForm* form, uint32_t* index);

// definitions.c
void find_targets(Elab* e);
void elaborate_inits(Elab* e);
void elaborate_init(Elab* e, uint32_t var, bool structural);
void elaborate_definition(Elab* e, const Work* work);
void define_inputs(Elab* e);
void check_definitions(Elab* e);
void check_parameters(Elab* e);

// equations.c: which equation determines which unknown
void elaborate_equation(Elab* e, const Work* work);
void match_equations(Elab* e);

// reactions.c
void elaborate_works(Elab* e);
void elaborate_actions(Elab* e, const Env* env, const ActionList* actions, FlatActions* result);
NodeId elaborate_weight(Elab* e, const Env* env, const Item* item);
NodeId elaborate_guard(Elab* e, const Env* env, const Expr* expr);
void check_guesses(Elab* e);

// given.c
void declare_given_signals(Elab* e);           // given.c
bool declare_override(Elab* e, uint32_t var);  // --set: true if the value of the variable is replaced
// The expression in `text`, as a source of this name; EXPR_ERROR: reported.
Expr* elaborate_given_text(Elab* e, const char* source, const char* text);

// settings.c
const char* word_written(const Expr* expr);  // `word` or "word"; NULL: something else
void elaborate_setting(Elab* e, const Setting* setting);
void elaborate_given_settings(Elab* e);  // those of the call
void check_settings(Elab* e);            // together, and with the model

// experiment.c
void elaborate_experiment(Elab* e, const Experiment* experiment);  // NULL: none, but settings of the call

#endif
