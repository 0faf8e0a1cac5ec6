// kairos test: every experiment that has `expect`, in all files, in parallel.
#include "cli/request.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct Case
{
    char* path;
    char* experiment;  // NULL: the file itself is wrong
    int passed, failed;
    bool values;       // tell all values
    bool wrong_call;   // it failed for a name or value of the call
    bool wrong_model;  // its text is wrong: there was no run
    char* text;        // one line per failure
} Case;

typedef struct Suite
{
    RunRequest request;  // settings and values for every run; -e
    Case* cases;
    int count, capacity;
    int next;
    int paths, code;
    pthread_mutex_t lock;
} Suite;

__attribute__((format(printf, 2, 3))) static void say(Case* c, const char* format, ...)
{
    char *line = NULL, *whole = NULL;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&line, format, args);
    va_end(args);
    if (length < 0)
        return;
    if (asprintf(&whole, "%s%s", c->text != NULL ? c->text : "", line) >= 0)
    {
        free(c->text);
        c->text = whole;
    }
    free(line);
}

// ---- finding files
// ---------------------------------------------------------------------------------------------------

static Case* add_case(Suite* s, const char* path, const char* experiment)
{
    if (s->count == s->capacity)
    {
        s->capacity = s->capacity > 0 ? 2 * s->capacity : 64;
        Case* more = realloc(s->cases, sizeof *more * (size_t)s->capacity);
        if (more == NULL)
            abort();
        s->cases = more;
    }
    Case* c = &s->cases[s->count++];
    *c = (Case){.path = strdup(path), .experiment = experiment != NULL ? strdup(experiment) : NULL};
    return c;
}

static void say_messages(Case* c, kaiProgram* program)
{
    const kaiError* message;
    for (int i = 0; (message = kaiProgram_Message(program, i)) != NULL; i++)
        if (message->severity == KAI_ERROR)
            say(c, "%s\n", kaiProgram_MessageText(program, i, false));
}

static bool is_wanted(const Suite* s, const kaiExperiment* experiment)
{
    const char* only = s->request.load.experiment;
    return experiment->has_expect && (only == NULL || strcmp(experiment->name, only) == 0);
}

// What a file is opened with. The text is that of standard input, if that is the file.
static kaiProgramOptions source_of(const RunRequest* request, const char* path)
{
    kaiProgramOptions options = request->source;
    bool given = options.text != NULL && strcmp(path, options.path) == 0;
    options.text = given ? options.text : NULL;
    options.path = path;
    return options;
}

static void add_file(Suite* s, const char* path)
{
    kaiProgramOptions options = source_of(&s->request, path);
    kaiProgram* program = NULL;
    kaiExperiment experiment;
    kaiError error;
    if (kaiProgram_Open(&options, &program, &error) != KAI_OK)
    {
        Case* c = add_case(s, path, NULL);
        c->failed = 1;
        c->wrong_model = program != NULL;
        if (program == NULL)
            say(c, "%s\n", error.message);
        say_messages(c, program);
    }
    else
        for (int i = 0; kaiProgram_Experiment(program, i, &experiment); i++)
            if (is_wanted(s, &experiment))
                add_case(s, path, experiment.name);
    kaiProgram_Free(program);
}

static bool is_model(const char* name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".kai") == 0;
}

static int compare_names(const void* a, const void* b)
{
    return strcmp(*(char* const*)a, *(char* const*)b);
}

static int add_folder(Suite* s, const char* path);

static int add_path(Suite* s, const char* path, bool named)
{
    struct stat info;
    if (strcmp(path, "-") == 0)
    {
        s->request.source.path = path;
        int code = read_standard_input(&s->request.source, &s->request.text);
        if (code == EXIT_DONE)
            add_file(s, s->request.source.path);
        return code;
    }
    if (stat(path, &info) != 0)
    {
        fprintf(stderr, "kairos: %s cannot be read: %s\n", path, strerror(errno));
        return EXIT_FILE;
    }
    if (S_ISDIR(info.st_mode))
        return add_folder(s, path);
    if (named || is_model(path))
        add_file(s, path);
    return EXIT_DONE;
}

static int add_folder(Suite* s, const char* path)
{
    DIR* folder = opendir(path);
    if (folder == NULL)
        return EXIT_FILE;
    char** names = NULL;
    size_t count = 0;
    for (struct dirent* entry; (entry = readdir(folder)) != NULL;)
    {
        if (entry->d_name[0] == '.')
            continue;
        char** more = realloc(names, sizeof *names * (count + 1));
        if (more == NULL)
            abort();
        names = more;
        names[count] = malloc(strlen(path) + strlen(entry->d_name) + 2);
        if (names[count] == NULL)
            abort();
        sprintf(names[count++], "%s/%s", path, entry->d_name);
    }
    closedir(folder);
    if (count > 0)
        qsort(names, count, sizeof *names, compare_names);
    int code = EXIT_DONE;
    for (size_t i = 0; i < count; i++)
    {
        int one = add_path(s, names[i], false);
        code = one > code ? one : code;
        free(names[i]);
    }
    free(names);
    return code;
}

