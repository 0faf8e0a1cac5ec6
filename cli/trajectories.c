// See trajectories.h.
#include "cli/trajectories.h"

#include "cli/charts.h"

#include <stdlib.h>
#include <string.h>

// ---- which runs

static int bad_list(const char* text)
{
    return usage_error("--keep %s: it must read all, or numbers of runs from 1 on, as 1,17,20-29", text);
}

// 1,17,20-29
static int read_ranges(Trajectories* t, const char* list)
{
    const char* at = list;
    do
    {
        char* end;
        long long from = strtoll(at, &end, 10), to = from;
        bool read = end != at;
        if (read && *end == '-')
        {
            at = end + 1;
            to = strtoll(at, &end, 10);
            read = end != at;
        }
        if (!read || (*end != 0 && *end != ',') || from < 1 || to < from)
            return bad_list(list);
        if (t->range_count == KEPT_RANGES)
            return usage_error("--keep: at most %d ranges", KEPT_RANGES);
        if (to > kaiStudy_RunCount(t->study))
            return usage_error("--keep %s: the study has %lld runs", list, (long long)kaiStudy_RunCount(t->study));
        t->from[t->range_count] = from - 1;
        t->to[t->range_count++] = to - 1;
        at = end + (*end == ',');
    } while (*at != 0);
    return EXIT_DONE;
}

static void keep(Trajectories* t, int64_t from, int64_t to)
{
    t->from[0] = from;
    t->to[0] = to;
    t->range_count = 1;
}

// TABLE-runs.csv, beside the table.
static int choose_path(Trajectories* t)
{
    const Inquiry* q = t->inquiry;
    const char* table = q->run->output;
    if (q->trajectories != NULL)
        snprintf(t->path, sizeof t->path, "%s", q->trajectories);
    else if (table == NULL || strcmp(table, "-") == 0)
        return usage_error("--keep: say where the trajectories go, with --trajectories FILE or -o TABLE.csv");
    else
    {
        const char *dot = strrchr(table, '.'), *slash = strrchr(table, '/');
        size_t stem = dot != NULL && (slash == NULL || dot > slash) ? (size_t)(dot - table) : strlen(table);
        snprintf(t->path, sizeof t->path, "%.*s-runs.csv", (int)stem, table);
    }
    kaiError error;
    if (kaiFormat_Check(t->path, &error) != KAI_OK)
        return usage_error("%s", error.message);
    return spare_inputs(q->run->program, t->path);
}

static int choose_alone(Trajectories* t)
{
    const Inquiry* q = t->inquiry;
    if (q->run_number > (double)kaiStudy_RunCount(t->study))
        return usage_error("--run %.0f: the study has %lld runs", q->run_number,
                           (long long)kaiStudy_RunCount(t->study));
    if (q->keep != NULL || q->trajectories != NULL || q->shards > 0 || q->figure != NULL)
        return usage_error("--run makes one run: it goes without --keep, --trajectories, --shard and --figure");
    t->alone = true;
    keep(t, (int64_t)q->run_number - 1, (int64_t)q->run_number - 1);
    snprintf(t->path, sizeof t->path, "%s", q->run->output != NULL ? q->run->output : "-");
    return EXIT_DONE;
}

int trajectories_choose(Trajectories* t, const Inquiry* q, const kaiStudy* study)
{
    *t = (Trajectories){.inquiry = q, .study = study, .run = -1, .fan_at = -1};
    int64_t runs = kaiStudy_RunCount(study);
    if (q->run_number > 0)
        return choose_alone(t);
    if (q->chart != NULL && strcmp(q->chart, "fan") == 0)
        t->fan_stride = (runs + FAN_RUNS - 1) / FAN_RUNS;
    if (q->keep == NULL && q->trajectories == NULL)
        return EXIT_DONE;
    int code = EXIT_DONE;
    if (q->keep == NULL || strcmp(q->keep, "all") == 0)
        keep(t, 0, runs - 1);
    else
        code = read_ranges(t, q->keep);
    return code == EXIT_DONE ? choose_path(t) : code;
}

static bool is_kept(const Trajectories* t, int64_t run)
{
    for (int i = 0; i < t->range_count; i++)
        if (run >= t->from[i] && run <= t->to[i])
            return true;
    return false;
}

static bool is_in_fan(const Trajectories* t, int64_t run)
{
    return t->fan_stride > 0 && run % t->fan_stride == 0;
}

