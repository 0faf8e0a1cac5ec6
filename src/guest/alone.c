// `kairos run thing.fmu`: an FMU alone is a model with nothing else in it, and an experiment as its description says.
#include "guest/guest.h"

#include "base/error.h"
#include "base/text.h"
#include "block/text.h"
#include "kairos/fmi.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put_setting(Writer* out, const char* name, double value)
{
    if (isfinite(value))
        writer_say(out, "  %s = %.17g\n", name, value);
}

static const char* make_text(Arena* arena, const kaiBlock* b, const char* path, const char* variant)
{
    Writer out = {.arena = arena};
    const char *slash = strrchr(path, '/'), *name = block_identifier(arena, b->name);
    writer_say(&out, "fmu %s = \"%s%s%s\"\n", name, slash != NULL ? slash + 1 : path, variant[0] != 0 ? ":" : "",
               variant);
    writer_say(&out, "experiment %s_alone of %s {\n", name, name);
    put_setting(&out, "start", b->usual.start);
    put_setting(&out, "stop",
                isfinite(b->usual.stop) ? b->usual.stop : (isfinite(b->usual.start) ? b->usual.start : 0) + 1);
    put_setting(&out, "rtol", b->usual.tolerance);
    writer_put(&out, "}\n");
    return writer_text(&out);
}

kaiStatus kaiFmu_Text(const char* path, const char* variant, const kaiSink* sink, kaiError* error)
{
    const kaiBlock* block = NULL;
    jmp_buf fail;
    Arena arena;
    error_clear(error);
    if (path == NULL || variant == NULL || sink == NULL || sink->write == NULL)
        return error_set(error, KAI_ERR_USAGE, "there is no path, no variant or no place for the text");
    kaiStatus status = guest_open(path, variant, false, kaiDefaultAllocator(), &block, error);
    if (status != KAI_OK)
        return status;
    if (setjmp(fail) != 0)
        status = error_memory(error);
    else
    {
        arena_init(&arena, kaiDefaultAllocator(), &fail);
        const char* text = make_text(&arena, block, path, variant);
        status = sink->write(sink->user, text, strlen(text));
    }
    arena_free(&arena);
    block->hold(block, -1);
    return status;
}
