/*
 * Leading a stopped thread out of probes of paths: what is left of a probe, and of the
 * resident's routine that it calls, is carried out on the thread's registers and bank, so
 * that the thread is in front of an instruction of the program.
 */
#ifndef TRAMMEL_SESSION_POSITION_PATH_STEPS_H
#define TRAMMEL_SESSION_POSITION_PATH_STEPS_H

#include "session/state/session.h"

#include <sys/user.h>

/* The function, whose paths are counted, in whose code an address is; NULL: none. */
const struct plan_function *path_steps_function(const struct module *module,
						uint64_t rip);

/* Leads a thread on; returns whether its registers changed. A thread in front of a jump
 * from the original into such a function is led there, too, but not to its entry. */
bool path_steps_run(const struct thread *thread, struct user_regs_struct *registers);

/* What an instruction of a probe may read and write. What it pushes is kept here: where
 * the stack ends there may be no memory for it. */
enum { PATH_PUSHED_MAX = 16 };
struct path_memory {
	uint8_t *bank; /* at the GS base, */
	uint64_t room; /* this many bytes */
	int stack_fd;  /* /proc/PID/mem, for what is on the stack already */
	uint32_t pushed;
	struct {
		uint64_t address, word;
	} words[PATH_PUSHED_MAX];
};

/* Carries out one instruction of a probe or routine: its bytes, of which `size` are
 * there. False: it is of no known form, or its memory is not there. */
bool path_steps_one(const uint8_t *bytes, size_t size, struct path_memory *memory,
		    struct user_regs_struct *registers);

#endif
