/* Names and types of attributes in Caliper's format. */
#ifndef TRAMMEL_RECORD_CALI_NAMES_H
#define TRAMMEL_RECORD_CALI_NAMES_H

#include "record/cali.h"

void cali_names_init(struct cali_names *names, struct record_model *model);
void cali_names_deinit(struct cali_names *names);

/* Returns the entry of a number from the table, which holds the numbers too large for
 * the vector. */
struct cali_entry cali_names_other(const struct cali_names *names, uint64_t id);
static inline struct cali_entry cali_names_find(const struct cali_names *names,
						uint64_t id)
{
	if (id < names->entries.count && names->entries.items[id].kind)
		return names->entries.items[id];
	return cali_names_other(names, id);
}

/* Adds a node. Returns NULL, or a constant text that describes an error. */
const char *cali_names_define(struct cali_names *names,
			      const struct cali_node_line *line);

/* The attribute with a number that stands for one; NULL: it does not. */
const struct cali_attribute *cali_names_attribute(const struct cali_names *names,
						  uint64_t id);

/* The node at the end of the first one's path with the second one's behind it. What is
 * wrong is returned as above. */
const char *cali_names_join(struct cali_names *names, record_node first,
			    record_node second, record_node *ret_node);

#endif
