// Every numeric tolerance of the run and of the numeric rooms, each with the reason for its size. A number that decides
// whether two values are one, whether something is zero, or when an iteration ends has its name here; no bare 1e-12
// stands in the code. Tolerances that the user chooses (rtol, atol, balance) are settings: settings/settings.def.
//
// The unit of most is the rounding of a double, 1.1e-16 of a value (half an ulp; DBL_EPSILON is twice that). A sum of n
// terms is off by up to n such units of its largest term, which is why "zero" is always measured against the terms that
// were added and never against 1.
#ifndef KAIROS_BASE_TOLERANCE_H
#define KAIROS_BASE_TOLERANCE_H

#include "base/extreme.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

// ---- where solutions end

// How far ahead of the last point (of t, at least 1) the equations are tried: from what rounding of a step leaves open
// to what a solver that looked for the edge has come near to.
#define EDGE_NEAREST 1e-14
#define EDGE_FARTHEST 1e-6
// A state that doubles within less than this of the time that has passed grows without bound: a pole is met with about
// 1e-9, and nothing that is merely fast stops a solver with small steps.
#define EDGE_GROWTH 1e-6
// What a state cannot be but by running away: the square of it is the largest number.
#define EDGE_HUGE 1e150

// ---- units

// The inverse of a unit's scale is a whole number if it is one to this: a scale of up to three factors is off by a few
// roundings, and no two whole numbers below 1e9 are so close that their inverses could be mistaken.
#define SCALE_WHOLE 1e-12

// ---- time

// Rule T6 of semantics.md: two times that differ by no more, relative to the largest number that they were made of, are
// one time. A clock (first + n T), a delay (t + T), a guard (-b/a) and a constant that should meet are each off by up
// to two roundings of their own: together four half ulps, and twice that where a binade ends between them. Four ulps
// keep every pair of decimals together; more would join what the text keeps apart.
#define TIME_SAME (4 * DBL_EPSILON)

// How far apart two times may be that are one. `scale`: the largest time that others are counted from (the start of the
// run, the first tick of a clock), whose rounding is there still where t itself is near 0.
static inline double time_slack(double t, double scale)
{
    return TIME_SAME * larger(fabs(t), scale);
}

// Is `due` at `t`, or before it?
static inline bool time_reached(double due, double t, double scale)
{
    return due <= t + time_slack(t, scale);
}

static inline bool time_same(double a, double b, double scale)
{
    return isfinite(a) && isfinite(b) && fabs(a - b) <= time_slack(larger(fabs(a), fabs(b)), scale);
}

// The time of a crossing is no better than its guard: what rounds by TIME_SAME of the largest term of g moves the
// crossing by that over the slope, and a state that was added up in many steps is off by up to four ulps for each
// (several stages and their sum). Up to this many times the slack of t itself it is the same time; a guard that creeps
// over its level is where it is.
#define TIME_GUARD_MOST 1e6

// A relation that is counted as crossed while rounding has left it g short of its level lets the operators that it
// keeps legal lie beyond their domains by this many times g: what stands under a root may be the same quantity in other
// units, or times a constant (2 g h, a pressure for a height).
#define DOMAIN_ROUNDING 0x1p20
// And guards that read it are off by no more than this many times g on its other branch, where they lie on their level.
#define GUARD_SHORT 16
// At a scheduled time a guard that is on its level goes through it if its slope there is at least this part of its mean
// slope in the step; below, it has come to touch.
#define GUARD_STEEP 1e-6
// It has gone through it if it was off its level this many times the slack of its time before, by at least this part of
// what its slope says: a guard that rounding has flattened there lay on its level already.
#define GUARD_FLAT_BACK 16
#define GUARD_FLAT_PART 0.25
// A root is steep if the slope there is more than this part of the mean one since the start of the window, which may
// lie close by.
#define FLAT_STEEP 1e-2
// The order of a root that a guard is flat at: that of the first term which is FLAT_TERM of the largest, as far as the
// guard has come in the window. Its place is corrected by no more than FLAT_NEAR of that way.
#define FLAT_TERM 1e-3
#define FLAT_NEAR 1e-2
// A guard of time alone is on its level, but for rounding, if its slope would take it there in GUARD_NEAR of the time
// that the run has had: far above the rounding of its terms, far below what a jump of `mod` or `floor` makes of it.
#define GUARD_NEAR 1e-9
#define TIME_STEPS_SAME 1  // steps that add TIME_SAME again: stages and their sum, at four ulps
// Two crossings in one step are located as fractions of it, each to a few roundings of the dense output.
#define TIME_SAME_PART 4e-15

