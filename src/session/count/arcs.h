/* Where calls came from that have no counter of their own: their return addresses, as
 * gates (code/calls/gates.h) left them in the banks, become places in module files. */
#ifndef TRAMMEL_SESSION_COUNT_ARCS_H
#define TRAMMEL_SESSION_COUNT_ARCS_H

#include "session/state/session.h"

/* Notes that a module is unmapped. */
void arcs_note_gone(struct space *space, const struct module *module);

/* Adds to an image what its banks have now more than in its mark, and finds the places;
 * both are merged. Counts go down as those of counters do, see window.c. */
void arcs_add_difference(const struct process *process, uint32_t interval,
			 struct image_arcs *now);

/* Sorts, and adds up what is the same. */
void arcs_merge(struct image_arcs *arcs);

/* What the instruction at a site is, and where it begins, by the address behind it. */
const char *arcs_kind(struct module_file *file, const struct image_arc *arc,
		      const struct module_file *callee, uint64_t *ret_address);

#endif
