// kairos study: many runs to a table and statistics. The table grows as FILE.part and gets its name when it is whole; a
// study that finds a part of its own goes on behind its last whole row.
#include "cli/inquiry.h"

#include "cli/charts.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "cli/trajectories.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct StudyOutput
{
    const Inquiry* inquiry;
    kaiStudy* study;
    int factors, measures;
    int64_t first, step, total;  // runs of this shard
    int64_t done, found;         // of these; of these in the part of an earlier process
    char part[PATH_MAX];
    FILE* file;  // NULL: no table is wanted
    size_t unflushed;
    double flushed;  // when
    char* line;      // a row as text, which is written and taken into the statistics
    size_t line_size;
    TableStatistics statistics;
    Trajectories trajectories;
    StudyChart chart;
    Progress progress;
    bool unwritten, ranks;
} StudyOutput;

static bool to_file(const Inquiry* q)
{
    return q->run->output != NULL && strcmp(q->run->output, "-") != 0;
}

// ---- rows as text

// "time_of(hit, 5) ~ 2.6 within 1" measures time_of(hit, 5). Units as in results: `x [km]`.
static void write_label(FILE* out, const char* source, const char* unit)
{
    char label[500];
    const char* tilde = strstr(source, " ~ ");
    snprintf(label, sizeof label, "%.*s%s%s%s", tilde != NULL ? (int)(tilde - source) : (int)strlen(source), source,
             unit != NULL ? " [" : "", unit != NULL ? unit : "", unit != NULL ? "]" : "");
    table_text(out, label);
}

// Who writes no units gets none.
static bool has_units(const kaiModel* model)
{
    kaiVariable v;
    for (int i = 0; kaiModel_Variable(model, i, &v); i++)
        if (v.unit != NULL)
            return true;
    return false;
}

static void write_header(const StudyOutput* o, FILE* out)
{
    kaiVariable v;
    bool units = has_units(o->inquiry->model);
    fputs("run", out);
    for (int i = 0; i < o->factors; i++)
    {
        fputc(',', out);
        if (kaiModel_Variable(o->inquiry->model, kaiStudy_Factor(o->study, i), &v))
            write_label(out, v.name, v.unit);
    }
    for (int i = 0; i < o->measures; i++)
    {
        fputc(',', out);
        write_label(out, kaiStudy_Measure(o->study, i), units ? kaiStudy_Unit(o->study, i) : NULL);
    }
    fputs(",passed,reason\n", out);
}

static void write_lead(const StudyOutput* o, FILE* out, int64_t run, const double* factors)
{
    fprintf(out, "%lld,", (long long)run + 1);
    for (int i = 0; i < o->factors; i++)
    {
        table_number(out, factors[i]);
        fputc(',', out);
    }
}

static void write_line(const StudyOutput* o, FILE* out, const kaiStudyRow* row)
{
    write_lead(o, out, row->run, row->factors);
    for (int i = 0; i < o->measures; i++)
    {
        table_number(out, row->measures[i]);
        fputc(',', out);
    }
    fputs(row->status != KAI_END ? "" : row->failed == 0 ? "1" : "0", out);
    fputc(',', out);
    table_text(out, row->reason);
    fputc('\n', out);
}

// Into the statistics as it will be read back.
static bool take_line(StudyOutput* o, char* text)
{
    TableLine line;
    size_t length = strlen(text);
    if (length > 0 && text[length - 1] == '\n')
        text[length - 1] = 0;
    return table_split(&line, text) && statistics_add(&o->statistics, &line) && chart_add(&o->chart, &line);
}

// The part always ends with a whole row and is never old: it can be looked at and merged while it grows.
static bool put_line(StudyOutput* o, const char* text, size_t size)
{
    double now = wall_time();
    bool ok = fwrite(text, 1, size, o->file) == size;
    o->unflushed += size;
    if (o->unflushed < TABLE_LINE && now < o->flushed + 1)
        return ok;
    o->unflushed = 0;
    o->flushed = now;
    return fflush(o->file) == 0 && ok;
}