// The shortest step that t can resolve: 16 ulps leave a step four bits of its own, enough for a stage at t + h/5 to lie
// between its ends. Below it a step is a failure ("the step size became too small").
#define TIME_SMALLEST_STEP (16 * DBL_EPSILON)
// CVODE wants its stop time more than a few ulps away and answers with an error otherwise (CV_TOO_CLOSE); a shorter
// piece is stepped over by one explicit step, whose error is beyond the last digit.
#define TIME_CVODE_CLOSEST (8 * DBL_EPSILON)
// Where its own first step is too short for t to resolve, it begins with so many of the shortest.
#define CVODE_FIRST 1000
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
// A first step does not fit where its polynomial is off by more than the tolerance, and by so many of the errors that
// it has found of itself (what a polynomial is off by inside a step is more than at its end); the part of it that is
// tried then.
#define LEAP_MISFIT 1000
#define LEAP_BACK 0.1
// After a first guess at which f could not be evaluated: three decades back.
#define STEP_RETREAT 1e-3
// A fixed-step method without a step: the length that its users expect of a tool, in seconds.
#define STEP_FIXED 1e-3
// The order of a power series is chosen for rtol, but for no smaller one than a double can mean.
#define STEP_RTOL_LEAST 1e-16
// What may be hidden inside a step (flow/hidden.c). An argument that moves by HIDDEN_STEP units of its operator (of
// exp: a factor of 3000) over a whole step shows at one of its ends, or in its stages. In parts of HIDDEN_PART a sample
// in the middle is within a factor of two of the mean. HIDDEN_NOTHING of the tolerance is nothing, a few dozen times in
// a step; of what samples say was missed a step may leave HIDDEN_MISSED.
#define HIDDEN_STEP 8
#define HIDDEN_PART 4
#define HIDDEN_NOTHING 0.01
#define HIDDEN_MISSED 0.25
// A part of a step that is not divided any more: beside the step it is nothing but a place.
#define HIDDEN_LEAST 0x1p-44
// The place of a part at which it is asked whether dividing it would narrow anything: none that people, or halving,
// choose, so that an operator without a value at a single time is not taken for one that has none at all.
#define HIDDEN_PLACE 0.6180339887498949
// By which a step may be longer, to end where it should.
#define CONTROL_STRETCH 1.0000001
// Steps by a map (num/map.c): the share of its sum below which a term of a factor is left out, and the tolerance below
// which there are none, since the rounding of a factor is the same in all steps and adds up. What a state can reach is
// taken this much larger, for the rest of a length that its map was not made for.
#define MAP_TERM 0x1p-58
#define MAP_RTOL_LEAST 1e-12
#define MAP_REACH (1 + 1e-6)
// Impulse backward Euler steps forward and back by this part of the step that follows: its error is of the order h²,
// and a millionth squared is below the tolerance of any run.
#define STEP_IMPULSE 1e-6

// ---- crossings

