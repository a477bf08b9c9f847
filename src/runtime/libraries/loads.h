/*
 * Wrappers of dlopen, dlsym and dlclose, by which libraries that are loaded later get
 * wrappers, too. The result of these functions depends on their return address (the
 * caller's library), so their wrappers jump to them, and nothing can be done when they
 * return. A library gets its wrappers when the program asks for its first symbol: the
 * loader has finished loading it and its dependencies by then.
 */
#ifndef TRAMMEL_RUNTIME_LIBRARIES_LOADS_H
#define TRAMMEL_RUNTIME_LIBRARIES_LOADS_H

#include <stddef.h>
#include <stdint.h>

struct wrap;

/* Installs the wrappers of dlopen, dlsym and dlclose. */
void loads_watch(void);
/* Installs the `count` wrappers of a service, in libraries that are loaded later, too. */
void loads_wrap(const struct wrap *wraps, size_t count);

extern uint64_t loads_opens, loads_closes; /* calls of dlopen and dlclose so far */

#endif
