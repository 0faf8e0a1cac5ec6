// Opening a program, asking it a question, and reading the messages.
#include "api/compilation.h"

#include "base/utf8.h"

#include "lang/report.h"
#include "part/home.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

// The folder of the models for `import` (src/part/home.c says where it is looked for).
static const char* find_library(kaiProgram* p, const kaiProgramOptions* options)
{
    char path[PATH_MAX];
    const char* found = options->library != NULL ? options->library : home_models(path) ? path : NULL;
    return found != NULL ? arena_copy_string(&p->arena, found, strlen(found)) : NULL;
}

kaiProgramOptions kaiDefaultProgramOptions(void)
{
    return (kaiProgramOptions){.cookie = KAI_COOKIE, .allocator = kaiDefaultAllocator()};
}

kaiCompileOptions kaiDefaultCompileOptions(void)
{
    return (kaiCompileOptions){.cookie = KAI_COOKIE};
}

// ---- opening

static const char* keep_text(Arena* arena, const char* text)
{
    return text != NULL ? arena_copy_string(arena, text, strlen(text)) : NULL;
}

// What the program may read: below its own folder, the library's, and those the caller names.
static void set_up_files(kaiProgram* p, const kaiProgramOptions* options)
{
    p->files = (Files){.provider = options->files,
                       .allow_files = options->policy.allow_files,
                       .allow_external = options->policy.allow_external};
    files_allow(&p->files, &p->arena, files_folder(&p->arena, p->path));
    files_allow(&p->files, &p->arena, p->text.library);
    for (int i = 0; options->policy.folders != NULL && i < options->policy.folder_count; i++)
        files_allow(&p->files, &p->arena, options->policy.folders[i]);
}

static void set_up(kaiProgram* p, const kaiProgramOptions* options)
{
    budget_init(&p->budget, options->allocator, options->limits, options->interrupt);
    arena_init(&p->arena, budget_allocator(&p->budget), &p->fail);
    arena_init(&p->question.arena, budget_allocator(&p->budget), &p->fail);
    interner_init(&p->names, &p->arena);
    p->path = keep_text(&p->arena, options->path != NULL ? options->path : "model.kai");
    p->sources = (Sources){.arena = &p->arena, .files = &p->files};
    p->diags.arena = &p->arena;
    p->text = (Program){.arena = &p->arena,
                        .names = &p->names,
                        .sources = &p->sources,
                        .diags = &p->diags,
                        .provider = options->blocks,
                        .outer = options->allocator,
                        .library = find_library(p, options)};
    p->options = *options;
    p->options.text = NULL;
    p->options.path = p->path;
    p->options.library = p->text.library;
    set_up_files(p, options);
    p->options.policy.folders = p->files.folders.at;
    p->options.policy.folder_count = (int)p->files.folders.count;
}

static kaiStatus read_text(kaiProgram* p, const kaiProgramOptions* options, kaiError* error)
{
    if (options->text != NULL)
        program_load_text(&p->text, p->path, options->text, strlen(options->text));
    else if (!program_load(&p->text, p->path))
    {
        error_set(error, KAI_ERR_IO, "%s cannot be read: %s", p->path, p->sources.why);
        if (error != NULL)
        {
            error->code = diag_code_text(K_FILE);
            error->help = "check the name and the folder";
        }
        return KAI_ERR_IO;
    }
    return KAI_OK;
}

static kaiStatus answer_reading(kaiProgram* p, Compilation* c, void* user)
{
    (void)p, (void)user;
    return c->diags.error_count > 0 ? KAI_ERR_MODEL : KAI_OK;
}

static kaiStatus open_program(kaiProgram* p, const kaiProgramOptions* options, kaiError* error)
{
    char why[200];
    if (setjmp(p->fail) != 0)
    {
        kaiStatus end = budget_tell(&p->budget, "reading the model", why, sizeof why);
        return error_set(error, end, "%s", why);
    }
    set_up(p, options);
    kaiStatus status = read_text(p, options, error);
    if (status != KAI_OK)
        return status;
    status = program_ask(p, answer_reading, NULL);
    if (status == KAI_ERR_MEMORY)
        return error_memory(error);
    if (status == KAI_ERR_LIMIT || status == KAI_INTERRUPTED)
        return error_set(error, status, "%s", p->count > 0 ? p->list[0].message : "interrupted");
    const kaiError* first = program_first_error(p);
    return first != NULL ? error_copy(error, first) : status;
}

kaiStatus kaiProgram_Open(const kaiProgramOptions* options, kaiProgram** program, kaiError* error)
{
    if (program != NULL)
        *program = NULL;
    if (error != NULL)
        *error = (kaiError){.status = KAI_OK};
    if (!error_check_cookie(options != NULL ? &options->cookie : NULL, "kaiDefaultProgramOptions", error))
        return KAI_ERR_USAGE;
    if (program == NULL || options->allocator.alloc == NULL)
        return error_set(error, KAI_ERR_USAGE,
                         program == NULL ? "there is no place for the program" : "the options have no allocator");
    if (options->path == NULL && options->text == NULL)
        return error_set(error, KAI_ERR_USAGE, "the options name neither a file nor a text");
    kaiAllocator a = options->allocator;
    kaiProgram* p = a.alloc(a.user, NULL, 0, sizeof *p);
    if (p == NULL)
        return error_memory(error);
    memset(p, 0, sizeof *p);
    p->allocator = a;
    kaiStatus status = open_program(p, options, error);
    if (status == KAI_OK || status == KAI_ERR_MODEL)
        *program = p;
    else
        kaiProgram_Free(p);
    return status;
}

