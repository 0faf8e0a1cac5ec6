// Diagnostics: what is wrong with the user's text, where, and what to do. All of them, not the first.
#ifndef KAIROS_DIAG_H
#define KAIROS_DIAG_H

#include "kairos/base.h"

#ifdef __cplusplus
extern "C"
{
#endif
#pragma GCC visibility push(default)

    typedef enum kaiSeverity
    {
        KAI_ERROR,
        KAI_WARNING,
    } kaiSeverity;

    // A place in a file: lines and columns count from 1, columns in characters (code points), `end` is one past the
    // last.
    typedef struct kaiPlace
    {
        const char* file;
        int line, column, end_line, end_column;
    } kaiPlace;

    // A second place that belongs to the message ("first defined here").
    typedef struct kaiNote
    {
        kaiPlace place;  // file == NULL: no place
        const char* text;
    } kaiNote;

    typedef struct kaiDiagnostic
    {
        kaiSeverity severity;
        const char* code;  // "K012"
        kaiPlace place;    // file == NULL: no place
        const char* message;
        const char* help;  // what to do about it, or NULL
        const kaiNote* notes;
        int note_count;
    } kaiDiagnostic;

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
