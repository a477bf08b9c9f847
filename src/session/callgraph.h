/*
 * The context-sensitive call graph: trees that the resident's enter (resident.S) made in
 * banks become one for each image, and records of the profile.
 */
#ifndef TRAMMEL_SESSION_CALLGRAPH_H
#define TRAMMEL_SESSION_CALLGRAPH_H

#include "session/saving.h"

/* Adds what a bank of the process has to a tree. */
void callgraph_add_bank(const struct session *session, const struct process *process,
			const struct bank *bank, struct image_graph *graph);

/* The same of all banks of the process, if call graphs are measured. */
void callgraph_add(const struct session *session, const struct process *process,
		   struct image_graph *graph);

void callgraph_deinit(struct image_graph *graph);

/* Notes the calls that a stopped thread is in, by its bank; NULL: it has none. */
void callgraph_note_calls(const struct session *session, const struct bank *bank,
			  struct thread_calls *calls);

/* Has a thread that stands begin in its bank within these calls. */
void callgraph_begin(const struct session *session, const struct bank *bank,
		     const struct thread_calls *calls);

/* A thread stands, or waits for us, from now on; and goes on: what it took is no time of
 * the program's. Of several in a row the first one of each counts. */
void callgraph_hold(const struct session *session, struct thread *thread);
void callgraph_go_on(struct thread *thread);

/* Ticks that a timed call of a function seems to take that does nothing: the resident's
 * own, between its two looks at the clock. */
uint64_t callgraph_cost_ticks(void);

/* Writes records of all contexts of an image; `live` is its process, if it has not ended
 * yet, else NULL. */
void callgraph_save(struct saving *saving, const struct image_run *image,
		    const struct process *live);

#endif
