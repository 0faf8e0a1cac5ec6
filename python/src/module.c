// The module itself: its types, its functions, errors and Ctrl-C.
#include "module.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

PyTypeObject *program_type, *model_type, *recorder_type, *column_type, *sim_type, *snapshot_type, *sweep_type;

// ---- errors

static PyObject* place_tuple(const kaiPlace* place)
{
    if (place->file == NULL)
        Py_RETURN_NONE;
    return Py_BuildValue("(siiii)", place->file, place->line, place->column, place->end_line, place->end_column);
}

static PyObject* notes_list(const kaiError* error)
{
    PyObject* list = PyList_New(0);
    for (int i = 0; list != NULL && i < error->note_count && error->notes != NULL; i++)
    {
        PyObject* note = Py_BuildValue("(Ns)", place_tuple(&error->notes[i].place), error->notes[i].text);
        if (note == NULL || PyList_Append(list, note) != 0)
            Py_CLEAR(list);
        Py_XDECREF(note);
    }
    return list;
}

// (severity, code, message, help, place, tag, notes, text)
static PyObject* error_tuple(const kaiError* e, const char* text)
{
    return Py_BuildValue("(izzzN(dii)Nz)", (int)e->severity, e->code, e->message, e->help, place_tuple(&e->place),
                         e->tag.t, e->tag.p, e->tag.m, notes_list(e), text);
}

// kairos.errors knows the classes: make(status, list of tuples) gives the exception.
static PyObject* raise_tuples(kaiStatus status, PyObject* list)
{
    PyObject *module = PyImport_ImportModule("kairos.errors"), *made = NULL;
    if (module != NULL && list != NULL)
        made = PyObject_CallMethod(module, "make", "iO", (int)status, list);
    if (made != NULL)
        PyErr_SetObject((PyObject*)Py_TYPE(made), made);
    Py_XDECREF(made);
    Py_XDECREF(module);
    Py_XDECREF(list);
    return NULL;
}

PyObject* raise_error(kaiStatus status, const kaiError* error)
{
    kaiError none = {.status = status, .message = "the call is wrong"};
    if (error == NULL || error->message == NULL)
        error = &none;
    return raise_tuples(status, Py_BuildValue("[N]", error_tuple(error, NULL)));
}

PyObject* messages_list(kaiProgram* program)
{
    PyObject* list = PyList_New(0);
    const kaiError* message;
    for (int i = 0; list != NULL && (message = kaiProgram_Message(program, i)) != NULL; i++)
    {
        PyObject* tuple = error_tuple(message, kaiProgram_MessageText(program, i, false));
        if (tuple == NULL || PyList_Append(list, tuple) != 0)
            Py_CLEAR(list);
        Py_XDECREF(tuple);
    }
    return list;
}

PyObject* raise_messages(kaiProgram* program, kaiStatus status)
{
    if (status == KAI_INTERRUPTED)
    {
        if (PyErr_CheckSignals() == 0)
            PyErr_SetNone(PyExc_KeyboardInterrupt);
        return NULL;
    }
    if (status == KAI_ERR_MEMORY)
        return PyErr_NoMemory();
    return raise_tuples(status, messages_list(program));
}

bool begin_use(bool* busy)
{
    if (*busy)
    {
        PyErr_SetString(PyExc_RuntimeError, "it is in use by another thread");
        return false;
    }
    *busy = true;
    return true;
}

kaiGiven* given_take(PyObject* list, int* count)
{
    Py_ssize_t size = PyList_Size(list);
    if (size < 0)
        return NULL;
    kaiGiven* given = calloc((size_t)size + 1, sizeof *given);
    for (Py_ssize_t i = 0; given != NULL && i < size; i++)
        if (!PyArg_ParseTuple(PyList_GetItem(list, i), "ss", &given[i].name, &given[i].text))
        {
            free(given);
            return NULL;
        }
    *count = (int)size;
    if (given == NULL)
        PyErr_NoMemory();
    return given;
}

// ---- bytes

kaiStatus bytes_add(void* bytes, const char* more, size_t size)
{
    Bytes* b = bytes;
    if (b->size + size > b->capacity)
    {
        size_t capacity = 2 * (b->size + size);
        char* room = realloc(b->at, capacity);
        if (room == NULL)
            return KAI_ERR_MEMORY;
        b->at = room;
        b->capacity = capacity;
    }
    if (size > 0)
        memcpy(b->at + b->size, more, size);
    b->size += size;
    return KAI_OK;
}

PyObject* bytes_object(Bytes* bytes, kaiStatus status, const kaiError* error)
{
    PyObject* made =
        status == KAI_OK ? PyBytes_FromStringAndSize(bytes->at, (Py_ssize_t)bytes->size) : raise_error(status, error);
    free(bytes->at);
    return made;
}

