/* Break instructions in the memory of programs. */
#ifndef TRAMMEL_SESSION_DEBUG_INSERT_H
#define TRAMMEL_SESSION_DEBUG_INSERT_H

#include "session/debug/state.h"

/* Writes break instructions at all places of all breakpoints, those that are missing. */
void debug_traps_insert(struct session *session);

/* Takes all of them away. */
void debug_traps_remove(struct session *session);

/* Takes those of a space away, or forgets them: `gone`, its memory is gone. */
void debug_traps_leave(struct session *session, const struct space *space, bool gone);

/* Takes the one at an address away for a moment (`lift`), or puts it back. */
void debug_trap_lift(struct session *session, const struct space *space, uint64_t address,
		     bool lift);

/* Returns the one at an address in a space; NULL: there is none. */
struct debug_trap *debug_trap_at(const struct session *session, const struct space *space,
				 uint64_t address);

/* Cleans the memory of a child that was forked just now, as far as it is its own. */
void debug_traps_forked(struct session *session, const struct space *parent,
			struct space *child);

/* New code was added to a file: puts it into the pages that are a process's own. */
void debug_traps_renew(struct session *session, struct space *space,
		       const struct module_file *file);

/* In a guardian: takes all break instructions away. */
void debug_traps_rescue(struct session *session);

#endif
