// Questions and answers as JSON, for editors and pages: the same answers as the headers before it give, in the shapes
// of the Language Server Protocol where that has one. `kairos lsp` and `kairos studio` stand on it.
//
//     kaiServiceOptions options = kaiDefaultServiceOptions();
//     options.limits.seconds = 5;
//     const char* question = "{\"do\": \"check\", \"path\": \"ball.kai\", \"text\": \"model Ball { state y = 1 }\"}";
//     kaiService_Answer(&options, question, strlen(question), NULL, &sink);
//     // the sink gets {"diagnostics":[{"range":…,"severity":1,"code":"K033","message":…}],…}
//
// A question holds all that it is about: no state is kept between two of them.
//
// Units. Values as the headers of models and runs have them.
// Lifetime. Nothing of the options or the question is kept by kaiService_Answer; a language server keeps its options.
// Threads. Any number of questions may be answered at the same time; a language server belongs to one thread.
#ifndef KAIROS_SERVICE_H
#define KAIROS_SERVICE_H

#include "kairos/program.h"

#ifdef __cplusplus
extern "C"
{
#endif
#pragma GCC visibility push(default)

    // What every answer may use. The files that a text names are opened under the policy.
    typedef struct kaiServiceOptions
    {
        uint32_t cookie;  // set by kaiDefaultServiceOptions; not for you
        kaiPolicy policy;
        kaiBlockProvider blocks;   // for `fmu`, as kaiProgramOptions.blocks
        kaiLimits limits;          // of each question, and of each run in it
        const char* folder;        // paths of questions are below it, and so are those of answers; NULL: any path
        const char* library;       // folder of the standard library; NULL: the installed one
        kaiFileProvider files;     // where imports and tables come from, if not from the file system
        volatile double* reached;  // follows the model time of a run while it is answered; NULL: nobody looks
        kaiAllocator allocator;
    } kaiServiceOptions;
    kaiServiceOptions kaiDefaultServiceOptions(void);

    // Answers one question, an object with `do`, `path`, `text` and what else it needs (src/service/README.md lists
    // them); lines and characters count from 0, characters in UTF-16 units. The sink gets one object; one that has
    // `error` says in a sentence why there is no answer. KAI_OK: there is an answer, be it such a sentence.
    // KAI_ERR_USAGE: wrong arguments. KAI_ERR_MEMORY, or what the sink returned. `interrupt`: nonzero ends it; or NULL.
    kaiStatus kaiService_Answer(const kaiServiceOptions* options, const char* question, size_t length,
                                const volatile int* interrupt, const kaiSink* answer);

    // ---- the Language Server Protocol, without its transport

    typedef struct kaiLanguageServer kaiLanguageServer;
    // `send` gets each message, the JSON alone, whole in one call. NULL: *error says why there is none.
    kaiLanguageServer* kaiLanguageServer_Create(const kaiServiceOptions* options, const kaiSink* send, kaiError* error);
    void kaiLanguageServer_Free(kaiLanguageServer* server);  // NULL is fine
    // A message from the client. KAI_OK: the next one please. KAI_END: it said `exit`, after `shutdown`;
    // KAI_INTERRUPTED: without. KAI_ERR_MEMORY: this message was lost, others may follow. Or what the sink returned.
    kaiStatus kaiLanguageServer_Message(kaiLanguageServer* server, const char* message, size_t length);
    // To be called when no message waits: checks what has changed and sends its diagnostics. Statuses as above.
    kaiStatus kaiLanguageServer_Idle(kaiLanguageServer* server);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
