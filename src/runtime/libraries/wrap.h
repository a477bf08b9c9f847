/*
 * Calls of functions, seen where they are made: the entries of the global offset tables
 * of all modules that lead to a function lead to a wrapper from then on. So a program
 * that asks for no such service is not touched; and so do tables of functions in their
 * data. Not seen: calls through pointers that the program took before, and calls inside
 * of a library that do not go through its table.
 */
#ifndef TRAMMEL_RUNTIME_LIBRARIES_WRAP_H
#define TRAMMEL_RUNTIME_LIBRARIES_WRAP_H

#include <stddef.h>

struct wrap {
	const char *name;
	void *wrapper;
	void **real; /* gets the function's address; NULL: the wrapper finds it */
};
/* The row of a function with wrap_FUNCTION and real_FUNCTION. */
#define WRAP(function)                                                                   \
	{                                                                                \
#function, (void *)wrap_##function, (void **)&real_##function            \
	}

/* Installs wrappers in all modules that are loaded; for later ones see loads.h. They are
 * never removed: without a measurement they only pass calls on. A function may have
 * wrappers of several services. */
void wrap_install(const struct wrap *wraps, size_t count);
/* Installs many wrappers, of functions whose names begin with `prefix` in upper or lower
 * case. */
void wrap_install_many(const struct wrap *wraps, size_t count, const char *prefix);
/* Finds the wrapper of a function that was installed by wrap_install_many(); NULL if it
 * has none. */
void *wrap_found(const char *name);
/* Returns the function that the program's calls lead to without wrappers: that of the
 * first module that has one; NULL if none has. */
void *wrap_find_function(const char *name);
/* Installs all wrappers in a library (a handle of dlopen) and the libraries that it
 * needs, if they are new. Called by one thread at a time. */
void wrap_library(const void *handle);
/* Forgets which libraries have wrappers, after some were closed: others may take their
 * addresses. */
void wrap_forget(void);

#endif
