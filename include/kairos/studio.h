// The server of `kairos studio`: questions of kairos/service.h, and the models of one folder, over HTTP on this
// computer.
//
//     kaiStudioOptions options = kaiDefaultStudioOptions();
//     options.folder = ".";
//     kaiStudio* studio = kaiStudio_Start(&options, &error);
//     puts(kaiStudio_Address(studio));   // http://127.0.0.1:41234/3f…/
//     …                                  // it answers in threads of its own
//     kaiStudio_Stop(studio);
//
// It listens on the loopback address only. Everything lies below a random word in the address; requests with another
// one, for another host, from a page of another origin or longer than 16 MB are refused. Files are models (*.kai) below
// the folder, and no link leads out of it.
//
// Lifetime. The options' texts and files must live as long as the studio.
// Threads. Start and stop from one thread; the server has its own.
#ifndef KAIROS_STUDIO_H
#define KAIROS_STUDIO_H

#include "kairos/service.h"

#ifdef __cplusplus
extern "C"
{
#endif
#pragma GCC visibility push(default)

    // Something that the page is made of.
    typedef struct kaiStudioFile
    {
        const char* name;  // below the address: "studio.js"; "" is the page itself
        const char* type;  // "text/html; charset=utf-8"
        const void* bytes;
        size_t size;
    } kaiStudioFile;

    typedef struct kaiStudioOptions
    {
        uint32_t cookie;            // set by kaiDefaultStudioOptions; not for you
        const char* folder;         // the models that may be read and written
        const char* first;          // the model that is opened first, below the folder; NULL: none
        const char* examples;       // a folder of examples that may be read; NULL: the installed ones
        int port;                   // 0: any that is free
        kaiServiceOptions service;  // limits and rights of every question; its folder is that of the studio
        const kaiStudioFile* files;
        int file_count;
    } kaiStudioOptions;
    kaiStudioOptions kaiDefaultStudioOptions(void);

    typedef struct kaiStudio kaiStudio;
    // NULL: *error says why: no such folder, the port is taken, the part that serves is not installed.
    kaiStudio* kaiStudio_Start(const kaiStudioOptions* options, kaiError* error);
    // Where the page is, with its word. "" for NULL.
    const char* kaiStudio_Address(const kaiStudio* studio);
    // Stops what runs, and the server. NULL is fine.
    void kaiStudio_Stop(kaiStudio* studio);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
