// The value of an expression that is known before the run: array bounds, settings, sweeps, folded operators.
#ifndef KAIROS_ELAB_CONSTANT_H
#define KAIROS_ELAB_CONSTANT_H

#include "elab/flat.h"

// True if an operator on constants is a constant.
bool constant_folds(NodeOp op);

// The value of an operator on given arguments. False if the result is not a finite number: it is left to the run, which
// reports it with time and place.
bool constant_apply(NodeOp op, const double arguments[3], double* value);

// The value of a node that depends on constants and parameters only. False if it depends on anything else, or if a
// parameter on the way has no value, or if the result is not a number.
bool flat_eval_const(const Flat* flat, NodeId node, double* value);

#endif
