/*
 * Jumps that trammel put into texts, and threads that stand on them.
 */
#ifndef TRAMMEL_SESSION_POSITION_TEXT_JUMPS_H
#define TRAMMEL_SESSION_POSITION_TEXT_JUMPS_H

#include "code/plan/position.h"
#include "session/state/session.h"

/* Jump of five bytes, and its target. */
struct text_jump {
	const struct module *module;
	uint64_t link;   /* its link-time address */
	uint64_t target; /* in the program */
	struct plan_position place;
};

/* Finds the jump at an address and writes it to `ret`; returns false if no jump is
 * there. */
bool text_jump_find(const struct space *space, uint64_t rip, struct text_jump *ret);

/* Makes a stopped thread take the jump it stands on, unless the jump stands for the
 * original instruction at its place. */
void text_jump_leave(const struct thread *thread);

#endif
