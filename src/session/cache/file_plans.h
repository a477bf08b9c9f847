/*
 * The plans of files: from the cache folder, or made and put there.
 */
#ifndef TRAMMEL_SESSION_CACHE_FILE_PLANS_H
#define TRAMMEL_SESSION_CACHE_FILE_PLANS_H

#include "session/cache/module_file.h"

struct cache;

/* What a file is opened for. */
struct module_use {
	const char *path;     /* as the program has it */
	bool bare;            /* the program is followed, but not measured */
	bool copies_calls;    /* relocated code makes calls */
	bool lazy;            /* functions may be planned when they are called */
	unsigned int variant; /* less than MODULE_VARIANTS: of the usual places for
				 trampolines */
};

/*
 * The module of an open file, planned for these options, from the cache or made and put
 * there. Whatever is wrong with the file ends in `trouble`, not in an error.
 */
struct module_file *module_file_open(struct cache *cache, int fd,
				     const struct stat *status,
				     const struct module_use *use,
				     const struct session_options *options);
/* The same with trampolines at another link-time address; never from the cache. */
struct module_file *module_file_open_at(int fd, const struct stat *status,
					const struct module_use *use,
					const struct session_options *options,
					uint64_t code_address);

/*
 * Makes another plan of a file from the cache, by what was learned of it, and puts it
 * there for later runs. The file must not be used by others meanwhile.
 */
void module_file_replan(struct cache *cache, const struct module_file *file,
			const struct session_options *options,
			const struct feedback *feedback);

void module_file_destroy(struct module_file *file);

#endif
