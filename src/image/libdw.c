#include "image/libdw.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIBRARY "libdw.so.1"

struct libdw libdw;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded;

static void load(void)
{
#define LIBDW_NAME(name) {#name, offsetof(struct libdw, name)},
	static const struct {
		const char *name;
		size_t offset;
	} rows[] = {LIBDW_FUNCTIONS(LIBDW_NAME)};
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	loaded = library != NULL;
	for (size_t i = 0; loaded && i < sizeof(rows) / sizeof(rows[0]); i++) {
		void *function = dlsym(library, rows[i].name);

		*(void **)((char *)&libdw + rows[i].offset) = function;
		loaded = function != NULL;
	}
}

struct trm_error *libdw_load(void)
{
	pthread_once(&once, load);
	return loaded ? NULL
		      : trm_error_create(TRM_ERROR_UNSUPPORTED,
					 "no " LIBRARY
					 " to read debug information: install elfutils' "
					 "libdw");
}
