// Student's t distribution.
#ifndef KAIROS_BASE_STUDENT_H
#define KAIROS_BASE_STUDENT_H

// The value that t stays below with probability 97.5 %, for half the width of a 95 % confidence interval.
double student_975(double freedom);

#endif
