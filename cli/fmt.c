// kairos fmt: files in canonical layout, in place; "-" reads standard input and writes standard output.
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static char* read_all(FILE* in)
{
    size_t size = 0, capacity = 65536;
    char* text = malloc(capacity);
    while (text != NULL)
    {
        size += fread(text + size, 1, capacity - size - 1, in);
        if (size + 1 < capacity)
            break;
        capacity *= 2;
        char* more = realloc(text, capacity);
        if (more == NULL)
            free(text);
        text = more;
    }
    if (text != NULL)
        text[size] = 0;
    return text;
}

static char* read_file(const char* path)
{
    FILE* in = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (in == NULL)
        return NULL;
    char* text = read_all(in);
    if (in != stdin)
        fclose(in);
    return text;
}

static int write_file(const char* path, const char* text)
{
    FILE* out = strcmp(path, "-") == 0 ? stdout : fopen(path, "wb");
    bool ok = out != NULL && fputs(text, out) >= 0 && fflush(out) == 0;
    if (out != NULL && out != stdout)
        ok &= fclose(out) == 0;
    if (ok)
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
    kaiProgramOptions options = kaiDefaultProgramOptions();
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

int command_fmt(int argc, char** argv)
{
    bool check = false;
    int code = EXIT_DONE, files = 0;
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--check") == 0)
            check = true;
        else if (argv[i][0] == '-' && argv[i][1] != 0)
            return usage_error("fmt has no option `%s`", argv[i]);
    for (int i = 0; i < argc; i++)
    {
        if (strcmp(argv[i], "--check") == 0)
            continue;
        files++;
        int one = format_file(argv[i], check);
        code = one > code ? one : code;
    }
    return files > 0 ? code : usage_error("fmt needs a file, or - for standard input");
}
