// A run on the disk: the words that its owner needs to make it again, where its result ends, and a snapshot. The file
// is written under another name, brought to the disk, and renamed over the one before: at any moment there is one,
// whole.
#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "kairos/study.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Head
{
    char magic[8];
    uint64_t size;     // of what follows
    uint64_t content;  // hash of it
    uint32_t word_count;
    uint32_t unused;
    uint64_t words_size, mark_size, snapshot_size;  // one after the other; words end in 0
} Head;

static const char magic[8] = "KAICHKP1";

struct kaiCheckpoint
{
    Head head;
    char* bytes;  // what follows the head
    size_t size;
};

// ---- writing
// ---------------------------------------------------------------------------------------------------------

static kaiStatus add_snapshot(Bytes* b, kaiSim* sim)
{
    kaiSink sink = {bytes_add, b};
    kaiSnapshot* snapshot = kaiSim_Save(sim);
    const kaiError* why = kaiSim_Failure(sim);
    if (snapshot == NULL)  // if there is memory it is foreign code that cannot be saved
        return why->message != NULL ? KAI_ERR_USAGE : KAI_ERR_MEMORY;
    kaiStatus status = kaiSnapshot_Write(snapshot, &sink);
    kaiSnapshot_Free(snapshot);
    return status;
}

// The snapshot first: it may touch the run; then the rows are what belongs to it.
static kaiStatus collect(Bytes* b, Head* head, const kaiCheckpointParts* parts)
{
    kaiSink sink = {bytes_add, b};
    kaiStatus status = bytes_add(b, (const char*)head, sizeof *head);
    for (int i = 0; i < parts->word_count && status == KAI_OK; i++)
        status = bytes_add(b, parts->words[i], strlen(parts->words[i]) + 1);
    size_t words_end = b->size;
    if (status == KAI_OK && parts->csv != NULL)
        status = kaiCsv_Mark(parts->csv, &sink);
    size_t mark_end = b->size;
    if (status == KAI_OK)
        status = add_snapshot(b, parts->sim);
    *head = (Head){.word_count = (uint32_t)parts->word_count,
                   .size = b->size - sizeof *head,
                   .words_size = words_end - sizeof *head,
                   .mark_size = mark_end - words_end,
                   .snapshot_size = b->size - mark_end};
    memcpy(head->magic, magic, sizeof magic);
    return status;
}

