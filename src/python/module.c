/* The module, and what its files share. */
#include "python/module.h"

#include "python/attribute.h"
#include "python/context.h"
#include "python/function.h"
#include "python/python.h"

#include <dlfcn.h>
#include <string.h>

const char *text_of(PyObject *text, Py_ssize_t *ret_size, PyObject **ret_holder)
{
	const char *bytes;

	*ret_holder = NULL;
	if (!PyUnicode_Check(text)) {
		PyErr_Format(PyExc_TypeError, "a name is a str, not %.100s",
			     Py_TYPE(text)->tp_name);
		return NULL;
	}
	bytes = PyUnicode_AsUTF8AndSize(text, ret_size);
	if (bytes || !PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
		return bytes;
	PyErr_Clear();
	*ret_holder = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
	if (!*ret_holder)
		return NULL;
	*ret_size = PyBytes_GET_SIZE(*ret_holder);
	return PyBytes_AS_STRING(*ret_holder);
}

const char *c_name_of(PyObject *name, PyObject **ret_holder)
{
	Py_ssize_t size;
	const char *bytes = text_of(name, &size, ret_holder);
	PyObject *whole;

	if (!bytes || !memchr(bytes, 0, (size_t)size))
		return bytes;
	Py_CLEAR(*ret_holder);
	whole = PyObject_CallMethod(name, "replace", "s#s", "", (Py_ssize_t)1, "\\x00");
	if (!whole)
		return NULL;
	*ret_holder = PyUnicode_AsEncodedString(whole, "utf-8", "backslashreplace");
	Py_DECREF(whole);
	return *ret_holder ? PyBytes_AS_STRING(*ret_holder) : NULL;
}

bool site_init(struct site *site, const char *attribute_name, PyObject *name)
{
	PyObject *holder;
	const char *text = c_name_of(name, &holder);
	char *copy = text ? PyMem_Malloc(strlen(text) + 1) : NULL;

	if (copy)
		strcpy(copy, text);
	else if (text)
		PyErr_NoMemory();
	Py_XDECREF(holder);
	if (!copy)
		return false;
	site->name = copy;
	site->site = (struct trm_site){attribute_name, copy, 0, 0, 0, 0};
	site->skipped = 0;
	return true;
}

void site_deinit(struct site *site)
{
	PyMem_Free(site->name);
	site->name = NULL;
}

void site_enter(struct site *site)
{
	if (TRM_ACTIVE_)
		trm_link_.api->enter(&site->site);
	else
		site->skipped++;
}

void site_iterate(struct site *site, int64_t iteration)
{
	if (TRM_ACTIVE_)
		trm_link_.api->iterate(&site->site, iteration);
	else
		site->skipped++;
}

void site_leave(struct site *site)
{
	if (__builtin_expect(site->skipped > 0, 0))
		site->skipped--;
	else if (site->site.ready)
		trm_link_.api->leave(&site->site);
}

static PyObject *is_active(PyObject *module, PyObject *nothing)
{
	(void)module;
	(void)nothing;
	return PyBool_FromLong(trm_link_.active);
}

/* METH_FASTCALL functions have another type than the table's. */
#define FAST(function) (PyCFunction)(void (*)(void))(function)

static PyMethodDef methods[] = {
	{"region", context_region, METH_O,
	 "region(name)\n--\n\nA region: with region('solve'): ..."},
	{"loop", FAST(context_loop), METH_FASTCALL,
	 "loop(name, iterable)\n--\n\n"
	 "What it iterates over, each item as an iteration of a loop: for it in "
	 "loop('timestep', range(n)): ...\nItems that are int are the iterations' "
	 "numbers; others are numbered from 0."},
	{"iteration", FAST(context_iteration), METH_FASTCALL,
	 "iteration(name, number)\n--\n\n"
	 "One iteration: with iteration('timestep', it): ..."},
	{"function", function_decorate, METH_O,
	 "function(function)\n--\n\n"
	 "Decorator: each call is a region with the function's qualified name.\n"
	 "Generators and coroutines are left as they are, and so is every function "
	 "where no library of trammel is loaded."},
	{"attribute", (PyCFunction)(void (*)(void))attribute_create,
	 METH_VARARGS | METH_KEYWORDS,
	 "attribute(name, type, *, nested=False, value=False, aggregatable=False, "
	 "hidden=False, whole=False)\n--\n\n"
	 "An attribute to begin, set and end. type: int, float, str, bool or bytes.\n"
	 "nested: part of the path. value: of the moment. aggregatable: its sum, least "
	 "and greatest value make sense. whole: of the process."},
	{"begin", FAST(attribute_begin), METH_FASTCALL,
	 "begin(what, value)\n--\n\n"
	 "From here to the end of it. what: an attribute or a name; value: int, float, "
	 "bool, str or bytes."},
	{"set", FAST(attribute_set), METH_FASTCALL,
	 "set(what, value)\n--\n\nTakes the place of the value that is open; of a value "
	 "of the moment, says it."},
	{"end", attribute_end, METH_O,
	 "end(what)\n--\n\nEnds what was begun last of it."},
	{"active", is_active, METH_NOARGS, "active()\n--\n\nWhether something measures."},
	{0},
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "trammel",
	.m_doc = "The program's own context: regions, loops, and attributes with "
		 "values.\n\n"
		 "While nothing measures, all of this does nothing. `trammel run -m "
		 "regions "
		 "-- python3 PROGRAM` measures.",
	.m_size = -1,
	.m_methods = methods,
};

/* Modules in it, as trammel.control, lie in a folder of its name beside it. */
static bool add_path(PyObject *module)
{
	Dl_info info;
	const char *slash = dladdr((const void *)&add_path, &info) && info.dli_fname
				    ? strrchr(info.dli_fname, '/')
				    : NULL;
	PyObject *folder = slash ? PyUnicode_DecodeFSDefaultAndSize(
					   info.dli_fname, slash - info.dli_fname)
				 : PyUnicode_FromString(".");
	PyObject *path = folder ? PyUnicode_FromFormat("%U/trammel", folder) : NULL;
	PyObject *list = path ? Py_BuildValue("[N]", path) : NULL;

	Py_XDECREF(folder);
	if (list && !PyModule_AddObject(module, "__path__", list))
		return true;
	Py_XDECREF(list);
	return false;
}

PyMODINIT_FUNC PyInit_trammel(void);
PyMODINIT_FUNC PyInit_trammel(void)
{
	PyObject *module;

	if (PyType_Ready(&function_type) < 0 || PyType_Ready(&attribute_type) < 0 ||
	    !context_init())
		return NULL;
	module = PyModule_Create(&definition);
	if (module &&
	    (PyModule_AddStringConstant(module, "__version__", TRAMMEL_VERSION) ||
	     !add_path(module)))
		Py_CLEAR(module);
	return module;
}