kaiStatus kaiProgram_Clone(const kaiProgram* program, kaiProgram** clone)
{
    if (program == NULL || clone == NULL)
        return KAI_ERR_USAGE;
    kaiProgramOptions options = program->options;
    options.text = program->sources.list.at[0].text;
    return kaiProgram_Open(&options, clone, NULL);
}

void kaiProgram_Free(kaiProgram* program)
{
    if (program == NULL)
        return;
    foreign_release(&program->text);
    arena_free(&program->question.arena);
    arena_free(&program->arena);
    program->allocator.alloc(program->allocator.user, program, sizeof *program, 0);
}

// ---- questions

// Ready for a question: what the one before it made is gone, but for the messages of reading.
static void begin_question(kaiProgram* p)
{
    Compilation* c = &p->question;
    arena_free(&c->arena);
    arena_init(&c->arena, budget_allocator(&p->budget), &p->fail);
    p->list = NULL;
    p->count = p->error_count = 0;
    *c = (Compilation){.arena = c->arena, .sources = p->sources, .program = p->text, .allocator = p->allocator};
    c->sources.arena = &c->arena;
    c->diags = (Diags){.arena = &c->arena, .error_count = p->diags.error_count, .limit = p->diags.limit};
    c->program.arena = &c->arena;
    c->program.sources = &c->sources;
    c->program.diags = &c->diags;
}

static void copy_messages(kaiProgram* p)
{
    Compilation* c = &p->question;
    for (uint32_t i = 0; i < p->diags.list.count; i++)
        vec_push(&c->arena, c->diags.list, p->diags.list.at[i]);
}

// What a question found out is published, if only why it has no answer.
static void publish(kaiProgram* p)
{
    int count = 0;
    p->list = diags_publish(&p->question.diags, &p->question.sources, &count);
    p->count = count;
    p->error_count = 0;
    for (int i = 0; i < count; i++)  // what was said twice is there once
        p->error_count += p->list[i].severity == KAI_ERROR;
}

// The question ended without an answer, and its memory is free again: enough for one message.
static kaiStatus tell_limit(kaiProgram* p)
{
    char why[200];
    kaiStatus status = budget_tell(&p->budget, "compiling the model", why, sizeof why);
    budget_lift(&p->budget);
    begin_question(p);
    if (status != KAI_ERR_LIMIT || setjmp(p->fail) != 0)
        return status;
    diag_error(&p->question.diags, K_LIMIT, (Span){0}, "%s", why);
    publish(p);
    return status;
}

kaiStatus program_ask(kaiProgram* p, ProgramWork* work, void* user)
{
    budget_begin(&p->budget);
    begin_question(p);
    if (setjmp(p->fail) != 0)
        return tell_limit(p);
    copy_messages(p);
    kaiStatus status = work(p, &p->question, user);
    if (status == KAI_ERR_MEMORY && p->budget.end != BUDGET_LASTS)  // somebody caught the failure on the way
        return tell_limit(p);
    publish(p);
    budget_lift(&p->budget);  // the messages are read with the memory of the question
    return status;
}

static bool check_given(const kaiGiven* given, int count)
{
    for (int i = 0; i < count; i++)
        if (given == NULL || given[i].name == NULL || given[i].text == NULL)
            return false;
    return count >= 0;
}

static bool check_compile(const kaiCompileOptions* options)
{
    if (options == NULL || options->cookie != KAI_COOKIE || options->override_count < 0 ||
        !check_given(options->values, options->value_count) ||
        !check_given(options->settings, options->setting_count) ||
        !check_given(options->signals, options->signal_count) ||
        !check_given(options->measures, options->measure_count))
        return false;
    for (int i = 0; i < options->override_count; i++)
        if (options->overrides == NULL || options->overrides[i].name == NULL)
            return false;
    return true;
}

kaiStatus program_ask_about(kaiProgram* p, const kaiCompileOptions* options, ProgramWork* work, void* user)
{
    return p != NULL && check_compile(options) ? program_ask(p, work, user) : KAI_ERR_USAGE;
}

const kaiError* program_first_error(const kaiProgram* p)
{
    for (int i = 0; i < p->count; i++)
        if (p->list[i].severity == KAI_ERROR)
            return &p->list[i];
    return NULL;
}

kaiStatus compilation_lacks(Compilation* c, const char* trouble)
{
    diag_error(&c->diags, K_PART_MISSING, (Span){0}, "%s", trouble);
    return KAI_ERR_IO;
}

