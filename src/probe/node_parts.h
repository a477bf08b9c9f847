/* What nodes are made of, and errors about them. */
#ifndef TRAMMEL_PROBE_NODE_PARTS_H
#define TRAMMEL_PROBE_NODE_PARTS_H

#include "probe/node.h"

/* Numbers of 64 bits. */
extern const struct probe_type probe_word, probe_unsigned_word;

/* Makes an error about an offset in the text of the probe. */
struct trm_error *probe_site_complain(struct probe_site *site, size_t at,
				      const char *format, ...)
	__attribute__((format(printf, 3, 4), warn_unused_result));

/* Makes an error about a value's type: "this is of type ..., `what`". */
struct trm_error *probe_complain_type(struct probe_site *site, size_t at,
				      struct probe_type type, const char *what);

/* Adds a node and returns its number. */
uint32_t probe_node_add(struct probe_site *site, struct probe_node node);

/* Adds a node that takes the low `size` bytes of another (1, 2, 4; else that itself). */
uint32_t probe_node_extend(struct probe_site *site, uint32_t node, uint64_t size,
			   bool is_signed);

/* Makes a value of a node that has no others. */
struct probe_value probe_value_simple(struct probe_site *site, enum probe_node_kind kind,
				      uint64_t number, struct probe_type type);

/* Makes a value of what is in a register, whose upper bytes may be anything. */
struct probe_value probe_value_in_register(struct probe_site *site, uint32_t node,
					   struct probe_type type);

/* Makes a value of what is in memory at `base` + `offset`. */
struct probe_value probe_value_in_memory(struct probe_site *site, uint32_t base,
					 int64_t offset, struct probe_type type);

/* Loads a number of `size` bytes from the address that the value's node is. */
struct trm_error *probe_value_load(struct probe_site *site, size_t at, uint64_t size,
				   bool is_signed, struct probe_value *value);

/* Makes a value something that a register can have. */
struct trm_error *probe_value_need_word(struct probe_site *site, size_t at,
					struct probe_value *value);

/* Makes a value a number of floating point, of which the node has the bits: `size` is 4
 * or 8 bytes. */
void probe_value_float(struct probe_site *site, uint64_t size, struct probe_value *value);

/* Returns the type of a program's type by its index. */
struct probe_type probe_type_of(uint32_t type);

/* Returns what the debug information says of a type; NULL: it is a number of ours, or a
 * pointer that a cast made. */
const struct image_data_type *probe_data_type(const struct probe_site *site,
					      struct probe_type type);

#endif
