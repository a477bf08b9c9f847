/*
 * Jumps of ours in texts, that threads may stand on.
 */
#ifndef TRAMMEL_SESSION_POSITION_TEXT_JUMPS_H
#define TRAMMEL_SESSION_POSITION_TEXT_JUMPS_H

#include "code/plan/position.h"
#include "session/state/session.h"

/* One of five bytes, and where it leads. */
struct text_jump {
	const struct module *module;
	uint64_t link;   /* its link-time address */
	uint64_t target; /* in the program */
	struct plan_position place;
};

/* That at an address; false if there is none. */
bool text_jump_find(const struct space *space, uint64_t rip, struct text_jump *ret);

/* A stopped thread on a jump of ours that has no original at its place takes it. */
void text_jump_leave(const struct thread *thread);

#endif
