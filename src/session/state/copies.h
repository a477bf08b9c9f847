/*
 * What modules have in an arena: a copy of their trampolines or of a part of them.
 * Processes that forked from each other mostly load a library at the same
 * address, and need the same bytes then: these are there once, as long as any process has
 * them mapped, and are given back with the last one.
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
	COPY_ALL, /* of trampolines, with the ways in front of them */
	COPY_OWN, /* what is a process's own where the rest is the cache file's */
};

/* What its bytes depend on, and where they are. */
struct family_copy {
	enum copy_kind kind;
	const struct module_file *file;
	uint64_t bias, code_address, address_maps_at;
	uint32_t first_slot;
	uint64_t offset, size; /* in the arena's file */
	uint32_t references;   /* modules of address spaces */
};

/*
 * Gives a module of a process in `family` the copy of `kind`, which has `size` bytes: one
 * that is there, else a new one, all zeros, whose bytes the caller writes. The module has
 * a reference to `ret_copy` from then on. `ret_new`: it is to be written. Fails with
 * TRM_ERROR_LIMIT where the limit on memory is reached.
 */
struct trm_error *copies_take(struct session *session, struct family *family,
			      const struct module *module, enum copy_kind kind,
			      uint64_t size, struct family_copy **ret_copy,
			      bool *ret_new);

/* The modules of a space that was just forked share the copies of its parent's. */
void copies_share(struct space *space);

/* A module has the copy no more, which may be NULL; it is NULL then. */
void copies_give(struct family *family, struct family_copy **copy);

/* The same for all modules of a space that is gone, unless somebody that is not followed
 * may have them (space.left). */
void copies_give_all(struct space *space);

/* Frees what a family knows of its copies, not their memory: the arena is gone. */
void copies_forget(struct family *family);

#endif
