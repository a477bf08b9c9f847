/* Libraries that lie beside the program. */
#ifndef BESIDE_H
#define BESIDE_H

#include "test.h"

#include <dlfcn.h>
#include <string.h>

/* A function of a library that is loaded for it. */
static inline void *load_beside(const char *program, const char *library,
				const char *function)
{
	char path[4096];
	void *loaded, *found;

	snprintf(path, sizeof(path), "%.*s/%s", (int)(strrchr(program, '/') - program),
		 program, library);
	loaded = dlopen(path, RTLD_NOW);
	CHECK(loaded);
	found = dlsym(loaded, function);
	CHECK(found);
	return found;
}

#endif
