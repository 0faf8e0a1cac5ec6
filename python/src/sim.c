// Runs and snapshots. A run works without the interpreter's lock; rows go to a recorder in C.
#include "module.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- making

static Recorder* new_recorder(const kaiSim* sim, kaiView view)
{
    int count;
    kaiError error;
    kaiRecorderOptions options = kaiDefaultRecorderOptions();
    options.view = view;
    kaiSim_Columns(sim, &count);
    kaiRecorder* recorder = kaiRecorder_Create(&options, count, &error);
    return recorder != NULL ? (Recorder*)recorder_make(recorder) : (Recorder*)PyErr_NoMemory();
}

static kaiStatus on_row(void* user, const kaiRow* row)
{
    Sim* s = user;
    kaiStatus status = s->driven ? kaiDrive_At(&s->drive, row->t) : KAI_OK;
    return status == KAI_OK ? kaiRecorder_Row(s->recorder->recorder, row) : status;
}

// (model, record: list of variables or None, rows: bool, seconds, memory, row_gap)
static int sim_init(PyObject* self, PyObject* args, PyObject* keywords)
{
    (void)keywords;
    Sim* s = (Sim*)self;
    PyObject *model, *record;
    int rows;
    double seconds, row_gap;
    unsigned long long memory;
    if (!PyArg_ParseTuple(args, "O!OpdKd", model_type, &model, &record, &rows, &seconds, &memory, &row_gap))
        return -1;
    Py_INCREF(model);
    s->model = (Model*)model;
    kaiSimOptions options = kaiModel_SimOptions(s->model->model);
    options.row = rows ? on_row : NULL;
    options.row_user = s;
    options.row_gap = row_gap;
    options.limits.seconds = seconds;
    options.limits.memory = (size_t)memory;
    options.interrupt = &s->interrupt;
    Py_ssize_t count = record != Py_None ? PyList_Size(record) : 0;
    int* variables = count > 0 ? calloc((size_t)count, sizeof *variables) : NULL;
    for (Py_ssize_t i = 0; variables != NULL && i < count; i++)
        variables[i] = (int)PyLong_AsLong(PyList_GetItem(record, i));
    options.record = variables;
    options.record_count = (int)count;
    kaiError error;
    s->sim = PyErr_Occurred() == NULL ? kaiSim_Create(s->model->model, &options, &error) : NULL;
    free(variables);
    if (s->sim == NULL && PyErr_Occurred() == NULL)
        raise_error(error.status, &error);
    s->recorder = s->sim != NULL ? new_recorder(s->sim, KAI_VIEW_FULL) : NULL;
    return s->recorder != NULL ? 0 : -1;
}

static void sim_close(Sim* s)
{
    kaiSim_Free(s->sim);
    s->sim = NULL;
}

static void sim_free(PyObject* self)
{
    Sim* s = (Sim*)self;
    PyTypeObject* type = Py_TYPE(self);
    sim_close(s);
    Py_XDECREF((PyObject*)s->recorder);
    Py_XDECREF((PyObject*)s->model);
    PyObject_Free(self);
    Py_DECREF(type);
}

static bool is_open(const Sim* s)
{
    if (s->sim == NULL)
        PyErr_SetString(PyExc_ValueError, "this run has been closed");
    else if (s->busy)
        PyErr_SetString(PyExc_RuntimeError, "this run is in use by another thread");
    return s->sim != NULL && !s->busy;
}

// ---- going on

// 0: a time was reached; 1: an instant; 2: the end; 3: interrupted by another thread. Ctrl-C and failures are
// exceptions.
static PyObject* conclude(Sim* s, kaiStatus status)
{
    if (PyErr_Occurred() != NULL || (status == KAI_INTERRUPTED && PyErr_CheckSignals() != 0))
        return NULL;
    if (status == KAI_ERR_MEMORY)
        return PyErr_NoMemory();
    if (status < 0)
        return raise_error(status, kaiSim_Failure(s->sim));
    return PyLong_FromLong(status);
}

