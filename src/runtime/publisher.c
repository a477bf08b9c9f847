#include "runtime/publisher.h"

#include "publish/publish.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* It lies beside this one, or where it was built. */
static void *load(void)
{
	static const char *const places[] = {"", "../publish/"};
	void *library = NULL;
	Dl_info info;

	if (!dladdr((void *)(uintptr_t)&publisher_find, &info))
		return NULL;
	const char *slash = strrchr(info.dli_fname, '/');
	int folder = slash ? (int)(slash - info.dli_fname) + 1 : 0;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !library; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%.*s%s%s", folder, info.dli_fname,
			 places[i], PUBLISH_LIBRARY);
		library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	return library;
}

void (*publisher_find(const char *function))(void)
{
	static void *library;
	void *found = NULL;

	if (!library)
		library = load();
	if (library)
		found = dlsym(library, function);
	if (!found)
		fprintf(stderr,
			"trammel: cannot load '" PUBLISH_LIBRARY
			"', which writes profiles%s\n",
			library ? ": it is of another version" : "");
	return (void (*)(void))(uintptr_t)found;
}
