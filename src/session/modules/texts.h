/*
 * Which texts hold patches, told to the program: a call that is about to change one of
 * them (hot patching) must be heard of before. The table lies in the control page, which
 * all that is forked from an image share; so it is that of all their spaces together, and
 * a thread may ask for a text that its own process does not have.
 */
#ifndef TRAMMEL_SESSION_MODULES_TEXTS_H
#define TRAMMEL_SESSION_MODULES_TEXTS_H

#include "session/state/session.h"

/* False if there is no row that the module needs: it must not be patched. */
bool texts_add(const struct space *space, const struct module *module);

void texts_remove(const struct session *session, const struct space *space,
		  const struct module *module);

/* A module with patches in [start, start + size) of the space; NULL if there is none. */
const struct module *texts_find(const struct space *space, uint64_t start, uint64_t size);

#endif
