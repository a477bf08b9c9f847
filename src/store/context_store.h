/* Contexts of a profile's records as rows of the database, and back. */
#ifndef TRAMMEL_STORE_CONTEXT_STORE_H
#define TRAMMEL_STORE_CONTEXT_STORE_H

#include "base/error.h"
#include "base/table.h"
#include "base/text.h"
#include "base/vector.h"
#include "record/record.h"
#include "store/sql/sql.h"

/* Numbers in the database of the attributes and nodes of a model. */
struct context_names {
	struct sql *sql;
	struct record_model *model;
	struct VECTOR(int64_t) attributes, nodes; /* -1: not known yet */
};

/* Finds the number of an attribute or a node, and makes the row if it is new. */
struct trm_error *context_names_attribute(struct context_names *names,
					  record_attribute attribute, int64_t *ret_id);
struct trm_error *context_names_node(struct context_names *names, record_node node,
				     int64_t *ret_id);

/* Adds a pair to the bytes of a context's keys: the attribute's number, then the value.
 */
struct trm_error *context_names_pack(struct context_names *names,
				     const struct record_pair *pair,
				     struct text *ret_keys);

/* Frees the numbers. */
void context_names_deinit(struct context_names *names);

/* The way back: a model's attributes and nodes by the database's numbers. */
struct context_finder {
	struct sql *sql;
	struct record_model *model;
	struct table attributes, nodes;
};

struct context_pairs VECTOR(struct record_pair);

/* Finds the attribute and the node of these numbers, and makes them in the model. */
struct trm_error *context_finder_attribute(struct context_finder *finder, int64_t id,
					   record_attribute *ret_attribute);
struct trm_error *context_finder_node(struct context_finder *finder, int64_t id,
				      record_node *ret_node);

/* Adds the pairs of a context's keys; strings point into `bytes`. */
struct trm_error *context_finder_unpack(struct context_finder *finder, const void *bytes,
					size_t size, struct context_pairs *ret_pairs);

/* Frees the tables. */
void context_finder_deinit(struct context_finder *finder);

#endif
