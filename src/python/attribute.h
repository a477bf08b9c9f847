/* Class Attribute. */
#ifndef TRAMMEL_PYTHON_ATTRIBUTE_H
#define TRAMMEL_PYTHON_ATTRIBUTE_H

#include "python/python.h"

/* Function trammel.attribute(). */
PyObject *attribute_create(PyObject *module, PyObject *arguments, PyObject *named);

/* Function trammel.begin(). */
PyObject *attribute_begin(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

/* Function trammel.set(). */
PyObject *attribute_set(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

/* Function trammel.end(); `what`: an attribute or a name. */
PyObject *attribute_end(PyObject *module, PyObject *what);

#endif
