// kairos fmt: files in canonical layout, in place; "-" reads standard input and writes standard output.
#include "cli/options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char* read_file(const char* path)
{
    FILE* in = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (in == NULL)
        return NULL;
    char* text = read_stream(in);
    if (in != stdin)
        fclose(in);
    return text;
}

static bool write_stream(FILE* out, const char* text)
{
    return fputs(text, out) >= 0 && fflush(out) == 0;
}

// Under another name first: whatever happens, the file has its old text or its new one. A link stays a link.
static bool replace_file(const char* path, const char* text)
{
    char real[PATH_MAX], temporary[PATH_MAX + 16];
    struct stat status;
    if (realpath(path, real) == NULL || stat(real, &status) != 0 || access(real, W_OK) != 0)
        return false;
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", real);
    int descriptor = mkstemp(temporary);
    FILE* out = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (out == NULL)
        return false;
    bool fine = write_stream(out, text) && fchmod(descriptor, status.st_mode & 07777) == 0 && fsync(descriptor) == 0;
    fine = fclose(out) == 0 && fine && rename(temporary, real) == 0;
    int error = errno;
    if (!fine)
        unlink(temporary);
    errno = error;
    return fine;
}

static int write_file(const char* path, const char* text)
{
    if (strcmp(path, "-") == 0 ? write_stream(stdout, text) : replace_file(path, text))
        return EXIT_DONE;
    fprintf(stderr, "kairos: %s cannot be written: %s\n", path, strerror(errno));
    return EXIT_FILE;
}

static int format_file(const char* path, bool check)
{
    const char* after = NULL;
    char* before = read_file(path);
    if (before == NULL)
    {
        fprintf(stderr, "kairos: %s cannot be read: %s\n", path, strerror(errno));
        return EXIT_FILE;
    }
    kaiProgramOptions options = source_options();
    kaiProgram* program = NULL;
    options.path = path;
    options.text = before;
    int code = open_program(&options, &program);
    kaiStatus status = program != NULL ? kaiProgram_Format(program, &after) : KAI_OK;
    if (status != KAI_OK)
        code = report_answer(program, status);
    else if (after == NULL)
        ;  // already said
    else if (check)
    {
        code = strcmp(before, after) == 0 ? EXIT_DONE : EXIT_MODEL;
        if (code != EXIT_DONE)
            printf("%s\n", path);
    }
    else if (strcmp(path, "-") == 0 || strcmp(before, after) != 0)
        code = write_file(path, after);
    kaiProgram_Free(program);
    free(before);
    return code;
}

typedef struct FmtCall
{
    bool check;
    int files;
    char** paths;
} FmtCall;

static int take(void* user, const Arguments* a, Found found)
{
    FmtCall* c = user;
    if (found == FOUND_FILE)
        c->paths[c->files++] = a->value;
    else
        c->check |= a->option == OPTION_CHECK;
    return EXIT_DONE;
}

int command_fmt(int argc, char** argv)
{
    FmtCall call = {.paths = argv};  // a file is never put behind where it was
    int code = arguments_each(FOR_FMT, argc, argv, take, &call);
    if (code != EXIT_DONE)
        return code;
    for (int i = 0; i < call.files; i++)
    {
        int one = format_file(call.paths[i], call.check);
        code = one > code ? one : code;
    }
    return call.files > 0 ? code : usage_error("fmt needs a file, or - for standard input");
}