// A crossing is located to an ulp of t, but no finer than a double can say where in the step it lies (CROSSING_FINEST
// of it) and no coarser than CROSSING_COARSEST. A run that begins at 0 has no ulp to measure by: where t is below
// CROSSING_EARLY of the step the coarsest serves.
#define CROSSING_ULP 1.1e-16
#define CROSSING_FINEST 1.2e-16
#define CROSSING_COARSEST 1e-15
#define CROSSING_EARLY 0.01
// Below this part of a step there is no place between two others.
#define CROSSING_NOWHERE 0x1p-80
// The polynomial of a guard is close to the guard: Newton's method on the guard itself moves a root by less than this
// part of the way to it, or it has gone astray.
#define CROSSING_POLISH 1e-6
// A guard that begins this close to its level, relative to how far it swings, and comes back at once was past it by
// rounding only.
#define CROSSING_PAST_ROUNDING 1e-12
// There and back over the level by this part of the values at the ends: the rounding of the states that the step was
// interpolated from, so a touch (rule C2).
#define CROSSING_TOUCH 2e-14
// And by as many times what the guard's own operators round by at that place, where more than its value is lost: log(1
// + x^2) near x = 0 is off by 1e-16. Beyond CROSSING_NEAR of the values at the ends nobody asks.
#define CROSSING_ROUNDINGS 4
#define CROSSING_NEAR 1e-6
// The same where the extremum is searched for by samples: its place is found to TOUCH_PLACE of the interval only, which
// leaves its value a few digits less.
#define TOUCH_SAMPLED 1e-12
#define TOUCH_PLACE 1e-10
// Two touches within this part of a step are one, seen from two windows.
#define TOUCH_SAME 1e-9
// A value of a guard that is right to this part of itself, and of two islands that move together to this part of their
// states, is rounding and no motion.
#define GUARD_NOISE 1e-14
#define GUARD_NOISE_APART 1e-15
// Indicators for importers of FMUs (run/eval_watch.c): they are 0 this part of their scale behind the level, so that
// who stops there has crossed for certain, and a guard within it is on the level. A thousand roundings: importers add
// up their states with methods of their own, and what is lost of an event's time stays below 1e-12 at ordinary slopes.
#define INDICATOR_BAND 1e-13
#define INDICATOR_SLACKS 2  // and not less than the guard moves in so many slacks of time
// The end of a window: a root in the last WINDOW_END of it, where guard and polynomial differ by less than
// WINDOW_AGREES of their size, belongs to the next one if the guard itself has not crossed yet. A difference above
// WINDOW_AGREES means that the polynomial does not hold so far.
#define WINDOW_END 1e-6
#define WINDOW_AGREES 1e-9
// One that does not shrink with the window is the rounding of the guard: up to WINDOW_ROUGH of its size, which no
// motion that was left out keeps to, or to WINDOW_ROUNDINGS times what its operators round by. A series that was taken
// to have ended is compared at two places more, no simple parts of the window.
#define WINDOW_ROUGH 1e-6
#define WINDOW_ROUNDINGS 16
#define WINDOW_LOOK_1 0.3819660112501051
#define WINDOW_LOOK_2 0.7236067977499789
// Where its value is below WINDOW_DOUBT of what it is made of, a polynomial does not tell. Around a simple root that is
// a place no wider than WINDOW_SHARP of the way there; where it is wider the window ends before it, unless that is
// within WINDOW_PLACES places that time can tell apart.
#define WINDOW_DOUBT 1e-13
#define WINDOW_SHARP 1e-9
#define WINDOW_PLACES 1000
// A window is as long as its last terms are below this part of the whole: what was cut off is then below rounding.
#define WINDOW_TERMS 1e-16
// A series whose last terms are below this has ended: a hundredth of rounding, for the terms not computed.
#define SERIES_ENDED 1e-18
// A guard is surely clear of its level if it is so by more than the bound of its terms, taken this much larger: the
// bound itself is rounded (a dozen operations), or made of sums over many states (GUARD_FAR).
#define BOUND_ROUNDING 1e-14
#define GUARD_FAR 1e-12

// Events of an FMU follow each other within this part of t, so many times in a row: they accumulate. An importer finds
// each of them only to its own accuracy, so the patterns that zeno looks for in a run are not to be seen. A converter
// that switches ten million times a second for a second is still let through.
#define FMU_ZENO_GAP 1e-7
#define FMU_ZENO_COUNT 1000
// A step of Co-Simulation begins where the last one ended, as far as an importer that adds up its steps knows.
#define FMU_SAME_TIME 1e-9
// An event of an imported FMU that comes so soon after an instant, relative to t, belongs to it: no time lies between.
#define FMU_AT_ONCE 1e-14
// Central differences for directional derivatives without a Jacobian: the third root of rounding.
#define FMU_DIFFERENCE 6e-6

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
// So is a residual within this many times what its own terms round by: 1e5 Pa less 1e5 Pa is off by 1e-11, however
// small the unknown is.
#define LOOP_RESIDUAL 4
// Where residuals are 0 at once, whether they stay so is looked at this far away (of an unknown, or of 1).
#define LOOP_AWAY 1e-3

