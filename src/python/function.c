/*
 * The decorator. Where there is no library the function itself is given back, and costs
 * nothing; else a callable that looks like it, and passes its attributes on.
 */
#include "python/function.h"

#include "base/array.h"
#include "python/module.h"
#include "python/python.h"

#include <stddef.h>
#include <structmember.h>

struct function {
	PyObject_HEAD vectorcallfunc vectorcall;
	struct site site;
	PyObject *wrapped;
	PyObject *dictionary, *weak_references;
};

static PyObject *function_call(PyObject *self, PyObject *const *arguments, size_t count,
			       PyObject *names)
{
	struct function *function = (struct function *)self;
	PyObject *result;

	if (!TRM_ACTIVE_)
		return PyObject_Vectorcall(function->wrapped, arguments, count, names);
	site_enter(&function->site);
	result = PyObject_Vectorcall(function->wrapped, arguments, count, names);
	site_leave(&function->site);
	return result;
}

/* As a method, it is bound. */
static PyObject *function_get(PyObject *self, PyObject *object, PyObject *type)
{
	(void)type;
	return object && object != Py_None ? PyMethod_New(self, object) : Py_NewRef(self);
}

static PyObject *get_attribute(PyObject *self, PyObject *name)
{
	PyObject *value = PyObject_GenericGetAttr(self, name);

	if (value || !PyErr_ExceptionMatches(PyExc_AttributeError))
		return value;
	PyErr_Clear();
	return PyObject_GetAttr(((struct function *)self)->wrapped, name);
}

static PyObject *function_repr(PyObject *self)
{
	return PyObject_Repr(((struct function *)self)->wrapped);
}

/* Pickled as functions are: by name. */
static PyObject *function_reduce(PyObject *self, PyObject *no)
{
	(void)no;
	return PyObject_GetAttrString(((struct function *)self)->wrapped, "__qualname__");
}

static int function_traverse(PyObject *self, visitproc visit, void *arg)
{
	struct function *function = (struct function *)self;

	Py_VISIT(function->wrapped);
	Py_VISIT(function->dictionary);
	return 0;
}

static int function_clear(PyObject *self)
{
	struct function *function = (struct function *)self;

	Py_CLEAR(function->wrapped);
	Py_CLEAR(function->dictionary);
	return 0;
}

static void function_dealloc(PyObject *self)
{
	struct function *function = (struct function *)self;

	PyObject_GC_UnTrack(self);
	if (function->weak_references)
		PyObject_ClearWeakRefs(self);
	function_clear(self);
	site_deinit(&function->site);
	PyObject_GC_Del(self);
}

static PyMethodDef methods[] = {{"__reduce__", function_reduce, METH_NOARGS, NULL}, {0}};
static PyMemberDef members[] = {
	{"__wrapped__", T_OBJECT, offsetof(struct function, wrapped), READONLY, NULL},
	{0},
};
static PyGetSetDef properties[] = {
	{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
	{0},
};

PyTypeObject function_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "trammel.Function",
	.tp_basicsize = sizeof(struct function),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
		    Py_TPFLAGS_METHOD_DESCRIPTOR,
	.tp_vectorcall_offset = offsetof(struct function, vectorcall),
	.tp_dictoffset = offsetof(struct function, dictionary),
	.tp_weaklistoffset = offsetof(struct function, weak_references),
	.tp_call = PyVectorcall_Call,
	.tp_dealloc = function_dealloc,
	.tp_traverse = function_traverse,
	.tp_clear = function_clear,
	.tp_repr = function_repr,
	.tp_getattro = get_attribute,
	.tp_descr_get = function_get,
	.tp_methods = methods,
	.tp_members = members,
	.tp_getset = properties,
};

/* Calls of these only make an object that runs later, in pieces. */
static bool runs_later(PyObject *function)
{
	const int flags = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR;

	return PyFunction_Check(function) &&
	       ((PyCodeObject *)PyFunction_GET_CODE(function))->co_flags & flags;
}

static PyObject *name_of(PyObject *function)
{
	PyObject *name = PyObject_GetAttrString(function, "__qualname__");

	if (name && PyUnicode_Check(name))
		return name;
	Py_XDECREF(name);
	PyErr_Clear();
	return PyObject_Str((PyObject *)Py_TYPE(function));
}

/* What help and inspect look at: as functools.wraps does it. */
static bool take_looks(PyObject *function, PyObject *wrapped)
{
	static const char *const names[] = {"__module__", "__name__", "__qualname__",
					    "__doc__"};

	for (size_t i = 0; i < array_count(names); i++) {
		PyObject *value = PyObject_GetAttrString(wrapped, names[i]);

		if (!value)
			PyErr_Clear();
		else if (PyObject_SetAttrString(function, names[i], value)) {
			Py_DECREF(value);
			return false;
		}
		Py_XDECREF(value);
	}
	return true;
}

static PyObject *wrap_function(PyObject *wrapped, PyObject *name)
{
	struct function *function = PyObject_GC_New(struct function, &function_type);

	if (!function)
		return NULL;
	function->vectorcall = function_call;
	function->wrapped = Py_NewRef(wrapped);
	function->dictionary = function->weak_references = NULL;
	function->site.name = NULL;
	PyObject_GC_Track(function);
	if (!site_init(&function->site, "region", name) ||
	    !take_looks((PyObject *)function, wrapped))
		Py_CLEAR(function);
	return (PyObject *)function;
}

PyObject *function_decorate(PyObject *module, PyObject *function)
{
	PyObject *name, *made;

	(void)module;
	if (!PyCallable_Check(function)) {
		PyErr_Format(PyExc_TypeError, "a function is decorated, not %.100s",
			     Py_TYPE(function)->tp_name);
		return NULL;
	}
	if (!trm_link_.api || runs_later(function))
		return Py_NewRef(function);
	name = name_of(function);
	made = name ? wrap_function(function, name) : NULL;
	Py_XDECREF(name);
	return made;
}