typedef kaiStatus Going(kaiSim* sim, double t);

static kaiStatus go_step(kaiSim* sim, double t)
{
    (void)t;
    return kaiSim_Step(sim);
}

// To time t, over all instants on the way.
static kaiStatus go_to(kaiSim* sim, double t)
{
    kaiStatus status;
    do
        status = kaiSim_StepTo(sim, t);
    while (status == KAI_INSTANT);
    return status;
}

static PyObject* go(Sim* s, Going* going, double t)
{
    kaiStatus status;
    Watch watch;
    if (!is_open(s) || !begin_use(&s->busy))
        return NULL;
    watch_begin(&watch, &s->interrupt);
    Py_BEGIN_ALLOW_THREADS;
    status = going(s->sim, t);
    Py_END_ALLOW_THREADS;
    watch_end(&watch);
    s->busy = false;
    return conclude(s, status);
}

static PyObject* sim_step(PyObject* self, PyObject* args)
{
    (void)args;
    return go((Sim*)self, go_step, 0);
}

static PyObject* sim_step_to(PyObject* self, PyObject* args)
{
    double t;
    if (!PyArg_ParseTuple(args, "d", &t))
        return NULL;
    return go((Sim*)self, kaiSim_StepTo, t);
}

static PyObject* sim_to(PyObject* self, PyObject* args)
{
    double t;
    if (!PyArg_ParseTuple(args, "d", &t))
        return NULL;
    return go((Sim*)self, go_to, t);
}

// An exception of the callback ends the run, and is raised when it has ended.
static kaiStatus call_progress(void* user, double t)
{
    Sim* s = user;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject* answer = PyErr_Occurred() == NULL ? PyObject_CallFunction(s->progress, "d", t) : NULL;
    bool stop = answer == NULL || answer == Py_False;
    Py_XDECREF(answer);
    PyGILState_Release(state);
    return stop ? KAI_INTERRUPTED : KAI_OK;
}

static kaiStatus go_driven(kaiSim* sim, double t)
{
    (void)t;
    return kaiSim_Run(sim);
}

// (pace, progress or None, seconds between its calls)
static PyObject* sim_drive(PyObject* self, PyObject* args)
{
    Sim* s = (Sim*)self;
    PyObject* progress;
    s->drive = (kaiDrive){.interrupt = &s->interrupt};
    if (!PyArg_ParseTuple(args, "dOd", &s->drive.pace, &progress, &s->drive.interval) || !is_open(s))
        return NULL;
    if (progress != Py_None)
    {
        s->progress = progress;
        s->drive.progress = call_progress;
        s->drive.user = s;
    }
    s->driven = true;
    PyObject* done = go(s, go_driven, 0);
    s->driven = false;
    s->progress = NULL;
    return done;
}

static PyObject* sim_post_inputs(PyObject* self, PyObject* args)
{
    Sim* s = (Sim*)self;
    const char* path;
    kaiError error;
    if (!PyArg_ParseTuple(args, "s", &path) || !is_open(s))
        return NULL;
    kaiStatus status = kaiInputs_Post(path, s->model->model, s->sim, &error);
    if (status != KAI_OK)
        return raise_error(status, &error);
    Py_RETURN_NONE;
}

static PyObject* sim_interrupt(PyObject* self, PyObject* args)
{
    (void)args;
    ((Sim*)self)->interrupt = 1;
    Py_RETURN_NONE;
}

static PyObject* sim_end(PyObject* self, PyObject* args)
{
    (void)args;
    if (((Sim*)self)->busy)
        return PyErr_Format(PyExc_RuntimeError, "this run is in use by another thread");
    sim_close((Sim*)self);
    Py_RETURN_NONE;
}

// ---- values

static PyObject* sim_set(PyObject* self, PyObject* args)
{
    Sim* s = (Sim*)self;
    int variable;
    double value;
    if (!PyArg_ParseTuple(args, "id", &variable, &value) || !is_open(s))
        return NULL;
    return PyBool_FromLong(kaiSim_Set(s->sim, variable, value) == KAI_OK);
}

