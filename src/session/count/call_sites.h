/* Where calls came from that have no counter of their own: their return addresses, as
 * gates (code/calls/gates.h) left them in the banks, become places in module files. */
#ifndef TRAMMEL_SESSION_COUNT_CALL_SITES_H
#define TRAMMEL_SESSION_COUNT_CALL_SITES_H

#include "session/state/session.h"

/* Notes that a module is unmapped. */
void call_sites_note_gone(struct space *space, const struct module *module);

/* Adds to an image what its banks have now more than in its mark, and finds the places;
 * both are merged. Counts go down as those of counters do, see window.c. */
void call_sites_add_difference(const struct process *process, uint32_t interval,
			       struct image_arcs *now);

/* Sorts, and adds up what is the same. */
void call_sites_merge(struct image_arcs *arcs);

/* What the instruction at a site is, and where it begins, by the address behind it. */
const char *call_sites_kind(struct module_file *file, const struct image_arc *arc,
			    const struct module_file *callee, uint64_t *ret_address);

#endif
