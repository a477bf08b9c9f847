/*
 * The context-sensitive call graph: trees that the resident's enter (resident.S) made in
 * banks become one for each image, and records of the profile.
 */
#ifndef TRAMMEL_COLLECT_CALLGRAPH_TREE_H
#define TRAMMEL_COLLECT_CALLGRAPH_TREE_H

#include "session/state/session.h"

/* Looks at what the banks of a process have. Threads may
 * have to stand for that, so it is only copied; see callgraph_take. */
void callgraph_copy(const struct session *session, struct process *process);

/* What is new in the copy since the last one belongs to an interval; unless nothing
 * `counts` then. */
void callgraph_take(const struct session *session, struct process *process, bool counts,
		    uint32_t interval);

/* The banks of a thread are empty from now on; 0: those of all threads are. */
void callgraph_forget(struct image_run *image, uint32_t thread);

/* Sorts what is to be told, and adds up what is the same. */
void callgraph_merge(struct image_run *image);

/* Has a thread that was attached to begin in its bank within the calls that its stack
 * tells of. */
void callgraph_begin_within(const struct session *session, struct thread *thread,
			    const struct user_regs_struct *registers);

#endif
