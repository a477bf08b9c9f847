/* Counters become counts of images. */
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

/* What the banks of the process have: every counter that is not 0 of each bank; or
 * sorted, each counter once, with calls by call site. With `take`, flags are cleared
 * as they are read. */
void banks_visit(const struct session *session, const struct process *process,
		 banks_visitor *visit, void *context);

/* The same for flags, as arena_mark_flags has it. */
void banks_mark(const struct session *session, const struct process *process, bool all,
		banks_visitor *visit, void *context);

/* The same for `count` flags of a file alone: whether any of them was set. */
bool banks_mark_some(const struct process *process, uint32_t file, uint32_t slot,
		     uint32_t count);

/* A thread ended: where threads are told apart, its counts go to its image, and its banks
 * are empty again. */
void banks_take_thread(struct session *session, const struct thread *thread);

void banks_read(const struct session *session, const struct process *process, bool take,
		struct image_counts *ret_counts, struct image_arcs *ret_arcs);

/* Sorts the counts of an image, and adds up what is the same. */
void banks_merge(const struct session *session, struct image_run *image);

#endif
