/* What forbids to attach to a process, each said in a line. */
#ifndef TRAMMEL_SESSION_RUN_ATTACH_CHECK_H
#define TRAMMEL_SESSION_RUN_ATTACH_CHECK_H

#include "session/state/session.h"

/* Why a process cannot be attached to, as far as can be seen from outside; NULL: nothing
 * forbids it. */
struct trm_error *attach_check(pid_t pid);

/* What PTRACE_SEIZE's errno means for this process. */
struct trm_error *attach_explain(pid_t pid, int why);

/* Whether a thread lives in the kernel alone: one of its own, or of io_uring. */
bool attach_is_kernel_thread(pid_t tid);

#endif
