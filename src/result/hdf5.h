// The part `hdf5`: results in HDF5, written and read with its library. hdf5_write.c and hdf5_read.c are in it.
#ifndef KAIROS_RESULT_HDF5_H
#define KAIROS_RESULT_HDF5_H

#include "part/part.h"
#include "result/sheet.h"

typedef struct Hdf5Part
{
    PartHead head;
    const Format* format;
    kaiStatus (*sheet)(Sheet* sheet, kaiError* error);
} Hdf5Part;

// The library of Debian is not made for threads: whoever calls it holds this, and its messages are switched off.
void hdf5_lock(void);
void hdf5_unlock(void);
kaiStatus hdf5_make_sheet(Sheet* sheet, kaiError* error);

#endif
