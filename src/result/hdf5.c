// The core's side of the part `hdf5`: opens it when a result in HDF5 is written or read.
#include "result/hdf5.h"

#include "base/error.h"

static const Hdf5Part* load(kaiError* error)
{
    const char* trouble = NULL;
    const Hdf5Part* part = part_load(PART_HDF5, sizeof *part, &trouble);
    if (part == NULL)
        error_set(error, KAI_ERR_IO, "%s", trouble);
    return part;
}

// From here on the writer is the part's.
static kaiStatus open_part(kaiWriter* writer, kaiError* error)
{
    const Hdf5Part* part = load(error);
    if (part == NULL)
        return KAI_ERR_IO;
    writer->format = part->format;
    return part->format->open(writer, error);
}

kaiStatus hdf5_sheet(Sheet* sheet, kaiError* error)
{
    const Hdf5Part* part = load(error);
    return part != NULL ? part->sheet(sheet, error) : KAI_ERR_IO;
}

const Format format_hdf5 = {.ending = "h5",
                            .about = "HDF5, one compressed data set per column, readable while it is written",
                            .open = open_part};
