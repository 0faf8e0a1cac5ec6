// Every numeric tolerance of the run and of the numeric rooms, each with the reason for its size. A number that decides
// whether two values are one, whether something is zero, or when an iteration ends has its name here; no bare 1e-12
// stands in the code. Tolerances that the user chooses (rtol, atol, balance) are settings: settings/settings.def.
//
// The unit of most is the rounding of a double, 1.1e-16 of a value (half an ulp; DBL_EPSILON is twice that). A sum of n
// terms is off by up to n such units of its largest term, which is why "zero" is always measured against the terms that
// were added and never against 1.
#ifndef KAIROS_BASE_TOLERANCE_H
#define KAIROS_BASE_TOLERANCE_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

// ---- time

// Two times that differ by no more, relative to the larger, are one time. A time that comes from a clock (first + n T),
// from a delay (t + T) or from a located crossing is off by up to two roundings from what the same time is elsewhere:
// 4e-16 is just under four half ulps of a value at the lower end of its binade and just under two at the upper end.
// Larger would join events that the text keeps apart; smaller would part a clock from the delay that should meet it.
#define TIME_SAME 4e-16

// Is `due` at `t`, or before it?
static inline bool time_reached(double due, double t)
{
    return due <= t + TIME_SAME * fabs(t);
}

static inline bool time_same(double a, double b)
{
    return isfinite(b) && fabs(a - b) <= TIME_SAME * fmax(fabs(a), fabs(b));
}

// The shortest step that t can resolve: 16 ulps leave a step four bits of its own, enough for a stage at t + h/5 to lie
// between its ends. Below it a step is a failure ("the step size became too small").
#define TIME_SMALLEST_STEP (16 * DBL_EPSILON)
// CVODE wants its stop time more than a few ulps away and answers with an error otherwise (CV_TOO_CLOSE); a shorter
// piece is stepped over by one explicit step, whose error is beyond the last digit.
#define TIME_CVODE_CLOSEST (8 * DBL_EPSILON)
// Shorter than this is no time at all: at t = 0 it is the smallest step and the narrowest bracket, where no ulp bounds
// them.
#define TIME_NOTHING 1e-300

// Where time ends for a run with stop = inf: large enough that nothing is cut short, small enough that steps on the way
// there do not overflow. A model at rest gets there in a few hundred steps; another one is interrupted.
#define TIME_END 1e300

// ---- steps

// The first step (Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, II.4): where the state or its
// slope is below STEP_FLAT of its tolerance nothing can be learnt from their ratio, and the guess is STEP_BLIND
// seconds, to be corrected at once by the error control. A second derivative below STEP_STRAIGHT is rounding.
#define STEP_FLAT 1e-5
#define STEP_BLIND 1e-6
#define STEP_STRAIGHT 1e-15
// After a first guess at which f could not be evaluated: three decades back.
#define STEP_RETREAT 1e-3
// A fixed-step method without a step: the length that its users expect of a tool, in seconds.
#define STEP_FIXED 1e-3
// Impulse backward Euler steps forward and back by this part of the step that follows: its error is of the order h²,
// and a millionth squared is below the tolerance of any run.
#define STEP_IMPULSE 1e-6

// ---- iterations

// Newton's method in implicit steps works in units of the tolerance of the step (weighted norm): what moves by less
// than this cannot be seen in the error estimate. The usual end is the estimated remainder below NEWTON_REMAINDER,
// which leaves the error estimate two digits (Hairer and Wanner, Solving Ordinary Differential Equations II, IV.8: κ
// between 1e-2 and 1e-1).
#define NEWTON_STILL 1e-10
#define NEWTON_REMAINDER 0.01
// A fixed point has been reached when nothing moves by more than the last bit.
#define FIXED_POINT_STILL (2 * DBL_EPSILON)
// Algebraic loops are solved to rounding: a step of Newton's method below LOOP_ROUNDING of the unknown is the end.
// Where the residual stops falling before (its own rounding is larger), LOOP_SMALL is still a solution; above it there
// is none.
#define LOOP_ROUNDING 4e-16
#define LOOP_SMALL 1e-11