// `initial` equations: differences over INITIAL_STEP of an unknown (its square root of rounding and a bit, for
// residuals that are rough), solved when no residual is above INITIAL_SOLVED, which is what users expect of a start
// value.
#define INITIAL_STEP 1e-7
#define INITIAL_SOLVED 1e-9

// ---- accumulation and endless instants

// `zeno`: the field a little later is taken ZENO_STEP away: the square root of rounding and a bit, in units of the time
// that has passed, or of ZENO_EARLY where none has.
#define ZENO_STEP 1e-7
#define ZENO_EARLY 1e-3
// Intervals between events that are this part of the run so far are short enough to speak of accumulation. A relation
// that only follows another one waits a hundred times longer, so that the report is about the other.
#define ZENO_SHORT 1e-7
#define ZENO_FOLLOWS 1e-9
// The same for what a block watches: FMUs stop a little behind a level (INDICATOR_BAND), and events that run together
// have equal distances, about the root of that band, in the end. Nothing can be asked of a block near the limit.
#define ZENO_FOREIGN 2e-5
// Where in a step held states leave their level: found by halving, to a hundredth of what a step resolves.
#define ZENO_LEAVES 1e-14
// What would happen nearer to the limit of an accumulation is asked for with its excursions scaled down, to
// ZENO_CLOSEST at most, and to no less than ZENO_TOLD of a limit that is not 0: below, the digits of the difference are
// used up.
#define ZENO_CLOSEST 1e-12
#define ZENO_TOLD 1e-9
// Rounds of an endless instant shrink by one factor if that has settled to ROUND_RATIO and what it leaves unexplained
// is below ROUND_RESIDUAL of the last round. Looked at closer than ROUND_CLOSEST of the way to the limit they are
// rounding (ROUND_ULPS of the limit itself), and limits that differ by ROUND_LIMITS are one value.
#define ROUND_RATIO 1e-6
#define ROUND_RESIDUAL 1e-5
#define ROUND_CLOSEST 1e-12
#define ROUND_ULPS (1e4 * DBL_EPSILON)
#define ROUND_LIMITS 1e-14
// Energies of a jump that are this part of the largest one are the rounding of the sums they were taken from.
#define BALANCE_NOTHING 1e-12
// A storage and what is imposed on it that differ by no more were equal before the jump: the solver has kept them
// together to about this.
#define BALANCE_APART 1e-9

// choice = all: two orders have come to one place if their times agree to EXPLORE_TIME and their values to
// EXPLORE_VALUE: far above what another order of the same additions changes, far below what a choice does.
#define EXPLORE_TIME 1e-12
#define EXPLORE_VALUE 1e-9

// ---- matrices

// Difference quotients: the square root of the rounding balances the error of the formula against that of the
// difference.
#define DIFFERENCE_PART 1.4901161193847656e-08  // sqrt(DBL_EPSILON)
// A value at or near 0 says nothing about its size; the increment is then taken as for a thousandth, which is small in
// the units that models are written in and large enough to survive the subtraction.
#define DIFFERENCE_LEAST 1e-3
// In time the increment must survive the subtraction: at least 8 ulps of t.
#define DIFFERENCE_TIME (8 * DBL_EPSILON)
// A difference of order six over three points on each side: with 1/500 of a value what the formula leaves out (h^6/140
// of the seventh derivative) and what rounding leaves of the difference are both near 1e-13.
#define DIFFERENCE_SIXTH 2e-3

// Eigenvalues: an entry below the diagonal that is this small beside its neighbours is 0, as is the imaginary part of
// an eigenvalue beside the whole matrix; the QR iteration itself is exact to a few roundings of that.
#define EIGEN_SMALL DBL_EPSILON
#define EIGEN_REAL (64 * DBL_EPSILON)

