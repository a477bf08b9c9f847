/* Regions and loops as context managers. */
#ifndef TRAMMEL_PYTHON_CONTEXT_H
#define TRAMMEL_PYTHON_CONTEXT_H

#include "python/python.h"

PyObject *context_region(PyObject *module, PyObject *name);

PyObject *context_loop(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

PyObject *context_iteration(PyObject *module, PyObject *const *arguments,
			    Py_ssize_t count);
bool context_init(void);

#endif
