/*
 * The view of its bank in which a thread counts: wire/phase.h.
 */
#ifndef TRAMMEL_SESSION_POSITION_VIEW_H
#define TRAMMEL_SESSION_POSITION_VIEW_H

#include "session/state/session.h"

/* Returns the view in which a thread counts, or its bank itself; NULL: it has no bank. */
struct bank *thread_view(const struct thread *thread);

/* Returns what the thread counts now: enum arena_phase, or a name's number. */
uint32_t thread_phase(const struct thread *thread);

/* Returns what it counted in the view at an address, as wire_bank.view has it. */
uint32_t view_phase_at(const struct thread *thread, uint64_t address);

/* Returns what the counters of a bank or view are of: enum arena_phase, or a name's
 * number. */
uint32_t bank_phase(const struct bank *bank);

/* Returns the same of the bank's view at an address, as wire_bank.view has it, of the
 * process that the bank is of. */
uint32_t bank_phase_at(const struct bank *bank, uint64_t address);

/* Returns what a thread counted before, if it is in relocated code behind the end of the
 * call of a function that is a region, and has only to return: all that it executed in
 * this block was counted so. ARENA_PHASE_UNSET: it is elsewhere. */
uint32_t view_phase_ended(const struct thread *thread, const struct module *module,
			  uint64_t rip);

/* Has a stopped thread that is about to change its view begin that anew. */
void view_begin_anew(const struct thread *thread);

/* Finishes a change of the view that a stopped thread is making, in its registers.
 * Returns whether it is making one. */
bool view_finish_change(const struct thread *thread, struct user_regs_struct *registers);

#endif
