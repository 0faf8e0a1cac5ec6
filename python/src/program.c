// Programs, models and sweeps.
#include "module.h"

#include <stdlib.h>
#include <string.h>

static void release(PyObject* self)
{
    PyTypeObject* type = Py_TYPE(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

// ---- Program

static int program_init(PyObject* self, PyObject* args, PyObject* keywords)
{
    static char* names[] = {"path", "text", "allow_files", "allow_external", "memory", "seconds", NULL};
    Program* p = (Program*)self;
    const char *path, *text = NULL;
    int allow_files = 0, allow_external = 0;
    unsigned long long memory = 0;
    double seconds = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "s|zppKd", names, &path, &text, &allow_files, &allow_external,
                                     &memory, &seconds))
        return -1;
    kaiProgramOptions options = kaiDefaultProgramOptions();
    options.path = path;
    options.text = text;
    options.policy.allow_files = allow_files;
    options.policy.allow_external = allow_external;
    options.blocks = kaiFmu_Blocks(false);
    options.limits.memory = (size_t)memory;
    options.limits.seconds = seconds;
    options.interrupt = &p->interrupt;
    kaiError error;
    kaiStatus status;
    Watch watch;
    watch_begin(&watch, &p->interrupt);
    Py_BEGIN_ALLOW_THREADS;
    status = kaiProgram_Open(&options, &p->program, &error);
    Py_END_ALLOW_THREADS;
    watch_end(&watch);
    if (status == KAI_OK)
        return 0;
    if (p->program != NULL)
        raise_messages(p->program, status);
    else
        raise_error(status, &error);
    return -1;
}

static void program_free(PyObject* self)
{
    kaiProgram_Free(((Program*)self)->program);
    release(self);
}

static PyObject* program_experiments(PyObject* self, PyObject* args)
{
    (void)args;
    PyObject* list = PyList_New(0);
    kaiExperiment e;
    for (int i = 0; list != NULL && kaiProgram_Experiment(((Program*)self)->program, i, &e); i++)
    {
        PyObject* tuple = Py_BuildValue("(ssOO)", e.name, e.model, e.has_expect ? Py_True : Py_False,
                                        e.has_sweep ? Py_True : Py_False);
        if (tuple == NULL || PyList_Append(list, tuple) != 0)
            Py_CLEAR(list);
        Py_XDECREF(tuple);
    }
    return list;
}

static PyObject* program_models(PyObject* self, PyObject* args)
{
    (void)args;
    PyObject* list = PyList_New(0);
    const char* name;
    for (int i = 0; list != NULL && (name = kaiProgram_ModelName(((Program*)self)->program, i)) != NULL; i++)
    {
        PyObject* text = PyUnicode_FromString(name);
        if (text == NULL || PyList_Append(list, text) != 0)
            Py_CLEAR(list);
        Py_XDECREF(text);
    }
    return list;
}

static PyObject* program_messages(PyObject* self, PyObject* args)
{
    (void)args;
    return messages_list(((Program*)self)->program);
}

static void free_options(kaiCompileOptions* options)
{
    free((void*)options->values);
    free((void*)options->settings);
    free((void*)options->measures);
}

// The compile options of (experiment, model, values, settings, and perhaps measures); what it points to lives as long
// as the arguments.
static bool take_options(PyObject* args, kaiCompileOptions* options)
{
    PyObject *values, *settings, *measures = NULL;
    *options = kaiDefaultCompileOptions();
    if (!PyArg_ParseTuple(args, "zzO!O!|O!", &options->experiment, &options->model, &PyList_Type, &values, &PyList_Type,
                          &settings, &PyList_Type, &measures))
        return false;
    options->values = given_take(values, &options->value_count);
    options->settings = options->values != NULL ? given_take(settings, &options->setting_count) : NULL;
    bool fine = options->settings != NULL;
    if (fine && measures != NULL)
        fine = (options->measures = given_take(measures, &options->measure_count)) != NULL;
    if (!fine)
        free_options(options);
    return fine;
}

// KAI_OK and a model; otherwise an exception is set.
static kaiStatus compile(Program* p, const kaiCompileOptions* options, kaiModel** model)
{
    kaiStatus status;
    Watch watch;
    if (!begin_use(&p->busy))
        return KAI_ERR_USAGE;
    watch_begin(&watch, &p->interrupt);
    Py_BEGIN_ALLOW_THREADS;
    status = kaiProgram_Compile(p->program, options, model);
    Py_END_ALLOW_THREADS;
    watch_end(&watch);
    p->busy = false;
    if (status != KAI_OK)
        raise_messages(p->program, status);
    return status;
}

static PyObject* program_compile(PyObject* self, PyObject* args)
{
    kaiCompileOptions options;
    kaiModel* model = NULL;
    if (!take_options(args, &options))
        return NULL;
    kaiStatus status = compile((Program*)self, &options, &model);
    free_options(&options);
    return status == KAI_OK ? model_make(model, NULL) : NULL;
}