static PyObject* sim_get(PyObject* self, PyObject* args)
{
    Sim* s = (Sim*)self;
    int variable;
    double value;
    if (!PyArg_ParseTuple(args, "i", &variable) || !is_open(s))
        return NULL;
    if (!kaiSim_Get(s->sim, variable, &value))
        Py_RETURN_NONE;
    return PyFloat_FromDouble(value);
}

static PyObject* sim_post(PyObject* self, PyObject* args)
{
    Sim* s = (Sim*)self;
    int variable;
    double value, t;
    uint64_t handle = 0;
    if (!PyArg_ParseTuple(args, "idd", &variable, &value, &t) || !is_open(s))
        return NULL;
    kaiStatus status = kaiSim_Post(s->sim, variable, value, isnan(t) ? kaiSim_Now(s->sim).t : t, &handle);
    if (status != KAI_OK)
        return raise_error(status, kaiSim_Failure(s->sim));
    return PyLong_FromUnsignedLongLong(handle);
}

static PyObject* sim_cancel(PyObject* self, PyObject* args)
{
    unsigned long long handle;
    if (!PyArg_ParseTuple(args, "K", &handle) || !is_open((Sim*)self))
        return NULL;
    return PyBool_FromLong(kaiSim_Cancel(((Sim*)self)->sim, handle));
}

static PyObject* sim_now(PyObject* self, PyObject* args)
{
    (void)args;
    if (!is_open((Sim*)self))
        return NULL;
    kaiTag now = kaiSim_Now(((Sim*)self)->sim);
    return Py_BuildValue("(dii)", now.t, now.p, now.m);
}

static PyObject* sim_columns(PyObject* self, PyObject* args)
{
    (void)args;
    int count;
    if (!is_open((Sim*)self))
        return NULL;
    const kaiColumn* columns = kaiSim_Columns(((Sim*)self)->sim, &count);
    return columns_list(columns, count);
}

// The rows so far; those that follow go to a new recorder.
static PyObject* sim_take(PyObject* self, PyObject* args)
{
    (void)args;
    Sim* s = (Sim*)self;
    if (!is_open(s))
        return NULL;
    Recorder *full = s->recorder, *fresh = new_recorder(s->sim, KAI_VIEW_FULL);
    if (fresh == NULL)
        return NULL;
    s->recorder = fresh;
    return (PyObject*)full;
}

static PyObject* sim_counters(PyObject* self, PyObject* args)
{
    (void)args;
    if (!is_open((Sim*)self))
        return NULL;
    const kaiSim* sim = ((Sim*)self)->sim;
    kaiCounters c = kaiSim_Counters(sim);
    return Py_BuildValue("{sLsLsLsLsLsLsLsz}", "instants", (long long)c.instants, "tags", (long long)c.tags, "steps",
                         (long long)c.steps, "rejected", (long long)c.rejected, "rhs_calls", (long long)c.rhs_calls,
                         "rows", (long long)c.rows, "jumps", (long long)c.jumps, "halt", kaiSim_HaltText(sim));
}

static PyObject* sim_warnings(PyObject* self, PyObject* args)
{
    (void)args;
    PyObject* list = PyList_New(0);
    const kaiError* warning;
    if (!is_open((Sim*)self))
        return NULL;
    for (int i = 0; list != NULL && (warning = kaiSim_Warning(((Sim*)self)->sim, i)) != NULL; i++)
    {
        PyObject* text = PyUnicode_FromString(warning->message);
        if (text == NULL || PyList_Append(list, text) != 0)
            Py_CLEAR(list);
        Py_XDECREF(text);
    }
    return list;
}

// ---- expectations, outcomes