// Newton's method for steady states and orbits: it has settled when a step moves no state by more, relative to its size
// (or to a size that counts as small in the units that models are written in), or where rounding keeps f from falling
// any further after nearly as many digits. A part of a step below the last is none.
#define NEWTON_SETTLED 1e-13
#define NEWTON_ROUNDED 1e-9
#define NEWTON_SETTLED_SIZE 1e-6
#define NEWTON_LEAST_PART 1e-6

// Periodic orbits: Newton's method is good to what the integration is, 1e-11 a step. Where a step does not become
// smaller any more, it is that already. What is discrete comes back exactly, but for what is computed from states.
#define ORBIT_SETTLED 1e-12
#define ORBIT_ROUNDED 1e-8
#define ORBIT_BACK 1e-6

// Fits have settled when a step moves no parameter by more, relative to its size: far below any confidence. The place
// of a minimum is known to half of the digits of its value at best.
#define FIT_SETTLED 1e-9
#define FIT_ALIKE 1e12  // parameters whose variance grows by more because of each other are not told apart by the data
#define FIT_LATER 4     // times as late as it was measured an event may come in a run that is not fitted yet
#define OPTIMUM_WITHIN 1e-8

// Sensitivities. Their equations are integrated along the run closer than what is asked of them (1e-9), with room for
// what a thousand steps add up.
#define VARIATION_RTOL 1e-11
#define VARIATION_ATOL 1e-13
// A guard that fired lies on its level at the left limit, as far as the two integrations agree: within this part of the
// time since the last instant. One that a reaction brought over its level does not.
#define VARIATION_LOCATED 1e-6
// Below this part of the steepest slope that a guard has had it comes to its level as a tangent: half of the digits of
// the time of the crossing are gone, and its derivative with them.
#define VARIATION_GRAZING 1e-6
// Crossings at one time that move by the same, as far as the derivatives are known.
#define VARIATION_TOGETHER 1e-7
// And one that moves by no more than this part of the time, if the whole parameter goes, stands as a clock does.
#define VARIATION_STANDS 1e-10
// A factorisation with the old pivots is kept while its reciprocal growth is above this: half of the digits are left,
// and the iteration around it makes up for them. Below, KLU pivots anew.
#define PIVOT_GROWTH 1e-8

// ---- trouble with events

// Instants closer together than this part of the run so far follow each other faster than anything that a run of this
// length could be about; a thousand of them in a row end it.
#define INSTANTS_CLOSE 1e-11
// A reaction that takes a guard beyond its level by more than this part of how far it had been from it since its last
// event moves it elsewhere; by less, it turns it back with an error.
#define REBOUND_PART 0.25
// Before the instant it was as far off its level, relative to its excursions, as no rounding leaves it: it jumped
// there.
#define REBOUND_JUMP 1e-6
// Crossings closer together than this part of the step that the solver would have taken, or than 64 ulps of t, follow
// each other at once: rounding decides when.
#define SLIDING_CLOSE 1e-9
// Or a guard came back from this part of its terms, or within INSTANTS_CLOSE of t: what rounding, of them or of t, has
// left it with, over a slope that may be a thousandth of the one with which it crossed.
#define SLIDING_ROUNDING 1e-12
// What chatters within this part of a second (or of the run) after the start does so at the start.
#define SLIDING_START 1e-13
// How far beyond a surface a motion along it ends, as a part of the states that the surface reads: a few dozen ulps,
// which no interpolation takes back.
#define SURFACE_HAIR 1e-14
// The field along a surface is differentiated from both sides: a step of this part of the states is right to its
// square, which leaves rounding and formula about equal.
#define SURFACE_STEP 1e-4
// Surfaces whose equations leave a pivot of this part of its row are one surface, met twice.
#define SURFACE_PIVOT 1e-12
// A guard whose value and slope are this part of the states it reads and of their speeds (or of this itself, where all
// is at rest) is on its surface: the solver keeps it there to no more digits.
#define SURFACE_ON 1e-9
// A motion has gone away from a surface that it left along a tangent when its slope is this part of the difference
// between the two fields.
#define SURFACE_AWAY 1e-4
// A jump that gives a contact a speed of more than this part of the speeds of what it reads takes it off its surface:
// far above the error with which the motion along it is integrated.
#define SURFACE_STRUCK 1e-5
// Fields that differ by less are the same one, seen again after a time like that.
#define SLIDING_SAME 1e-6
// The rate of a guard on its level is this part of that beside it, within a rounding, or less: it vanishes there.
#define REST_VANISHES 1e-3
// And beside the level it is more than this part of the terms that it is the sum of, or it is their rounding.
#define REST_MOVES_BY 1e-14
// Directions whose part of a level is this part of the largest, or less, do not lead there: the field beside a state is
// taken at a distance of the tolerance, and levels that are sums of others leave its rounding.
#define LEVEL_RANK 1e-9
// A derivative of a guard that is this part of its terms or less is 0: a thousand roundings, because the terms of a
// series are sums of products of earlier ones, and a velocity that a reaction computes has been through a few more.
#define CONTACT_ROUNDING 1e-12
// A first derivative below CONTACT_SLOW of its terms may be too small to take a guard off its level: it is if the way
// it gets before the second one brings it back is below CONTACT_LIFT of what the guard reads, a few roundings.
#define CONTACT_SLOW 1e-4
#define CONTACT_LIFT (16 * DBL_EPSILON)

