// One run: from the request to rows, summary and exit code.
#include "cli/runner.h"

#include "cli/interrupt.h"
#include "cli/progress.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const double LATE_TOLD = 0.05;  // seconds; less nobody sees

typedef struct Target
{
    kaiWriter* writer;
    const kaiSim* sim;
    Progress progress;
    kaiDrive drive;
    bool flushes;  // every row at once: somebody waits for it
    bool watched;  // now and then: an HDF5 file is read while it is written
    bool unsaved;  // a checkpoint could not be written, which was said
    int trouble;   // errno of the write that failed
    kaiConstant* constants;
    int constant_count;
} Target;

static void show(Target* target, double t)
{
    if (target->progress.on)
        progress_show(&target->progress, "t", t, kaiSim_Counters(target->sim).instants, "instants");
}

static kaiStatus write_row(void* user, const kaiRow* row)
{
    Target* target = user;
    show(target, row->t);
    kaiStatus status = target->flushes || target->watched ? kaiDrive_At(&target->drive, row->t) : KAI_OK;
    if (status == KAI_OK)
        status = kaiWriter_Row(target->writer, row);
    if (status == KAI_OK && target->flushes)
        status = kaiWriter_Flush(target->writer);
    if (status == KAI_ERR_IO && target->trouble == 0)
        target->trouble = errno;
    return status;
}

void print_rows(int64_t recorded, kaiView view)
{
    static const char* const names[] = {"full", "limits", "unique"};
    fprintf(stderr, "%lld %s (view %s)", (long long)recorded, view == KAI_VIEW_FULL ? "rows" : "tags recorded",
            names[view]);
}

// ---- summary
// ---------------------------------------------------------------------------------------------------------

static void print_guards(const kaiSim* sim)
{
    enum
    {
        SHOWN = 6
    };
    int64_t count, touches;
    const char* text;
    kaiPlace place;
    int found = 0;
    for (int i = 0; kaiSim_GuardCount(sim, i, &count, &touches, &text, &place); i++)
        if (count > 0 && ++found <= SHOWN)
        {
            const char* name = kaiSim_GuardName(sim, i);
            fprintf(stderr, "%s%s %lld", found > 1 ? ", " : "; events: ", name != NULL ? name : text, (long long)count);
        }
    if (found > SHOWN)
        fprintf(stderr, " and %d more guards", found - SHOWN);
}

// What the jumps of bond graphs did to the energy. Without sources all of it is lost; a source may give back what it
// takes.
static void print_jumps(const kaiCounters* c)
{
    if (c->jumps == 0)
        return;
    const char* plural = c->jumps > 1 ? "s" : "";
    if (c->energy_given == 0 && c->energy_jumped <= 0)
        fprintf(stderr, "; %.6g J lost in %lld jump%s", fabs(c->energy_jumped), (long long)c->jumps, plural);
    else
        fprintf(stderr, "; stored energy %+.6g J in %lld jump%s, sources gave %.6g J", c->energy_jumped,
                (long long)c->jumps, plural, c->energy_given);
}

static void print_islands(const kaiSim* sim)
{
    kaiCounters c = kaiSim_Counters(sim);
    kaiIslandCounters island;
    int count = 0;
    double ahead = 0;
    for (; kaiSim_IslandCount(sim, count, &island); count++)
        ahead = island.ahead > ahead ? island.ahead : ahead;
    if (count > 0)
        fprintf(stderr, "; %d islands: %lld rollbacks, %lld steps thrown away, at most %.3g ahead", count,
                (long long)c.rollbacks, (long long)c.thrown, ahead);
}

static void print_summary(const RunRequest* r, const kaiModel* model, const kaiSim* sim, double seconds)
{
    char title[2 * NAME_MAX_LENGTH];
    kaiCounters c = kaiSim_Counters(sim);
    request_title(r, model, title, sizeof title);
    fprintf(stderr, "%s: t = %.9g, %lld instants, %lld steps (%lld rejected), ", title, kaiSim_Now(sim).t,
            (long long)c.instants, (long long)c.steps, (long long)c.rejected);
    print_rows(c.rows, r->view);
    print_guards(sim);
    print_jumps(&c);
    print_islands(sim);
    const char* halt = kaiSim_HaltText(sim);
    if (halt != NULL)
        fprintf(stderr, "; halted%s%s", halt[0] != 0 ? ": " : "", halt);
    fprintf(stderr, "; %.3g s\n", seconds);
}

// ---- run
// -------------------------------------------------------------------------------------------------------------

void checkpoint_path(const char* result, char* path, size_t size)
{
    static const char ending[] = ".checkpoint";
    size_t length = strlen(result), tail = sizeof ending - 1;
    bool has = length > tail && strcmp(result + length - tail, ending) == 0;
    snprintf(path, size, "%s%s", result, has ? "" : ending);
}

