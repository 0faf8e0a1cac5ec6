// The syntax tree: what the text says, nothing about what it means. Grammar: docs/language.md.
// Names are interned (compare by pointer). Everything lives in the arena of the compilation.
#ifndef KAIROS_LANG_AST_H
#define KAIROS_LANG_AST_H

#include "base/arena.h"
#include "base/intern.h"
#include "base/span.h"

#include <stdbool.h>

typedef struct Expr Expr;
typedef struct Item Item;
typedef VEC(Item*) ItemList;
typedef VEC(Expr*) ExprList;

// [m/s^2]: a product of terms with signed exponents; `1` and other numbers scale.
typedef struct UnitTerm
{
    const char* name;  // NULL: a number
    double number;
    int exponent;  // negative after "/"
    Span span;
} UnitTerm;

typedef struct Unit
{
    VEC(UnitTerm) terms;
    Span span;
} Unit;

typedef struct PathStep
{
    const char* name;
    Expr* index;  // a[index], or NULL
    Span span;
} PathStep;

typedef struct Path
{
    VEC(PathStep) steps;  // at least one
    Span span;
} Path;

typedef struct Range
{
    Expr *from, *to;  // from .. to, both included
    Span index_span;  // of the name that runs over it
} Range;

typedef enum ExprKind
{
    EXPR_ERROR,  // stands where the parser gave up; already reported
    EXPR_NUMBER,
    EXPR_STRING,
    EXPR_BOOL,
    EXPR_ARRAY,
    EXPR_PATH,   // order > 0: path with primes
    EXPR_CALL,   // path ( args )
    EXPR_UNARY,  // "-" "+" "not"
    EXPR_BINARY,
    EXPR_IF,
    EXPR_FOLD,
} ExprKind;

typedef enum ExprOp
{
    OP_NONE,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_POW,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_EQ,
    OP_NE,
    OP_AND,
    OP_OR,
    OP_NEG,
    OP_PLUS,
    OP_NOT,
    FOLD_SUM,
    FOLD_PRODUCT,
    FOLD_LEAST,
    FOLD_GREATEST,
    FOLD_FORALL,
    FOLD_EXISTS,
} ExprOp;

struct Expr
{
    ExprKind kind;
    ExprOp op;
    Span span;
    Span op_span;        // of the operator sign, for carets
    bool parenthesised;  // written in parentheses (for fmt)
    double number;       // NUMBER (as written, not converted)
    Unit* unit;          // NUMBER, or NULL
    const char* string;  // STRING: contents with escapes resolved
    bool boolean;
    int order;          // PATH: number of primes
    Path* path;         // PATH, CALL
    ExprList items;     // ARRAY elements, CALL arguments
    Expr *a, *b, *c;    // UNARY a; BINARY a b; IF a (cond) b (then) c (else); FOLD a (body)
    const char* index;  // FOLD variable
    Range range;        // FOLD
};

// name [i in from..to] [unit] = init "description"
typedef struct Var
{
    const char* name;
    Span span;          // of the name
    const char* index;  // array variable, or NULL
    Range range;
    Unit* unit;               // or NULL
    Expr* init;               // or NULL
    Expr* spread;             // of a parameter: `~ normal(1, 0.1)`, or NULL; init is then the value without a draw
    Expr* nominal;            // `nominal 1e-12`: its size, or NULL
    bool guessed;             // `~ 3`: the init is where the solution of `initial` equations is looked for
    const char* description;  // or NULL
} Var;

typedef enum DeclKind
{
    DECL_PARAM,
    DECL_STATE,
    DECL_DISCRETE,
    DECL_SIGNAL,
    DECL_EVENT,
    DECL_INPUT,
    DECL_OUTPUT,
    DECL_UNKNOWN,  // init is a first guess
} DeclKind;

typedef struct Arg
{
    const char* name;
    Span span;
    Expr* value;
} Arg;
typedef VEC(Arg) ArgList;

typedef struct PowerPort
{
    const char* name;
    const char* domain;  // or NULL
    Span span;
} PowerPort;

typedef enum ActionKind
{
    ACTION_ASSIGN,
    ACTION_EMIT,
    ACTION_HALT,
} ActionKind;

typedef struct Action
{
    ActionKind kind;
    Span span;
    Path* target;      // ASSIGN, EMIT
    Expr* value;       // ASSIGN; EMIT: payload or NULL
    const char* text;  // HALT, or NULL
} Action;
typedef VEC(Action) ActionList;

