// Recorders and their columns: arrays that NumPy sees where they lie. A column keeps its recorder alive; nothing is
// written to a recorder that has been handed out.
#include "module.h"

#include <stdlib.h>
#include <string.h>

// ---- columns as lists

PyObject* columns_list(const kaiColumn* columns, int count)
{
    PyObject* list = PyList_New(0);
    for (int i = 0; list != NULL && i < count; i++)
    {
        PyObject* modes = PyList_New(0);
        for (int k = 0; modes != NULL && columns[i].kind == KAI_COLUMN_MODE && k < columns[i].mode_count; k++)
        {
            PyObject* name = PyUnicode_FromString(columns[i].mode_names[k]);
            if (name == NULL || PyList_Append(modes, name) != 0)
                Py_CLEAR(modes);
            Py_XDECREF(name);
        }
        PyObject* tuple =
            Py_BuildValue("(sizNi)", columns[i].name, (int)columns[i].kind, columns[i].unit, modes, columns[i].impulse);
        if (tuple == NULL || PyList_Append(list, tuple) != 0)
            Py_CLEAR(list);
        Py_XDECREF(tuple);
    }
    return list;
}

void columns_free(kaiColumn* columns, int count)
{
    for (int i = 0; columns != NULL && i < count; i++)
        free((void*)columns[i].mode_names);
    free(columns);
}

static bool take_modes(kaiColumn* column, PyObject* modes)
{
    Py_ssize_t count = PyList_Size(modes);
    if (count < 0)
        return false;
    const char** names = calloc((size_t)count + 1, sizeof *names);
    column->mode_names = names;
    for (Py_ssize_t k = 0; names != NULL && k < count; k++)
        if ((names[k] = PyUnicode_AsUTF8AndSize(PyList_GetItem(modes, k), NULL)) == NULL)
            return false;
    column->mode_count = (int)count;
    return names != NULL;
}

kaiColumn* columns_take(PyObject* list, int* count)
{
    Py_ssize_t size = PyList_Size(list);
    kaiColumn* columns = size >= 0 ? calloc((size_t)size + 1, sizeof *columns) : NULL;
    for (Py_ssize_t i = 0; columns != NULL && i < size; i++)
    {
        PyObject* modes;
        int kind;
        bool fine = PyArg_ParseTuple(PyList_GetItem(list, i), "sizO!i", &columns[i].name, &kind, &columns[i].unit,
                                     &PyList_Type, &modes, &columns[i].impulse) &&
                    take_modes(&columns[i], modes);
        columns[i].kind = fine ? (kaiColumnKind)kind : KAI_COLUMN_REAL;
        if (!fine)
        {
            columns_free(columns, (int)size);
            return NULL;
        }
    }
    *count = (int)size;
    return columns;
}

// ---- Recorder

PyObject* recorder_make(kaiRecorder* recorder)
{
    Recorder* r = PyObject_New(Recorder, recorder_type);
    if (r == NULL)
        kaiRecorder_Free(recorder);
    else
        r->recorder = recorder;
    return (PyObject*)r;
}