// A disk that is full for checkpoints may have room for rows: the run goes on, and the last checkpoint stays.
static void save(const RunRequest* r, kaiSim* sim, Target* target)
{
    enum
    {
        WORDS = 1000
    };
    char path[PATH_MAX], folder[PATH_MAX];
    const char* words[WORDS] = {getcwd(folder, sizeof folder)};
    kaiError error;
    for (int i = 0; i < r->argc && i + 1 < WORDS; i++)
        words[i + 1] = r->argv[i];
    kaiCheckpointParts parts = {words, r->argc + 1, sim, kaiWriter_Csv(target->writer)};
    checkpoint_path(r->output, path, sizeof path);
    bool fine = words[0] != NULL && r->argc + 1 < WORDS;
    if ((fine && kaiCheckpoint_Write(path, &parts, &error) == KAI_OK) || target->unsaved)
        return;
    target->unsaved = true;
    progress_end(&target->progress);
    fprintf(stderr, "kairos: warning: %s\n", fine ? error.message : "the call is too long for a checkpoint");
}

// A run stands at a multiple of the interval when it has been saved.
static double next_checkpoint(const RunRequest* r, const kaiSim* sim, double start)
{
    double now = kaiSim_Now(sim).t, number = floor((now - start) / r->checkpoint + 0.5) + 1;
    return fmax(start + number * r->checkpoint, nextafter(now, INFINITY));
}

// Checkpoints are made at given model times, not when so much time has passed: solvers that forget their past for one
// give the same numbers every time.
static kaiStatus drive(const RunRequest* r, const kaiModel* model, kaiSim* sim, Target* target)
{
    enum
    {
        SHOWN = 1000  // instants at most, until it is shown how far the run has come
    };
    kaiStatus status;
    double start = kaiModel_SimOptions(model).start, next = r->checkpoint > 0 ? start : INFINITY;
    if (r->resumed != NULL)
        next = next_checkpoint(r, sim, start);
    do
    {
        status = kaiSim_RunTo(sim, next, target->flushes ? 1 : SHOWN);
        show(target, kaiSim_Now(sim).t);
        if (target->flushes && status > 0 && kaiDrive_At(&target->drive, kaiSim_Now(sim).t) != KAI_OK)
            status = KAI_INTERRUPTED;
        if (status != KAI_OK)
            continue;
        save(r, sim, target);
        next = next_checkpoint(r, sim, start);
    } while (status == KAI_INSTANT || status == KAI_OK);
    progress_end(&target->progress);
    return status;
}

// A new result makes the checkpoint of the one before it worthless, and a complete one its own.
static void forget_checkpoint(const RunRequest* r)
{
    char path[PATH_MAX];
    if (r->output == NULL || strcmp(r->output, "-") == 0)
        return;
    checkpoint_path(r->output, path, sizeof path);
    kaiCheckpoint* old = kaiCheckpoint_Read(path, NULL);
    if (old != NULL)  // and nobody else's file of that name
        unlink(path);
    kaiCheckpoint_Free(old);
}

// The file says it if it is not the whole run. A file that could not be written outweighs how the run ended.
static kaiStatus close_output(kaiWriter* writer, const kaiSim* sim, kaiStatus status, int* trouble)
{
    char remark[200];
    if (status != KAI_END)
        snprintf(remark, sizeof remark, "stopped at t = %.17g before the end: %s", kaiSim_Now(sim).t,
                 status == KAI_INTERRUPTED ? "interrupted" : "the run failed");
    kaiStatus closed = kaiWriter_Close(writer, status == KAI_END ? NULL : remark);
    if (closed == KAI_ERR_IO && *trouble == 0)
        *trouble = errno;
    return closed < 0 ? closed : status;
}

// What went wrong, on stderr, and the exit code.
static int conclude(const RunRequest* r, const kaiSim* sim, kaiStatus status, int trouble)
{
    bool named = r->output != NULL && strcmp(r->output, "-") != 0;
    if (status == KAI_ERR_IO)
        fprintf(stderr, "kairos: %s cannot be written%s%s\n", named ? r->output : "standard output",
                trouble != 0 ? ": " : "",
                trouble == ENOSPC || trouble == EDQUOT ? "the disk is full"
                : trouble != 0                         ? strerror(trouble)
                                                       : "");
    else if (status < 0)
        print_failure(r->program, kaiSim_Failure(sim));
    print_warnings(r->program, sim);
    if (status != KAI_INTERRUPTED || !interrupt_came())
        return exit_code(status);  // a reader that has gone has what it wanted
    fprintf(stderr, "kairos: interrupted at t = %.9g; %s%s has the rows up to there\n", kaiSim_Now(sim).t,
            named ? "" : "standard ", named ? r->output : "output");
    return EXIT_RUN;
}