// ---- rows

// A straight line between two rows may be off by this share of the range of its column: two points of a figure 1,000
// points high. In a stretch below CURVE_SHORT of the run, of which a figure shows no details, by CURVE_COARSE.
#define CURVE_FINE 2e-3
#define CURVE_COARSE 0.05
#define CURVE_SHORT 5e-4
// A bend below 1000 atol may be rounding; it is none above this part of that where few halvings show it.
#define CURVE_SMALL 1e-3
// What is below this part of a value is the noise of its digits, no bend.
#define CURVE_ROUNDING 1e-9
// Samples between which an extreme is sought resolve a signal to this share of its range: then every turn shows.
#define CURVE_SAMPLED 0.01
// A curve that ends where it is not a number is drawn but for this share of its last stretch.
#define CURVE_END 1e-3

// ---- delays

// What goes into a delay is followed until terms of its series are DELAY_QUIET of the signal (below its last digit) and
// its end agrees with the signal to DELAY_AGREE: the rounding of a few hundred operations. A difference up to
// DELAY_ROUGH that does not shrink with the part is the signal's own rounding (a difference of large numbers), no
// misfit.
#define DELAY_QUIET 1e-18
#define DELAY_AGREE 1e-12
// A signal that is as small has no digits left that could agree: it is on its way to or from 0.
#define DELAY_NOTHING 1e-290
#define DELAY_ROUGH 1e-8
// Where there is no series a fit is good to this part of rtol: far below what the solver does with it.
#define DELAY_FIT 0.01
// An rtol below DELAY_FIT_RTOL asks for more than a fit through rounded values can give, and a part of the step below
// DELAY_FIT_SHORTEST has a jump inside that nobody announced: halving goes no further.
#define DELAY_FIT_RTOL 1e-14
#define DELAY_FIT_SHORTEST 1e-6
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
// Where a foreign integrator moves the states: a step up to so many times as long as the one before, or as short, takes
// its first point into the polynomial. Beyond that the point says nothing, and rounding of it much.
#define DELAY_NEIGHBOUR 8
// A delay shorter than this part of 1 + |t| leaves no room for steps: if the solver has failed, that is why.
#define DELAY_SHORTEST 1e-9
// What the polynomials that pace.c counts must have covered by then: of the run (10^10 for all of it: half a day), of
// the delay (10^8: more than memory holds), of a given past.
#define PACE_RUN 2e-5
#define PACE_DELAY 2e-3
#define PACE_PAST 1e-2

// ---- bond graphs

