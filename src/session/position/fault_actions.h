/*
 * What programs do with SIGSEGV and SIGBUS. A load of a point that faults while the
 * program blocks or ignores the signal, as it does within its own handler of it, makes
 * the kernel unblock it and forget the handler (kernel/signal.c, force_sig_info_to_task):
 * both are put back.
 */
#ifndef TRAMMEL_SESSION_POSITION_FAULT_ACTIONS_H
#define TRAMMEL_SESSION_POSITION_FAULT_ACTIONS_H

#include "session/state/session.h"

/* Finds out what a process does with both, on a thread of it that is stopped, if points
 * of the session may load; and has it tell of changes. */
void fault_actions_begin(struct session *session, const struct thread *thread);

/* Notes a call of sigaction(2) that is about to be made; `address` is that of its new
 * struct sigaction, 0: it has none. */
void fault_actions_see(struct process *process, int signal, uint64_t address);

/* Notes that a signal is delivered: its handler may be for once. */
void fault_actions_deliver(struct process *process, int signal);

/* Whether a signal of another sender's, at which a thread stands, may be that of a fault,
 * too: the kernel has only one of each, and it was blocked and pending. */
bool fault_actions_merge(const struct thread *thread, int signal);

/* Puts back what a fault of ours has changed, for a thread that stands at its signal. */
void fault_actions_restore(struct session *session, const struct thread *thread,
			   int signal);

#endif