// ---- running
// ---------------------------------------------------------------------------------------------------------

// `at`: " (a = 2)" for a point of a sweep, " (branch 2: …)" for an outcome of choice = all, or "".
static void judge(Case* c, const kaiExpectResult* r, const char* at)
{
    if (c->values)
        say(c, "%s:%d:%d: VALUE %s%s: expect %s: got ", r->place.file != NULL ? r->place.file : c->path, r->place.line,
            r->place.column, c->experiment, at, r->source);
    if (c->values && r->present)
        say(c, "%.17g\n", r->value);
    else if (c->values)
        say(c, "nothing\n");
    if (r->passed)
    {
        c->passed++;
        return;
    }
    c->failed++;
    say(c, "%s:%d:%d: FAILED %s%s: expect %s", r->place.file != NULL ? r->place.file : c->path, r->place.line,
        r->place.column, c->experiment, at, r->source);
    if (!r->present)
        say(c, ": there is no such value");
    else if (r->has_target)
        say(c, ": expected %.17g%s%s, got %.17g, difference %.3g (within %g)", r->target, r->unit != NULL ? " " : "",
            r->unit != NULL ? r->unit : "", r->value, r->value - r->target, r->within);
    say(c, "%s%s\n", r->text[0] != 0 ? " " : "", r->text);
}

static void say_failure(Case* c, const kaiError* f, const char* at)
{
    c->failed++;
    if (f->place.file != NULL)
        say(c, "%s:%d:%d: FAILED %s%s: %s\n", f->place.file, f->place.line, f->place.column, c->experiment, at,
            f->message);
    else
        say(c, "%s: FAILED %s%s: %s\n", c->path, c->experiment, at, f->message);
}

static void judge_all(Case* c, kaiSim* sim, const kaiModel* model, const char* at)
{
    kaiExpectResult result;
    for (int i = 0; i < kaiModel_ExpectCount(model); i++)
        if (kaiSim_Expect(sim, i, &result) == KAI_OK)
            judge(c, &result, at);
}

typedef struct Judgement
{
    Case* c;
    const kaiModel* model;
    const char* at;
} Judgement;

// Every expectation must hold in every outcome.
static kaiStatus judge_branch(void* user, kaiSim* sim, int branch, kaiStatus status)
{
    const Judgement* j = user;
    char order[900], at[1600];
    kaiSim_OrderText(sim, order, sizeof order);
    snprintf(at, sizeof at, "%s (branch %d: %s)", j->at, branch, order);
    if (status < 0)
        say_failure(j->c, kaiSim_Failure(sim), at);
    else
        judge_all(j->c, sim, j->model, at);
    return KAI_OK;
}

static void judge_sim(Case* c, const kaiModel* model, kaiSim* sim, bool explored, const char* at)
{
    Judgement judgement = {c, model, at};
    kaiExploreEvents events = {NULL, judge_branch, &judgement};
    kaiExploration exploration;
    kaiStatus status = explored ? kaiSim_Explore(model, sim, &events, &exploration) : kaiSim_Run(sim);
    if (status < 0)
        say_failure(c, kaiSim_Failure(sim), at);
    else if (!explored)
        judge_all(c, sim, model, at);
}

static void run_model(Case* c, kaiLimits limits, const kaiSweep* sweep, int64_t point, const kaiModel* model,
                      const char* at)
{
    kaiSimOptions options = kaiModel_SimOptions(model);
    options.limits = limits;
    kaiError failure = {0};
    kaiSim* sim = kaiSim_Create(model, &options, &failure);
    if (sim != NULL && kaiSweep_Set(sweep, point, model, sim) != KAI_OK)
        say_failure(c, &(kaiError){.message = "a swept value cannot be set"}, at);
    else if (sim == NULL)
        say_failure(c, &failure, at);
    else
        judge_sim(c, model, sim, explores_choices(&options), at);
    kaiSim_Free(sim);
}

