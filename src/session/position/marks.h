/*
 * Values that the resident pushes on the stack of a thread, behind a mark (one word,
 * twice) by which the tracer finds them.
 */
#ifndef TRAMMEL_SESSION_POSITION_MARKS_H
#define TRAMMEL_SESSION_POSITION_MARKS_H

#include "session/state/session.h"

/* Finds a mark (WIRE_..._MARK) on the stack from address `rsp` on, up to the stack's
 * end; writes the two words behind it to `ret_behind`. Returns false if the stack has
 * no such mark. */
bool marks_find(const struct space *space, uint64_t rsp, uint64_t mark,
		uint64_t ret_behind[2]);

/* Finds the frame of the hook in which a thread corrects return addresses. The bank
 * names it, but several threads may share a bank: then the first mark from `rsp` on is
 * used, though stale ones may lie between the live values. Returns false if no frame
 * is found. */
bool marks_find_look(const struct thread *thread, uint64_t rsp, uint64_t *ret_frame);

#endif
