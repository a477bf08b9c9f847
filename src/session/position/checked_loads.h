/* The load of the resident that may fault, of strings for probes: the program never sees
 * that. Those in the code of points: finish_pass_check. */
#ifndef TRAMMEL_SESSION_POSITION_CHECKED_LOADS_H
#define TRAMMEL_SESSION_POSITION_CHECKED_LOADS_H

#include "session/state/session.h"

/* Leads a thread that has faulted at this load to where the code goes on; false: it is
 * a fault of the program's. `registers` are the thread's. */
bool checked_loads_pass(const struct thread *thread,
			const struct user_regs_struct *registers);

#endif
