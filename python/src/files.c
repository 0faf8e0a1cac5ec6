// Results from files, to files, and as figures.
#include "module.h"

#include <stdlib.h>
#include <string.h>

// ---- rows of a recorder

kaiStatus each_row(const kaiRecorder* r, kaiRowFn* use, void* user)
{
    int n = kaiRecorder_ColumnCount(r);
    double* values = calloc((size_t)n + 1, sizeof *values);
    uint8_t* present = calloc((size_t)n + 1, 1);
    kaiStatus status = values != NULL && present != NULL ? KAI_OK : KAI_ERR_MEMORY;
    for (int64_t k = 0; k < kaiRecorder_Count(r) && status == KAI_OK; k++)
    {
        for (int i = 0; i < n; i++)
        {
            values[i] = kaiRecorder_Column(r, i)[k];
            present[i] = !kaiNumber_IsAbsent(values[i]);
        }
        kaiRow row = {kaiRecorder_Times(r)[k], kaiRecorder_Jumps(r)[k], kaiRecorder_Reactions(r)[k], values, present};
        status = use(user, &row);
    }
    free(values);
    free(present);
    return status;
}

// ---- writing

// (path, columns, recorder, view, title)
PyObject* module_write(PyObject* self, PyObject* args)
{
    (void)self;
    PyObject *list, *recorder;
    int view, count;
    kaiError error = {0};
    kaiWriterOptions options = kaiDefaultWriterOptions();
    if (!PyArg_ParseTuple(args, "sO!O!iz", &options.path, &PyList_Type, &list, recorder_type, &recorder, &view,
                          &options.title))
        return NULL;
    kaiColumn* columns = columns_take(list, &count);
    if (columns == NULL)
        return NULL;
    const kaiRecorder* r = ((Recorder*)recorder)->recorder;
    int64_t rows = kaiRecorder_Count(r);
    options.view = (kaiView)view;
    options.start = rows > 0 ? kaiRecorder_Times(r)[0] : 0;
    options.stop = rows > 0 ? kaiRecorder_Times(r)[rows - 1] : 0;
    kaiStatus status;
    Py_BEGIN_ALLOW_THREADS;
    kaiWriter* writer = kaiWriter_Open(&options, columns, count, &error);
    status = writer != NULL ? each_row(r, kaiWriter_Row, writer) : error.status;
    kaiStatus closed = writer != NULL ? kaiWriter_Close(writer, NULL) : KAI_OK;
    status = status == KAI_OK ? closed : status;
    Py_END_ALLOW_THREADS;
    columns_free(columns, count);
    if (status != KAI_OK)
        return raise_error(status, &error);
    Py_RETURN_NONE;
}

// ---- reading

enum
{
    RUNS_MAX = 100000
};

typedef struct Reading
{
    const kaiColumn* columns;
    int column_count, run_count;
    kaiRecorder* now;
    kaiRecorder** runs;
    char** names;
} Reading;

static kaiStatus begin_run(Reading* r, const char* label)
{
    kaiRecorderOptions options = kaiDefaultRecorderOptions();
    void* runs = realloc(r->runs, sizeof *r->runs * (size_t)(r->run_count + 1));
    r->runs = runs != NULL ? runs : r->runs;
    void* names = realloc(r->names, sizeof *r->names * (size_t)(r->run_count + 1));
    r->names = names != NULL ? names : r->names;
    if (runs == NULL || names == NULL || r->run_count == RUNS_MAX)
        return KAI_ERR_MEMORY;
    r->now = kaiRecorder_Create(&options, r->column_count, NULL);
    char* name = strdup(label);
    if (r->now == NULL || name == NULL)
    {
        kaiRecorder_Free(r->now);
        free(name);
        return KAI_ERR_MEMORY;
    }
    r->runs[r->run_count] = r->now;
    r->names[r->run_count++] = name;
    return KAI_OK;
}

static kaiStatus on_header(void* user, const kaiColumn* columns, int count, bool* wanted)
{
    (void)wanted;
    Reading* r = user;
    r->columns = columns;
    r->column_count = count;
    return KAI_OK;
}

static kaiStatus on_row(void* user, const kaiRow* row)
{
    Reading* r = user;
    kaiStatus status = r->now == NULL ? begin_run(r, "") : KAI_OK;
    return status == KAI_OK ? kaiRecorder_Row(r->now, row) : status;
}

static kaiStatus on_lead(void* user, const char* text)
{
    return begin_run(user, text);
}

// (columns, recorders, labels, remark); all recorders are handed over or freed.
static PyObject* hand_out(Reading* r, const char* remark)
{
    PyObject *recorders = PyList_New(0), *labels = PyList_New(0);
    for (int i = 0; i < r->run_count; i++)
    {
        PyObject *recorder = recorder_make(r->runs[i]), *label = PyUnicode_FromString(r->names[i]);
        r->runs[i] = NULL;
        if (recorder == NULL || label == NULL || PyList_Append(recorders, recorder) != 0 ||
            PyList_Append(labels, label) != 0)
            Py_CLEAR(recorders);
        Py_XDECREF(recorder);
        Py_XDECREF(label);
        if (recorders == NULL)
            break;
    }
    return Py_BuildValue("(NNNz)", columns_list(r->columns, r->column_count), recorders, labels, remark);
}

