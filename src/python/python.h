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

/* context.c: `with`, and the iterator of a loop. */
extern PyTypeObject nothing_type, region_type, loop_type;

/* function.c: the decorator. */
extern PyTypeObject function_type;

/* attribute.c: begin, end and set of anything. */
extern PyTypeObject attribute_type;

#endif
