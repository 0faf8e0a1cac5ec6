// Runs a text through the front end, for the tests of src/elab.
#ifndef KAIROS_TESTS_ELAB_FIXTURE_H
#define KAIROS_TESTS_ELAB_FIXTURE_H

#include "elab/constant.h"
#include "elab/elaborate.h"
#include "elab/units.h"
#include "snippets.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct Run
{
    Arena arena;
    jmp_buf fail;
    Interner names;
    Sources sources;
    Diags diags;
    Program program;
    Flat* flat;
    char* listing;
    const kaiError* list;
    int count;
} Run;

static inline void run_begin(Run* run)
{
    memset(run, 0, sizeof *run);
    arena_init(&run->arena, kaiDefaultAllocator(), &run->fail);
    interner_init(&run->names, &run->arena);
    run->sources.arena = run->diags.arena = &run->arena;
    run->program =
        (Program){.arena = &run->arena, .names = &run->names, .sources = &run->sources, .diags = &run->diags};
}

static inline void run_end(Run* run)
{
    run->list = diags_publish(&run->diags, &run->sources, &run->count);
    run->listing = run->flat ? flat_print(run->flat, &run->arena) : NULL;
}

static inline void run_text(Run* run, const char* text, const ElabOptions* options)
{
    run_begin(run);
    program_load_text(&run->program, "test.kai", text, strlen(text));
    run->flat = elaborate(&run->program, options);
    run_end(run);
}

static inline void show(const Run* run)
{
    for (int i = 0; i < run->count; i++)
        printf("  %d:%d [%s] %s | %s\n", run->list[i].place.line, run->list[i].place.column, run->list[i].code,
               run->list[i].message, run->list[i].help ? run->list[i].help : "");
    if (run->listing)
        printf("%s\n", run->listing);
}

#endif
