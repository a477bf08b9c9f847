/*
 * Mapping of a module's trampolines into programs: as a mapping of the cache file, if
 * that can be used unchanged, else as a copy in the arena.
 */
#ifndef TRAMMEL_SESSION_MODULES_TRAMPOLINES_H
#define TRAMMEL_SESSION_MODULES_TRAMPOLINES_H

#include "session/state/session.h"

/* Mapping made by a call of a batch, at an address. Later mappings are placed relative
 * to its result, so that nothing is mapped that jumps to a mapping that failed. */
struct trampolines_anchor {
	unsigned int call;
	uint64_t address;
};
enum { TRAMPOLINES_PIECES = 8 };
struct trampolines_calls {
	unsigned int opened;                        /* call that opens the cache file,
						       which is to be closed */
	struct trampolines_anchor code, ways, last; /* `last`: the last of all */
	/* Pieces of a mapping of the arena, each moved to its place. */
	unsigned int whole; /* the call that made the mapping */
	struct {
		unsigned int moved; /* the call */
		uint64_t offset, size;
	} pieces[TRAMPOLINES_PIECES];
	unsigned int piece_count;
};

/* Returns whether banks of the program may be spread over a large range: neither its
 * addresses nor the tracer's files are limited. */
bool trampolines_may_spread(const struct session *session, pid_t pid);

/* Returns the first counter of a module in a family: assigned once, for all processes
 * that map it. */
uint32_t trampolines_first_slot(struct family *family, struct module_file *file);

/* Returns whether a module's trampolines can be mapped unchanged from the cache file. */
bool trampolines_are_cached(const struct family *family, const struct module *module);

/* Adds to `batch` the calls that map a module's trampolines and address maps: from the
 * cache file if `cached`, else from a copy. Writes the indices of the calls to
 * `ret_calls`. */
struct trm_error *trampolines_add(struct session *session, struct wire_batch *batch,
				  struct family *family, struct module *module,
				  bool cached, struct trampolines_calls *ret_calls);

/* Adds to `batch` the calls that unmap them as far as `done`, the batch of
 * trampolines_add, mapped them. */
void trampolines_remove(struct wire_batch *batch, const struct wire_batch *done,
			const struct module *module,
			const struct trampolines_calls *calls);

/* Adds to `batch` the call that opens the module's cache file. Returns its index. */
unsigned int trampolines_open(struct wire_batch *batch, const struct arena *arena,
			      const struct module *module);

/* Returns the address in the program of the header of a module's address maps; 0: it
 * has no maps. */
uint64_t trampolines_maps_header(const struct module *module);

/* Writes the header of a module's address maps, which says where they lie, to
 * `header`. */
void trampolines_write_maps_header(const struct module *module, uint8_t *header);

#endif
