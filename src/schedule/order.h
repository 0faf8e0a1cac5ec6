// The order of a program: which tasks the wanted values need, each after what it needs itself, loops together.
#ifndef KAIROS_SCHEDULE_ORDER_H
#define KAIROS_SCHEDULE_ORDER_H

#include "lower/compiler.h"

// A value that the program must leave in a register though no task reads it. Not written while ctx is not active.
typedef struct Sink
{
    uint32_t ctx;
    ScalarId value;
    SymReg dst;
} Sink;
typedef VEC(Sink) Sinks;

typedef struct ProgramSpec
{
    Phase phase;
    const uint32_t* tasks;  // wanted for themselves
    uint32_t task_count;
    const Sink* sinks;
    uint32_t sink_count;
    bool slopes_given;  // the derivatives of the states are already in their registers
    bool start;         // registers of states and discretes are computed from start values
} ProgramSpec;

// The tasks of a program and who needs whom, in compressed rows of numbers in `tasks`.
typedef struct TaskGraph
{
    Compiler* c;
    const ProgramSpec* spec;
    VEC(uint32_t) tasks;
    VEC(uint32_t) first;  // what task i needs: first[i] … first[i + 1]
    VEC(uint32_t) edges;
    Map local;  // task → number in `tasks`
} TaskGraph;

// Tasks in the order in which the program computes them, one component a row.
typedef struct Order
{
    uint32_t count;   // components
    uint32_t* first;  // count + 1 entries in `tasks`
    uint32_t* tasks;
    bool* looped;  // per component
} Order;

// Everything that the spec wants, closed under need.
TaskGraph task_graph(Compiler* c, const ProgramSpec* spec);
// Its order, in numbers of the graph; order_globally turns them into tasks.
Order graph_order(const TaskGraph* graph);
void order_globally(const TaskGraph* graph, Order* order);
void task_graph_release(TaskGraph* graph);
Order order_tasks(Compiler* c, const ProgramSpec* spec);

#endif
