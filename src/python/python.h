/*
 * The Python module `trammel`: declarations that its files share. All functions are
 * called with the interpreter's lock held.
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
	Py_ssize_t skipped; /* begins while nothing measured; their ends must not count */
};

/* Context managers of `with`, and the iterator of a loop (context.c). */
extern PyTypeObject nothing_type, region_type, loop_type;

/* The decorator of functions (function.c). */
extern PyTypeObject function_type;

/* Attributes with begin, end and set (attribute.c). */
extern PyTypeObject attribute_type;

#endif
