/*
 * The context-sensitive call graph: trees that the resident's enter (resident.S) made in
 * banks become one for each image, and records of the profile.
 */
#ifndef TRAMMEL_SESSION_COUNT_CALLGRAPH_H
#define TRAMMEL_SESSION_COUNT_CALLGRAPH_H

#include "session/state/session.h"

/* Looks at what the banks of a process have, if call graphs are measured. Threads may
 * have to stand for that, so it is only copied; see callgraph_take. */
void callgraph_copy(const struct session *session, struct process *process);

/* What is new in the copy since the last one belongs to an interval; unless nothing
 * `counts` then. */
void callgraph_take(const struct session *session, struct process *process, bool counts,
		    uint32_t interval);

/* The banks of a thread are empty from now on; 0: those of all threads are. */
void callgraph_forget(struct image_graph *graph, uint32_t thread);

/* Sorts what is to be told, and adds up what is the same. */
void callgraph_merge(struct image_graph *graph);

/* The same within the calls that its stack tells of: it ran before. */
void callgraph_begin_within(const struct session *session, struct thread *thread,
			    const struct user_regs_struct *registers);

#endif