// Every expectation at every point; without a sweep there is one point.
static void run_points(Case* c, kaiLimits limits, const kaiModel* model, kaiProgram* program,
                       const kaiCompileOptions* load)
{
    kaiError error;
    char values[600], at[610] = "";
    kaiSweep* sweep = kaiSweep_Create(program, model, load, &error);
    if (sweep == NULL)
        say_failure(c, &error, "");
    for (int64_t i = 0; i < kaiSweep_PointCount(sweep); i++)
    {
        const kaiModel* variant;
        kaiSweep_Describe(sweep, i, values, sizeof values);
        if (kaiSweep_ParameterCount(sweep) > 0)
            snprintf(at, sizeof at, " (%s)", values);
        if (kaiSweep_Model(sweep, i, &variant) == KAI_OK)
            run_model(c, limits, sweep, i, variant, at);
        else
        {
            say_failure(c, &(kaiError){.message = "the model is wrong there"}, at);
            say_messages(c, program);
        }
    }
    kaiSweep_Free(sweep);
}

static void run_case(Case* c, const RunRequest* request)
{
    if (c->experiment == NULL)
        return;
    kaiProgramOptions options = source_of(request, c->path);
    kaiCompileOptions load = request->load;
    kaiProgram* program = NULL;
    kaiModel* model = NULL;
    kaiError error;
    load.experiment = c->experiment;
    c->values = request->all_values;
    kaiStatus status = kaiProgram_Open(&options, &program, &error);
    if (status == KAI_OK)
        status = kaiProgram_Compile(program, &load, &model);
    if (status == KAI_OK)
        run_points(c, options.limits, model, program, &load);
    else
    {
        c->wrong_call = is_wrong_call(program);
        c->wrong_model = status == KAI_ERR_MODEL;
        say_messages(c, program);
        if (program == NULL)  // read a moment ago, and now it cannot be
            say_failure(c, &error, "");
        else
            c->failed++;
    }
    kaiModel_Free(model);
    kaiProgram_Free(program);
}

static void* worker(void* user)
{
    Suite* s = user;
    for (;;)
    {
        pthread_mutex_lock(&s->lock);
        int mine = s->next < s->count ? s->next++ : -1;
        pthread_mutex_unlock(&s->lock);
        if (mine < 0)
            return NULL;
        run_case(&s->cases[mine], &s->request);
    }
}

static void run_all(Suite* s)
{
    pthread_mutex_init(&s->lock, NULL);
    kaiThreads_Run(kaiThreads_Wanted(s->count), worker, s);
    pthread_mutex_destroy(&s->lock);
}

static int report(Suite* s)
{
    int passed = 0, failed = 0;
    bool wrong_call = false, only_models = true;
    for (int i = 0; i < s->count; i++)
    {
        wrong_call |= s->cases[i].wrong_call;
        only_models &= s->cases[i].wrong_model || s->cases[i].failed == 0;
        passed += s->cases[i].passed;
        failed += s->cases[i].failed;
        if (s->cases[i].text != NULL)
            fputs(s->cases[i].text, stdout);
        free(s->cases[i].text);
        free(s->cases[i].path);
        free(s->cases[i].experiment);
    }
    free(s->cases);
    printf("%d passed, %d failed\n", passed, failed);
    if (passed + failed == 0 && s->request.load.experiment != NULL)
        return usage_error("there is no experiment `%s` that expects something", s->request.load.experiment);
    if (passed + failed == 0)
        fputs("kairos: no experiment expects anything: write `expect final(x) ~ 1 within 1e-6` into one\n", stderr);
    return wrong_call ? EXIT_USAGE : failed == 0 ? EXIT_DONE : only_models ? EXIT_MODEL : EXIT_RUN;
}

static int take(void* user, const Arguments* a, Found found)
{
    Suite* s = user;
    int code = EXIT_DONE;
    if (found != FOUND_FILE)
        return request_take(&s->request, a, found, &code), code;
    a->argv[s->paths++] = a->value;  // read when all options are known
    return EXIT_DONE;
}

int command_test(int argc, char** argv)
{
    Suite* suite = calloc(1, sizeof *suite);
    if (suite == NULL)
        return usage_error("out of memory");
    request_begin(&suite->request);
    int code = arguments_each(FOR_TEST, argc, argv, take, suite);
    if (code == EXIT_DONE && suite->paths == 0)
        code = usage_error("test needs a file or a folder; see kairos test --help");
    if (code == EXIT_DONE)
    {
        for (int i = 0; i < suite->paths; i++)
        {
            int one = add_path(suite, argv[i], true);
            suite->code = one > suite->code ? one : suite->code;
        }
        run_all(suite);
        code = report(suite);
        code = code == EXIT_USAGE || code > suite->code ? code : suite->code;
    }
    request_close(&suite->request);
    free(suite);
    return code;
}
