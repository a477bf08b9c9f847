/* Registers and memory of debugged programs, as the original program has them. */
#ifndef TRAMMEL_SESSION_DEBUG_ACCESS_H
#define TRAMMEL_SESSION_DEBUG_ACCESS_H

#include "session/debug/debug.h"

/* Finds a debugged thread that stands. */
struct trm_error *debug_find(struct session *session, pid_t tid,
			     struct thread **ret_thread);

/* Reads the general registers: rip is original, gs_base 0. */
struct trm_error *debug_get_registers(struct session *session, pid_t tid,
				      struct user_regs_struct *ret_registers);

/* Sets them but for gs and gs_base. With another rip the thread goes on at that original
 * address. */
struct trm_error *debug_set_registers(struct session *session, pid_t tid,
				      const struct user_regs_struct *registers);

/* Reads `size` bytes of a process's memory, original ones where trammel changed them. */
struct trm_error *debug_read(struct session *session, pid_t pid, uint64_t address,
			     void *bytes, size_t size);

/* Writes memory. Fails for code of measured functions: what runs in its place is not
 * made of it any more. */
struct trm_error *debug_write(struct session *session, pid_t pid, uint64_t address,
			      const void *bytes, size_t size);

#endif
