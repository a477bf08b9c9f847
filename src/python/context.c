/* Context managers: regions and iterations; and the iterator of a loop. */
#include "python/context.h"

#include "python/module.h"
#include "python/python.h"

/* What `region` gives while nothing measures; there is one. */
static PyObject *nothing;

struct region {
	PyObject_HEAD struct site site;
	bool loop; /* an iteration, of this number */
	int64_t number;
};

/* Regions by name, so that each is made once. */
static PyObject *regions;
enum { REGIONS_MAX = 1 << 14 };

static PyObject *none_object(void)
{
	return Py_NewRef(Py_None);
}

static PyObject *nothing_enter(PyObject *self, PyObject *no)
{
	(void)no;
	return Py_NewRef(self);
}

static PyObject *nothing_exit(PyObject *self, PyObject *const *what, Py_ssize_t count)
{
	(void)self;
	(void)what;
	(void)count;
	return none_object();
}

static PyObject *region_enter(PyObject *self, PyObject *no)
{
	struct region *region = (struct region *)self;

	(void)no;
	if (region->loop)
		site_iterate(&region->site, region->number);
	else
		site_enter(&region->site);
	return Py_NewRef(self);
}

static PyObject *region_exit(PyObject *self, PyObject *const *what, Py_ssize_t count)
{
	(void)what;
	(void)count;
	site_leave(&((struct region *)self)->site);
	return none_object();
}

static void region_dealloc(PyObject *self)
{
	site_deinit(&((struct region *)self)->site);
	Py_TYPE(self)->tp_free(self);
}

#define EXIT(function) (PyCFunction)(void (*)(void))(function)
static PyMethodDef nothing_methods[] = {
	{"__enter__", nothing_enter, METH_NOARGS, NULL},
	{"__exit__", EXIT(nothing_exit), METH_FASTCALL, NULL},
	{0},
};
static PyMethodDef region_methods[] = {
	{"__enter__", region_enter, METH_NOARGS, NULL},
	{"__exit__", EXIT(region_exit), METH_FASTCALL, NULL},
	{0},
};

PyTypeObject nothing_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "trammel.Nothing",
	.tp_doc = "A region while nothing measures",
	.tp_basicsize = sizeof(PyObject),
	.tp_flags = Py_TPFLAGS_DEFAULT,
	.tp_methods = nothing_methods,
};

PyTypeObject region_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "trammel.Region",
	.tp_doc = "A region, or an iteration, that ends with its block",
	.tp_basicsize = sizeof(struct region),
	.tp_flags = Py_TPFLAGS_DEFAULT,
	.tp_dealloc = region_dealloc,
	.tp_methods = region_methods,
};

static struct region *make_context(const char *attribute_name, PyObject *name)
{
	struct region *region = PyObject_New(struct region, &region_type);

	if (!region)
		return NULL;
	region->site.name = NULL;
	region->loop = false;
	region->number = 0;
	if (!site_init(&region->site, attribute_name, name))
		Py_CLEAR(region);
	return region;
}

static PyObject *new_region(PyObject *name)
{
	struct region *region = make_context("region", name);

	if (region && PyDict_GET_SIZE(regions) < REGIONS_MAX &&
	    PyDict_SetItem(regions, name, (PyObject *)region))
		Py_CLEAR(region);
	return (PyObject *)region;
}

static bool check_name(PyObject *name)
{
	if (PyUnicode_Check(name))
		return true;
	PyErr_Format(PyExc_TypeError, "a name is a str, not %.100s",
		     Py_TYPE(name)->tp_name);
	return false;
}

PyObject *context_region(PyObject *module, PyObject *name)
{
	PyObject *known;

	(void)module;
	if (!check_name(name))
		return NULL;
	if (!TRM_ACTIVE_)
		return Py_NewRef(nothing);
	known = PyDict_GetItemWithError(regions, name);
	if (known)
		return Py_NewRef(known);
	return PyErr_Occurred() ? NULL : new_region(name);
}

