/*
 * The call graph in a thread's bank: the tree of calls, the calls that the thread is in,
 * and its clock. The resident's enter (resident.S) writes it while the thread runs, and
 * this while it is stopped.
 */
#ifndef TRAMMEL_SESSION_CALLGRAPH_BANK_H
#define TRAMMEL_SESSION_CALLGRAPH_BANK_H

#include "session/session.h"

/* The tree in a bank. */
struct wire_graph *callgraph_of(const struct bank *bank);

/* What nodes have for function `function` of a module, whose returns are seen. */
uint32_t callgraph_name_of(const struct module *module, uint32_t function);

/* Notes the calls that a stopped thread is in, by its bank; NULL: it has none. */
void callgraph_note_calls(const struct session *session, const struct bank *bank,
			  struct thread_calls *calls);

/* Adds a call by hand to what a thread's bank has: of a function of a module, by its
 * index there, whose return address lies at `place`. It is not timed, unless the
 * resident has begun to. */
void callgraph_enter(const struct thread *thread, const struct module *module,
		     uint32_t function, uint64_t place);

/* Has a thread that stands begin in its bank within these calls. */
void callgraph_begin(const struct session *session, const struct bank *bank,
		     const struct thread_calls *calls);

/* A thread stands, or waits for us, from now on; and goes on: what it took is no time of
 * the program's. Of several in a row the first one of each counts. */
void callgraph_hold(const struct session *session, struct thread *thread);

/* A thread that stands has its time up to now added to its bank. */
void callgraph_look(const struct thread *thread);

void callgraph_go_on(struct thread *thread);

#endif
