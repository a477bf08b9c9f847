#include "cli/far/debuginfod.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of its header, which need not be there to build trammel. A size of 0: a text. */
typedef void *begin_client(void);
typedef int find_file(void *client, const unsigned char *build_id, int size,
		      char **ret_path);

/* The client, which stays: it remembers who has nothing. */
static struct {
	bool tried;
	void *client;
	find_file *find_debug, *find_program;
} library;

/* ISO C has no conversion from an object to a function. */
static bool take_function(void *loaded, const char *name, void *function)
{
	void *symbol = dlsym(loaded, name);

	memcpy(function, &symbol, sizeof(symbol));
	return symbol != NULL;
}

static void load_library(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	begin_client *begin;

	library.tried = true;
	if (!urls || !urls[strspn(urls, " ")])
		return;
	void *loaded = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);

	if (loaded && take_function(loaded, "debuginfod_begin", &begin) &&
	    take_function(loaded, "debuginfod_find_debuginfo", &library.find_debug) &&
	    take_function(loaded, "debuginfod_find_executable", &library.find_program))
		library.client = begin();
}

char *debuginfod_find(const char *build_id, bool debug)
{
	find_file *find;
	char *path = NULL;

	if (!library.tried)
		load_library();
	if (!library.client)
		return NULL;
	find = debug ? library.find_debug : library.find_program;
	int fd = find(library.client, (const unsigned char *)build_id, 0, &path);

	if (fd < 0)
		return NULL;
	close(fd);
	return path;
}
