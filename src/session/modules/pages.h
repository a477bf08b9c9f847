/*
 * Pages of patched texts. A text stays a mapping of the module's own file, so
 * /proc/PID/maps reads as for the bare program; pages with patches are the process's
 * own copies (copy-on-write), which forked processes share. They can be written through
 * /proc/PID/mem whatever the access rights of the mapping, so no access right is ever
 * changed.
 */
#ifndef TRAMMEL_SESSION_MODULES_PAGES_H
#define TRAMMEL_SESSION_MODULES_PAGES_H

#include "session/state/session.h"

/* Writes the pages of a module's text in which the patched text differs from the
 * original. `text`: address where the text begins in the space, or a copy of its mapping;
 * `restore`: the original bytes are written, not the patched ones. */
struct trm_error *pages_write(const struct space *space, const struct module *module,
			      uint64_t text, bool restore);

/* Writes patches that a file got later (struct lazy_file) to all processes that have
 * it mapped: `size` bytes from a link-time `address` on. `context` is the session. */
void pages_write_news(void *context, const struct module_file *file, uint64_t address,
		      uint64_t size);

/* Writes to a space that was just forked the patches that its parent got since the
 * fork. */
void pages_catch_up(const struct space *space);

#endif
