/* Where trampolines go, and the ways of a module. */
#ifndef TRAMMEL_SESSION_MODULES_CODE_ADDRESSES_H
#define TRAMMEL_SESSION_MODULES_CODE_ADDRESSES_H

#include "session/state/session.h"

/* Whether trampolines may lie there. Those of modules that were found at the same time
 * are not among the mappings that were read. */
bool code_addresses_are_free(const struct session *session, const struct space *space,
			     uint64_t address, uint64_t size);

/* A free place near the module, by the mappings as they are now; 0: there is none. */
uint64_t code_addresses_find(const struct thread *thread, uint64_t near, uint64_t size);

/* Where the ways go: below the trampolines, where modules that lie side by side have room
 * for theirs side by side. Those of programs at low addresses lie below the arena. */
struct trm_error *code_addresses_choose_ways(const struct session *session,
					     const struct thread *thread,
					     struct module *module);

/* Whether trampolines of a mapping's file seem to have room at the distance of a variant,
 * which is not kept for another: known before it is planned, which takes its time. */
bool code_addresses_promise(const struct session *session, const struct space *space,
			    const struct mapping *mapping, unsigned int variant);

/* Keeps that room for a mapping from others that are not planned yet, until it is
 * released. A mapping has one. */
void code_addresses_reserve(const struct session *session, struct space *space,
			    const struct mapping *mapping, unsigned int variant);
void code_addresses_release(struct space *space, const struct mapping *mapping);

/* Whether trampolines of a file can lie where they are to lie, or do so already, for
 * another text of the module. */
bool code_addresses_suit(const struct session *session, const struct space *space,
			 const struct mapping *mapping, const struct module_file *file);

#endif
