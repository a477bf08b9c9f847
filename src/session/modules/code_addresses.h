/* Choice of addresses for trampolines and address maps of a module. */
#ifndef TRAMMEL_SESSION_MODULES_CODE_ADDRESSES_H
#define TRAMMEL_SESSION_MODULES_CODE_ADDRESSES_H
#include "control/maps.h"
#include "session/state/session.h"

/* Returns whether `size` bytes of trampolines may lie at `address`. Trampolines of
 * modules that were found at the same time are not among the mappings that were read. */
bool code_addresses_are_free(const struct session *session, const struct space *space,
			     uint64_t address, uint64_t size);

/* Returns a free address for `size` bytes near the module at `near`, by the mappings
 * as they are now; 0: no place is free. */
uint64_t code_addresses_find(const struct thread *thread, uint64_t near, uint64_t size);

/* Chooses the address of a module's address maps: below the trampolines, where modules
 * that lie side by side have room for their maps side by side. Maps of programs at low
 * addresses lie below the arena. */
struct trm_error *code_addresses_choose_ways(const struct session *session,
					     const struct thread *thread,
					     struct module *module);

/* Returns whether trampolines of a mapping's file seem to have room at the distance of
 * `variant`, not reserved for another file. Can be asked before the file is planned,
 * which takes time. */
bool code_addresses_promise(const struct session *session, const struct space *space,
			    const struct mapping *mapping, unsigned int variant);

/* Reserves that room for a mapping against others that are not planned yet, until it
 * is released. A mapping has one reservation. */
void code_addresses_reserve(const struct session *session, struct space *space,
			    const struct mapping *mapping, unsigned int variant);
void code_addresses_release(struct space *space, const struct mapping *mapping);

/* Returns whether trampolines of a file can lie at their planned address, or already
 * lie there for another text of the module. */
bool code_addresses_suit(const struct session *session, const struct space *space,
			 const struct mapping *mapping, const struct module_file *file);

#endif
