/*
 * For each module whose functions are relocated whole: where its instructions are, for
 * signal handlers to go back, also when the controller is dead. See struct wire_ways.
 */
#ifndef TRAMMEL_SESSION_WAYS_H
#define TRAMMEL_SESSION_WAYS_H

#include "session/session.h"

/* Bytes that the ways of a plan take; 0: it needs none. */
uint64_t ways_size(const struct plan *plan);

/* Offset of the ways from the start of the module's trampolines. */
uint64_t ways_offset(const struct plan *plan);

/* Writes the ways of a module, whose trampolines lie in `code`, behind them. */
void ways_write(const struct module *module, uint8_t *code);

/* Their address in the program; 0: there are none. */
uint64_t ways_address(const struct module *module);

#endif
