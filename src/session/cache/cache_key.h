/*
 * What files of the cache are known by: hashes of all that they depend on.
 */
#ifndef TRAMMEL_SESSION_CACHE_CACHE_KEY_H
#define TRAMMEL_SESSION_CACHE_CACHE_KEY_H

#include "session/cache/cache_names.h"
#include "session/cache/module_file.h"

/* Everything that a plan depends on beside the file's content, and what is known of how
 * often its parts ran. */
struct cache_key cache_key(const struct module_file *file,
			   const struct session_options *options);

/* Plans of one kind may be those of one program's modules. */
uint32_t cache_kind(const struct session_options *options);

/* What the frequencies of a file's functions depend on: not on what is measured. */
uint64_t cache_frequencies_key(const struct module_file *file);

/* What is known of runs of an executable goes by it: see exception_rate.h. */
uint64_t cache_program_key(const struct stat *status);

struct file_identity file_identity_of(const struct stat *status);

#endif
