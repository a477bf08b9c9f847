/*
 * Where threads stand: moving them out of our code.
 */
#ifndef TRAMMEL_SESSION_SIGNALS_H
#define TRAMMEL_SESSION_SIGNALS_H

#include "session/session.h"

#include <signal.h>

/* Bytes behind a module's trampolines for the copies that finish_make makes. */
#define FINISH_SIZE 4096u

/* Signals that an instruction raises; when blocked they kill, so they never are. */
static const uint64_t signals_synchronous = 1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) |
					    1ull << (SIGFPE - 1) | 1ull << (SIGILL - 1) |
					    1ull << (SIGTRAP - 1) | 1ull << (SIGSYS - 1);

struct finish_code {
	uint64_t start; /* run-time address */
	uint64_t next;  /* of the trampoline's instruction that comes after it */
	int signal;     /* to be sent again once the thread is on its way; 0: none */
};

enum settled {
	NOTHING_TO_SETTLE, /* the thread is in code of the program */
	SETTLED,           /* the registers are changed; the caller is to set them */
	SETTLED_RAN,       /* the same, and the thread ran on a little: the signal it was
			      stopped with is pending again */
	UNSETTLED,         /* it cannot be moved */
};

struct settling {
	bool fault;   /* the stop is a fault of the instruction at the PC */
	int signal;   /* that it is stopped with; 0: none */
	bool leaving; /* the text is the original before the thread goes on */
};

/* Moves a stopped thread's PC out of trampolines, hooks and patches. */
enum settled signals_settle(struct session *session, struct thread *thread,
			    const struct settling *how,
			    struct user_regs_struct *registers);

/* Where in a trampoline a thread goes on that stands, or will come back, between the
 * displaced instructions of a function whose entry is patched; false if that is no such
 * place. `entry`: the entry itself is one, whose call was counted already. */
bool signals_lead_in(const struct space *space, uint64_t rip, bool entry,
		     uint64_t *ret_rip);

/* Where in our code a thread goes on that comes back to an original place which it has
 * counted; false: there. */
bool signals_find_way(const struct space *space, uint64_t rip, uint64_t *ret_way);

/* Whether an address lies in bytes that are patched, behind the first of them. */
bool signals_in_patch(const struct space *space, uint64_t rip);

/* At a system call of a thread whose fault_rip is set: when its handler returns, the way
 * back leads into the trampoline. */
void signals_watch_return(struct thread *thread);

/* finish.c: makes the copy of the displaced instructions that are left, in the page
 * behind the module's trampolines, */
bool finish_make(const struct thread *thread, struct module *module,
		 const struct plan_place *place, struct finish_code *ret_copy);
/* and runs it, with all but synchronous signals blocked. False if it did not come to its
 * end: something else happened, which comes as an event. */
bool finish_run(struct session *session, struct thread *thread,
		const struct finish_code *copy, struct user_regs_struct *registers);

/* arc.c: whether an address is in the resident's arc, enter or leave; and moves a thread
 * that is back into the gate or the probe, in front of the call or behind it. False if
 * its stack cannot be read. */
bool arc_holds(const struct space *space, uint64_t rip);
bool arc_leave(const struct thread *thread, struct user_regs_struct *registers);
/* The same of registers alone: nothing is counted. */
bool arc_find_gate(const struct thread *thread, struct user_regs_struct *registers);
/* The counter that the call of a function of Go's has counted which a thread at its start
 * has made: jumps to those have none, so the return address tells. */
uint32_t arc_counter(const struct thread *thread, const struct module *module,
		     const struct plan_function *function,
		     const struct user_regs_struct *registers);
/* Takes what a probe or a gate has on the stack back into registers, rsp too, and does
 * what of a gate must not be done from its start again. */
bool arc_take_pushed(const struct thread *thread, const struct module *module,
		     const struct plan_place *place, struct user_regs_struct *registers);

/* Whether an operation failed; the error is dropped: the thread is gone then, and its
 * last event tells the rest. */
static inline bool remote_failed(struct trm_error *error)
{
	trm_error_destroy(error);
	return error != NULL;
}

/* rt_sigreturn(2) finds the saved context at rsp; the layout is the kernel's
 * (asm/ucontext.h, struct sigcontext): rsp is 0xa0 bytes in, and rip follows. */
#define UCONTEXT_RSP 0xa0
struct saved_place {
	uint64_t rsp, rip;
};

#endif