static bool write_all(int descriptor, const char* bytes, size_t size)
{
    while (size > 0)
    {
        ssize_t count = write(descriptor, bytes, size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return false;
        bytes += count;
        size -= (size_t)count;
    }
    return true;
}

// The new name itself must reach the disk too.
static void sync_folder(const char* path)
{
    const char* slash = strrchr(path, '/');
    char folder[4096];
    int length = slash != NULL ? (int)(slash - path) + 1 : 1;
    snprintf(folder, sizeof folder, "%.*s", length, slash != NULL ? path : ".");
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return;
    fsync(descriptor);
    close(descriptor);
}

static bool replace_file(const char* path, const Bytes* b)
{
    char temporary[4096];
    if (snprintf(temporary, sizeof temporary, "%s.new", path) >= (int)sizeof temporary)
        return errno = ENAMETOOLONG, false;
    int descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return false;
    bool fine = write_all(descriptor, b->at, b->size) && fsync(descriptor) == 0;
    int error = errno;
    fine = close(descriptor) == 0 && fine && rename(temporary, path) == 0;
    if (!fine)
    {
        unlink(temporary);
        errno = error;
        return false;
    }
    sync_folder(path);
    return true;
}

kaiStatus kaiCheckpoint_Write(const char* path, const kaiCheckpointParts* parts, kaiError* error)
{
    error_clear(error);
    if (path == NULL || parts == NULL || parts->sim == NULL || parts->word_count < 0 ||
        (parts->words == NULL && parts->word_count > 0))
        return error_set(error, KAI_ERR_USAGE, "a checkpoint needs a path, a sim and its words");
    Bytes b = {0};
    Head head = {.size = 0};
    kaiStatus status = collect(&b, &head, parts);
    if (status == KAI_ERR_MEMORY)
        error_memory(error);
    else if (status == KAI_ERR_USAGE)
        error_set(error, status, "%s", kaiSim_Failure(parts->sim)->message);
    else if (status != KAI_OK)
        error_set(error, status, "the result cannot be brought to the disk");
    else
    {
        head.content = hash_bytes(HASH_START, b.at + sizeof head, head.size);
        memcpy(b.at, &head, sizeof head);
        if (!replace_file(path, &b))
            status = error_set(error, KAI_ERR_IO, "%s cannot be written: %s", path, strerror(errno));
    }
    free(b.at);
    return status;
}

// ---- reading
// ---------------------------------------------------------------------------------------------------------

// All of it; of a file that its head does not describe the head only, which is refused then. *why: it cannot be read.
static bool read_all(const char* path, Bytes* b, const char** why)
{
    char piece[65536];
    size_t count, size;
    kaiStatus status = KAI_OK;
    Head head = {0};
    FILE* file = file_open_whole(path, SIZE_MAX, &size, why);
    if (file == NULL)
        return false;
    bool described = fread(&head, 1, sizeof head, file) == sizeof head &&
                     memcmp(head.magic, magic, sizeof magic) == 0 && head.size == size - sizeof head;
    if (described)
        status = bytes_add(b, (const char*)&head, sizeof head);
    while (described && status == KAI_OK && (count = fread(piece, 1, sizeof piece, file)) > 0)
        status = bytes_add(b, piece, count);
    bool fine = !ferror(file) && status == KAI_OK;
    *why = strerror(status != KAI_OK ? ENOMEM : errno);
    fclose(file);
    return fine;
}

// The parts fill the file, and there are as many words as it says.
static bool is_whole(const Head* head, const char* bytes, size_t size)
{
    if (memcmp(head->magic, magic, sizeof magic) != 0 || head->size != size ||
        head->content != hash_bytes(HASH_START, bytes, size) || head->words_size > size ||
        head->mark_size > size - head->words_size || head->snapshot_size != size - head->words_size - head->mark_size)
        return false;
    uint32_t words = 0;
    for (uint64_t i = 0; i < head->words_size; i++)
        words += bytes[i] == 0;
    return words == head->word_count && (head->words_size == 0 || bytes[head->words_size - 1] == 0);
}

kaiCheckpoint* kaiCheckpoint_Read(const char* path, kaiError* error)
{
    Bytes b = {0};
    error_clear(error);
    if (path == NULL)
        return error_set(error, KAI_ERR_USAGE, "there is no path"), NULL;
    kaiCheckpoint* c = calloc(1, sizeof *c);
    const char* why = NULL;
    bool read = c != NULL && read_all(path, &b, &why), whole = false;
    if (c == NULL)
        error_memory(error);
    else if (!read)
        error_set(error, KAI_ERR_IO, "%s cannot be read: %s", path, why);
    else if (b.size >= sizeof c->head)
    {
        memcpy(&c->head, b.at, sizeof c->head);
        whole = is_whole(&c->head, b.at + sizeof c->head, b.size - sizeof c->head);
    }
    if (read && !whole)
        error_set(error, KAI_ERR_IO, "%s is no checkpoint, or it is damaged", path);
    if (!whole)
        return free(b.at), free(c), NULL;
    c->bytes = b.at;
    c->size = b.size;
    return c;
}

void kaiCheckpoint_Free(kaiCheckpoint* checkpoint)
{
    if (checkpoint != NULL)
        free(checkpoint->bytes);
    free(checkpoint);
}

int kaiCheckpoint_WordCount(const kaiCheckpoint* checkpoint)
{
    return checkpoint != NULL ? (int)checkpoint->head.word_count : 0;
}

const char* kaiCheckpoint_Word(const kaiCheckpoint* checkpoint, int index)
{
    if (index < 0 || index >= kaiCheckpoint_WordCount(checkpoint))
        return NULL;
    const char* word = checkpoint->bytes + sizeof(Head);
    for (int i = 0; i < index; i++)
        word += strlen(word) + 1;
    return word;
}

const void* kaiCheckpoint_Mark(const kaiCheckpoint* checkpoint, size_t* size)
{
    if (checkpoint == NULL || size == NULL || checkpoint->head.mark_size == 0)
        return NULL;
    *size = checkpoint->head.mark_size;
    return checkpoint->bytes + sizeof(Head) + checkpoint->head.words_size;
}

kaiStatus kaiCheckpoint_Restore(const kaiCheckpoint* checkpoint, const kaiModel* model, kaiSim* sim, kaiError* error)
{
    error_clear(error);
    if (checkpoint == NULL || model == NULL || sim == NULL)
        return error_set(error, KAI_ERR_USAGE, "there is no checkpoint, model or sim");
    const char* bytes = checkpoint->bytes + sizeof(Head) + checkpoint->head.words_size + checkpoint->head.mark_size;
    kaiSnapshot* snapshot = kaiSnapshot_Read(model, bytes, checkpoint->head.snapshot_size, error);
    if (snapshot == NULL)
        return error != NULL ? error->status : KAI_ERR_IO;
    kaiStatus status = kaiSim_Restore(sim, snapshot);
    kaiSnapshot_Free(snapshot);
    if (status != KAI_OK)
        error_set(error, status, "%s",
                  kaiSim_Failure(sim)->message != NULL ? kaiSim_Failure(sim)->message : "the run cannot be put back");
    return status;
}
