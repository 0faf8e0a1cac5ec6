// Studies: many runs to one block of numbers, the rows of those that are kept, and their pictures.
#include "module.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Collection
{
    const kaiModel* model;
    kaiStudy* study;
    int factors, measures;
    int64_t rows, room;
    double* numbers;  // row by row: factors, measures, 1 if it passed (0: not, NaN: it failed)
    PyObject *reasons, *progress;
    double told;
    PyObject *error, *error_value, *error_trace;  // that progress raised, in whatever thread
    volatile int* interrupt;
    // trajectories
    int64_t* kept;  // runs, sorted
    Py_ssize_t kept_count;
    bool keep_all;
    const kaiColumn* columns;
    int column_count;
    PyObject *names, *runs;  // columns as a list; [(run, Recorder), …]
    int64_t now;
    kaiRecorder* recorder;
} Collection;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- rows of the study, from any thread

static bool add_row(Collection* c, const kaiStudyRow* row)
{
    int width = c->factors + c->measures + 1;
    if (c->rows == c->room)
    {
        int64_t room = c->room == 0 ? 256 : 2 * c->room;
        double* more = realloc(c->numbers, sizeof *more * (size_t)room * (size_t)width);
        if (more == NULL)
            return false;
        c->numbers = more;
        c->room = room;
    }
    double* to = c->numbers + c->rows++ * width;
    memcpy(to, row->factors, sizeof *to * (size_t)c->factors);
    memcpy(to + c->factors, row->measures, sizeof *to * (size_t)c->measures);
    to[width - 1] = row->status != KAI_END ? kaiNumber_Absent() : row->failed == 0;
    return true;
}

// With the lock of the interpreter. False: an exception.
static bool tell(Collection* c, const kaiStudyRow* row)
{
    if (row->reason[0] != 0)
    {
        PyObject *run = PyLong_FromLongLong(row->run), *text = PyUnicode_FromString(row->reason);
        int set = run != NULL && text != NULL ? PyDict_SetItem(c->reasons, run, text) : -1;
        Py_XDECREF(run);
        Py_XDECREF(text);
        if (set != 0)
            return false;
    }
    double now = seconds();
    if (c->progress == Py_None || now < c->told + 0.2)
        return true;
    c->told = now;
    PyObject* answer =
        PyObject_CallFunction(c->progress, "LL", (long long)c->rows, (long long)kaiStudy_RunCount(c->study));
    bool fine = answer != NULL && answer != Py_False;
    if (answer == Py_False)
        *c->interrupt = 1;
    Py_XDECREF(answer);
    return fine || answer == Py_False;
}

static kaiStatus on_row(void* user, const kaiStudyRow* row)
{
    Collection* c = user;
    if (!add_row(c, row))
        return KAI_ERR_MEMORY;
    if (row->reason[0] == 0 && (c->progress == Py_None || seconds() < c->told + 0.2))
        return KAI_OK;
    PyGILState_STATE held = PyGILState_Ensure();
    bool fine = tell(c, row);
    if (!fine)  // kept for the thread that called, which raises it
        PyErr_Fetch(&c->error, &c->error_value, &c->error_trace);
    PyGILState_Release(held);
    return fine ? KAI_OK : KAI_INTERRUPTED;
}

// ---- trajectories

static int by_run(const void* a, const void* b)
{
    int64_t x = *(const int64_t*)a, y = *(const int64_t*)b;
    return (x > y) - (x < y);
}

static bool is_wanted(void* user, int64_t run)
{
    const Collection* c = user;
    return c->keep_all ||
           (c->kept_count > 0 && bsearch(&run, c->kept, (size_t)c->kept_count, sizeof run, by_run) != NULL);
}

static kaiStatus on_columns(void* user, const kaiColumn* columns, int count)
{
    Collection* c = user;
    PyGILState_STATE held = PyGILState_Ensure();
    c->names = columns_list(columns, count);
    c->column_count = count;
    PyErr_Clear();
    PyGILState_Release(held);
    return c->names != NULL ? KAI_OK : KAI_ERR_MEMORY;
}

static kaiStatus begin_run(Collection* c, int64_t run)
{
    kaiRecorderOptions options = kaiDefaultRecorderOptions();
    c->recorder = kaiRecorder_Create(&options, c->column_count, NULL);
    if (c->recorder == NULL)
        return KAI_ERR_MEMORY;
    c->now = run;
    PyGILState_STATE held = PyGILState_Ensure();
    PyObject* pair = Py_BuildValue("(LN)", (long long)run, recorder_make(c->recorder));
    bool fine = pair != NULL && PyList_Append(c->runs, pair) == 0;
    Py_XDECREF(pair);
    PyErr_Clear();
    PyGILState_Release(held);
    return fine ? KAI_OK : KAI_ERR_MEMORY;
}

static kaiStatus on_trajectory(void* user, const kaiStudyRow* run, const kaiRow* row)
{
    Collection* c = user;
    kaiStatus status = c->now != run->run ? begin_run(c, run->run) : KAI_OK;
    return status == KAI_OK ? kaiRecorder_Row(c->recorder, row) : status;
}

