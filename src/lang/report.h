// A diagnostic as people read it: place, code, message, the source line with a caret, notes, help.
#ifndef KAIROS_LANG_REPORT_H
#define KAIROS_LANG_REPORT_H

#include "lang/diagnostics.h"

// The text of one published diagnostic, e.g.
//   ball.kai:3:7: error[K020]: there is no `vv` in model Ball
//     3 |   y' = vv
//       |        ^^
//   help: did you mean `v`?
// (in the arena; `colour` adds ANSI escapes). Long source lines are cut around the caret to `width` characters (0 =
// 120).
char* report_diagnostic(Arena* arena, const Sources* sources, const kaiError* diagnostic, bool colour, int width);

#endif
