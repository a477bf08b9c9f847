/*
 * The call graph in a thread's bank: the tree of calls, the calls that the thread is in,
 * and its clock. The resident's enter (resident.S) writes it while the thread runs, and
 * this while it is stopped.
 */
#ifndef TRAMMEL_SESSION_POSITION_CALLGRAPH_BANK_H
#define TRAMMEL_SESSION_POSITION_CALLGRAPH_BANK_H

#include "session/state/session.h"

/* The tree in a bank. */
struct wire_graph *callgraph_of(const struct bank *bank);

/* What nodes have for function `function` of a module, whose returns are seen. */
uint32_t callgraph_name_of(const struct module *module, uint32_t function);

/* Adds the calls that the thread of a bank is in to `calls`. */
void callgraph_note_calls(const struct bank *bank, struct thread_calls *calls);

/* Adds a call by hand to what a thread's bank has: of a function of a module, by its
 * index there, whose return address lies at `place`. It is not timed, unless the
 * resident has begun to. */
void callgraph_enter(const struct thread *thread, const struct module *module,
		     uint32_t function, uint64_t place);

/* Has a thread that stands begin in its bank within these calls. */
void callgraph_begin(const struct session *session, const struct bank *old,
		     struct bank *bank, const struct thread_calls *calls);

/* Adds the time up to now of a thread that stands to its bank. */
void callgraph_look(const struct session *session, const struct thread *thread);

/* Takes ticks in which the thread of a bank was held, `from` one moment `to` another, out
 * of the time of the call that it is in. */
void callgraph_give_back(const struct bank *bank, uint64_t from, uint64_t to);

#endif
