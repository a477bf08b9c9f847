/* What addresses in trampolines of modules are. */
#ifndef TRAMMEL_SESSION_PLACE_H
#define TRAMMEL_SESSION_PLACE_H

#include "session/session.h"

/* What an address in a module's trampolines is. */
struct plan_position module_locate(const struct module *module, uint64_t address);

/* Where a call leads that such a place is in (CALL_DONE), run-time. False: the word that
 * tells cannot be read. */
bool module_callee(const struct space *space, const struct module *module,
		   const struct plan_position *place, unsigned long long *ret_address);

#endif
