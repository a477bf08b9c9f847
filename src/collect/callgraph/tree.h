/*
 * The context-sensitive call graph: trees that the resident (resident.S, enter) made in
 * banks are merged into one for each image, and become records of the profile.
 */
#ifndef TRAMMEL_COLLECT_CALLGRAPH_TREE_H
#define TRAMMEL_COLLECT_CALLGRAPH_TREE_H

#include "session/state/session.h"

/* Copies the trees of a process's banks. Its threads may have to stand still meanwhile,
 * so callgraph_take does the rest. */
void callgraph_copy(const struct session *session, struct process *process);

/* Adds the difference between this copy and the one before to interval `interval`;
 * without `counts` it is dropped. */
void callgraph_take(const struct session *session, struct process *process, bool counts,
		    uint32_t interval);

/* Notes that the banks of thread `thread` are empty now; 0: the banks of all threads. */
void callgraph_forget(struct image_run *image, uint32_t thread);

/* Sorts the contexts of an image and merges equal ones. */
void callgraph_merge(struct image_run *image);

/* Makes a thread of an attached process begin, in its bank, within the calls on its
 * stack. */
void callgraph_begin_within(const struct session *session, struct thread *thread,
			    const struct user_regs_struct *registers);

#endif
