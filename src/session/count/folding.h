/* Counters become counts of images. */
#ifndef TRAMMEL_SESSION_COUNT_FOLDING_H
#define TRAMMEL_SESSION_COUNT_FOLDING_H

#include "session/state/session.h"

typedef void fold_visitor(void *context, const struct module_file *file, uint32_t slot,
			  uint64_t count);

enum fold_banks {
	FOLD_AND_CLEAR,  /* the banks are free again */
	FOLD_AND_RETIRE, /* the process may still write to them: never used again */
};
void fold_process(struct session *session, struct process *process, enum fold_banks how);

/* What the banks of the process have: every counter that is not 0 of each bank; or
 * sorted, each counter once, with calls by their places. With `take`, flags are cleared
 * as they are read. */
void fold_visit(const struct session *session, const struct process *process,
		fold_visitor *visit, void *context);

/* The same for flags, as arena_mark_flags has it. */
void fold_mark(const struct session *session, const struct process *process, bool all,
	       fold_visitor *visit, void *context);

/* The same for `count` flags of a file alone: whether any of them was set. */
bool fold_mark_some(const struct process *process, uint32_t file, uint32_t slot,
		    uint32_t count);

/* A thread ended: where threads are told apart, its counts go to its image, and its banks
 * are empty again. */
void fold_thread(struct session *session, const struct thread *thread);

void fold_read(const struct session *session, const struct process *process, bool take,
	       struct image_counts *ret_counts, struct image_arcs *ret_arcs);

/* Sorts the counts of an image, and adds up what is the same. */
void fold_merge(const struct session *session, struct image_run *image);

#endif
