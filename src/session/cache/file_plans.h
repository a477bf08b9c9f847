/*
 * Plans of files: loaded from the cache folder, or made and stored there.
 */
#ifndef TRAMMEL_SESSION_CACHE_FILE_PLANS_H
#define TRAMMEL_SESSION_CACHE_FILE_PLANS_H

#include "session/cache/module_file.h"

struct cache;

/* Use for which a module's file is opened. */
struct module_use {
	const char *path;     /* as the program has it */
	bool bare;            /* the program is followed, but not measured */
	bool copies_calls;    /* relocated code makes calls */
	bool lazy;            /* functions may be planned when they are called */
	unsigned int variant; /* number of the usual place for trampolines, less than
				 MODULE_VARIANTS */
};

/*
 * Returns the module of an open file, planned for these options: loaded from the cache,
 * or made and stored there. Faults in the file are reported in `trouble`, not as an
 * error.
 */
struct module_file *module_file_open(struct cache *cache, int fd,
				     const struct stat *status,
				     const struct module_use *use,
				     const struct session_options *options);
/* Returns such a module with its trampolines at the link-time address `code_address`;
 * never from the cache. */
struct module_file *module_file_open_at(int fd, const struct stat *status,
					const struct module_use *use,
					const struct session_options *options,
					uint64_t code_address);

/*
 * Makes a new plan of a file from the cache, using `feedback`, and stores it there for
 * later runs. Other threads must not use the file meanwhile.
 */
void module_file_replan(struct cache *cache, const struct module_file *file,
			const struct session_options *options,
			const struct feedback *feedback);

void module_file_destroy(struct module_file *file);

#endif