// ---- Ctrl-C
//
// Python's own handler only notes that a signal came; its exception is raised when Python code runs again, and none
// does while the library works. So SIGINT sets the flag that the library looks at, and then goes where it would have
// gone.

static volatile int* volatile interrupted;
static struct sigaction python_action;

static void on_interrupt(int number, siginfo_t* info, void* context)
{
    volatile int* flag = interrupted;
    if (flag != NULL)
        *flag = 1;
    if ((python_action.sa_flags & SA_SIGINFO) != 0)
        python_action.sa_sigaction(number, info, context);
    else if (python_action.sa_handler != SIG_DFL && python_action.sa_handler != SIG_IGN)
        python_action.sa_handler(number);
}

static bool is_main_thread(void)
{
    PyObject* threading = PyImport_ImportModule("threading");
    PyObject *here = NULL, *main = NULL;
    if (threading != NULL)
    {
        here = PyObject_CallMethod(threading, "get_ident", NULL);
        PyObject* thread = PyObject_CallMethod(threading, "main_thread", NULL);
        main = thread != NULL ? PyObject_GetAttrString(thread, "ident") : NULL;
        Py_XDECREF(thread);
    }
    bool same = here != NULL && main != NULL && PyObject_RichCompareBool(here, main, Py_EQ) == 1;
    Py_XDECREF(here);
    Py_XDECREF(main);
    Py_XDECREF(threading);
    PyErr_Clear();
    return same;
}

void watch_begin(Watch* watch, volatile int* flag)
{
    *flag = 0;
    *watch = (Watch){.on = is_main_thread() && interrupted == NULL};
    if (!watch->on)
        return;
    struct sigaction action = {.sa_sigaction = on_interrupt, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, NULL, &python_action);
    interrupted = flag;
    sigaction(SIGINT, &action, NULL);
}

void watch_end(Watch* watch)
{
    if (!watch->on)
        return;
    sigaction(SIGINT, &python_action, NULL);
    interrupted = NULL;
}

// ---- the module

static PyObject* module_version(PyObject* self, PyObject* args)
{
    (void)self, (void)args;
    return PyUnicode_FromString(kaiVersion());
}

static PyObject* module_setting_names(PyObject* self, PyObject* args)
{
    (void)self, (void)args;
    PyObject* list = PyList_New(0);
    for (int i = 0; list != NULL && i < kaiSettings_Count(); i++)
    {
        PyObject* name = PyUnicode_FromString(kaiSettings_Get(i)->name);
        if (name == NULL || PyList_Append(list, name) != 0)
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static PyMethodDef functions[] = {
    {"version", module_version, METH_NOARGS, "The version of the library."},
    {"setting_names", module_setting_names, METH_NOARGS, "The settings of an experiment."},
    {"figure", module_figure, METH_VARARGS, "A figure as bytes: (columns, recorders, labels, panels, path, title)."},
    {"read", module_read, METH_VARARGS, "A result of any format: (columns, recorders, labels, remark)."},
    {"compare", module_compare, METH_VARARGS,
     "Compares two files: (first, second, absolute, relative, time, signals)."},
    {"summary", module_summary, METH_VARARGS, "Statistics of numbers, given as bytes."},
    {"study", module_study, METH_VARARGS,
     "Many runs: (model, design, runs, seed, threads, first, end, variables, values, keep, progress)."},
    {"chart", module_chart, METH_VARARGS,
     "A picture of a study as bytes: (kind, columns, path, title, width, height)."},
    {"fan", module_fan, METH_VARARGS,
     "Trajectories as bands, as bytes: (columns, recorders, signals, path, title, width, height)."},
    {"record", module_record, METH_VARARGS, "A recorder of arrays: (t, p, m, columns), each as bytes."},
    {"write", module_write, METH_VARARGS, "Writes a result: (path, columns, recorder, view, title)."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "kairos._kairos",
                                        .m_doc = "The library of Kairos.", .m_size = -1, .m_methods = functions};

static bool add_type(PyObject* module, PyTypeObject** type, PyType_Spec* spec)
{
    *type = (PyTypeObject*)PyType_FromSpec(spec);
    return *type != NULL && PyModule_AddType(module, *type) == 0;
}

PyMODINIT_FUNC PyInit__kairos(void);
PyMODINIT_FUNC PyInit__kairos(void)
{
    PyObject* module = PyModule_Create(&definition);
    if (module == NULL)
        return NULL;
    bool fine = add_type(module, &program_type, &program_spec) && add_type(module, &model_type, &model_spec) &&
                add_type(module, &recorder_type, &recorder_spec) && add_type(module, &column_type, &column_spec) &&
                add_type(module, &sim_type, &sim_spec) && add_type(module, &snapshot_type, &snapshot_spec) &&
                add_type(module, &sweep_type, &sweep_spec);
    if (!fine)
        Py_CLEAR(module);
    return module;
}
