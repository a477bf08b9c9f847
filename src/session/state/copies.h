/*
 * Copies of trampolines, or of a part of them, that modules have in an arena. Processes
 * that forked from each other mostly load a library at one address, and then need
 * identical bytes: these are stored once, as long as any process has them mapped, and
 * are freed with the last one.
 */
#ifndef TRAMMEL_SESSION_STATE_COPIES_H
#define TRAMMEL_SESSION_STATE_COPIES_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct family;
struct module;
struct module_file;
struct session;
struct space;

enum copy_kind {
	COPY_ALL, /* all trampolines, with the address maps in front of them */
	COPY_OWN, /* pages of a process's own, where the rest is mapped from the cache
		     file */
};

/* Copy: the values on which its bytes depend, and their place. */
struct family_copy {
	enum copy_kind kind;
	const struct module_file *file;
	uint64_t bias, code_address, address_maps_at;
	uint32_t first_slot;
	uint64_t offset, size; /* in the arena's file */
	uint32_t references;   /* modules of address spaces */
};

/*
 * Gives a module of a process in `family` the copy of `kind`, `size` bytes long: an
 * existing one, or else a new one, all zeros, whose bytes the caller writes. The module
 * holds a reference to `ret_copy` from then on. `ret_new`: the caller is to write it.
 * Fails with TRM_ERROR_LIMIT where the limit on memory is reached.
 */
struct trm_error *copies_take(struct session *session, struct family *family,
			      const struct module *module, enum copy_kind kind,
			      uint64_t size, struct family_copy **ret_copy,
			      bool *ret_new);

/* Shares the copies of the parent's modules with the modules of a space that was just
 * forked. */
void copies_share(struct space *space);

/* Drops a module's reference to the copy, which may be NULL, and sets it to NULL. */
void copies_give(struct family *family, struct family_copy **copy);

/* Drops the copies of all modules of a space that is gone, unless a process that is
 * not followed may have them mapped (space.left). */
void copies_give_all(struct space *space);

/* Frees a family's records of its copies, not their memory: the arena is gone. */
void copies_forget(struct family *family);

#endif