static kaiStatus on_row(void* user, const kaiStudyRow* row)
{
    StudyOutput* o = user;
    char* text = NULL;
    size_t size;
    FILE* memory = open_memstream(&text, &size);
    if (memory == NULL)
        return KAI_ERR_MEMORY;
    write_line(o, memory, row);
    bool ok = fclose(memory) == 0;
    if (ok && o->file != NULL)
        ok = put_line(o, text, size);
    o->unwritten |= !ok;
    ok = ok && take_line(o, text);
    free(text);
    o->done++;
    progress_show(&o->progress, "run", (double)o->done, o->done - o->found, "runs");
    return ok ? KAI_OK : KAI_ERR_IO;
}

static bool is_wanted(void* user, int64_t run)
{
    const StudyOutput* o = user;
    return trajectories_want(&o->trajectories, run);
}

static kaiStatus on_columns(void* user, const kaiColumn* columns, int count)
{
    StudyOutput* o = user;
    return trajectories_begin(&o->trajectories, columns, count);
}

static kaiStatus on_trajectory(void* user, const kaiStudyRow* run, const kaiRow* row)
{
    StudyOutput* o = user;
    return trajectories_row(&o->trajectories, run, row);
}

// ---- going on

static int open_statistics(StudyOutput* o)
{
    char* text = NULL;
    size_t size;
    TableLine header;
    FILE* memory = open_memstream(&text, &size);
    if (memory == NULL)
        return EXIT_RUN;
    write_header(o, memory);
    bool ok = fclose(memory) == 0;
    text[size - 1] = 0;
    ok = ok && table_split(&header, text) && statistics_open(&o->statistics, &header) && chart_open(&o->chart, &header);
    free(text);
    return ok ? EXIT_DONE : (fputs("kairos: out of memory\n", stderr), EXIT_RUN);
}

// Whether a line of the part is the one that comes next here: its run and the values of its factors, to the letter.
static bool is_next(const StudyOutput* o, const char* line)
{
    char* lead = NULL;
    size_t size;
    double values[TABLE_FIELDS_MOST];
    int64_t run = o->first + o->done * o->step;
    FILE* memory = open_memstream(&lead, &size);
    if (memory == NULL)
        return false;
    bool there = kaiStudy_Values(o->study, run, values);
    if (there)
        write_lead(o, memory, run, values);
    fclose(memory);
    bool same = there && strncmp(line, lead, size) == 0;
    free(lead);
    return same;
}

// Rows of an earlier process, up to the last whole one; *end: where that ends. False: they are not of this study.
static bool read_part(StudyOutput* o, FILE* part, long* end)
{
    char* header = NULL;
    size_t size;
    bool own = true;
    FILE* memory = open_memstream(&header, &size);
    if (memory == NULL)
        return false;
    write_header(o, memory);
    fclose(memory);
    ssize_t length = getline(&o->line, &o->line_size, part);
    if (length > 0 && o->line[length - 1] == '\n')
        own = strcmp(o->line, header) == 0;
    *end = own && length > 0 && o->line[length - 1] == '\n' ? ftell(part) : 0;
    while (own && *end > 0 && (length = getline(&o->line, &o->line_size, part)) > 0 && o->line[length - 1] == '\n')
    {
        own = is_next(o, o->line) && take_line(o, o->line);
        o->done += own;
        *end = own ? ftell(part) : *end;
    }
    free(header);
    return own;
}

static int fail_part(const StudyOutput* o, const char* why)
{
    fprintf(stderr, "kairos: %s: %s\n", o->part, why);
    return EXIT_FILE;
}

