/* Where a stopped thread is in the original program. */
#ifndef TRAMMEL_SESSION_DEBUG_VIEW_H
#define TRAMMEL_SESSION_DEBUG_VIEW_H

#include "code/plan/position.h"
#include "session/state/session.h"

struct debug_view {
	bool front; /* it is in front of an instruction of the program, and has its
		       registers */
	bool own;   /* and that is what the processor executes next */
	bool begun; /* it is in the midst of the code for that, but nothing was done */
	uint64_t original;             /* the address of that */
	struct user_regs_struct real;  /* the registers as they are */
	struct user_regs_struct shown; /* as the program would have them */
};

/* Finds out; false: the thread is gone. */
bool debug_view(const struct thread *thread, struct debug_view *ret_view);

/* Whether the code that executes the instruction of a place, and that alone, begins at an
 * address. */
bool debug_is_own(const struct module *module, const struct plan_position *place,
		  uint64_t address);

/* Whether a jump of trammel's begins at an address of a program's text. */
bool debug_is_at_jump(const struct space *space, uint64_t address);

/* Finds the place where a thread goes on that is sent to an original address. */
uint64_t debug_way_to(const struct space *space, uint64_t original);

#endif
