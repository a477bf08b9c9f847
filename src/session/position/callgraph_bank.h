/*
 * Call graph in a thread's bank: the tree of calls, the calls that the thread is in,
 * and its clock. The resident's enter (resident.S) writes it while the thread runs, and
 * this file while it is stopped.
 */
#ifndef TRAMMEL_SESSION_POSITION_CALLGRAPH_BANK_H
#define TRAMMEL_SESSION_POSITION_CALLGRAPH_BANK_H

#include "session/state/session.h"

/* Returns the tree in a bank. */
struct wire_graph *callgraph_of(const struct bank *bank);

/* Returns the number by which nodes name function `function` of a module, if its
 * returns are seen. */
uint32_t callgraph_name_of(const struct module *module, uint32_t function);

/* Adds the calls that the thread of a bank is in to `calls`. */
void callgraph_note_calls(const struct session *session, const struct bank *bank,
			  struct thread_calls *calls);

/* Adds a call to a thread's bank by hand: of function `function` of a module (index),
 * whose return address lies at `place`. The call is not timed unless the resident has
 * begun to. */
void callgraph_enter(const struct thread *thread, const struct module *module,
		     uint32_t function, uint64_t place);

/* Makes a stopped thread begin in its bank inside these calls. */
void callgraph_begin(const struct session *session, const struct bank *old,
		     struct bank *bank, const struct thread_calls *calls);

/* Adds the time up to now of a stopped thread to its bank. */
void callgraph_look(const struct session *session, const struct thread *thread);

/* Subtracts the ticks between the moments `from` and `to`, during which the thread of
 * a bank was held, from the time of the call that it is in. */
void callgraph_give_back(const struct bank *bank, uint64_t from, uint64_t to);

#endif