PyObject* module_read(PyObject* self, PyObject* args)
{
    (void)self;
    const char* path;
    if (!PyArg_ParseTuple(args, "s", &path))
        return NULL;
    Reading r = {0};
    kaiError error = {0};
    kaiCsvVisitor visitor = {on_header, on_row, on_lead, &r};
    kaiStatus status;
    kaiReader* reader;
    Py_BEGIN_ALLOW_THREADS;
    reader = kaiReader_Open(path, kaiDefaultAllocator(), &error);
    status = reader != NULL ? kaiReader_Read(reader, &visitor, &error) : error.status;
    if (status == KAI_OK && r.run_count == 0)
        status = begin_run(&r, "");
    Py_END_ALLOW_THREADS;
    PyObject* result = status == KAI_OK ? hand_out(&r, kaiReader_Remark(reader)) : raise_error(status, &error);
    for (int i = 0; i < r.run_count; i++)
    {
        kaiRecorder_Free(r.runs[i]);
        free(r.names[i]);
    }
    free(r.runs);
    free(r.names);
    kaiReader_Free(reader);
    return result;
}

// ---- comparing

static void on_difference(void* user, const kaiDifference* d)
{
    PyObject* tuple = Py_BuildValue("(ss(dii)s)", d->signal, d->run, d->tag.t, d->tag.p, d->tag.m, d->text);
    if (tuple != NULL)
        PyList_Append(user, tuple);
    Py_XDECREF(tuple);
}

// (first, second, absolute, relative, time, list of signals) -> [(signal, run, tag, text), …]
PyObject* module_compare(PyObject* self, PyObject* args)
{
    (void)self;
    const char *first, *second;
    PyObject* signals;
    kaiCompareOptions options = kaiDefaultCompareOptions();
    kaiComparison comparison;
    kaiError error;
    if (!PyArg_ParseTuple(args, "ssdddO!", &first, &second, &options.absolute, &options.relative, &options.time,
                          &PyList_Type, &signals))
        return NULL;
    int count = (int)PyList_Size(signals);
    const char** only = calloc((size_t)count + 1, sizeof *only);
    PyObject* list = PyList_New(0);
    for (int i = 0; only != NULL && list != NULL && i < count; i++)
        if ((only[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(signals, i), NULL)) == NULL)
            Py_CLEAR(list);
    options.only = only;
    options.only_count = count;
    options.difference = on_difference;
    options.user = list;
    kaiStatus status = list != NULL ? kaiResult_Compare(first, second, &options, &comparison, &error) : KAI_ERR_MEMORY;
    free(only);
    if (status == KAI_OK && PyErr_Occurred() == NULL)
        return list;
    Py_XDECREF(list);
    return PyErr_Occurred() != NULL ? NULL : raise_error(status, &error);
}

// ---- figures

// [(names, against), …] → panels; the names of all lie in one array. False: an exception.
static bool take_panels(PyObject* list, kaiPanel panels[32], const char* names[256], int* count)
{
    int name_count = 0;
    for (*count = 0; *count < PyList_Size(list) && *count < 32; ++*count)
    {
        PyObject* signals;
        kaiPanel* panel = &panels[*count];
        *panel = (kaiPanel){.signals = names + name_count};
        if (!PyArg_ParseTuple(PyList_GetItem(list, *count), "O!z", &PyList_Type, &signals, &panel->against))
            return false;
        for (Py_ssize_t i = 0; i < PyList_Size(signals) && name_count < 256; i++, panel->count++)
            if ((names[name_count++] = PyUnicode_AsUTF8AndSize(PyList_GetItem(signals, i), NULL)) == NULL)
                return false;
    }
    return true;
}

static kaiStatus draw(const kaiFigureOptions* options, const kaiColumn* columns, int count, const kaiPanel* panels,
                      int panel_count, const kaiRecorder* r, kaiError* error)
{
    kaiFigure* figure = kaiFigure_Create(options, columns, count, panels, panel_count, error);
    if (figure == NULL)
        return error->status;
    kaiStatus status = each_row(r, kaiFigure_Row, figure);
    if (status == KAI_OK)
        status = kaiFigure_Draw(figure, error);
    kaiFigure_Free(figure);
    return status;
}

// (columns, recorder, panels, path, title, width, height) -> bytes; the path says what kind it is.
PyObject* module_figure(PyObject* self, PyObject* args)
{
    (void)self;
    PyObject *list, *recorder, *wanted;
    kaiPanel panels[32];
    const char* names[256];
    int count, panel_count;
    kaiError error = {0};
    Bytes picture = {0};
    kaiFigureOptions options = kaiDefaultFigureOptions();
    if (!PyArg_ParseTuple(args, "O!O!O!szdd", &PyList_Type, &list, recorder_type, &recorder, &PyList_Type, &wanted,
                          &options.path, &options.title, &options.width, &options.height) ||
        !take_panels(wanted, panels, names, &panel_count))
        return NULL;
    kaiColumn* columns = columns_take(list, &count);
    if (columns == NULL)
        return NULL;
    options.time_unit = "s";
    options.sink = (kaiSink){bytes_add, &picture};
    kaiStatus status = draw(&options, columns, count, panels, panel_count, ((Recorder*)recorder)->recorder, &error);
    columns_free(columns, count);
    return bytes_object(&picture, status, &error);
}