// (source, passed, present, value, target or None, within, message)
static PyObject* expect_list(kaiSim* sim, const kaiModel* model)
{
    PyObject* list = PyList_New(0);
    for (int i = 0; list != NULL && i < kaiModel_ExpectCount(model); i++)
    {
        kaiExpectResult e;
        if (kaiSim_Expect(sim, i, &e) != KAI_OK)
            continue;
        PyObject* target = e.has_target ? PyFloat_FromDouble(e.target) : Py_BuildValue("");
        PyObject* tuple = Py_BuildValue("(sOOdNds)", e.source, e.passed ? Py_True : Py_False,
                                        e.present ? Py_True : Py_False, e.value, target, e.within, e.text);
        if (tuple == NULL || PyList_Append(list, tuple) != 0)
            Py_CLEAR(list);
        Py_XDECREF(tuple);
    }
    return list;
}

static PyObject* sim_expect(PyObject* self, PyObject* args)
{
    (void)args;
    Sim* s = (Sim*)self;
    return is_open(s) ? expect_list(s->sim, s->model->model) : NULL;
}

typedef struct Exploring
{
    Sim* sim;
    PyObject* list;
    PyThreadState* thread;
    bool failed;
} Exploring;

// (recorder, expectations, order, failure or None) of a branch that has come to its end.
static kaiStatus end_branch(void* user, kaiSim* sim, int branch, kaiStatus status)
{
    (void)branch;
    Exploring* e = user;
    char order[900];
    kaiSim_OrderText(sim, order, sizeof order);
    PyEval_RestoreThread(e->thread);
    PyObject* rows = sim_take((PyObject*)e->sim, NULL);
    const kaiError* failure = kaiSim_Failure(sim);
    PyObject* outcome = rows != NULL ? Py_BuildValue("(NNsz)", rows, expect_list(sim, e->sim->model->model), order,
                                                     status < 0 && failure != NULL ? failure->message : NULL)
                                     : NULL;
    e->failed = outcome == NULL || PyList_Append(e->list, outcome) != 0;
    Py_XDECREF(outcome);
    e->thread = PyEval_SaveThread();
    return e->failed ? KAI_INTERRUPTED : KAI_OK;
}

static PyObject* sim_explore(PyObject* self, PyObject* args)
{
    (void)args;
    Sim* s = (Sim*)self;
    if (!is_open(s))
        return NULL;
    Exploring e = {.sim = s, .list = PyList_New(0)};
    if (e.list == NULL)
        return NULL;
    kaiExploreEvents events = {NULL, end_branch, &e};
    kaiExploration result;
    Watch watch;
    watch_begin(&watch, &s->interrupt);
    e.thread = PyEval_SaveThread();
    kaiStatus status = kaiSim_Explore(s->model->model, s->sim, &events, &result);
    PyEval_RestoreThread(e.thread);
    watch_end(&watch);
    PyObject* done = e.failed ? NULL : conclude(s, status);
    if (done == NULL)
        Py_CLEAR(e.list);
    Py_XDECREF(done);
    return e.list;
}

// ---- snapshots

static PyObject* snapshot_make(kaiSnapshot* snapshot, Model* model)
{
    Snapshot* made = PyObject_New(Snapshot, snapshot_type);
    if (made == NULL)
    {
        kaiSnapshot_Free(snapshot);
        return NULL;
    }
    made->snapshot = snapshot;
    Py_INCREF((PyObject*)model);
    made->model = model;
    return (PyObject*)made;
}

static PyObject* sim_save(PyObject* self, PyObject* args)
{
    (void)args;
    Sim* s = (Sim*)self;
    if (!is_open(s))
        return NULL;
    kaiSnapshot* snapshot = kaiSim_Save(s->sim);
    return snapshot != NULL ? snapshot_make(snapshot, s->model) : PyErr_NoMemory();
}

static PyObject* sim_restore(PyObject* self, PyObject* args)
{
    Sim* s = (Sim*)self;
    PyObject* snapshot;
    if (!PyArg_ParseTuple(args, "O!", snapshot_type, &snapshot) || !is_open(s))
        return NULL;
    kaiStatus status = kaiSim_Restore(s->sim, ((Snapshot*)snapshot)->snapshot);
    if (status != KAI_OK)
        return raise_error(status, kaiSim_Failure(s->sim));
    Py_RETURN_NONE;
}

