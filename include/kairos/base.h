// What every part of Kairos shares with its users: status codes and the allocator.
//
// The library never exits, prints, or keeps globals. A call that is wrong (NULL, an index out of range, options that
// were not made by their kaiDefault… function) is KAI_ERR_USAGE, or an empty answer where there is no status: false,
// NULL, 0 or -1.
//
//     static void* counted(void* user, void* block, size_t old_size, size_t size)
//     {
//         *(size_t*)user += size - (block ? old_size : 0);
//         if (size > 0)
//             return realloc(block, size);
//         free(block);
//         return NULL;
//     }
//     options.allocator = (kaiAllocator){counted, &total};
#ifndef KAIROS_BASE_H
#define KAIROS_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif
#pragma GCC visibility push(default)

    // A status is negative if something failed, 0 if the call did what it was asked, positive if it stopped early
    // because something happened (an instant, the end of the run).
    typedef enum kaiStatus
    {
        KAI_OK = 0,
        KAI_INSTANT = 1,      // stopped at an instant
        KAI_END = 2,          // reached the stop time, or the model said `halt`
        KAI_INTERRUPTED = 3,  // the caller asked the run to stop
        KAI_ERR_MODEL = -1,   // the text is wrong; the diagnostics say where
        KAI_ERR_USAGE = -2,   // the call is wrong: an unknown name, a value out of range
        KAI_ERR_RUN = -3,     // the run failed: nonconstructive, Zeno, NaN, assertion, solver
        KAI_ERR_IO = -4,      // a file could not be read or written
        KAI_ERR_MEMORY = -5,  // the allocator returned NULL
        KAI_ERR_LIMIT = -6,   // a limit of the options was met: time, memory, rows, tags
    } kaiStatus;

    // One function allocates, resizes (size > 0) and frees (size == 0), as in Lua. `user` is handed back unchanged.
    // NULL for a size above 0 means that there is no memory. A block is freed with the size it has. It is called from
    // the threads that use what it was given to.
    typedef void* kaiAllocFn(void* user, void* block, size_t old_size, size_t size);

    // Where memory comes from. Every options struct has one; it must live as long as what is made with it.
    typedef struct kaiAllocator
    {
        kaiAllocFn* alloc;
        void* user;
    } kaiAllocator;

    // What a question to a program, or a run, may use; 0: as much as it takes. A text that nobody has read yet may ask
    // for any amount of both. A limit that is met is KAI_ERR_LIMIT, with a sentence that says which; what came before
    // it stays: rows that were handed out, messages of earlier questions.
    typedef struct kaiLimits
    {
        double seconds;       // of wall time, of each question; of a run from its making on
        size_t memory;        // bytes that are held at one time; libraries of parts (CVODE, Cairo, Z3) have their own
        uint64_t rows, tags;  // of a run
    } kaiLimits;

    // Where bytes go instead of a file: results and pictures, in order, from the thread that makes them. Nonzero stops
    // the writing: KAI_ERR_IO for a failure, KAI_INTERRUPTED for "enough". `write` NULL: there is none, a file is
    // written.
    typedef struct kaiSink
    {
        kaiStatus (*write)(void* user, const char* bytes, size_t size);
        void* user;
    } kaiSink;

    // The allocator on malloc, realloc and free.
    kaiAllocator kaiDefaultAllocator(void);

    // The version of the library, "major.minor.patch".
    const char* kaiVersion(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
