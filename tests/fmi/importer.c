// importer FOLDER me|cs [--style plain|exact|before|over|back|any|silent|saves] [--cvode] [--depends] [--step H]
// [--stop T]
// [--set name=value]… [--ramp input=slope]… [--save T FILE] [--resume FILE] [-v] Runs an unpacked FMU and prints the
// time of every instant (with -v) and the values at the end, one `name value` a line.
#include "importer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Style find_style(const char* word)
{
    static const char* const words[] = {"plain", "exact", "before", "over", "back", "any", "silent", "saves"};
    for (int i = 0; i < 8; i++)
        if (strcmp(word, words[i]) == 0)
            return (Style)i;
    fprintf(stderr, "importer: there is no style %s\n", word);
    exit(2);
}

// Structural parameters come first: they decide what the others are. Those that follow are read back.
static void set_structure(Call* call, Description* d, const Port* port)
{
    for (int i = 0; i < call->set_count; i++)
        for (int k = 0; k < d->declared_count; k++)
        {
            Variable* v = &d->declared[k];
            size_t length = strlen(v->name);
            if (strcmp(v->causality, "structuralParameter") == 0 && strncmp(call->sets[i], v->name, length) == 0 &&
                call->sets[i][length] == '=')
                port->set(port->self, v, atof(call->sets[i] + length + 1));
        }
    for (int k = 0; k < d->declared_count; k++)
        if (strcmp(d->declared[k].causality, "structuralParameter") == 0 && d->declared[k].rank == 0)
            d->declared[k].start = port->get(port->self, &d->declared[k]);
    size_t states = 0, indicators = 0;
    description_expand(d);
    port->sizes(port->self, &states, &indicators);
    if (states != (size_t)d->states || indicators != (size_t)d->indicators)
    {
        fprintf(stderr, "importer: %zu states and %zu indicators, and the arrays have %d and %d\n", states, indicators,
                d->states, d->indicators);
        exit(3);
    }
}

int main(int argc, char** argv)
{
    Description d = {.count = 0};
    if (argc < 3 || !description_read(argv[1], &d))
    {
        fprintf(stderr, "importer: no FMU\n");
        return 2;
    }
    Call call = {.folder = argv[1], .kind = argv[2], .step = (d.stop - d.start) / 1000, .stop = d.stop};
    for (int i = 3; i < argc; i++)
    {
        if (strcmp(argv[i], "-v") == 0)
            call.verbose = true;
        else if (strcmp(argv[i], "--cvode") == 0)
            call.cvode = true;
        else if (strcmp(argv[i], "--depends") == 0)
            call.depends = true;
        else if (strcmp(argv[i], "--style") == 0)
            call.style = find_style(argv[++i]);
        else if (strcmp(argv[i], "--step") == 0)
            call.step = atof(argv[++i]);
        else if (strcmp(argv[i], "--stop") == 0)
            call.stop = atof(argv[++i]);
        else if (strcmp(argv[i], "--along") == 0 && call.along_count < 20)
            call.along[call.along_count++] = argv[++i];
        else if (strcmp(argv[i], "--resume") == 0)
            call.resume = argv[++i];
        else if (strcmp(argv[i], "--save") == 0 && i + 2 < argc)
        {
            call.save_at = atof(argv[++i]);
            call.save_to = argv[++i];
        }
        else if (strcmp(argv[i], "--ramp") == 0 && call.ramp_count < 20)
            call.ramps[call.ramp_count++] = argv[++i];
        else if (strcmp(argv[i], "--set") == 0 && call.set_count < 20)
            call.sets[call.set_count++] = argv[++i];
    }
    Port port;
    if (d.version == 2)
        open_2(&call, &d, &port);
    else
        open_3(&call, &d, &port);
    if (d.version == 3 && call.resume == NULL)
        set_structure(&call, &d, &port);
    drive(&call, &d, &port);
    description_free(&d);
    return 0;
}