// None, True, or a list of runs.
static bool take_kept(Collection* c, PyObject* keep)
{
    c->keep_all = keep == Py_True;
    if (keep == Py_None || keep == Py_True || keep == Py_False)
        return true;
    c->kept_count = PyList_Size(keep);
    c->kept = c->kept_count >= 0 ? calloc((size_t)c->kept_count + 1, sizeof *c->kept) : NULL;
    for (Py_ssize_t i = 0; c->kept != NULL && i < c->kept_count; i++)
        c->kept[i] = PyLong_AsLongLong(PyList_GetItem(keep, i));
    if (c->kept == NULL || PyErr_Occurred() != NULL)
        return false;
    qsort(c->kept, (size_t)c->kept_count, sizeof *c->kept, by_run);
    return true;
}

// ---- the study

static kaiStatus run_study(Collection* c, int threads, int64_t first, int64_t end, volatile int* interrupt,
                           kaiError* error)
{
    kaiStudyRunOptions run = kaiDefaultStudyRunOptions();
    Watch watch;
    kaiStatus status;
    run.threads = threads;
    run.first = first;
    run.end = end;
    run.row = on_row;
    run.user = c;
    run.interrupt = c->interrupt = interrupt;
    if (c->keep_all || c->kept_count > 0)
    {
        run.wanted = is_wanted;
        run.begin = on_columns;
        run.trajectory = on_trajectory;
    }
    watch_begin(&watch, interrupt);
    Py_BEGIN_ALLOW_THREADS;
    status = kaiStudy_Run(c->study, &run, error);
    Py_END_ALLOW_THREADS;
    watch_end(&watch);
    return status;
}

static PyObject* names_list(const Collection* c)
{
    PyObject* list = PyList_New(0);
    kaiVariable v;
    for (int i = 0; list != NULL && i < c->factors + c->measures; i++)
    {
        bool factor = i < c->factors;
        if (factor)
            kaiModel_Variable(c->model, kaiStudy_Factor(c->study, i), &v);
        const char *name = factor ? v.name : kaiStudy_Measure(c->study, i - c->factors),
                   *unit = factor ? v.unit : kaiStudy_Unit(c->study, i - c->factors);
        PyObject* tuple = Py_BuildValue("(szO)", name, unit, factor ? Py_True : Py_False);
        if (tuple == NULL || PyList_Append(list, tuple) != 0)
            Py_CLEAR(list);
        Py_XDECREF(tuple);
    }
    return list;
}

static PyObject* hand_out(Collection* c)
{
    size_t size = sizeof(double) * (size_t)c->rows * (size_t)(c->factors + c->measures + 1);
    PyObject* numbers = PyByteArray_FromStringAndSize((const char*)c->numbers, (Py_ssize_t)size);
    PyObject* columns = c->names != NULL ? c->names : PyList_New(0);
    c->names = NULL;
    return Py_BuildValue("(NNLOONL)", names_list(c), numbers, (long long)c->rows, c->reasons, c->runs, columns,
                         (long long)kaiStudy_RunCount(c->study));
}

static bool take_points(PyObject* variables, const char* values, Py_ssize_t size, kaiStudyOptions* options, int* list)
{
    if (variables == Py_None)
        return true;
    options->variable_count = (int)PyList_Size(variables);
    for (int i = 0; i < options->variable_count && i < 256; i++)
        list[i] = (int)PyLong_AsLong(PyList_GetItem(variables, i));
    options->variables = list;
    options->values = (const double*)(const void*)values;
    options->value_runs = options->variable_count > 0 ? size / (Py_ssize_t)sizeof(double) / options->variable_count : 0;
    return PyErr_Occurred() == NULL && options->variable_count <= 256;
}

// (model, design, runs, seed, threads, first, end, variables or None, values as bytes, keep, progress) ->
// ([(name, unit, is a factor), …], numbers, rows, reasons, [(run, Recorder), …], columns, runs of the study)
PyObject* module_study(PyObject* self, PyObject* args)
{
    (void)self;
    PyObject *model, *variables, *keep;
    int design, threads, list[256];
    long long runs, first, end;
    unsigned long long seed;
    const char* values;
    Py_ssize_t size;
    volatile int interrupt = 0;
    kaiError error = {0};
    Collection c = {.now = -1};
    kaiStudyOptions options = kaiDefaultStudyOptions();
    if (!PyArg_ParseTuple(args, "O!iLKiLLOy#OO", model_type, &model, &design, &runs, &seed, &threads, &first, &end,
                          &variables, &values, &size, &keep, &c.progress) ||
        !take_points(variables, values, size, &options, list) || !take_kept(&c, keep))
        return NULL;
    options.design = (kaiDesign)design;
    options.runs = runs;
    options.seed = seed;
    c.model = ((Model*)model)->model;
    c.study = kaiStudy_Create(c.model, &options, &error);
    c.reasons = PyDict_New();
    c.runs = PyList_New(0);
    PyObject* result = NULL;
    if (c.study != NULL && c.reasons != NULL && c.runs != NULL)
    {
        while (kaiStudy_Factor(c.study, c.factors) >= 0)
            c.factors++;
        while (kaiStudy_Measure(c.study, c.measures) != NULL)
            c.measures++;
        c.told = seconds();
        kaiStatus status = run_study(&c, threads, first, end, &interrupt, &error);
        if (c.error != NULL)
            PyErr_Restore(c.error, c.error_value, c.error_trace);
        else if (PyErr_CheckSignals() == 0)
            result = status < 0 ? raise_error(status, &error) : hand_out(&c);
    }
    else if (c.study == NULL)
        raise_error(error.status, &error);
    kaiStudy_Free(c.study);
    free(c.numbers);
    free(c.kept);
    Py_XDECREF(c.reasons);
    Py_XDECREF(c.runs);
    Py_XDECREF(c.names);
    return result;
}

