/*
 * Parts shared by the formats of cali-query. They look like those of LLNL's Caliper (its
 * documentation, and the output of version 2.15), except where that loses something:
 * where six digits behind the point do not identify a double, all its digits are printed.
 *
 * They take records in the form of a .cali file, each a list of paths and values, in this
 * order, and print in that order.
 */
#ifndef TRAMMEL_QUERY_FORMAT_CALIPER_H
#define TRAMMEL_QUERY_FORMAT_CALIPER_H

#include "query/format.h"

/* An attribute of the records, numbered in order of appearance. */
struct caliper_attribute {
	const char *name;
	const char *alias; /* given by the file, or NULL */
	enum record_type type;
	uint32_t properties; /* enum record_property */
	bool nested, hidden, global;
	bool value;        /* it is not in any path */
	bool listed;       /* SELECT names it */
	bool in_path;      /* or names the path, of which it is a part */
	const char *title; /* its name in SELECT's AS, or its own */
};

/* A record in the model of the printing. Paths are given by their innermost nodes. */
struct caliper_record {
	const struct record_pair *keys; /* values in front of the paths */
	size_t key_count;
	const record_node *nodes;
	size_t node_count;
	const struct record_pair *pairs; /* values behind the paths */
	size_t pair_count;
};

/* The kind of SELECT: none, everything (and maybe more), or a list of columns. */
enum caliper_selection { CALIPER_USUAL, CALIPER_ALL, CALIPER_LIST };

struct caliper_numbers VECTOR(uint32_t);

/* Common state of all formats; the state of a format begins with it. */
struct caliper_printing {
	const struct query *query;
	const struct caliper_format *format;
	struct text *out;
	/* Receivers of `out` when it is long: a part being read, or the output of a
	 * result; NULL: none. */
	struct query_part *part;
	const struct query_style *style;
	struct record_model *model; /* of all files: equal nodes are merged */
	struct VECTOR(struct caliper_attribute) attributes; /* by number in the model */
	struct VECTOR(struct record_pair) globals;          /* the last value of each */
	enum caliper_selection selection;
	/* The model of the incoming records, and the numbers in `model`: by attribute,
	 * and by node (0: not known yet). */
	const struct record_model *from;
	struct caliper_numbers attribute_of, node_of;
	struct VECTOR(record_node) nodes; /* of the current record */
	struct VECTOR(record_node) chain; /* scratch */
	struct VECTOR(struct record_pair) pairs;
};

extern const struct caliper_format caliper_table, caliper_tree, caliper_json,
	caliper_expand, caliper_lines, caliper_cali, caliper_split;

/* Creates the state of the query's format; it prints to `out`. */
struct caliper_printing *caliper_printing_create(const struct query *query,
						 struct text *out);
/* Announces the model of the records that follow, until the next call. */
void caliper_printing_use(struct caliper_printing *printing,
			  const struct record_model *model);
/* Prints a record of that model: paths by their innermost nodes, and values. */
void caliper_printing_record(struct caliper_printing *printing, const record_node *nodes,
			     size_t node_count, const struct record_pair *pairs,
			     size_t pair_count);
void caliper_printing_global(struct caliper_printing *printing,
			     record_attribute attribute, struct record_value value);
/* Prints the end and destroys `printing`. */
void caliper_printing_finish(struct caliper_printing *printing);

/* Finds or adds an attribute of the printing's own model. `as` describes it, except for
 * its selection. For an existing one of another type: as record_attribute_make. */
record_attribute caliper_attribute_make(struct caliper_printing *printing,
					const struct caliper_attribute *as);
/* Finds the attribute with this name or, if there is none, name.ns; false if there is
 * neither. */
bool caliper_attribute_find(const struct caliper_printing *printing, const char *name,
			    record_attribute *ret_attribute);
static inline const struct caliper_attribute *
caliper_attribute(const struct caliper_printing *printing, record_attribute id)
{
	return &printing->attributes.items[id];
}

/* The title of the path in SELECT; NULL if it is not listed. */
const char *caliper_path_title(const struct caliper_printing *printing);

/* Whether values of this type are right-aligned as numbers. */
bool caliper_is_number(enum record_type type);

/* Adds a value. `people`: with six digits behind the point. */
void caliper_add_value(struct text *out, struct record_value value, bool people);

/* Adds the values of an attribute in a path, outermost first, separated by /; returns
 * whether there are any. */
bool caliper_add_path(struct caliper_printing *printing, record_node node,
		      record_attribute attribute, bool people, struct text *out);
/* Adds the values of all nested attributes in a path, outermost first, separated by /;
 * returns whether there are any. */
bool caliper_add_nested(struct caliper_printing *printing, record_node node, bool people,
			struct text *out);

/* Copies the bytes of a value so that they live as long as the printing. */
struct record_value caliper_keep(struct caliper_printing *printing,
				 struct record_pair pair);

/* Adds a string padded to `width` columns, with a space behind; if it is too long its
 * middle is left out. */
void caliper_pad(struct text *out, const char *string, size_t width, bool right);

/* The width of a column whose contents need `width` characters: at least 4, at most the
 * option column-width or else `usual`. */
size_t caliper_width(const struct query *query, size_t width, size_t usual);

/* Between two rows: hands `out` to its receiver if it is long. */
void caliper_give(struct caliper_printing *printing);

/* Sorts run metadata by attribute, as JSON needs it. */
void caliper_order_globals(struct caliper_printing *printing);

/* Adds run metadata, a line each, if the option print-globals is given. */
void caliper_add_globals(const struct caliper_printing *printing, struct text *out);

#endif