// ---- matrices

// Difference quotients: the square root of the rounding balances the error of the formula against that of the
// difference.
#define DIFFERENCE_PART 1.4901161193847656e-08  // sqrt(DBL_EPSILON)
// In time the increment must survive the subtraction: at least 8 ulps of t.
#define DIFFERENCE_TIME (8 * DBL_EPSILON)
// A factorisation with the old pivots is kept while its reciprocal growth is above this: half of the digits are left,
// and the iteration around it makes up for them. Below, KLU pivots anew.
#define PIVOT_GROWTH 1e-8

// ---- rows

// A straight line between two rows may be off by this share of the range of its column: two points of a figure 1,000
// points high. In a stretch below CURVE_SHORT of the run, of which a figure shows no details, by CURVE_COARSE.
#define CURVE_FINE 2e-3
#define CURVE_COARSE 0.05
#define CURVE_SHORT 5e-4
// What is below this part of a value is the noise of its digits, no bend.
#define CURVE_ROUNDING 1e-9
// Samples between which an extreme is sought resolve a signal to this share of its range: then every turn shows.
#define CURVE_SAMPLED 0.01

// ---- delays

// What goes into a delay is followed until terms of its series are DELAY_QUIET of the signal (below its last digit) and
// its end agrees with the signal to DELAY_AGREE: the rounding of a few hundred operations. A difference up to
// DELAY_ROUGH that does not shrink with the part is the signal's own rounding (a difference of large numbers), no
// misfit.
#define DELAY_QUIET 1e-18
#define DELAY_AGREE 1e-12
#define DELAY_ROUGH 1e-8
// Where there is no series a fit is good to this part of rtol: far below what the solver does with it.
#define DELAY_FIT 0.01
// Two sides of an instant differ by more than this part, in value and in slope, or nothing jumps: both come from
// polynomials that meet there, whose values agree to the last digits and whose slopes to a few less.
#define DELAY_JUMP 1e-13
#define DELAY_KINK 1e-10
// A break of higher order whose sides agree to this part of rtol is none.
#define DELAY_SMOOTH 1e-3
// Breaks of higher order closer together than this part of t are one: a step between them would be nothing but
// rounding.
#define DELAY_TOGETHER 1e-12
// A polynomial goes on to be read behind its piece as long as it keeps to this part of rtol there.
#define DELAY_FOLLOW 0.02
// A delay shorter than this part of 1 + |t| leaves no room for steps: if the solver has failed, that is why.
#define DELAY_SHORTEST 1e-9

// ---- bond graphs

// A sum of efforts or flows, a change of a storage, or an amount that is this part of its terms or less is 0: a
// thousand roundings, because what is summed has been through a solve with a few hundred operations (rule B5 of
// semantics.md).
#define BOND_NOTHING 1e-12
// The equations of a mode contradict each other where what should vanish is above this part of its terms. Larger than
// BOND_NOTHING, because both sides are measured after the run has integrated them apart: a circuit of capacitors closed
// by a switch agrees to the digits of its solution, not to rounding.
#define BOND_CONTRADICTION 1e-9
// Ranks are decided with this: ratios such as 3 * 0.1 and 0.3, which differ in the last bit of a double, are the same.
#define BOND_RANK_TOLERANCE 1e-13
// Values of quadruple precision (about 1e-34): only what cancels exactly is dropped.
#define BOND_VALUE_TOLERANCE 1e-30
// Vectors of quadruple precision made from doubles are orthogonal, and rows of a solution are empty, below this: far
// above quadruple rounding, far below what the data of a model (1e-16) can tell apart.
#define BOND_QUAD_NOTHING 1e-20
// A pivot of the Gram matrix of normalised vectors: its square root is 3e-13, the rank tolerance again.
#define BOND_GRAM_PIVOT 1e-25
// The smallest slope of a storage law that is divided by; its square root leaves room for quotients of any number.
#define BOND_SLOPE_LEAST 1e-280

#endif
