/* Making nodes of terms: their types are checked, and variables looked up. */
#ifndef TRAMMEL_PROBE_NODE_MAKE_H
#define TRAMMEL_PROBE_NODE_MAKE_H

#include "probe/node.h"

/* Makes nodes of a term. The result is a number, a pointer or text. An error is about
 * site.place_at. */
struct trm_error *probe_make_node(struct probe_site *site, uint32_t term,
				  uint32_t *ret_node, struct probe_type *ret_type);

#endif
