/*
 * Modules whose functions are planned at their first call (code/planner/lazy.h), used
 * where no plan is kept yet. Programs map a memory file of the tracer's, which they
 * open by its name in /proc, as they open a kept plan in the cache folder. The tracer
 * writes to it while they run, and all processes that have it mapped see that: code and
 * steps, and last the jump into the function's latch. Before that, the text's new
 * patches are written to all processes that have the module, which run nothing of the
 * function yet. No thread is stopped. After the session the module is planned as a
 * whole, and that plan is kept.
 */
#ifndef TRAMMEL_SESSION_CACHE_LAZY_FILE_H
#define TRAMMEL_SESSION_CACHE_LAZY_FILE_H

#include "code/planner/lazy.h"
#include "session/cache/module_file.h"

/* Range of a text that got patches. */
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
	uint64_t code_space, steps_space;     /* offsets up to which each may be
						 written */
	struct VECTOR(struct lazy_text) news; /* patches since it was made, in turn */
};

/* Returns whether a file is to be planned lazily, as far as can be told before it is
 * planned. */
bool lazy_file_suits(const struct module_file *file,
		     const struct session_options *options);

/* Returns whether a file with a newly made plan can be planned lazily. */
bool lazy_file_can_be(const struct module_file *file);

/* Reserves room for plan, code and steps of a file with a newly made plan. */
void lazy_file_make_room(struct module_file *file);

/* Makes the memory file and has programs map it. Returns false if memory is short. */
bool lazy_file_save(struct module_file *file);

/* Callback for `size` bytes of text that got patches, from the link-time `address` on;
 * it writes them to all processes that have the module. */
typedef void lazy_file_writer(void *context, const struct module_file *file,
			      uint64_t address, uint64_t size);

/* What a session does about functions that are planned at their first call. */
struct lazy_file_session {
	lazy_file_writer *write;
	void (*ready)(void *context); /* called before any thread can reach their code */
	void *context;
};

/* Plans the function whose latch contains the offset `code_offset` of the module's
 * code. Returns false if it lies in no latch. */
bool lazy_file_plan(struct module_file *file, uint64_t code_offset,
		    const struct lazy_file_session *session);

/* Returns the `size` bytes of text at a link-time address, with all patches so far;
 * NULL: the text has no bytes there. */
const uint8_t *lazy_file_text(const struct module_file *file, uint64_t address,
			      uint64_t size);

/* Frees the memory file and all else except the plan and its address maps. */
void lazy_file_destroy(struct module_file *file);

#endif
