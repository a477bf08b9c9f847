/*
 * Attributes and keys of a query. Attributes have numbers of the query's own, whichever
 * file they come from. A key is a list of attribute = value, kept as a tree: equal lists
 * have one number. Strings that outlive a record are kept here, too.
 */
#ifndef TRAMMEL_QUERY_KEYS_H
#define TRAMMEL_QUERY_KEYS_H

#include "base/table.h"
#include "base/vector.h"
#include "record/record.h"

/* An attribute, as described by the first file that has it. */
struct query_attribute {
	const char *name;
	const char *alias, *unit; /* for display, or NULL; kept by the keys */
	/* Further metadata: names and values in turn, each ended by a 0, up to an empty
	 * name; or NULL; kept by the keys. */
	const char *said;
	enum record_type type; /* QUERY_NOTHING: computed by LET */
	uint32_t properties;   /* enum record_property */
	bool nested, hidden, global;
	bool in_tree;   /* not RECORD_AS_VALUE */
	bool iteration; /* numbers the iterations of a loop */
};

struct query_key_node {
	uint32_t parent; /* 0: none */
	uint32_t attribute;
	uint32_t hash;
	uint32_t depth; /* length of the key */
	struct record_value value;
};

struct query_keys {
	struct string_table names;
	struct VECTOR(struct query_attribute) attributes; /* by number */
	struct VECTOR(struct query_key_node) nodes;       /* item 0 is the empty key */
	uint32_t deepest;                                 /* the greatest depth */
	uint32_t *index; /* hash table of node numbers, 0: free */
	size_t index_size;
	struct VECTOR(char *) blocks; /* of strings */
	size_t block_used, block_size;
};

void query_keys_init(struct query_keys *keys);
void query_keys_deinit(struct query_keys *keys);

/* The number of the attribute with this name; `as` describes it if it is new. */
uint32_t query_keys_attribute(struct query_keys *keys, const char *name,
			      const struct query_attribute *as);

/* The key that is `parent` extended by attribute = value. */
uint32_t query_keys_child(struct query_keys *keys, uint32_t parent, uint32_t attribute,
			  struct record_value value);

/* The next name in an attribute's metadata `said`, and its value; NULL at the end. `at`
 * is the name before; NULL: the first. */
const char *query_said_next(const char *said, const char *at, const char **ret_value);

/* Copies the bytes of a value so that they live as long as the keys. */
struct record_value query_keys_keep(struct query_keys *keys, struct record_value value);

#endif