// A sum of efforts or flows, a change of a storage, or an amount that is this part of its terms or less is 0: a
// thousand roundings, because what is summed has been through a solve with a few hundred operations (rule B5 of
// semantics.md).
#define BOND_NOTHING 1e-12
// The equations of a mode contradict each other where what should vanish is above this part of its terms. Larger than
// BOND_NOTHING, because both sides are measured after the run has integrated them apart: a circuit of capacitors closed
// by a switch agrees to the digits of its solution, not to rounding.
#define BOND_CONTRADICTION 1e-9
// Efforts and flows of a mode as sums of the inputs: a coefficient that is this part of its terms has cancelled. Ten
// times below BOND_NOTHING: what is left of the map is multiplied by inputs of any size afterwards.
#define BOND_MAP_NOTHING 1e-13
// The derivatives of sources beyond their slopes, for one-way junctions: differences over this part of the time in
// which the sources change by themselves. Right to its square, which is enough for a sign.
#define BOND_CURVE_STEP 1e-3
// Storages that depend on each other drift apart by the error of the solver and are put together again: a jump of more
// than this many rtol was one.
#define BOND_DRIFT 1e3

// What an element with a law is taken for in the equations stays within three decades of the linear resistances around
// it. Where there are none it stays within these: the slope of a diode at rest, 1e12 ohm, and its inverse.
#define BOND_GUESS_LEAST 1e-12
#define BOND_GUESS_MOST 1e12

// Derivatives of a run are less exact than its values, by the differences they come from: BOND_NOTHING for values and
// their slopes, then BOND_RATES_NOTHING for the next two derivatives and BOND_CURVES_NOTHING beyond.
#define BOND_RATES_NOTHING 1e-6
#define BOND_CURVES_NOTHING 1e-5
// Beside the largest effort or flow of its surroundings: what rounding leaves of that elsewhere, through storages that
// were never asked. A derivative that is more than BOND_HINT of its bound hints at a sign.
#define BOND_REGION_NOTHING 1e-13
// A row says what a sum of settled classes is but for BOND_NOTHING of its size. So many times the bound of a sign, and
// with inputs by so much below the largest seen, it is clear.
#define BOND_ROW_CLEAR 4
#define BOND_ROW_WITHIN 1e-9
#define BOND_HINT 1e-2
// What is remembered of the largest value of an input, beside that value: a sixteenth more, for sizes that are bounds
// of rounding a matter of nothing, and an input that creeps up to its end is larger than ever a few times only.
#define BOND_MOST_MARGIN 1.0625

// Ranks are decided with this: ratios such as 3 * 0.1 and 0.3, which differ in the last bit of a double, are the same.
#define BOND_RANK_TOLERANCE 1e-13
// Values of quadruple precision (about 1e-34): only what cancels exactly is dropped.
#define BOND_VALUE_TOLERANCE 1e-30
// Vectors of quadruple precision made from doubles are orthogonal, and rows of a solution are empty, below this: far
// above quadruple rounding, far below what the data of a model (1e-16) can tell apart.
#define BOND_QUAD_NOTHING 1e-20
// Entries that cancel to less when a set of modes is made from another by a switch: digits of two doubles, some of
// which earlier switches have used up.
#define BOND_SWITCH_TOLERANCE 1e-26
// A pivot of the Gram matrix of normalised vectors: its square root is 3e-13, the rank tolerance again.
#define BOND_GRAM_PIVOT 1e-25
// The smallest slope of a storage law that is divided by; its square root leaves room for quotients of any number.
#define BOND_SLOPE_LEAST 1e-280
// Ratios that vary are multiplied by this when the storages are chosen that others follow from: small enough
// to lose against a ratio that stays, and a chain of four of them is still above BOND_RANK_TOLERANCE.
#define BOND_VANISHING 1e-3
// A nonlinear storage is never taken as flatter than this part of its slope at the start: Newton's method would leave
// it to the others.
#define BOND_SLOPE_FLAT 1e-9
// A storage that follows from others by way of a ratio is read from them as long as that makes no more of their errors
// than 100 times as much, measured by the roots of energies: a crank from its slider, but not near its dead points.
#define BOND_GAIN_MOST 1e4
// What such a storage is off by beyond this part of its terms is no drift, and stays for the next instant to share.
#define BOND_FOLLOW_MOST 1e-2

// Two results are the same if values differ by no more than this part of the largest magnitude of their signal, and
// events by no more than this part of the time that they cover: what two solvers with the default tolerance keep to,
// with room.
#define COMPARE_VALUE 1e-6
#define COMPARE_TIME 1e-6

#endif