// Bytes → snapshot.
static PyObject* sim_read_snapshot(PyObject* self, PyObject* args)
{
    Sim* s = (Sim*)self;
    Py_buffer bytes;
    kaiError error;
    if (!is_open(s) || !PyArg_ParseTuple(args, "y*", &bytes))
        return NULL;
    kaiSnapshot* snapshot = kaiSnapshot_Read(s->model->model, bytes.buf, (size_t)bytes.len, &error);
    PyBuffer_Release(&bytes);
    return snapshot != NULL ? snapshot_make(snapshot, s->model) : raise_error(error.status, &error);
}

static PyObject* snapshot_bytes(PyObject* self, PyObject* args)
{
    (void)args;
    Bytes bytes = {0};
    kaiSink sink = {bytes_add, &bytes};
    kaiStatus status = kaiSnapshot_Write(((Snapshot*)self)->snapshot, &sink);
    return bytes_object(&bytes, status, NULL);
}

static void snapshot_free(PyObject* self)
{
    PyTypeObject* type = Py_TYPE(self);
    kaiSnapshot_Free(((Snapshot*)self)->snapshot);
    Py_DECREF((PyObject*)((Snapshot*)self)->model);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyMethodDef snapshot_methods[] = {
    {"__bytes__", snapshot_bytes, METH_NOARGS, "The snapshot as bytes, for a file."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot snapshot_slots[] = {{Py_tp_dealloc, snapshot_free}, {Py_tp_methods, snapshot_methods}, {0, NULL}};
PyType_Spec snapshot_spec = {"kairos._kairos.Snapshot", sizeof(Snapshot), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, snapshot_slots};

static PyMethodDef sim_methods[] = {
    {"step", sim_step, METH_NOARGS, "To the end of the next instant, or the stop."},
    {"step_to", sim_step_to, METH_VARARGS, "The same, but not beyond t."},
    {"to", sim_to, METH_VARARGS, "To t, over all instants on the way."},
    {"drive", sim_drive, METH_VARARGS, "To the end: (pace, progress, seconds between its calls)."},
    {"post_inputs", sim_post_inputs, METH_VARARGS, "Values of inputs from a file."},
    {"interrupt", sim_interrupt, METH_NOARGS, "Ends the run soon; from any thread."},
    {"close", sim_end, METH_NOARGS, "Gives its memory back."},
    {"set", sim_set, METH_VARARGS, "Sets a variable; False: it cannot be set now."},
    {"get", sim_get, METH_VARARGS, "The value of a variable; None: absent."},
    {"post", sim_post, METH_VARARGS, "Posts an event: (variable, value, t)."},
    {"cancel", sim_cancel, METH_VARARGS, "Takes a posted event back."},
    {"now", sim_now, METH_NOARGS, "The last tag."},
    {"columns", sim_columns, METH_NOARGS, "The columns of its rows."},
    {"take", sim_take, METH_NOARGS, "The rows since the last take."},
    {"counters", sim_counters, METH_NOARGS, "What the run has done."},
    {"warnings", sim_warnings, METH_NOARGS, "What the run went on in spite of."},
    {"expect", sim_expect, METH_NOARGS, "The expectations of the experiment."},
    {"explore", sim_explore, METH_NOARGS, "Every outcome of choice = all."},
    {"save", sim_save, METH_NOARGS, "A snapshot."},
    {"restore", sim_restore, METH_VARARGS, "Goes back to a snapshot."},
    {"read_snapshot", sim_read_snapshot, METH_VARARGS, "A snapshot from its bytes."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot sim_slots[] = {
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_init, sim_init},
    {Py_tp_dealloc, sim_free},
    {Py_tp_methods, sim_methods},
    {0, NULL},
};
PyType_Spec sim_spec = {"kairos._kairos.Sim", sizeof(Sim), 0, Py_TPFLAGS_DEFAULT, sim_slots};