static void recorder_free(PyObject* self)
{
    PyTypeObject* type = Py_TYPE(self);
    kaiRecorder_Free(((Recorder*)self)->recorder);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject* recorder_count(PyObject* self, PyObject* args)
{
    (void)args;
    return PyLong_FromLongLong(kaiRecorder_Count(((Recorder*)self)->recorder));
}

typedef struct Column
{
    PyObject_HEAD PyObject* recorder;
    const void* at;
    Py_ssize_t count, size;
} Column;

// -3, -2, -1: t, p and m; from 0 on the columns.
static PyObject* recorder_column(PyObject* self, PyObject* args)
{
    const kaiRecorder* r = ((Recorder*)self)->recorder;
    int index;
    if (!PyArg_ParseTuple(args, "i", &index))
        return NULL;
    if (index < -3 || index >= kaiRecorder_ColumnCount(r))
        return PyErr_Format(PyExc_IndexError, "there is no column %d", index);
    Column* column = PyObject_New(Column, column_type);
    if (column == NULL)
        return NULL;
    column->at = index == -3   ? (const void*)kaiRecorder_Times(r)
                 : index == -2 ? (const void*)kaiRecorder_Jumps(r)
                 : index == -1 ? (const void*)kaiRecorder_Reactions(r)
                               : (const void*)kaiRecorder_Column(r, index);
    column->size = index == -2 || index == -1 ? (Py_ssize_t)sizeof(int32_t) : (Py_ssize_t)sizeof(double);
    column->count = (Py_ssize_t)kaiRecorder_Count(r);
    Py_INCREF(self);
    column->recorder = self;
    return (PyObject*)column;
}

static PyMethodDef recorder_methods[] = {
    {"count", recorder_count, METH_NOARGS, "How many rows."},
    {"column", recorder_column, METH_VARARGS, "A column as a buffer; -3, -2, -1 are t, p and m."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot recorder_slots[] = {{Py_tp_dealloc, recorder_free}, {Py_tp_methods, recorder_methods}, {0, NULL}};
PyType_Spec recorder_spec = {"kairos._kairos.Recorder", sizeof(Recorder), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, recorder_slots};

// ---- Column: a buffer

static void column_free(PyObject* self)
{
    PyTypeObject* type = Py_TYPE(self);
    Py_DECREF(((Column*)self)->recorder);
    PyObject_Free(self);
    Py_DECREF(type);
}

static int column_buffer(PyObject* self, Py_buffer* view, int flags)
{
    static double nothing;
    const Column* c = (const Column*)self;
    void* at = c->at != NULL ? (void*)(uintptr_t)c->at : &nothing;
    return PyBuffer_FillInfo(view, self, at, c->count * c->size, 1, flags);
}

static PyType_Slot column_slots[] = {{Py_tp_dealloc, column_free}, {Py_bf_getbuffer, column_buffer}, {0, NULL}};
PyType_Spec column_spec = {"kairos._kairos.Column", sizeof(Column), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, column_slots};

// ---- from arrays

typedef struct Arrays
{
    const double* t;
    const int32_t *p, *m;
    const double** columns;
    Py_ssize_t rows, count;
} Arrays;

static bool take_arrays(PyObject* args, Arrays* a)
{
    PyObject* list;
    const char *t, *p, *m, *values;
    Py_ssize_t size, p_size, m_size, own;
    if (!PyArg_ParseTuple(args, "y#y#y#O!", &t, &size, &p, &p_size, &m, &m_size, &PyList_Type, &list))
        return false;
    *a = (Arrays){.t = (const double*)(const void*)t,
                  .p = (const int32_t*)(const void*)p,
                  .m = (const int32_t*)(const void*)m,
                  .rows = size / (Py_ssize_t)sizeof(double),
                  .count = PyList_Size(list)};
    a->columns = calloc((size_t)a->count + 1, sizeof *a->columns);
    bool fine = a->columns != NULL && p_size == a->rows * 4 && m_size == a->rows * 4;
    for (Py_ssize_t i = 0; fine && i < a->count; i++)
    {
        fine = PyArg_Parse(PyList_GetItem(list, i), "y#", &values, &own) != 0 && own == size;
        a->columns[i] = (const double*)(const void*)values;
    }
    if (!fine && PyErr_Occurred() == NULL)
        PyErr_SetString(PyExc_ValueError, "the columns have different lengths");
    return fine;
}

// (t, p, m, columns), each as bytes -> Recorder
PyObject* module_record(PyObject* self, PyObject* args)
{
    (void)self;
    Arrays a = {0};
    PyObject* made = NULL;
    if (take_arrays(args, &a))
    {
        kaiRecorderOptions options = kaiDefaultRecorderOptions();
        kaiRecorder* recorder = kaiRecorder_Create(&options, (int)a.count, NULL);
        double* values = calloc((size_t)a.count + 1, sizeof *values);
        uint8_t* present = calloc((size_t)a.count + 1, 1);
        kaiStatus status = recorder != NULL && values != NULL && present != NULL ? KAI_OK : KAI_ERR_MEMORY;
        for (Py_ssize_t k = 0; k < a.rows && status == KAI_OK; k++)
        {
            for (Py_ssize_t i = 0; i < a.count; i++)
            {
                values[i] = a.columns[i][k];
                present[i] = !kaiNumber_IsAbsent(values[i]);
            }
            status = kaiRecorder_Row(recorder, &(kaiRow){a.t[k], a.p[k], a.m[k], values, present});
        }
        free(values);
        free(present);
        if (status == KAI_OK)
            made = recorder_make(recorder);
        else
            kaiRecorder_Free(recorder);
        if (status != KAI_OK)
            PyErr_NoMemory();
    }
    free(a.columns);
    return made;
}