static int simulate(const RunRequest* r, const kaiModel* model, kaiSim* sim, Target* target)
{
    int count;
    kaiError error;
    const kaiColumn* columns = kaiSim_Columns(sim, &count);
    const char* path = r->output != NULL ? r->output : "-";
    kaiSimOptions times = request_options(r, model);
    char title[2 * NAME_MAX_LENGTH];
    request_title(r, model, title, sizeof title);
    kaiWriterOptions options = kaiDefaultWriterOptions();
    options.path = path;
    options.title = title;
    options.view = r->view;
    options.start = times.start;
    options.stop = times.stop;
    options.constants = target->constants;
    options.constant_count = target->constant_count;
    options.mark = kaiCheckpoint_Mark(r->resumed, &options.mark_size);
    if (r->resumed != NULL && kaiCheckpoint_Restore(r->resumed, model, sim, &error) != KAI_OK)
        return fprintf(stderr, "kairos: %s cannot go on: %s\n", path, error.message), EXIT_FILE;
    target->writer = kaiWriter_Open(&options, columns, count, &error);
    if (target->writer == NULL)
    {
        fprintf(stderr, "kairos: %s\n", error.message);
        return exit_code(error.status);
    }
    if (r->resumed == NULL)
        forget_checkpoint(r);
    kaiStatus status = drive(r, model, sim, target);
    status = close_output(target->writer, sim, status, &target->trouble);
    int code = conclude(r, sim, status, target->trouble);
    if (status == KAI_END)
        forget_checkpoint(r);
    else if (r->checkpoint > 0 && !r->quiet)
        fprintf(stderr, "kairos: kairos resume %s goes on from its last checkpoint\n", r->output);
    if (!r->quiet && target->drive.late > LATE_TOLD)
        fprintf(stderr, "kairos: the run was up to %.3g s behind its pace\n", target->drive.late);
    if (!r->quiet)
        print_summary(r, model, sim, wall_time() - target->progress.begun);
    return code;
}

kaiSim* runner_open(const RunRequest* r, const kaiModel* model, Progress* progress, kaiRowFn* row, void* user,
                    int* code)
{
    kaiSimOptions options = request_options(r, model);
    bool to_stdout = r->output == NULL || strcmp(r->output, "-") == 0;
    progress_begin(progress, !r->quiet, to_stdout, options.start, options.stop);
    options.row = row;
    options.row_user = user;
    kaiError failure = {0};
    kaiSim* sim = kaiSim_Create(model, &options, &failure);
    if (sim == NULL)
        *code = (fprintf(stderr, "kairos: %s\n", failure.message), exit_code(failure.status));
    return sim;
}

// Parameters with the values of this run: what a result in MAT or HDF5 keeps beside the rows.
static void gather_constants(Target* target, const kaiModel* model, kaiSim* sim)
{
    kaiVariable v;
    target->constants = calloc((size_t)kaiModel_VariableCount(model) + 1, sizeof *target->constants);
    for (int i = 0; target->constants != NULL && kaiModel_Variable(model, i, &v); i++)
    {
        double value = v.start;
        if (v.kind != KAI_PARAM || v.hidden || (isnan(value) && !kaiSim_Get(sim, i, &value)))
            continue;
        target->constants[target->constant_count++] = (kaiConstant){v.name, v.unit, v.description, value};
    }
}

static bool is_watched(const char* path)
{
    const char* dot = path != NULL ? strrchr(path, '.') : NULL;
    return dot != NULL && (strcasecmp(dot, ".h5") == 0 || strcasecmp(dot, ".hdf5") == 0);
}

static kaiStatus flush_rows(void* user, double t)
{
    (void)t;
    return kaiWriter_Flush(((Target*)user)->writer);
}

// A run that goes on has what waits in its checkpoint.
static int post_inputs(const RunRequest* r, const kaiModel* model, kaiSim* sim)
{
    kaiError error;
    if (r->input == NULL || r->resumed != NULL)
        return EXIT_DONE;
    kaiStatus status = kaiInputs_Post(r->input, model, sim, &error);
    if (status == KAI_OK)
        return EXIT_DONE;
    fprintf(stderr, "kairos: --input %s\n", error.message);
    return status == KAI_INTERRUPTED ? EXIT_RUN : exit_code(status);
}

int run_once(const RunRequest* r, const kaiModel* model)
{
    Target target = {0};
    int code = EXIT_DONE;
    kaiSim* sim = runner_open(r, model, &target.progress, write_row, &target, &code);
    if (sim == NULL)
        return code;
    target.sim = sim;
    gather_constants(&target, model, sim);
    target.drive = (kaiDrive){.pace = r->pace, .interrupt = interrupt_flag()};
    target.flushes = r->pace > 0;
    target.watched = is_watched(r->output);
    if (target.watched)
        target.drive = (kaiDrive){r->pace, 1, flush_rows, &target, .interrupt = interrupt_flag()};
    code = post_inputs(r, model, sim);
    if (code == EXIT_DONE)
        code = simulate(r, model, sim, &target);
    free(target.constants);
    kaiSim_Free(sim);
    return code;
}
