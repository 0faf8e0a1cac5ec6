// kairos studio: the server of the page, until Ctrl-C.
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/page.h"

#include <libgen.h>
#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct StudioCall
{
    kaiProgramOptions source;
    const char* path;  // NULL: the present folder
    int port;
    bool quiet;  // opens no browser
} StudioCall;

static int take(void* user, const Arguments* a, Found found)
{
    StudioCall* c = user;
    double port;
    int code = EXIT_DONE;
    if (found == FOUND_FILE && c->path != NULL)
        return usage_error("studio opens one file or folder, not `%s` too", a->value);
    if (found == FOUND_FILE)
        c->path = a->value;
    else if (a->option == OPTION_NO_BROWSER)
        c->quiet = true;
    else if (a->option != OPTION_PORT)
        take_rights(&c->source, a, &code);
    else if (!parse_number(a->value, &port) || !(port >= 1 && port <= 65535) || port != (int)port)
        code = usage_error("--port %s: it must be a whole number from 1 to 65535", a->value);
    else
        c->port = (int)port;
    return code;
}

// A folder, or the folder of a model and the model in it.
static int find_place(const char* path, char* folder, char* first)
{
    struct stat s;
    char copy[PATH_MAX];
    if (strlen(path) >= PATH_MAX || stat(path, &s) != 0)
        return fprintf(stderr, "kairos: there is no file or folder %s\n", path), EXIT_FILE;
    snprintf(folder, PATH_MAX, "%s", path);
    first[0] = 0;
    if (S_ISDIR(s.st_mode))
        return EXIT_DONE;
    snprintf(copy, sizeof copy, "%s", path);
    snprintf(first, PATH_MAX, "%s", basename(copy));
    snprintf(copy, sizeof copy, "%s", path);
    snprintf(folder, PATH_MAX, "%s", dirname(copy));
    return EXIT_DONE;
}

// Where there is a screen to open it on.
static void open_browser(const char* address)
{
    if (getenv("DISPLAY") == NULL && getenv("WAYLAND_DISPLAY") == NULL)
        return;
    pid_t child = fork();
    if (child != 0)
        return;
    if (freopen("/dev/null", "w", stdout) != NULL && freopen("/dev/null", "w", stderr) != NULL)
        execlp("xdg-open", "xdg-open", address, (char*)NULL);
    _exit(1);
}

static int serve(const kaiStudioOptions* options, bool quiet)
{
    kaiError error;
    kaiStudio* studio = kaiStudio_Start(options, &error);
    if (studio == NULL)
        return fprintf(stderr, "kairos: %s\n", error.message), exit_code(error.status);
    printf("%s\n", kaiStudio_Address(studio));
    fflush(stdout);
    fputs("kairos: the studio is open at this address, for this computer only; Ctrl-C ends it\n", stderr);
    if (!quiet)
        open_browser(kaiStudio_Address(studio));
    interrupt_catch();
    while (!interrupt_came())
        usleep(50000);
    kaiStudio_Stop(studio);
    return EXIT_DONE;
}

// Sixteen threads with a heap each would keep what the largest question of each took: 1 GB after an hour.
static void give_memory_back(void)
{
    enum
    {
        HEAPS = 2,
        LARGE = 1 << 20  // blocks from here on go back as soon as they are free, those at the end of a heap too
    };
    mallopt(M_ARENA_MAX, HEAPS);
    mallopt(M_MMAP_THRESHOLD, LARGE);
    mallopt(M_TRIM_THRESHOLD, LARGE);
}

int command_studio(int argc, char** argv)
{
    char folder[PATH_MAX], first[PATH_MAX];
    StudioCall call = {.source = source_options()};
    kaiStudioOptions options = kaiDefaultStudioOptions();
    size_t memory = call.source.limits.memory;  // a quarter of the machine's
    call.source.limits = options.service.limits;
    if (memory > 0 && memory < call.source.limits.memory)
        call.source.limits.memory = memory;
    int code = arguments_each(FOR_STUDIO, argc, argv, take, &call);
    if (code == EXIT_DONE)
        code = find_place(call.path != NULL ? call.path : ".", folder, first);
    if (code != EXIT_DONE)
        return code;
    options.folder = folder;
    options.first = first[0] != 0 ? first : NULL;
    options.port = call.port;
    options.service.limits = call.source.limits;
    options.service.policy.allow_files = call.source.policy.allow_files;
    options.service.policy.allow_external = call.source.policy.allow_external;
    options.service.blocks = call.source.blocks;
    options.files = page_files(&options.file_count);
    give_memory_back();
    return serve(&options, call.quiet);
}
