// Parts: what needs a library beyond libc and libm is a shared object of its own, opened when it is first needed. The
// core runs without any of them, and says in a sentence which one is missing and what brings it.
//
// A part is libkairos-<name>.so with one visible function, PART_ENTRY, which returns a table of functions; the room
// that the part belongs to declares its table (num/sundials.h, plot/figures.h, diagram/placement.h, prove/proofs.h,
// result/hdf5.h, study/ranks.h). A part has its own copy of what it uses of the core: nothing has to be visible, and it
// does not matter whether the core is in the program, in libkairos.so, in an FMU or in a wheel. Both sides share
// structs, so a part serves only the build that it belongs to (decision 0040).
#ifndef KAIROS_PART_PART_H
#define KAIROS_PART_PART_H

#include "kairos/base.h"

// X(id, name, what it is for, Debian packages that it runs with, Debian packages that it is built with)
#define PARTS(X)                                                                                                       \
    X(SUNDIALS, "sundials", "CVODE and large sparse systems",                                                          \
      "libsundials-cvode6 libsundials-nvecserial6 libsundials-sunlinsol3 libklu1",                                     \
      "libsundials-dev libsuitesparse-dev")                                                                            \
    X(FIGURES, "figures", "PNG and PDF", "libcairo2", "libcairo2-dev")                                                 \
    X(DIAGRAMS, "diagrams", "the layout of diagrams", "libgvc6", "libgraphviz-dev")                                    \
    X(PROOFS, "proofs", "proofs", "libz3-4", "libz3-dev")                                                              \
    X(STUDIO, "studio", "the server of the studio", "libcivetweb1", "libcivetweb-dev")                                 \
    X(HDF5, "hdf5", "results in HDF5", "libhdf5-103-1", "libhdf5-dev")                                                 \
    X(MPI, "mpi", "studies under mpirun", "libopenmpi3 openmpi-bin", "libopenmpi-dev")

typedef enum Part
{
#define X(id, name, purpose, runs_with, built_with) PART_##id,
    PARTS(X)
#undef X
        PART_COUNT
} Part;

// What the table of every part begins with.
typedef struct PartHead
{
    size_t size;        // of the whole table
    const char* stamp;  // PART_STAMP of the build
} PartHead;

#define PART_ENTRY "kairos_part"
typedef const PartHead* PartEntry(void);
__attribute__((visibility("default"))) const PartHead* kairos_part(void);

// The table of a part; opens it if nobody has yet. NULL: *trouble is a whole sentence with the remedy, in static
// memory. Any number of threads may call it. `size` is that of the table as the caller knows it.
const void* part_load(Part part, size_t size, const char** trouble);

#endif
