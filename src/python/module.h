/* Parts of the module that its classes share. */
#ifndef TRAMMEL_PYTHON_MODULE_H
#define TRAMMEL_PYTHON_MODULE_H

#include "python/python.h"

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

#endif
