// Errors: one struct for whatever can go wrong, with the place, the reason and the remedy.
//
// A wrong text has many errors and warnings (kaiProgram_Message gives them one by one), a failed run has one
// (kaiSim_Failure), and functions that make something take a `kaiError*` for why they made nothing. That argument may
// be NULL.
//
// Lifetime. The texts live as long as what gave them: those of kaiProgram_Message until the next question to the
// program, those of kaiSim_Failure until the sim goes on or is freed. An error that a function filled in for you keeps
// its texts in the struct itself: they live as long as the struct, so pass it on by pointer or copy the texts.
// Threads. An error belongs to the thread that asked; nothing is kept between calls.
//
//     kaiError error;
//     if (kaiProgram_Open(&options, &program, &error) != KAI_OK)
//         fprintf(stderr, "%s:%d: %s\n", error.place.file ? error.place.file : "-", error.place.line, error.message);
#ifndef KAIROS_ERROR_H
#define KAIROS_ERROR_H

#include "kairos/base.h"

#ifdef __cplusplus
extern "C"
{
#endif
#pragma GCC visibility push(default)

    // A warning does not keep a text from being used.
    typedef enum kaiSeverity
    {
        KAI_ERROR,
        KAI_WARNING,
    } kaiSeverity;

    // A place in a file: lines and columns count from 1, columns in characters (code points), `end` is one past the
    // last. A compiled model keeps the beginnings only: the places of a run end one column behind.
    typedef struct kaiPlace
    {
        const char* file;  // NULL: no place
        int line, column, end_line, end_column;
    } kaiPlace;

    // A point of model time ⟨t, p, m⟩: t in seconds, p counts the jumps of continuous states at t, m the reactions
    // after each (docs/semantics.md, rule T1).
    typedef struct kaiTag
    {
        double t;
        int32_t p, m;
    } kaiTag;

    // A second place that belongs to a message ("first defined here").
    typedef struct kaiNote
    {
        kaiPlace place;
        const char* text;
    } kaiNote;

    typedef struct kaiError
    {
        kaiStatus status;  // what kind: KAI_ERR_…; KAI_OK for a warning
        kaiSeverity severity;
        const char* code;     // "K012", as docs/reference.md lists them; NULL: none
        const char* message;  // a sentence; NULL: nothing went wrong
        const char* help;     // what to do about it, or NULL
        kaiPlace place;       // in the model's text; place.file == NULL: nowhere
        kaiTag tag;           // of a run: when
        const kaiNote* notes;
        int note_count;
        char buffer[480];  // room for the texts of an error that nobody else keeps; not for you
    } kaiError;

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
