/*
 * Modules whose functions are planned when they are called first (code/planner/lazy.h):
 * those of which no plan is kept yet. What programs map lies in a memory file of the
 * tracer's, which they open by its name in /proc, as they do with a kept plan's in the
 * cache folder. It is written to while they run, and all processes that have it mapped
 * see that: code and steps, and at last the jump into the function's latch. Before that,
 * the text's new patches are written to all processes that have the module, which run
 * nothing of the function yet. Nobody is stopped. Behind the session the module is
 * planned as a whole, and that is kept.
 */
#ifndef TRAMMEL_SESSION_CACHE_LAZY_FILE_H
#define TRAMMEL_SESSION_CACHE_LAZY_FILE_H

#include "code/planner/lazy.h"
#include "session/cache/module_file.h"

/* Bytes of a text that got patches. */
struct lazy_text {
	uint64_t address; /* link-time */
	uint64_t size;
};

struct lazy_file {
	struct lazy *plan;
	struct image *image;
	void *context; /* of the request */
	int fd;        /* the file */
	struct lazy_limits limits;
	uint64_t rows_at, steps_at;           /* in the file */
	uint64_t code_space, steps_space;     /* up to here it may be written to */
	struct VECTOR(struct lazy_text) news; /* patches since it was made, in turn */
};

/* Whether a file is to be planned so, as far as that can be told beforehand. */
bool lazy_file_suits(const struct module_file *file,
		     const struct session_options *options);

/* The same, of one whose plan is new. */
bool lazy_file_can_be(const struct module_file *file);

/* How much room plan, code and steps may take, of a file whose plan is new. */
void lazy_file_make_room(struct module_file *file);

/* Makes the file, and has programs map that. False: there is no memory. */
bool lazy_file_save(struct module_file *file);

/* Is called when `size` bytes of the text from a link-time `address` on have patches, for
 * all processes that have the module. */
typedef void lazy_file_writer(void *context, const struct module_file *file,
			      uint64_t address, uint64_t size);

/* Plans the function in whose latch an offset of the module's code lies. False: it is in
 * none. */
bool lazy_file_plan(struct module_file *file, uint64_t code_offset,
		    lazy_file_writer *write, void *context);

/* The text's `size` bytes at a link-time address, with all patches so far; NULL: it has
 * none there. */
const uint8_t *lazy_file_text(const struct module_file *file, uint64_t address,
			      uint64_t size);

/* Frees the file, and all but the plan and its ways. */
void lazy_file_destroy(struct module_file *file);

#endif