static ElabOptions elab_options(Compilation* c, const kaiCompileOptions* options)
{
    int count = options->override_count, texts = options->value_count;
    Override* overrides = arena_array(&c->arena, Override, count + texts + 1);
    for (int i = 0; i < count; i++)
        overrides[i] = (Override){options->overrides[i].name, options->overrides[i].value, NULL};
    for (int i = 0; i < texts; i++)
        overrides[count + i] = (Override){options->values[i].name, 0, options->values[i].text};
    GivenSetting* settings = arena_array(&c->arena, GivenSetting, options->setting_count + 1);
    for (int i = 0; i < options->setting_count; i++)
        settings[i] = (GivenSetting){options->settings[i].name, options->settings[i].text};
    GivenSetting* signals = arena_array(&c->arena, GivenSetting, options->signal_count + 1);
    for (int i = 0; i < options->signal_count; i++)
        signals[i] = (GivenSetting){options->signals[i].name, options->signals[i].text};
    GivenSetting* measures = arena_array(&c->arena, GivenSetting, options->measure_count + 1);
    for (int i = 0; i < options->measure_count; i++)
        measures[i] = (GivenSetting){options->measures[i].name, options->measures[i].text};
    return (ElabOptions){.experiment = options->experiment,
                         .measures = measures,
                         .measure_count = options->measure_count,
                         .signals = signals,
                         .signal_count = options->signal_count,
                         .model = options->model,
                         .overrides = overrides,
                         .override_count = count + texts,
                         .settings = settings,
                         .setting_count = options->setting_count};
}

Flat* compilation_elaborate(Compilation* c, const kaiCompileOptions* options)
{
    ElabOptions elab = elab_options(c, options);
    Flat* flat = elaborate(&c->program, &elab);
    if (flat != NULL && options->solver != NULL)
        flat->experiment.solver = options->solver;
    return flat;
}

// ---- messages

int kaiProgram_MessageCount(const kaiProgram* program)
{
    return program != NULL ? program->count : 0;
}

int kaiProgram_ErrorCount(const kaiProgram* program)
{
    return program != NULL ? program->error_count : 0;
}

const kaiError* kaiProgram_Message(const kaiProgram* program, int index)
{
    return program != NULL && index >= 0 && index < program->count ? &program->list[index] : NULL;
}

const char* kaiProgram_MessageText(kaiProgram* program, int index, bool colour)
{
    const kaiError* message = kaiProgram_Message(program, index);
    if (message == NULL)
        return "";
    if (setjmp(program->fail) != 0)
        return message->message;
    return report_diagnostic(&program->question.arena, &program->question.sources, message, colour, 0);
}

// The places of a run are beginnings: the caret goes on to the end of the word there.
static void extend_place(const kaiProgram* program, kaiPlace* place)
{
    size_t length;
    const char* line = place->file != NULL && place->end_line == place->line && place->end_column == place->column + 1
                           ? sources_line(&program->question.sources, place->file, place->line, &length)
                           : NULL;
    size_t at = line != NULL ? utf8_offset(line, length, (size_t)place->column - 1) : 0;
    for (size_t i = at + 1; line != NULL && i < length && (isalnum((unsigned char)line[i]) || line[i] == '_') &&
                            (isalnum((unsigned char)line[at]) || line[at] == '_');
         i++)
        place->end_column++;
}

// The instance of the program's own file that a message names: `u` for "u.a.e is read …".
static bool find_named_instance(const kaiProgram* program, const char* message, kaiPlace* place)
{
    const FileAst* own = program->text.files.count > 0 ? program->text.files.at[0] : NULL;
    for (uint32_t m = 0; own && m < own->models.count; m++)
        for (uint32_t i = 0; i < own->models.at[m]->items.count; i++)
        {
            const Item* item = own->models.at[m]->items.at[i];
            size_t length = item->kind == ITEM_INSTANCE ? strlen(item->name) : 0;
            for (const char* at = length > 0 ? strstr(message, item->name) : NULL; at; at = strstr(at + 1, item->name))
            {
                bool begins = at == message || (!isalnum((unsigned char)at[-1]) && strchr("_.", at[-1]) == NULL);
                if (begins && (at[length] == '.' || at[length] == '['))
                    return *place = sources_place(&program->sources, item->name_span), true;
            }
        }
    return false;
}

// What goes wrong in a part of another file is shown at the instance in the user's own first.
static void point_to_instance(const kaiProgram* program, kaiError* said, kaiNote* note)
{
    kaiPlace place;
    if (said->place.file == NULL || said->note_count > 0 || program->path == NULL ||
        strcmp(said->place.file, program->path) == 0 || !find_named_instance(program, said->message, &place))
        return;
    *note = (kaiNote){said->place, "here, in the part"};
    said->place = place;
    said->notes = note;
    said->note_count = 1;
}

const char* kaiProgram_ErrorText(kaiProgram* program, const kaiError* error, bool colour)
{
    if (program == NULL || error == NULL || error->message == NULL)
        return "";
    if (setjmp(program->fail) != 0)
        return error->message;
    kaiError said = *error;
    kaiNote note;
    extend_place(program, &said.place);
    point_to_instance(program, &said, &note);
    return report_diagnostic(&program->question.arena, &program->question.sources, &said, colour, 0);
}