// Two studies in one file would mix their rows. A file that got its name meanwhile is whole, and no longer this one.
static const char* claim_part(const StudyOutput* o, FILE* part)
{
    struct stat open, named;
    if (flock(fileno(part), LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? "another study is writing it; let that end, or name another file"
                                    : strerror(errno);
    if (fstat(fileno(part), &open) != 0 || stat(o->part, &named) != 0 || open.st_ino != named.st_ino)
        return "another study has just ended in it; call again";
    return NULL;
}

static int open_table(StudyOutput* o)
{
    long end = 0;
    if (!to_file(o->inquiry))
        return EXIT_DONE;
    snprintf(o->part, sizeof o->part, "%s.part", o->inquiry->run->output);
    struct stat found;
    if (stat(o->inquiry->run->output, &found) == 0 && !S_ISREG(found.st_mode))
        return fail_part(o, "the table would replace what is no file");
    int descriptor = open(o->part, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    FILE* part = descriptor >= 0 ? fdopen(descriptor, "r+b") : NULL;
    if (part == NULL)
        return fail_part(o, strerror(errno));
    o->file = part;
    const char* taken = claim_part(o, part);
    if (taken != NULL)
        return fail_part(o, taken);
    static char buffer[2 * TABLE_LINE];  // holds whole rows until they are flushed
    setvbuf(part, buffer, _IOFBF, sizeof buffer);
    if (!read_part(o, part, &end))
        return fail_part(o, "rows of another study; remove it to begin anew");
    if (ftruncate(fileno(part), end) != 0 || fseek(part, end, SEEK_SET) != 0)
        return fail_part(o, strerror(errno));
    if (end == 0)
        write_header(o, part);
    else if (!o->inquiry->run->quiet)
        fprintf(stderr, "kairos: %s has %lld runs already; going on behind them\n", o->part, (long long)o->done);
    return EXIT_DONE;
}

static int close_table(StudyOutput* o, bool whole)
{
    if (o->file == NULL)
        return EXIT_DONE;
    bool ok = fflush(o->file) == 0 && !ferror(o->file) && !o->unwritten;
    ok &= fclose(o->file) == 0;
    o->file = NULL;
    if (ok && whole)
        ok = rename(o->part, o->inquiry->run->output) == 0;
    return ok ? EXIT_DONE : fail_part(o, "it cannot be written");
}

// ---- the study

static void adjust(void* user, const kaiModel* model, kaiSimOptions* options)
{
    const Inquiry* q = user;
    *options = request_options(q->run, model);
    options->row = NULL;
}

typedef struct Points
{
    int variables[INQUIRY_NAMES];
    int count;
    double* values;
    int64_t runs, capacity;
} Points;

// Room for one row more. The list is a part of what a study holds, and may not need more than that.
static int make_room(const Inquiry* q, Points* p)
{
    if (p->runs < p->capacity)
        return EXIT_DONE;
    size_t row = sizeof(double) * (size_t)p->count, most = q->run->source.limits.memory;
    int64_t capacity = p->capacity > 0 ? 2 * p->capacity : 64;
    if (most > 0 && (size_t)capacity > most / row)
        return fprintf(stderr, "kairos: %s: %lld runs need more memory than --memory allows; make it several studies\n",
                       q->points, (long long)p->runs),
               EXIT_RUN;
    double* more = realloc(p->values, row * (size_t)capacity);
    if (more == NULL)
        return fputs("kairos: out of memory\n", stderr), EXIT_RUN;
    p->values = more;
    p->capacity = capacity;
    return EXIT_DONE;
}

static int read_row(const Inquiry* q, Points* p, const TableFile* file)
{
    TableLine line;
    if (!table_split(&line, file->text) || line.count != p->count)
        return usage_error("%s:%lld: %d values are wanted, as many as there are names", file->path,
                           table_file_row(file), p->count);
    int code = make_room(q, p);
    for (int i = 0; i < p->count && code == EXIT_DONE; i++)
        if (!parse_number(line.fields[i], &p->values[p->runs * p->count + i]))
            code = usage_error("%s:%lld: `%s` is no number", file->path, table_file_row(file), line.fields[i]);
    p->runs += code == EXIT_DONE;
    return code;
}

// Names as the table of a study has them, "h [m]" and in quotes.
static int read_names(const Inquiry* q, char* text, Points* p)
{
    TableLine line;
    int code = EXIT_DONE, one;
    if (!table_split(&line, text) || line.count > INQUIRY_NAMES)
        return usage_error("%s: the line of names cannot be read, or has more than %d", q->points, INQUIRY_NAMES);
    for (int i = 0; i < line.count && code == EXIT_DONE; i++)
    {
        char* unit = strstr(line.fields[i], " [");
        if (unit != NULL)
            *unit = 0;
        code = inquiry_variables(q, "--points", line.fields[i], &p->variables[i], &one);
        if (code == EXIT_DONE && one != 1)
            code = usage_error("%s: a column has no name", q->points);
        p->count = i + 1;
    }
    return code;
}

static int read_points(const Inquiry* q, Points* p)
{
    TableFile file;
    int code = table_file_open(&file, q->points);
    if (code == EXIT_DONE)
        code = table_file_next(&file);
    if (code == EXIT_DONE)
        code = file.text != NULL ? read_names(q, file.text, p) : usage_error("%s has no line of names", q->points);
    while (code == EXIT_DONE && (code = table_file_next(&file)) == EXIT_DONE && file.text != NULL)
        if (file.text[0] != 0)
            code = read_row(q, p, &file);
    table_file_close(&file);
    return code;
}

static int choose_design(const Inquiry* q, kaiStudyOptions* options)
{
    static const char* const words[] = {"random", "latin", "sobol", "grid"};
    bool spread = kaiModel_SpreadCount(q->model) > 0;
    options->design = spread || kaiModel_SweepCount(q->model) == 0 ? KAI_DESIGN_RANDOM : KAI_DESIGN_GRID;
    for (int i = 0; i < 4 && q->design != NULL; i++)
        if (strcmp(q->design, words[i]) == 0)
            return options->design = (kaiDesign)i, EXIT_DONE;
    return q->design == NULL ? EXIT_DONE : usage_error("--design is random, latin, sobol or grid, not `%s`", q->design);
}

static int conclude(StudyOutput* o, kaiStatus status, const kaiError* error)
{
    bool whole = status == KAI_OK && o->done == o->total;
    progress_end(&o->progress);
    int code = close_table(o, whole), kept = trajectories_close(&o->trajectories, whole);
    if (kept != EXIT_DONE)
        return kept;
    if (status < 0 && code == EXIT_DONE)
        return inquiry_failed(o->inquiry, error);
    if (code != EXIT_DONE)
        return code;
    if (!whole)
        return fprintf(stderr, "kairos: interrupted after %lld of %lld runs%s\n", (long long)o->done,
                       (long long)o->total, o->part[0] != 0 ? "; the same command goes on" : ""),
               EXIT_RUN;
    statistics_print(&o->statistics, o->inquiry->run->json, stdout);
    bool drawn = o->inquiry->figure == NULL || o->trajectories.fan_stride > 0;
    return drawn ? EXIT_DONE : chart_draw(&o->chart);
}

// Started by mpirun or srun: other processes of the same command are there.
static bool has_ranks(void)
{
    const char* size = getenv("OMPI_COMM_WORLD_SIZE");
    size = size != NULL ? size : getenv("PMI_SIZE");
    return size != NULL && atoi(size) > 1;
}

// A rank but the first makes runs, writes nothing and says nothing.
static int serve(StudyOutput* o)
{
    kaiError error = {0};
    kaiStudyRunOptions run = kaiDefaultStudyRunOptions();
    run.ranks = true;
    run.interrupt = interrupt_flag();
    return kaiStudy_Run(o->study, &run, &error) < 0 ? inquiry_failed(o->inquiry, &error) : EXIT_DONE;
}

static kaiStudyRunOptions run_options(StudyOutput* o)
{
    kaiStudyRunOptions run = kaiDefaultStudyRunOptions();
    run.threads = (int)fmin(o->inquiry->threads, INT_MAX);
    run.step = o->step;
    run.user = o;
    run.interrupt = interrupt_flag();
    if (trajectories_any(&o->trajectories))
    {
        run.wanted = is_wanted;
        run.begin = on_columns;
        run.trajectory = on_trajectory;
    }
    return run;
}

// The rows that an earlier process wrote are there; its trajectories are not.
static kaiStatus repeat_done(StudyOutput* o, kaiError* error)
{
    kaiStudyRunOptions again = run_options(o);
    again.first = o->first;
    again.end = o->first + o->done * o->step;
    again.only_wanted = true;
    return kaiStudy_Run(o->study, &again, error);
}

static kaiStatus on_single(void* user, const kaiStudyRow* row)
{
    StudyOutput* o = user;
    if (row->status != KAI_END)
        fprintf(stderr, "kairos: run %lld failed: %s\n", (long long)row->run + 1, row->reason);
    o->unwritten |= row->status != KAI_END;
    if (o->inquiry->run->quiet)
        return KAI_OK;
    write_header(o, stderr);
    write_line(o, stderr, row);
    return KAI_OK;
}

static int run_study(StudyOutput* o)
{
    const Inquiry* q = o->inquiry;
    kaiError error = {0};
    if (o->factors + o->measures + 3 > TABLE_FIELDS_MOST)
        return usage_error("a table has at most %d columns", TABLE_FIELDS_MOST);
    o->first = q->shard;
    o->step = q->shards > 0 ? q->shards : 1;
    o->total = (kaiStudy_RunCount(o->study) - o->first + o->step - 1) / o->step;
    int code = open_statistics(o);
    if (code == EXIT_DONE)
        code = open_table(o);
    if (code != EXIT_DONE)
        return close_table(o, false), code;
    kaiStudyRunOptions run = run_options(o);
    o->found = o->done;
    progress_begin(&o->progress, !q->run->quiet, false, 0, (double)o->total);
    o->progress.passed = (double)o->found;
    kaiStatus status = o->done > 0 && run.wanted != NULL ? repeat_done(o, &error) : KAI_OK;
    run.first = o->first + o->done * o->step;
    run.ranks = o->ranks;
    run.row = on_row;
    if (status == KAI_OK)
        status = kaiStudy_Run(o->study, &run, &error);
    return conclude(o, status, &error);
}

// --run: one run as the study makes it, and its row on standard error.
static int run_alone(StudyOutput* o)
{
    kaiError error = {0};
    kaiStudyRunOptions run = run_options(o);
    run.first = o->trajectories.from[0];
    run.end = run.first + 1;
    run.row = on_single;
    kaiStatus status = kaiStudy_Run(o->study, &run, &error);
    int code = trajectories_close(&o->trajectories, status == KAI_OK && !o->unwritten);
    if (status < 0 && code == EXIT_DONE)
        return inquiry_failed(o->inquiry, &error);
    return code != EXIT_DONE ? code : status == KAI_OK && !o->unwritten ? EXIT_DONE : EXIT_RUN;
}

static int run_ranks(StudyOutput* o)
{
    int rank = 0, count = 1;
    kaiError error;
    while (kaiStudy_Factor(o->study, o->factors) >= 0)
        o->factors++;
    while (kaiStudy_Measure(o->study, o->measures) != NULL)
        o->measures++;
    o->step = 1;
    int code = trajectories_choose(&o->trajectories, o->inquiry, o->study);
    if (code == EXIT_DONE)
        code = chart_choose(&o->chart, o->inquiry->figure, o->inquiry->chart, o->inquiry->signals, o->factors);
    if (code != EXIT_DONE)
        return code;
    if (o->trajectories.alone)
        return run_alone(o);
    if (!has_ranks())
        return run_study(o);
    if (kaiRanks_Begin(&rank, &count, &error) != KAI_OK)
        return inquiry_failed(o->inquiry, &error);
    o->ranks = true;
    code = rank == 0 ? run_study(o) : serve(o);
    kaiRanks_End();
    return code;
}

static int study(const Inquiry* q)
{
    static int measures[INQUIRY_NAMES];
    static Points points;
    static StudyOutput o;
    kaiStudyOptions options = kaiDefaultStudyOptions();
    kaiError error;
    int code = choose_design(q, &options);
    if (code == EXIT_DONE)
        code = measures_variables(q, measures, &options.measure_count);
    if (code == EXIT_DONE && q->points != NULL)
        code = read_points(q, &points);
    if (code == EXIT_DONE)
    {
        if (q->points != NULL)
            options.design = KAI_DESIGN_LIST;
        options.variables = points.variables;
        options.variable_count = points.count;
        options.values = points.values;
        options.value_runs = points.runs;
        options.measures = measures;
        options.runs = q->runs > 0 ? (int64_t)q->runs : options.runs;
        options.seed = request_options(q->run, q->model).seed;
        options.adjust = adjust;
        options.user = (void*)(uintptr_t)q;
        o = (StudyOutput){.inquiry = q, .study = kaiStudy_Create(q->model, &options, &error)};
        code = o.study != NULL ? run_ranks(&o) : inquiry_failed(q, &error);
        statistics_close(&o.statistics);
        chart_close(&o.chart);
        kaiStudy_Free(o.study);
        free(o.line);
    }
    free(points.values);
    return code;
}

int command_study(int argc, char** argv)
{
    return inquiry_run(FOR_STUDY, argc, argv, study);
}
