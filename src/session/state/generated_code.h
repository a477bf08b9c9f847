/*
 * Code that a program makes itself: executable memory of no module's text, and not
 * trammel's. Which memory that is is known from the mappings as they were a while ago:
 * what is copied of it is compared with its bytes before each instruction.
 */
#ifndef TRAMMEL_SESSION_STATE_GENERATED_CODE_H
#define TRAMMEL_SESSION_STATE_GENERATED_CODE_H

#include "session/state/session.h"

#include <stddef.h>
#include <stdint.h>

/* How many bytes of it there are from an address on; 0: there is other code, or none.
 * Reads the mappings of `tid`, a thread of the space, if they may have changed. */
size_t generated_code_bytes(struct session *session, struct space *space, pid_t tid,
			    uint64_t address);

/* Whether it was there when the mappings were read last. */
bool generated_code_is_at(const struct space *space, uint64_t address);

#endif
