#include "runtime/libraries/publisher.h"

#include "publish/publish.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void *publisher_load(const char *library, const char *built)
{
	const char *const places[] = {"", built};
	void *loaded = NULL;
	Dl_info info;

	if (!dladdr((void *)(uintptr_t)&publisher_find, &info))
		return NULL;
	const char *slash = strrchr(info.dli_fname, '/');
	int folder = slash ? (int)(slash - info.dli_fname) + 1 : 0;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !loaded; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%.*s%s%s", folder, info.dli_fname,
			 places[i], library);
		loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	return loaded;
}

void (*publisher_find(const char *function))(void)
{
	static void *library;
	void *found = NULL;

	if (!library)
		library = publisher_load(PUBLISH_LIBRARY, "../publish/");
	if (library)
		found = dlsym(library, function);
	if (!found)
		fprintf(stderr,
			"trammel: cannot load '" PUBLISH_LIBRARY
			"', which writes profiles%s\n",
			library ? ": it is of another version" : "");
	return (void (*)(void))(uintptr_t)found;
}
