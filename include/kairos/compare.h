// Two results against each other: signal by signal, with a tolerance in value and in time.
//
//     kaiCompareOptions options = kaiDefaultCompareOptions();
//     options.difference = on_difference;
//     kaiComparison comparison;
//     kaiStatus status = kaiResult_Compare("a.csv", "b.mat", &options, &comparison, &error);
//     if (status == KAI_OK && comparison.differing == 0)
//         puts("the same");
//
// Results of any format, whatever rows they have: where both have the same tags, row by row; otherwise each row of one
// must lie within the tolerance of the other's curve, drawn by straight lines, within the tolerance in time. Modes and
// Booleans are compared as sequences of changes, events as sequences of occurrences.
//
// Units. Times in seconds, values as the results have them.
// Lifetime. Texts given to the callback live during the call.
// Threads. A comparison keeps nothing between calls.
#ifndef KAIROS_COMPARE_H
#define KAIROS_COMPARE_H

#include "kairos/result.h"

#ifdef __cplusplus
extern "C"
{
#endif
#pragma GCC visibility push(default)

    // How far apart is the same. NaN: as for all signals.
    typedef struct kaiTolerance
    {
        const char* signal;
        double absolute;  // in the unit of the values
        double relative;  // to the largest magnitude of the signal
        double time;      // in s
    } kaiTolerance;

    // The first place where a signal differs.
    typedef struct kaiDifference
    {
        const char* signal;
        const char* run;   // of results with several: "run = 1, a = 0.5"; "" otherwise
        kaiTag tag;        // in the first result, or in the second if only that has the row
        const char* text;  // a sentence
    } kaiDifference;

    typedef struct kaiCompareOptions
    {
        uint32_t cookie;  // set by kaiDefaultCompareOptions; not for you
        double absolute;  // 0
        double relative;  // 1e-6 of the largest magnitude of the signal
        double time;      // NaN: a millionth of what the results cover
        const kaiTolerance* signals;
        int signal_count;
        const char* const* only;  // compare these signals; NULL: all
        int only_count;
        void (*difference)(void* user, const kaiDifference* difference);  // NULL: only count them
        void* user;
        kaiLimits limits;               // of memory and time; both results are held whole. Default: none
        const volatile int* interrupt;  // nonzero ends it with KAI_INTERRUPTED; NULL: never
        kaiAllocator allocator;
    } kaiCompareOptions;
    kaiCompareOptions kaiDefaultCompareOptions(void);

    typedef struct kaiComparison
    {
        int signals, differing;  // of all runs together; a signal that one lacks differs
        int runs;
        bool same_rows;  // both have the same tags
    } kaiComparison;

    // KAI_OK: they were compared. KAI_ERR_USAGE: a name that neither has, a tolerance that is none; KAI_ERR_IO: one
    // cannot be read; KAI_ERR_MEMORY, KAI_ERR_LIMIT, KAI_INTERRUPTED. *error says why.
    kaiStatus kaiResult_Compare(const char* first, const char* second, const kaiCompareOptions* options,
                                kaiComparison* comparison, kaiError* error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
