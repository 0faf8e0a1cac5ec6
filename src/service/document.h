// A text that somebody is editing: the program it makes, and places in it as editors count them.
#ifndef KAIROS_SERVICE_DOCUMENT_H
#define KAIROS_SERVICE_DOCUMENT_H

#include "kairos/service.h"
#include "kairos/study.h"
#include "service/json.h"
#include "service/trace.h"

// Bytes that the library hands out. They come through its frames, which must not be jumped over: no memory is a status.
typedef struct Bytes
{
    kaiAllocator allocator;
    char* at;  // ended by a 0 that does not count
    size_t size, capacity;
} Bytes;

// Another text, of an editor or to be tried, that is read in the place of the file.
typedef struct DocumentFile
{
    const char *path, *text;
    const char* identity;  // the same for all paths to one file
} DocumentFile;
typedef VEC(DocumentFile) DocumentFiles;

typedef struct Document
{
    Arena* arena;  // of the question
    const kaiServiceOptions* options;
    const volatile int* interrupt;
    const char *path, *text;
    size_t length;
    bool uris;              // files are named by file:// in answers, otherwise by their paths
    kaiProgram* program;    // NULL: it could not be opened
    kaiProgram* others[2];  // while they are looked at
    kaiError error;         // why not
    VEC(uint32_t) lines;    // where each begins
    DocumentFiles files;    // what it imports may be one of them
    // What an answer has made, so that it is freed when the arena unwinds.
    kaiModel* model;
    kaiSim* sim;
    kaiSweep* sweep;
    Trace trace;
    kaiReport* report;
    Bytes bytes[2];
} Document;

// The text as a program, syntax errors and all. `document` has arena, options, path and text; document_close frees.
void document_open(Document* document);
// Length and lines of the text alone, for places in it.
void document_find_lines(Document* document);
void document_close(Document* document);

// The program with this text; NULL: there is none. To be freed.
kaiProgram* document_program(const Document* document, const char* text);

// A text as a program whose imports may be among `files`; NULL: there is none. To be freed.
kaiProgram* document_other(const Document* document, const DocumentFiles* files, const char* path, const char* text);
// Path and text into a list.
void document_add_file(const Document* document, DocumentFiles* files, const char* path, const char* text);
// What a path leads to; the path itself where that is nothing yet.
const char* document_identity(const Document* document, const char* path);

// One of the two, empty, and the sink that fills it.
kaiSink document_bytes(Document* document, int which);

// ---- places: lines and columns of kaiPlace count from 1 and in characters, those of editors from 0 and in UTF-16

// A position of an object {line, character}; false: it has none. `line` and `column` as in kaiPlace.
bool document_take_position(const Document* document, const Json* position, int* line, int* column);
// Where a line and a column are in the text; its end if they are behind it.
size_t document_offset(const Document* document, int line, int column);
void document_put_position(const Document* document, JsonWriter* writer, const char* key, int line, int column);
void document_put_offset(const Document* document, JsonWriter* writer, const char* key, size_t offset);
// Is the place in this text, and not in one that it imports?
bool document_has(const Document* document, const kaiPlace* place);
void document_put_range(const Document* document, JsonWriter* writer, const char* key, const kaiPlace* place);
// {"uri": …, "range": …}; with a NULL key into a list.
void document_put_location(const Document* document, JsonWriter* writer, const char* key, const kaiPlace* place);
// How answers call a file: by its path or as file://…
const char* document_name(const Document* document, const char* file);

// The name at a place, which may end there: its first byte, and its length (0: there is none).
size_t document_word(const Document* document, size_t offset, size_t* length);
bool document_is_name_part(char c);

#endif
