#include "base/pfm.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

enum {
	SUCCESS = 0,
	NOT_FOUND = -4,
	OS_PERF_EVENT = 1,
	KERNEL = 1,
	USER = 8
}; /* perfmon/pfmlib.h */

/* pfm_perf_encode_arg_t (perfmon/pfmlib_perf_event.h). */
struct encoding {
	struct perf_event_attr *attributes;
	char **name;
	size_t size;
	int index, cpu, flags, unused;
};

static struct {
	bool tried, ready;
	int (*initialize)(void);
	int (*encode)(const char *name, int levels, int system, void *argument);
	const char *(*error)(int code);
} pfm;

static bool pfm_load(void)
{
	void *library = dlopen("libpfm.so.4", RTLD_LAZY);

	pfm.tried = true;
	if (!library)
		return false;
	*(void **)&pfm.initialize = dlsym(library, "pfm_initialize");
	*(void **)&pfm.encode = dlsym(library, "pfm_get_os_event_encoding");
	*(void **)&pfm.error = dlsym(library, "pfm_strerror");
	pfm.ready =
		pfm.initialize && pfm.encode && pfm.error && pfm.initialize() == SUCCESS;
	return pfm.ready;
}

const char *pfm_find(const char *name, struct perf_event_attr *ret_attributes)
{
	char *full_name = NULL;
	struct encoding encoding = {.attributes = ret_attributes,
				    .name = &full_name,
				    .size = sizeof(encoding)};
	int result;

	if (!pfm.tried)
		pfm_load();
	if (!pfm.ready)
		return "nobody knows it, and libpfm4, which may, is not there";
	*ret_attributes = (struct perf_event_attr){.size = sizeof(*ret_attributes)};
	result = pfm.encode(name, KERNEL | USER, OS_PERF_EVENT, &encoding);
	free(full_name);
	if (result == NOT_FOUND)
		return "nobody knows it";
	return result == SUCCESS ? NULL : pfm.error(result);
}
