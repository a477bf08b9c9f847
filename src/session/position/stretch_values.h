/* From what a stretch wrote down to values of instructions. */
#ifndef TRAMMEL_SESSION_POSITION_STRETCH_VALUES_H
#define TRAMMEL_SESSION_POSITION_STRETCH_VALUES_H

#include "session/state/session.h"

/* Adds what a thread executed in its stretch, up to an end of it, to the values of its
 * image. */
void stretch_values_take(struct session *session, struct thread *thread,
			 const uint64_t *words, const struct stretch_end *end);

#endif