// values as bytes -> (count, mean, half, deviation, least, five quantiles, most)
PyObject* module_summary(PyObject* self, PyObject* args)
{
    (void)self;
    const char* bytes;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "y#", &bytes, &size))
        return NULL;
    kaiStatistics* statistics = kaiStatistics_Create(kaiDefaultAllocator());
    kaiStatus status = statistics != NULL ? KAI_OK : KAI_ERR_MEMORY;
    for (Py_ssize_t i = 0; i < size / (Py_ssize_t)sizeof(double) && status == KAI_OK; i++)
        status = kaiStatistics_Add(statistics, i, ((const double*)(const void*)bytes)[i]);
    kaiSummary s = kaiStatistics_Summary(statistics);
    kaiStatistics_Free(statistics);
    if (status != KAI_OK)
        return PyErr_NoMemory();
    return Py_BuildValue("(Ldddddddddd)", (long long)s.count, s.mean, s.half, s.deviation, s.least, s.quantiles[0],
                         s.quantiles[1], s.quantiles[2], s.quantiles[3], s.quantiles[4], s.most);
}

// ---- pictures

// (kind, [(name, unit, is a factor, values as bytes), …], path, title, width, height) -> bytes
PyObject* module_chart(PyObject* self, PyObject* args)
{
    (void)self;
    enum
    {
        COLUMNS = 64
    };
    PyObject* list;
    int kind;
    Py_ssize_t size = 0;
    kaiChartColumn columns[COLUMNS];
    kaiError error = {0};
    Bytes picture = {0};
    kaiFigureOptions options = kaiDefaultFigureOptions();
    if (!PyArg_ParseTuple(args, "iO!szdd", &kind, &PyList_Type, &list, &options.path, &options.title, &options.width,
                          &options.height))
        return NULL;
    int count = (int)PyList_Size(list) < COLUMNS ? (int)PyList_Size(list) : COLUMNS;
    for (int i = 0; i < count; i++)
    {
        const char* values;
        int factor;
        Py_ssize_t own;
        if (!PyArg_ParseTuple(PyList_GetItem(list, i), "szpy#", &columns[i].name, &columns[i].unit, &factor, &values,
                              &own))
            return NULL;
        if (i > 0 && own != size)
            return PyErr_SetString(PyExc_ValueError, "the columns have different lengths"), NULL;
        size = own;
        columns[i].factor = factor != 0;
        columns[i].values = (const double*)(const void*)values;
    }
    options.sink = (kaiSink){bytes_add, &picture};
    int64_t rows = size / (Py_ssize_t)sizeof(double);
    kaiStatus status = kaiChart_Draw(&options, (kaiChartKind)kind, columns, count, rows, &error);
    return bytes_object(&picture, status, &error);
}

// (columns, recorders, signals, path, title, width, height) -> bytes
PyObject* module_fan(PyObject* self, PyObject* args)
{
    (void)self;
    PyObject *list, *recorders, *signals;
    int count;
    const char* names[16];
    kaiError error = {0};
    Bytes picture = {0};
    kaiFigureOptions options = kaiDefaultFigureOptions();
    if (!PyArg_ParseTuple(args, "O!O!O!szdd", &PyList_Type, &list, &PyList_Type, &recorders, &PyList_Type, &signals,
                          &options.path, &options.title, &options.width, &options.height))
        return NULL;
    int wanted = (int)PyList_Size(signals) < 16 ? (int)PyList_Size(signals) : 16;
    for (int i = 0; i < wanted; i++)
        if ((names[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(signals, i), NULL)) == NULL)
            return NULL;
    kaiColumn* columns = columns_take(list, &count);
    if (columns == NULL)
        return NULL;
    options.time_unit = "s";
    options.sink = (kaiSink){bytes_add, &picture};
    kaiFan* fan = kaiFan_Create(&options, columns, count, names, wanted, &error);
    kaiStatus status = fan != NULL ? KAI_OK : error.status;
    for (Py_ssize_t i = 0; status == KAI_OK && i < PyList_Size(recorders); i++)
    {
        PyObject* recorder = PyList_GetItem(recorders, i);
        kaiFan_BeginRun(fan);
        status = each_row(((Recorder*)recorder)->recorder, kaiFan_Row, fan);
    }
    status = status == KAI_OK ? kaiFan_Draw(fan, &error) : status;
    kaiFan_Free(fan);
    columns_free(columns, count);
    return bytes_object(&picture, status, &error);
}
