/*
 * Table of patched texts for the program: a call that is about to change one of them
 * (hot patching) must be reported before. The table lies in the control page, which all
 * processes forked from an image share; so it covers all their address spaces together,
 * and a thread may ask for a text that its own process does not have.
 */
#ifndef TRAMMEL_SESSION_MODULES_TEXTS_H
#define TRAMMEL_SESSION_MODULES_TEXTS_H

#include "session/state/session.h"

/* Adds a module's text to the table. Returns false if the table has no room for it:
 * the module must not be patched. */
bool texts_add(const struct space *space, const struct module *module);

void texts_remove(const struct session *session, const struct space *space,
		  const struct module *module);

/* Returns a module with patches in [start, start + size) of the space; NULL if that
 * range has no patches. */
const struct module *texts_find(const struct space *space, uint64_t start, uint64_t size);

#endif
