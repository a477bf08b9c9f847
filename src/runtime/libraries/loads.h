/*
 * Libraries that come later: calls of dlopen, dlsym and dlclose are seen like others.
 * Who calls them must be seen by them as their caller (they look where that says), so
 * their wrappers are jumps, and nothing can be done when they return. A library gets its
 * wrappers when the program asks for the first symbol of it: then it is certain that the
 * loader is through with it, and with what it needs.
 */
#ifndef TRAMMEL_RUNTIME_LIBRARIES_LOADS_H
#define TRAMMEL_RUNTIME_LIBRARIES_LOADS_H

#include <stddef.h>
#include <stdint.h>

struct wrap;

/* Installs the wrappers of these calls. */
void loads_watch(void);
/* Installs the wrappers of a service, and those of these calls, so that later libraries
 * get them, too. */
void loads_wrap(const struct wrap *wraps, size_t count);

extern uint64_t loads_opens, loads_closes; /* calls */

#endif
