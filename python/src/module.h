// The Python module over the library: the types that hand handles of the library to Python, and what they share. What
// people type is written in Python (python/kairos); this side only moves values, releases the interpreter's lock while
// the library works, and turns statuses into exceptions.
#ifndef KAIROS_PYTHON_MODULE_H
#define KAIROS_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000  // one binary for this Python and all later ones
#include <Python.h>

#include "kairos/kairos.h"

#include <stdbool.h>

// ---- types

typedef struct Program
{
    PyObject_HEAD kaiProgram* program;
    bool busy;
    volatile int interrupt;
} Program;

typedef struct Model
{
    PyObject_HEAD kaiModel* model;
    PyObject* owner;  // a sweep that the model belongs to; NULL: it is ours
} Model;

typedef struct Recorder
{
    PyObject_HEAD kaiRecorder* recorder;
} Recorder;

typedef struct Sim
{
    PyObject_HEAD kaiSim* sim;
    Model* model;
    Recorder* recorder;
    bool busy, driven;
    volatile int interrupt;
    kaiDrive drive;
    PyObject* progress;  // what is called now and then; NULL: nothing
} Sim;

typedef struct Snapshot
{
    PyObject_HEAD kaiSnapshot* snapshot;
    Model* model;
} Snapshot;

extern PyType_Spec program_spec, model_spec, recorder_spec, column_spec, sim_spec, snapshot_spec, sweep_spec;
extern PyTypeObject *program_type, *model_type, *recorder_type, *column_type, *sim_type, *snapshot_type, *sweep_type;

PyObject* model_make(kaiModel* model, PyObject* owner);
PyObject* recorder_make(kaiRecorder* recorder);
// The columns as a list of (name, kind, unit, mode names, impulse).
PyObject* columns_list(const kaiColumn* columns, int count);
// And back; to be freed with columns_free. NULL: an exception.
kaiColumn* columns_take(PyObject* list, int* count);
void columns_free(kaiColumn* columns, int count);

// ---- errors

// An exception for a status with its error, its class chosen in Python. Returns NULL.
PyObject* raise_error(kaiStatus status, const kaiError* error);
// The messages of a program as an exception. Returns NULL.
PyObject* raise_messages(kaiProgram* program, kaiStatus status);
// Messages as a list of tuples, errors and warnings.
PyObject* messages_list(kaiProgram* program);

// ---- Ctrl-C

typedef struct Watch
{
    bool on;
    void* before;  // what SIGINT did
    volatile int* earlier;
} Watch;
// From here on SIGINT sets *flag, before Python hears of it; in the main thread only, others are not interrupted.
void watch_begin(Watch* watch, volatile int* flag);
void watch_end(Watch* watch);

// One that is in use by another thread: an exception, false.
bool begin_use(bool* busy);

// Pairs of texts, [(name, text), …], that live as long as the list. NULL with an exception if it is none.
kaiGiven* given_take(PyObject* list, int* count);

// Bytes that the library hands out: the function of a kaiSink, and the object that they become (or an exception, by the
// status); what was held is freed.
typedef struct Bytes
{
    char* at;
    size_t size, capacity;
} Bytes;
kaiStatus bytes_add(void* bytes, const char* more, size_t size);
PyObject* bytes_object(Bytes* bytes, kaiStatus status, const kaiError* error);

// files.c: hands the rows of a recorder on.
kaiStatus each_row(const kaiRecorder* recorder, kaiRowFn* use, void* user);

// files.c, study.c, columns.c
PyObject* module_study(PyObject* self, PyObject* args);
PyObject* module_summary(PyObject* self, PyObject* args);
PyObject* module_chart(PyObject* self, PyObject* args);
PyObject* module_fan(PyObject* self, PyObject* args);
PyObject* module_record(PyObject* self, PyObject* args);
PyObject* module_figure(PyObject* self, PyObject* args);
PyObject* module_read(PyObject* self, PyObject* args);
PyObject* module_write(PyObject* self, PyObject* args);
PyObject* module_compare(PyObject* self, PyObject* args);

#endif
