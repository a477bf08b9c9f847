/*
 * Values that the resident pushes on the stack of a thread, behind a mark (one word,
 * twice) by which the tracer finds them: wire/bank.h.
 */
#ifndef TRAMMEL_SESSION_POSITION_MARKS_H
#define TRAMMEL_SESSION_POSITION_MARKS_H

#include "session/state/session.h"

/* Finds a mark (WIRE_..._MARK) on the stack from address `rsp` on, up to the stack's
 * end; writes the two words behind it to `ret_behind`. Returns false if the stack has
 * no such mark. */
bool marks_find(const struct space *space, uint64_t rsp, uint64_t mark,
		uint64_t ret_behind[2]);

/* Clears a mark, if it is there, of a thread that is moved out of the resident; `behind`
 * is the first of the words behind it. Where the next signal finds the thread in the
 * resident, the old mark might lie in a part of a frame that is not written yet. */
void marks_clear(const struct space *space, uint64_t behind, uint64_t mark);

#endif
