// The models of a folder. Every name is a path below it, of plain components; none of them is followed if it is a link.
#ifndef KAIROS_STUDIO_FILES_H
#define KAIROS_STUDIO_FILES_H

#include "service/json.h"

typedef struct Folder
{
    int descriptor;  // of the folder; -1: none
} Folder;

bool folder_open(Folder* folder, const char* path);
void folder_close(Folder* folder);

// Each puts members into an open object, `error` among them if it cannot be done.
// `files`: every model below the folder.
void folder_list(const Folder* folder, Arena* arena, JsonWriter* writer);
// `text` and `version`, which changes whenever the file does.
void folder_read(const Folder* folder, Arena* arena, const char* path, JsonWriter* writer);
// `version`; null if there is no such file.
void folder_look(const Folder* folder, const char* path, JsonWriter* writer);
// Writes the text if the file has `version` still (NULL: if there is none of that name): `version`, or `conflict`.
void folder_write(const Folder* folder, const char* path, const char* text, const char* version, JsonWriter* writer);

#endif
