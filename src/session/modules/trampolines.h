/*
 * Trampolines of modules go into programs: as a mapping of the cache file, if they can be
 * used as they are there, else as a copy in the arena.
 */
#ifndef TRAMMEL_SESSION_MODULES_TRAMPOLINES_H
#define TRAMMEL_SESSION_MODULES_TRAMPOLINES_H

#include "session/state/session.h"

/* A mapping of a batch, at an address. What follows is placed relative to its result, so
 * that nothing is mapped that leads to what could not be. */
struct trampolines_anchor {
	unsigned int call;
	uint64_t address;
};
enum { TRAMPOLINES_PIECES = 8 };
struct trampolines_calls {
	unsigned int opened;                        /* the cache file, to be closed */
	struct trampolines_anchor code, ways, last; /* `last` came last of all */
	/* Pieces of a mapping of the arena, each moved to its place. */
	unsigned int whole; /* the call that made the mapping */
	struct {
		unsigned int moved; /* the call */
		uint64_t offset, size;
	} pieces[TRAMPOLINES_PIECES];
	unsigned int piece_count;
};

/* Whether banks of the program may reach far: nobody limits its addresses or our files.
 */
bool trampolines_may_spread(const struct session *session, pid_t pid);

/* The first counter of a module in a family: given out once, whoever maps it. */
uint32_t trampolines_first_slot(struct family *family, struct module_file *file);

/* Whether they can be mapped from the cache file as they are. */
bool trampolines_are_cached(const struct family *family, const struct module *module);

/* Adds the calls that map them and the ways: from the cache file, or a copy. */
struct trm_error *trampolines_add(struct session *session, struct wire_batch *batch,
				  struct family *family, struct module *module,
				  bool cached, struct trampolines_calls *ret_calls);

/* Adds what unmaps that as far as it was mapped. */
void trampolines_remove(struct wire_batch *batch, const struct wire_batch *done,
			const struct module *module,
			const struct trampolines_calls *calls);

/* Opens the module's cache file. */
unsigned int trampolines_open(struct wire_batch *batch, const struct arena *arena,
			      const struct module *module);

/* The address in the program of the header of a module's ways; 0: there is none. */
uint64_t trampolines_maps_header(const struct module *module);

/* Writes the header of a module, which knows where its ways are. */
void trampolines_write_maps_header(const struct module *module, uint8_t *header);

#endif