bool trajectories_any(const Trajectories* t)
{
    return t->range_count > 0 || t->fan_stride > 0;
}

bool trajectories_want(const Trajectories* t, int64_t run)
{
    return is_in_fan(t, run) || is_kept(t, run);
}

// ---- their rows

static kaiStatus open_writer(Trajectories* t, const kaiColumn* columns, int count)
{
    const char* names[INQUIRY_NAMES + 1] = {"run"};
    kaiWriterOptions options = kaiDefaultWriterOptions();
    int leads = 1;
    for (int i = 0; kaiStudy_Factor(t->study, i) >= 0 && leads <= INQUIRY_NAMES; i++)
        names[leads++] = kaiModel_VariableName(t->inquiry->model, kaiStudy_Factor(t->study, i));
    kaiSimOptions times = request_options(t->inquiry->run, t->inquiry->model);
    options.path = t->path;
    options.start = times.start;
    options.stop = times.stop;
    options.lead_names = names;
    options.lead_count = t->alone ? 0 : leads;
    t->writer = kaiWriter_Open(&options, columns, count, &t->error);
    return t->writer != NULL ? KAI_OK : t->error.status;
}

// In one block, with the lists of modes; the texts are those of the model.
static kaiColumn* copy_columns(const kaiColumn* columns, int count)
{
    size_t modes = 0;
    for (int i = 0; i < count; i++)
        modes += (size_t)columns[i].mode_count;
    kaiColumn* copy = malloc(sizeof *copy * (size_t)(count + 1) + sizeof(char*) * modes);
    const char** names = copy != NULL ? (const char**)(void*)(copy + count + 1) : NULL;
    for (int i = 0; i < count && copy != NULL; i++)
    {
        copy[i] = columns[i];
        copy[i].mode_names = names;
        for (int k = 0; k < columns[i].mode_count; k++)
            *names++ = columns[i].mode_names[k];
    }
    return copy;
}

kaiStatus trajectories_begin(Trajectories* t, const kaiColumn* columns, int count)
{
    kaiStatus status = KAI_OK;
    t->columns = t->columns != NULL ? t->columns : copy_columns(columns, count);
    if (t->columns == NULL)
        return KAI_ERR_MEMORY;
    if (t->range_count > 0 && t->writer == NULL)
        status = open_writer(t, t->columns, count);
    if (status == KAI_OK && t->fan_stride > 0 && t->fan == NULL)
    {
        t->fan = fan_open(t->inquiry, t->columns, count, &t->error);
        status = t->fan != NULL ? KAI_OK : t->error.status;
    }
    return status;
}

static void set_lead(Trajectories* t, const kaiStudyRow* run)
{
    double values[INQUIRY_NAMES + 1] = {(double)run->run + 1};
    int leads = 1;
    for (int i = 0; kaiStudy_Factor(t->study, i) >= 0 && leads <= INQUIRY_NAMES; i++)
        values[leads++] = run->factors[i];
    if (!t->alone)
        kaiWriter_SetLead(t->writer, values);
    t->run = run->run;
}

kaiStatus trajectories_row(Trajectories* t, const kaiStudyRow* run, const kaiRow* row)
{
    kaiStatus status = KAI_OK;
    if (t->writer != NULL && is_kept(t, run->run))
    {
        if (run->run != t->run)
            set_lead(t, run);
        status = kaiWriter_Row(t->writer, row);
    }
    if (t->fan == NULL || !is_in_fan(t, run->run) || status != KAI_OK)
        return status;
    if (run->run != t->fan_at)
        kaiFan_BeginRun(t->fan);
    t->fan_at = run->run;
    return kaiFan_Row(t->fan, row);
}

int trajectories_close(Trajectories* t, bool whole)
{
    int code = EXIT_DONE;
    if (t->error.status < 0)
        code = (fprintf(stderr, "kairos: %s\n", t->error.message), exit_code(t->error.status));
    if (t->writer != NULL && kaiWriter_Close(t->writer, whole ? NULL : "not whole: the study was interrupted") < 0 &&
        code == EXIT_DONE)
        code = (fprintf(stderr, "kairos: %s cannot be written\n", t->path), EXIT_FILE);
    if (code == EXIT_DONE && whole && t->fan != NULL && t->inquiry->figure != NULL)
        code = fan_draw(t->fan);
    kaiFan_Free(t->fan);
    free(t->columns);
    t->columns = NULL;
    t->writer = NULL;
    t->fan = NULL;
    return code;
}
