/* Regions and loops as context managers. */
#ifndef TRAMMEL_PYTHON_CONTEXT_H
#define TRAMMEL_PYTHON_CONTEXT_H

#include "python/python.h"

/* Function trammel.region(). */
PyObject *context_region(PyObject *module, PyObject *name);

/* Function trammel.loop(). */
PyObject *context_loop(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

/* Function trammel.iteration(). */
PyObject *context_iteration(PyObject *module, PyObject *const *arguments,
			    Py_ssize_t count);
/* Prepares the types; returns false with an exception set. */
bool context_init(void);

#endif
