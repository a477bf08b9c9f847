/* Reasons that forbid attaching to a process, each in one line. */
#ifndef TRAMMEL_SESSION_RUN_ATTACH_CHECK_H
#define TRAMMEL_SESSION_RUN_ATTACH_CHECK_H

#include "session/state/session.h"

/* Returns the reason why a process cannot be attached to, as far as can be seen from
 * outside; NULL: nothing forbids it. */
struct trm_error *attach_check(pid_t pid);

/* The same for a process that is only to be traced: nothing is put into it. */
struct trm_error *attach_check_tracing(pid_t pid);

/* The same for a process that is only to be looked at from outside. */
struct trm_error *attach_check_looking(pid_t pid);

/* Returns the meaning of PTRACE_SEIZE's errno `why` for this process as an error. */
struct trm_error *attach_explain(pid_t pid, int why);

/* Returns whether a thread runs in the kernel alone: a kernel thread, or one of
 * io_uring. */
bool attach_is_kernel_thread(pid_t tid);

#endif
