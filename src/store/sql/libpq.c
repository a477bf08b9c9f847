#include "store/sql/libpq.h"

#include "base/array.h"

#include <dlfcn.h>
#include <string.h>

struct libpq libpq;

#define LIBPQ_NAME(name) #name,
static const char *const names[] = {LIBPQ_FUNCTIONS(LIBPQ_NAME)};
#undef LIBPQ_NAME

_Static_assert(sizeof(libpq) == array_count(names) * sizeof(void *), "one pointer each");

struct trm_error *libpq_load(void)
{
	static void *library;
	void *functions[array_count(names)];

	if (library)
		return NULL;
	void *opened = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; i < array_count(names) && opened; i++) {
		functions[i] = dlsym(opened, names[i]);
		if (functions[i])
			continue;
		dlclose(opened);
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"libpq.so.5 has no '%s': libpq of PostgreSQL 14 "
					"or later is needed",
					names[i]);
	}
	if (!opened)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"databases of PostgreSQL need libpq.so.5: "
					"install libpq5");
	memcpy(&libpq, functions, sizeof(libpq));
	library = opened;
	return NULL;
}
