// A thin layer over Z3: formulas over reals and Booleans, with the trivial cases folded so that listings and models
// stay small, and questions with one deadline for all of them. Everything lives as long as the context.
#ifndef KAIROS_PROVE_LOGIC_H
#define KAIROS_PROVE_LOGIC_H

#include "base/arena.h"
#include "base/map.h"

#include <stdbool.h>
#if __has_include(<z3.h>)
#include <z3.h>
#else
// The core knows these by name only, and is built where Z3 is not installed.
typedef struct _Z3_ast* Z3_ast;
typedef struct _Z3_context* Z3_context;
typedef struct _Z3_sort* Z3_sort;
typedef struct _Z3_model* Z3_model;
typedef struct _Z3_solver* Z3_solver;
#endif

#define LOGIC_ENDLESS 1e300  // stands for infinity, which fractions do not have

typedef Z3_ast Formula;

typedef VEC(Formula) Formulas;

typedef enum Verdict
{
    VERDICT_NO,       // unsatisfiable
    VERDICT_YES,      // satisfiable: a model is at hand
    VERDICT_UNKNOWN,  // time is over, or too hard
} Verdict;

typedef struct Logic
{
    Arena* arena;
    Z3_context z;
    Z3_sort real, boolean;
    Formula yes, no, zero, one;
    double deadline;           // of the clock that logic_clock reads
    Z3_model model;            // of the last question answered with YES
    uint32_t questions, hard;  // asked; of these with products of unknowns
    Map linear;                // terms that were looked at: no product of unknowns
    const char* reason;        // why the last question was left open
} Logic;

void logic_open(Logic* l, Arena* arena, double seconds);
void logic_close(Logic* l);
double logic_clock(void);
double logic_time_left(const Logic* l);

Formula logic_number(Logic* l, double value);
Formula logic_variable(Logic* l, const char* name, bool boolean);
bool logic_is_boolean(const Logic* l, Formula a);

Formula logic_and(Logic* l, Formula a, Formula b);
Formula logic_or(Logic* l, Formula a, Formula b);
Formula logic_not(Logic* l, Formula a);
Formula logic_if(Logic* l, Formula condition, Formula a, Formula b);
Formula logic_equal(Logic* l, Formula a, Formula b);
Formula logic_less(Logic* l, Formula a, Formula b);
Formula logic_at_most(Logic* l, Formula a, Formula b);
Formula logic_add(Logic* l, Formula a, Formula b);
Formula logic_subtract(Logic* l, Formula a, Formula b);
Formula logic_multiply(Logic* l, Formula a, Formula b);
bool logic_is_number(Logic* l, Formula a);

// Whether all of them can hold together, within `seconds` and the deadline.
Verdict logic_ask(Logic* l, const Formulas* all, double seconds);

// One question after the other, each with more or fewer conditions than the last.
typedef struct LogicSession
{
    Logic* logic;
    Z3_solver solver;
} LogicSession;
LogicSession logic_session_open(Logic* l);
void logic_session_close(LogicSession* s);
void logic_session_push(LogicSession* s);
void logic_session_pop(LogicSession* s);
void logic_session_add(LogicSession* s, Formula a);
Verdict logic_session_ask(LogicSession* s, double seconds);
bool logic_linear(Logic* l, const Formulas* all);  // no product of unknowns

// The value of a term in the last model: a number (the nearest double) or 0/1 of a Boolean.
double logic_value(Logic* l, Formula a);

#endif
