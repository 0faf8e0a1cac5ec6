// Collecting and publishing diagnostics. Beyond the limit they are counted and not kept, so that noise fed to the
// compiler costs no memory; the caller need not know.
#include "lang/diagnostics.h"
#include "lang/sources.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct
{
    const char *code, *meaning;
} diag_codes[] = {
#define DIAG(name, code, meaning, remedy) {code, meaning},
#include "lang/diagnostics.def"
#undef DIAG
};

const char* diag_code_text(DiagCode code)
{
    return diag_codes[code].code;
}

const char* diag_code_meaning(DiagCode code)
{
    return diag_codes[code].meaning;
}

const char* diag_code_remedy(DiagCode code)
{
    static const char* const remedies[] = {
#define DIAG(name, code_, meaning, remedy) remedy,
#include "lang/diagnostics.def"
#undef DIAG
    };
    return remedies[code];
}

static char* diag_format(Arena* arena, const char* format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    size_t size = length < 0 ? 1 : (size_t)length + 1;
    char* text = arena_alloc(arena, size);
    if (length > 0)
        vsnprintf(text, size, format, again);
    va_end(again);
    return text;
}

static bool is_repeated(const Diags* diags, const Diag* diag)
{
    for (uint32_t i = 0; i < diags->list.count; i++)
    {
        const Diag* other = diags->list.at[i];
        if (other->code == diag->code && other->span.file == diag->span.file && diag->span.file != 0 &&
            other->span.start == diag->span.start && other->span.end == diag->span.end &&
            strcmp(other->message, diag->message) == 0)
            return true;
    }
    return false;
}

static Diag* diag_add(Diags* diags, kaiSeverity severity, DiagCode code, Span span, const char* format,
                      va_list arguments)
{
    if (severity == KAI_ERROR)
        diags->error_count++;
    if (diags->list.count >= (diags->limit ? diags->limit : 1000))
        return &diags->dropped;
    Diag* diag = arena_new(diags->arena, Diag);
    *diag = (Diag){.severity = severity, .code = code, .span = span};
    diag->message = diag_format(diags->arena, format, arguments);
    if (is_repeated(diags, diag))  // a model is compiled once for each of its experiments
        return &diags->dropped;
    vec_push(diags->arena, diags->list, diag);
    return diag;
}

Diag* diag_error(Diags* diags, DiagCode code, Span span, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    Diag* diag = diag_add(diags, KAI_ERROR, code, span, format, arguments);
    va_end(arguments);
    return diag;
}

Diag* diag_warning(Diags* diags, DiagCode code, Span span, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    Diag* diag = diag_add(diags, KAI_WARNING, code, span, format, arguments);
    va_end(arguments);
    return diag;
}

void diag_help(Diags* diags, Diag* diag, const char* format, ...)
{
    if (!diag || diag == &diags->dropped)
        return;
    va_list arguments;
    va_start(arguments, format);
    diag->help = diag_format(diags->arena, format, arguments);
    va_end(arguments);
}

void diag_note(Diags* diags, Diag* diag, Span span, const char* format, ...)
{
    if (!diag || diag == &diags->dropped)
        return;
    va_list arguments;
    va_start(arguments, format);
    DiagNote note = {span, diag_format(diags->arena, format, arguments)};
    va_end(arguments);
    vec_push(diags->arena, diag->notes, note);
}

static bool diag_before(const Diag* a, const Diag* b)
{
    if (a->span.file != b->span.file)
        return a->span.file < b->span.file;
    return a->span.start < b->span.start;
}

// Merge sort, because the C library's sort is not stable.
static void diags_sort(Diag** list, Diag** scratch, uint32_t count)
{
    if (count < 2)
        return;
    uint32_t half = count / 2, left = 0, right = half;
    diags_sort(list, scratch, half);
    diags_sort(list + half, scratch, count - half);
    for (uint32_t i = 0; i < count; i++)
    {
        bool take_right = left == half || (right < count && diag_before(list[right], list[left]));
        scratch[i] = list[take_right ? right++ : left++];
    }
    memcpy(list, scratch, sizeof *list * count);
}

static const kaiNote* diag_publish_notes(Diags* diags, const Sources* sources, const Diag* diag, PlaceCursor* cursor)
{
    if (diag->notes.count == 0)
        return NULL;
    kaiNote* notes = arena_array(diags->arena, kaiNote, diag->notes.count);
    for (uint32_t i = 0; i < diag->notes.count; i++)
        notes[i] = (kaiNote){sources_place_from(sources, diag->notes.at[i].span, cursor), diag->notes.at[i].text};
    return notes;
}

// The help of a diagnostic: its own, or what helps in general.
static const char* diag_remedy(const Diag* diag)
{
    return diag->help ? diag->help : diag_code_remedy(diag->code);
}

const kaiError* diags_publish(Diags* diags, const Sources* sources, int* count)
{
    uint32_t total = diags->list.count;
    *count = (int)total;
    if (total == 0)
        return NULL;
    diags_sort(diags->list.at, arena_array(diags->arena, Diag*, total), total);
    kaiError* published = arena_array(diags->arena, kaiError, total);
    PlaceCursor cursor = {0}, note_cursor = {0};
    for (uint32_t i = 0; i < total; i++)
    {
        const Diag* diag = diags->list.at[i];
        published[i] = (kaiError){
            .status = diag->severity == KAI_ERROR ? KAI_ERR_MODEL : KAI_OK,
            .severity = diag->severity,
            .code = diag_code_text(diag->code),
            .place = sources_place_from(sources, diag->span, &cursor),
            .message = diag->message,
            .help = diag_remedy(diag),
            .notes = diag_publish_notes(diags, sources, diag, &note_cursor),
            .note_count = (int)diag->notes.count,
        };
    }
    return published;
}