typedef struct Mode
{
    const char* name;
    Span span;  // of the name
    bool initial;
    int switch_state;  // 0 none, 1 ON, 2 OFF
    ItemList items;
} Mode;
typedef VEC(Mode*) ModeList;

typedef enum ItemKind
{
    ITEM_DECL,        // decl, is_event, vars
    ITEM_PORT,        // ports
    ITEM_DEF,         // path, order, value:  path'…' = value
    ITEM_INSTANCE,    // name, island, type, index, range, args, switched modes
    ITEM_FOR,         // index, range, items
    ITEM_IF,          // value (condition), items
    ITEM_WHEN,        // value (trigger), guard, actions, weight (in choose)
    ITEM_CHOOSE,      // items: WHEN, TRANSITION, FOR
    ITEM_MODES,       // modes
    ITEM_TRANSITION,  // preempt, value (trigger), guard, resume, target, actions, weight (in choose)
    ITEM_BOND,        // name (as) or NULL, paths
    ITEM_CONNECT,     // paths
    ITEM_INITIAL,     // value
    ITEM_EQUATION,    // value
    ITEM_ASSERT,      // value, text
} ItemKind;

struct Item
{
    ItemKind kind;
    Span span;
    Span name_span;
    DeclKind decl;
    bool is_event, island, preempt, resume, is_switched;
    int order;
    VEC(Var) vars;
    VEC(PowerPort) ports;
    Path* path;
    VEC(Path*) paths;
    const char* name;
    const char* type;  // INSTANCE: model or element name
    Span type_span;
    const char* index;  // INSTANCE array or FOR variable, or NULL
    Range range;
    ArgList args;
    Expr *value, *guard, *weight;
    ItemList items;
    ModeList modes;
    ActionList actions;
    const char* target;  // TRANSITION
    Span target_span;
    const char* text;  // ASSERT message, or NULL
};

// The text of a part of a file, and whether there were errors in it: what it means is not known then.
typedef struct Extent
{
    Span span;
    bool broken;
} Extent;

typedef struct Model
{
    const char* name;
    Span span;  // of the name
    const char* description;
    ItemList items;
    Extent extent;
} Model;

typedef struct Function
{
    const char* name;
    Span span;
    VEC(const char*) params;
    VEC(Span) param_spans;
    Expr* body;          // external: NULL
    const char* symbol;  // external: "library:symbol"; else NULL
    uint32_t block;      // the one it asks, index in Program.blocks + 1; 0: none
    Extent extent;
} Function;

typedef enum SettingKind
{
    SETTING_VALUE,   // name = value
    SETTING_RECORD,  // paths, every (or NULL)
    SETTING_PLOT,    // paths, against (or NULL)
    SETTING_SWEEP,   // path, values or from/to/by
    SETTING_EXPECT,  // value, target, within (or NULL both), text
} SettingKind;

typedef struct Setting
{
    SettingKind kind;
    Span span;
    const char* name;
    Span name_span;
    Expr* value;
    VEC(Path*) paths;
    Path* path;  // SWEEP, PLOT against
    Expr* every;
    ExprList values;       // SWEEP in (…)
    Expr *from, *to, *by;  // SWEEP from … to … by …
    Expr *target, *within;
    const char* text;
} Setting;

typedef struct Experiment
{
    const char* name;
    Span span;
    const char* model;
    Span model_span;
    ArgList args;
    VEC(Setting*) settings;
    Extent extent;
} Experiment;

// A model whose inside is foreign: `fmu Motor = "motor.fmu"`, `external Motor = "motor.so:motor"`.
typedef struct Foreign
{
    const char* name;
    const char* path;  // as written
    Span span, path_span;
    bool fmu;
} Foreign;

typedef struct Import
{
    const char* path;  // as written
    Span span;
} Import;

typedef struct FileAst
{
    uint32_t file;  // Span.file
    VEC(Import) imports;
    VEC(Foreign) foreigns;
    VEC(uint32_t) sees;  // files of the program that it imports, and those that blocks were read as
    VEC(Model*) models;
    VEC(Function*) functions;
    VEC(Experiment*) experiments;
    VEC(Span) lost;  // text that belongs to no part: what it was meant to declare is not known
} FileAst;

#endif
