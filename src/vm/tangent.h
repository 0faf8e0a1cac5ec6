// First derivatives of the code of a kaiModel: when registers move in a direction, where do those go that the code
// computes? Forward differentiation of the operators themselves, exact but for rounding, through modes, loops of
// definitions and equations that are solved; every register may move, parameters and memories as well as states.
//
// Series (series.h) answer more for less: all orders, along time. This is for what does not move with time: Jacobians
// with respect to anything, and sensitivities.
//
// A kink (abs, min, max) has the derivative of the side on which it is left; relations, floor, sign and draws stand
// still. A function of another language is differentiated by differences.
#ifndef KAIROS_VM_TANGENT_H
#define KAIROS_VM_TANGENT_H

#include "vm/vm.h"

// After vm_run of the same range: the code is walked along the path that it took. `tangents`: of all registers; those
// that the code reads and does not write must be there (0: it stands still), those that it writes are filled in. The
// registers are as they were when it returns. False: an equation that is solved has no derivative there.
bool vm_tangent(const kaiModel* model, double* registers, CodeRange range, const VmHost* host, double* tangents);

// By the same walk: how far rounding may have moved each register that the code writes, to first order; 1 - cos(x) near
// x = 0 is off by 1e-16 and not by that part of itself. `errors`: of all registers; those that the code reads and does
// not write must be there. A value of another language or out of a delay counts as rounded once.
bool vm_rounding(const kaiModel* model, double* registers, CodeRange range, const VmHost* host, double* errors);

#endif
