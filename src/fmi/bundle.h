// The C files that an FMU can carry (`--sources`), so that importers on other platforms compile it themselves: what the
// binary is made of, in one folder, without include paths. The installation has them in one bundle
// (tools/bundle-sources).
#ifndef KAIROS_FMI_BUNDLE_H
#define KAIROS_FMI_BUNDLE_H

#include "base/arena.h"
#include "fmi/zip.h"

#include <stdbool.h>

typedef struct SourceFile
{
    const char* name;  // in the folder sources
    const char* text;
    size_t size;
    bool compiled;  // not a header
} SourceFile;

typedef struct SourceList
{
    VEC(SourceFile) list;
} SourceList;

// The files for a version of the standard from the bytes of the bundle. False: the bundle is damaged.
bool bundle_read(SourceList* sources, Arena* arena, const char* bundle, size_t size, int version);
// buildDescription.xml of FMI 3.0.
char* bundle_describe(const SourceList* sources, Arena* arena, const char* identifier);
void bundle_add(const SourceList* sources, Arena* arena, ZipWriter* zip);

#endif
