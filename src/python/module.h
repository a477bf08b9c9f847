/* Parts of the module that its classes share. */
#ifndef TRAMMEL_PYTHON_MODULE_H
#define TRAMMEL_PYTHON_MODULE_H

#include "python/python.h"

/* Makes a site for the attribute `attribute_name`, a literal, with the text `name`.
 * Returns false with an exception set. */
bool site_init(struct site *site, const char *attribute_name, PyObject *name);
/* Frees the name of the site. */
void site_deinit(struct site *site);
/* Begins the region of the site, or its iteration number `iteration`, if something
 * measures; site_leave() ends it. */
void site_enter(struct site *site);
void site_iterate(struct site *site, int64_t iteration);
void site_leave(struct site *site);

/* Returns `text` in UTF-8, where a lone surrogate becomes "\udc80", and its bytes.
 * `ret_holder` keeps the text and must be released (it may be NULL). Returns NULL with
 * an exception set if it is not a text. */
const char *text_of(PyObject *text, Py_ssize_t *ret_size, PyObject **ret_holder);

/* Returns `name` as text_of() does, ended by a NUL; a NUL in the name becomes "\x00". */
const char *c_name_of(PyObject *name, PyObject **ret_holder);

#endif
