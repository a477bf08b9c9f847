/*
 * What the resident has on the stack of a thread that is in its code, behind a mark that
 * is written twice.
 */
#ifndef TRAMMEL_SESSION_POSITION_MARKS_H
#define TRAMMEL_SESSION_POSITION_MARKS_H

#include "session/state/session.h"

/* Finds a mark (WIRE_..._MARK) on the stack from an address on, as far as there is one;
 * writes the two words behind it. False: there is none. */
bool marks_find(const struct space *space, uint64_t rsp, uint64_t mark,
		uint64_t ret_behind[2]);

/* Finds the frame of the hook in which a thread puts return addresses right. The bank
 * tells it, but several threads may have one bank: then the first mark from `rsp` on
 * does, though old ones may lie between what is on the stack now. False: there is none.
 */
bool marks_find_look(const struct thread *thread, uint64_t rsp, uint64_t *ret_frame);

#endif
