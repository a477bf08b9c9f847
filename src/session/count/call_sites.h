/* Call sites without a counter of their own: their return addresses, as gates
 * (code/calls/gates.h) left them in the banks, are turned into places in module files. */
#ifndef TRAMMEL_SESSION_COUNT_CALL_SITES_H
#define TRAMMEL_SESSION_COUNT_CALL_SITES_H

#include "session/state/session.h"

/* Notes that a module is unmapped. */
void call_sites_note_gone(struct space *space, const struct module *module);

/* Adds to the image of a process the calls in `now`, the current contents of its
 * banks, that its mark lacks, for interval `interval`, and finds their places; both
 * are merged. Counts may go down as those of counters do, see window.c. */
void call_sites_add_difference(const struct process *process, uint32_t interval,
			       struct image_arcs *now);

/* Sorts call sites and adds up equal ones. */
void call_sites_merge(struct image_arcs *arcs);

/* Returns the kind of the instruction at a call site, and writes the address where it
 * begins to `ret_address`; the site is known by the address behind the instruction. */
const char *call_sites_kind(struct module_file *file, const struct image_arc *arc,
			    const struct module_file *callee, uint64_t *ret_address);

#endif
