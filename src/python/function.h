/* Decorators of functions. */
#ifndef TRAMMEL_PYTHON_FUNCTION_H
#define TRAMMEL_PYTHON_FUNCTION_H

#include "python/python.h"

/* Function trammel.function(). */
PyObject *function_decorate(PyObject *module, PyObject *function);

#endif
