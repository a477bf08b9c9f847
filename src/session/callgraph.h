/*
 * The context-sensitive call graph: trees that the resident's enter (resident.S) made in
 * banks become one for each image, and records of the profile.
 */
#ifndef TRAMMEL_SESSION_CALLGRAPH_H
#define TRAMMEL_SESSION_CALLGRAPH_H

#include "session/saving.h"

/* The tree as gates have to know it: a struct plan_graph_layout. */
#define CALLGRAPH_LAYOUT                                                                 \
	{                                                                                \
		.top = WIRE_GRAPH_TOP, .frames = WIRE_GRAPH_FRAMES,                      \
		.nodes = WIRE_GRAPH_NODES, .left = WIRE_GRAPH_LEFT_AT,                   \
		.children = WIRE_GRAPH_CHILDREN_AT, .leaf = WIRE_GRAPH_LEAF,             \
		.depth = WIRE_GRAPH_DEPTH, .near = WIRE_GRAPH_NEAR                       \
	}

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

/* Notes the calls that a stopped thread is in, by its bank; NULL: it has none. */
void callgraph_note_calls(const struct session *session, const struct bank *bank,
			  struct thread_calls *calls);

/* Has a thread that stands begin in its bank within these calls. */
void callgraph_begin(const struct session *session, const struct bank *bank,
		     const struct thread_calls *calls);

/* Adds a call by hand to what a thread's bank has: of a function of a module, by its
 * index there, whose return address lies at `place`. It is not timed, unless the
 * resident has begun to. */
void callgraph_enter(const struct thread *thread, const struct module *module,
		     uint32_t function, uint64_t place);

/* The same within the calls that its stack tells of: it ran before. */
void callgraph_begin_within(const struct session *session, struct thread *thread,
			    const struct user_regs_struct *registers);

/* A thread that stands has its time up to now added to its bank. */
void callgraph_look(const struct thread *thread);

/* A thread stands, or waits for us, from now on; and goes on: what it took is no time of
 * the program's. Of several in a row the first one of each counts. */
void callgraph_hold(const struct session *session, struct thread *thread);
void callgraph_go_on(struct thread *thread);

#endif
