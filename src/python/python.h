/*
 * The Python module `trammel`: what its files share. All of it is called with the
 * interpreter's lock held.
 */
#ifndef TRAMMEL_PYTHON_PYTHON_H
#define TRAMMEL_PYTHON_PYTHON_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "trammel/annotate.h"

/* A place that begins a region or an iteration, under a name that lasts as long. */
struct site {
	struct trm_site site;
	char *name;
	Py_ssize_t skipped; /* begins while nothing measured, whose ends must not count */
};

/* `attribute_name`: a literal. False: an exception is set. */
bool site_init(struct site *site, const char *attribute_name, PyObject *name);
void site_deinit(struct site *site);
void site_enter(struct site *site);
void site_iterate(struct site *site, int64_t iteration);
void site_leave(struct site *site);

/* The text in UTF-8, where a lone surrogate becomes "\udc80". `ret_holder` keeps it, and
 * is to be let go (it may be NULL). NULL: an exception is set; it is no text. */
const char *text_of(PyObject *text, Py_ssize_t *ret_size, PyObject **ret_holder);

/* The same of a name, which ends at its first NUL: one that is in the text becomes
 * "\x00". */
const char *c_name_of(PyObject *name, PyObject **ret_holder);

/* context.c: `with`, and the iterator of a loop. */
extern PyTypeObject nothing_type, region_type, loop_type;
PyObject *context_region(PyObject *module, PyObject *name);
PyObject *context_loop(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *context_iteration(PyObject *module, PyObject *const *arguments,
			    Py_ssize_t count);
bool context_init(void);

/* function.c: the decorator. */
extern PyTypeObject function_type;
PyObject *function_decorate(PyObject *module, PyObject *function);

/* attribute.c: begin, end and set of anything. */
extern PyTypeObject attribute_type;
PyObject *attribute_create(PyObject *module, PyObject *arguments, PyObject *named);
PyObject *attribute_begin(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *attribute_set(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *attribute_end(PyObject *module, PyObject *what);

#endif
