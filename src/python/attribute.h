/* Class Attribute. */
#ifndef TRAMMEL_PYTHON_ATTRIBUTE_H
#define TRAMMEL_PYTHON_ATTRIBUTE_H

#include "python/python.h"

PyObject *attribute_create(PyObject *module, PyObject *arguments, PyObject *named);

PyObject *attribute_begin(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

PyObject *attribute_set(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

PyObject *attribute_end(PyObject *module, PyObject *what);

#endif