static bool check_count(const char *function, Py_ssize_t count)
{
	if (count == 2)
		return true;
	PyErr_Format(PyExc_TypeError, "%s takes 2 arguments, not %zd", function, count);
	return false;
}

PyObject *context_iteration(PyObject *module, PyObject *const *arguments,
			    Py_ssize_t count)
{
	struct region *region;
	long long number;

	(void)module;
	if (!check_count("iteration", count) || !check_name(arguments[0]))
		return NULL;
	number = PyLong_AsLongLong(arguments[1]);
	if (number == -1 && PyErr_Occurred())
		return NULL;
	if (!TRM_ACTIVE_)
		return Py_NewRef(nothing);
	region = make_context("loop", arguments[0]);
	if (region) {
		region->loop = true;
		region->number = number;
	}
	return (PyObject *)region;
}

/* Ends the iteration that is open when the next one begins, when there is none, and when
 * nobody refers to it any more: after a break, or an exception. */
struct loop {
	PyObject_HEAD struct site site;
	PyObject *items; /* iterator */
	int64_t index;
	bool open;
};

static void loop_close(struct loop *loop)
{
	if (loop->open)
		site_leave(&loop->site);
	loop->open = false;
}

static PyObject *loop_next(PyObject *self)
{
	struct loop *loop = (struct loop *)self;
	int64_t number = loop->index;
	PyObject *item;
	int overflow;

	loop_close(loop);
	item = Py_TYPE(loop->items)->tp_iternext(loop->items);
	if (!item)
		return NULL;
	if (PyLong_CheckExact(item)) {
		long long given = PyLong_AsLongLongAndOverflow(item, &overflow);

		number = overflow ? number : given;
	}
	loop->index++;
	loop->open = true;
	site_iterate(&loop->site, number);
	return item;
}

static int loop_traverse(PyObject *self, visitproc visit, void *arg)
{
	Py_VISIT(((struct loop *)self)->items);
	return 0;
}

static int loop_clear(PyObject *self)
{
	Py_CLEAR(((struct loop *)self)->items);
	return 0;
}

static void loop_dealloc(PyObject *self)
{
	struct loop *loop = (struct loop *)self;

	PyObject_GC_UnTrack(self);
	loop_close(loop);
	loop_clear(self);
	site_deinit(&loop->site);
	PyObject_GC_Del(self);
}

PyTypeObject loop_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "trammel.Loop",
	.tp_doc = "Iterates, each item an iteration of a loop",
	.tp_basicsize = sizeof(struct loop),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
	.tp_dealloc = loop_dealloc,
	.tp_traverse = loop_traverse,
	.tp_clear = loop_clear,
	.tp_iter = PyObject_SelfIter,
	.tp_iternext = loop_next,
};

PyObject *context_loop(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
	struct loop *loop;
	PyObject *items;

	(void)module;
	if (!check_count("loop", count) || !check_name(arguments[0]))
		return NULL;
	items = PyObject_GetIter(arguments[1]);
	if (!items || !TRM_ACTIVE_)
		return items;
	loop = PyObject_GC_New(struct loop, &loop_type);
	if (!loop) {
		Py_DECREF(items);
		return NULL;
	}
	loop->items = items;
	loop->index = 0;
	loop->open = false;
	loop->site.name = NULL;
	PyObject_GC_Track(loop);
	if (!site_init(&loop->site, "loop", arguments[0]))
		Py_CLEAR(loop);
	return (PyObject *)loop;
}

bool context_init(void)
{
	if (PyType_Ready(&nothing_type) < 0 || PyType_Ready(&region_type) < 0 ||
	    PyType_Ready(&loop_type) < 0)
		return false;
	regions = PyDict_New();
	nothing = PyObject_New(PyObject, &nothing_type);
	return regions && nothing;
}
