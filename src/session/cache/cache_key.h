/*
 * Keys of cache files: hashes of all that they depend on.
 */
#ifndef TRAMMEL_SESSION_CACHE_CACHE_KEY_H
#define TRAMMEL_SESSION_CACHE_CACHE_KEY_H

#include "session/cache/cache_names.h"
#include "session/cache/module_file.h"

/* Returns the key of a file's plan: a hash of everything that the plan depends on
 * besides the file's content and the known execution frequencies of its parts. */
struct cache_key cache_key(const struct module_file *file,
			   const struct session_options *options);

/* Returns the kind of plans made with these options. Plans of one kind may meet in one
 * process. */
uint32_t cache_kind(const struct session_options *options);

/* Returns the key of a file's execution frequencies, which do not depend on what is
 * measured. */
uint64_t cache_frequencies_key(const struct module_file *file);

/* Returns the key under which facts about runs of an executable are kept: see
 * exception_rate.h. */
uint64_t cache_program_key(const struct stat *status);

struct file_identity file_identity_of(const struct stat *status);

#endif
