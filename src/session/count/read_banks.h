/* Reading of counters in banks into the counts of images. */
#ifndef TRAMMEL_SESSION_COUNT_READ_BANKS_H
#define TRAMMEL_SESSION_COUNT_READ_BANKS_H

#include "session/state/session.h"

typedef void banks_visitor(void *context, const struct module_file *file, uint32_t slot,
			   uint64_t count);

enum banks_use {
	BANKS_CLEAR,  /* the banks are free again */
	BANKS_RETIRE, /* the process may still write to them: never used again */
};
void banks_take_process(struct session *session, struct process *process,
			enum banks_use how);

/* Passes each nonzero counter in the banks of the process to `visit`, once for each
 * bank. banks_read writes the counts instead, sorted, each counter once, to
 * `ret_counts`, and calls by call site to `ret_arcs`; with `take` it clears flags as
 * it reads them. */
void banks_visit(const struct session *session, const struct process *process,
		 banks_visitor *visit, void *context);

/* Passes flags to `visit`, marking them as arena_mark_flags does; `all` as there. */
void banks_mark(const struct session *session, const struct process *process, bool all,
		banks_visitor *visit, void *context);

/* Marks `count` flags of a file from `slot` on. Returns whether any of them was set. */
bool banks_mark_some(const struct process *process, uint32_t file, uint32_t slot,
		     uint32_t count);

/* Adds the counts of an ended thread to its image where threads are told apart, and
 * empties its banks. */
void banks_take_thread(struct session *session, const struct thread *thread);

void banks_read(const struct session *session, const struct process *process, bool take,
		struct image_counts *ret_counts, struct image_arcs *ret_arcs);

/* Returns whether a counter of a file holds a maximum, which is not added. */
bool banks_is_max(const struct session *session, const struct image_count *count);

/* Sorts the counts of an image and adds up equal ones. */
void banks_merge(const struct session *session, struct image_run *image);

#endif