static PyObject* program_check(PyObject* self, PyObject* args)
{
    (void)args;
    Program* p = (Program*)self;
    if (!begin_use(&p->busy))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    kaiProgram_Check(p->program);
    Py_END_ALLOW_THREADS;
    p->busy = false;
    return messages_list(p->program);
}

static PyMethodDef program_methods[] = {
    {"experiments", program_experiments, METH_NOARGS, "(name, model, has expect, has sweep) of each."},
    {"models", program_models, METH_NOARGS, "The names of the models."},
    {"messages", program_messages, METH_NOARGS, "What the last question had to say."},
    {"compile", program_compile, METH_VARARGS, "(experiment, model, values, settings) -> Model."},
    {"check", program_check, METH_NOARGS, "All errors and warnings of the file."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot program_slots[] = {
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_init, program_init},
    {Py_tp_dealloc, program_free},
    {Py_tp_methods, program_methods},
    {0, NULL},
};
PyType_Spec program_spec = {"kairos._kairos.Program", sizeof(Program), 0, Py_TPFLAGS_DEFAULT, program_slots};

// ---- Model

PyObject* model_make(kaiModel* model, PyObject* owner)
{
    Model* m = PyObject_New(Model, model_type);
    if (m == NULL)
    {
        if (owner == NULL)
            kaiModel_Free(model);
        return NULL;
    }
    m->model = model;
    Py_XINCREF(owner);
    m->owner = owner;
    return (PyObject*)m;
}

static void model_free(PyObject* self)
{
    Model* m = (Model*)self;
    if (m->owner == NULL)
        kaiModel_Free(m->model);
    Py_XDECREF(m->owner);
    release(self);
}

// (name, kind, unit, description, start, settable, hidden, column, is an event)
static PyObject* model_variables(PyObject* self, PyObject* args)
{
    (void)args;
    PyObject* list = PyList_New(0);
    kaiVariable v;
    for (int i = 0; list != NULL && kaiModel_Variable(((Model*)self)->model, i, &v); i++)
    {
        PyObject* tuple = Py_BuildValue("(sszzdOOzO)", v.name, kaiVariableKind_Word(v.kind), v.unit, v.description,
                                        v.start, v.settable ? Py_True : Py_False, v.hidden ? Py_True : Py_False,
                                        v.column, v.column_kind == KAI_COLUMN_EVENT ? Py_True : Py_False);
        if (tuple == NULL || PyList_Append(list, tuple) != 0)
            Py_CLEAR(list);
        Py_XDECREF(tuple);
    }
    return list;
}

static PyObject* model_find(PyObject* self, PyObject* args)
{
    const char* name;
    if (!PyArg_ParseTuple(args, "s", &name))
        return NULL;
    return PyLong_FromLong(kaiModel_FindVariable(((Model*)self)->model, name));
}

static PyObject* model_nearest(PyObject* self, PyObject* args)
{
    const char* name;
    if (!PyArg_ParseTuple(args, "s", &name))
        return NULL;
    return Py_BuildValue("z", kaiModel_NearestVariable(((Model*)self)->model, name));
}

// [(names, against), …]
static PyObject* model_plots(PyObject* self, PyObject* args)
{
    (void)args;
    const kaiModel* model = ((Model*)self)->model;
    PyObject* list = PyList_New(0);
    for (int i = 0; list != NULL && i < kaiModel_PlotCount(model); i++)
    {
        const uint32_t* variables;
        int against, count = kaiModel_PlotVariables(model, i, &variables, &against);
        PyObject* names = PyList_New(0);
        for (int k = 0; names != NULL && k < count; k++)
        {
            PyObject* name = Py_BuildValue("z", kaiModel_VariableName(model, (int)variables[k]));
            if (name == NULL || PyList_Append(names, name) != 0)
                Py_CLEAR(names);
            Py_XDECREF(name);
        }
        PyObject* plot = Py_BuildValue("(Nz)", names, against >= 0 ? kaiModel_VariableName(model, against) : NULL);
        if (plot == NULL || PyList_Append(list, plot) != 0)
            Py_CLEAR(list);
        Py_XDECREF(plot);
    }
    return list;
}

// (name, experiment, number of expects, of sweeps, explores choices, stop, number of distributions)
static PyObject* model_facts(PyObject* self, PyObject* args)
{
    (void)args;
    const kaiModel* model = ((Model*)self)->model;
    kaiSimOptions options = kaiModel_SimOptions(model);
    return Py_BuildValue("(sziiOdi)", kaiModel_Name(model), kaiModel_Experiment(model), kaiModel_ExpectCount(model),
                         kaiModel_SweepCount(model), strcmp(options.choice, "all") == 0 ? Py_True : Py_False,
                         options.stop, kaiModel_SpreadCount(model));
}

static PyMethodDef model_methods[] = {
    {"variables", model_variables, METH_NOARGS, "All about every variable."},
    {"find", model_find, METH_VARARGS, "The number of a name, or -1."},
    {"nearest", model_nearest, METH_VARARGS, "A name that may have been meant, or None."},
    {"plots", model_plots, METH_NOARGS, "The plot lines of the experiment."},
    {"facts", model_facts, METH_NOARGS, "(name, experiment, expects, sweeps, explores choices, stop)."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot model_slots[] = {{Py_tp_dealloc, model_free}, {Py_tp_methods, model_methods}, {0, NULL}};
PyType_Spec model_spec = {"kairos._kairos.Model", sizeof(Model), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, model_slots};

// ---- Sweep

typedef struct Sweep
{
    PyObject_HEAD kaiSweep* sweep;
    Program* program;
    Model* model;
    PyObject* arguments;  // what the options point to
    kaiCompileOptions options;
} Sweep;

// (program, model, (experiment, model name, values, settings))
static int sweep_init(PyObject* self, PyObject* args, PyObject* keywords)
{
    (void)keywords;
    Sweep* s = (Sweep*)self;
    kaiError error;
    PyObject *program, *model, *arguments;
    if (!PyArg_ParseTuple(args, "O!O!O!", program_type, &program, model_type, &model, &PyTuple_Type, &arguments) ||
        !take_options(arguments, &s->options))
        return -1;
    Py_INCREF(program);
    Py_INCREF(model);
    Py_INCREF(arguments);
    s->program = (Program*)program;
    s->model = (Model*)model;
    s->arguments = arguments;
    s->sweep = kaiSweep_Create(s->program->program, s->model->model, &s->options, &error);
    if (s->sweep != NULL)
        return 0;
    raise_error(error.status, &error);
    return -1;
}

static void sweep_free(PyObject* self)
{
    Sweep* s = (Sweep*)self;
    kaiSweep_Free(s->sweep);
    free_options(&s->options);
    Py_XDECREF(s->arguments);
    Py_XDECREF((PyObject*)s->program);
    Py_XDECREF((PyObject*)s->model);
    release(self);
}

static PyObject* sweep_count(PyObject* self, PyObject* args)
{
    (void)args;
    return PyLong_FromLongLong(kaiSweep_PointCount(((Sweep*)self)->sweep));
}

// {name: value} of a point.
static PyObject* sweep_values(PyObject* self, PyObject* args)
{
    Sweep* s = (Sweep*)self;
    long long point;
    double values[64];
    if (!PyArg_ParseTuple(args, "L", &point))
        return NULL;
    if (kaiSweep_ParameterCount(s->sweep) > 64 || !kaiSweep_Values(s->sweep, point, values))
        return raise_error(KAI_ERR_USAGE, NULL);
    PyObject* dict = PyDict_New();
    for (int i = 0; dict != NULL && i < kaiSweep_ParameterCount(s->sweep); i++)
    {
        PyObject* value = PyFloat_FromDouble(values[i]);
        if (value == NULL || PyDict_SetItemString(dict, kaiSweep_ParameterName(s->sweep, i), value) != 0)
            Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    return dict;
}

// The model of a point, to be used before the next is asked for.
static PyObject* sweep_model(PyObject* self, PyObject* args)
{
    Sweep* s = (Sweep*)self;
    long long point;
    const kaiModel* model;
    if (!PyArg_ParseTuple(args, "L", &point))
        return NULL;
    kaiStatus status = kaiSweep_Model(s->sweep, point, &model);
    return status == KAI_OK ? model_make((kaiModel*)(uintptr_t)model, self)
                            : raise_messages(s->program->program, status);
}

static PyObject* sweep_set(PyObject* self, PyObject* args)
{
    Sweep* s = (Sweep*)self;
    long long point;
    PyObject* sim;
    if (!PyArg_ParseTuple(args, "LO!", &point, sim_type, &sim))
        return NULL;
    kaiStatus status = kaiSweep_Set(s->sweep, point, ((Sim*)sim)->model->model, ((Sim*)sim)->sim);
    if (status != KAI_OK)
        return raise_error(status, NULL);
    Py_RETURN_NONE;
}

static PyMethodDef sweep_methods[] = {
    {"count", sweep_count, METH_NOARGS, "How many runs."},
    {"values", sweep_values, METH_VARARGS, "The swept values of a point."},
    {"model", sweep_model, METH_VARARGS, "The model of a point."},
    {"set", sweep_set, METH_VARARGS, "Gives a fresh sim the values of a point."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot sweep_slots[] = {
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_init, sweep_init},
    {Py_tp_dealloc, sweep_free},
    {Py_tp_methods, sweep_methods},
    {0, NULL},
};
PyType_Spec sweep_spec = {"kairos._kairos.Sweep", sizeof(Sweep), 0, Py_TPFLAGS_DEFAULT, sweep_slots};
