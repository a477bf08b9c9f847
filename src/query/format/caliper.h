/*
 * What the formats of cali-query have in common. They look as those of LLNL's Caliper do
 * (its documentation, and what version 2.15 prints), but for what loses something: where
 * six digits behind the point do not tell a double, all its digits are there.
 *
 * They take records as a .cali file has them, each a list of paths and values, in this
 * order: so what they print comes in that order, too.
 */
#ifndef TRAMMEL_QUERY_FORMAT_CALIPER_H
#define TRAMMEL_QUERY_FORMAT_CALIPER_H

#include "query/format.h"

/* An attribute of the records, numbered as they came. */
struct caliper_attribute {
	const char *name;
	const char *alias; /* that the file gives it, or NULL */
	enum record_type type;
	uint32_t properties; /* enum record_property */
	bool nested, hidden, global;
	bool value;        /* it is in no path */
	bool listed;       /* SELECT has its name, */
	bool in_path;      /* or the path, of which it is a part */
	const char *title; /* how SELECT calls it, or its name */
};

/* Of the model of the printing. Paths are told by their innermost nodes. */
struct caliper_record {
	const struct record_pair *keys; /* values that come before the paths */
	size_t key_count;
	const record_node *nodes;
	size_t node_count;
	const struct record_pair *pairs; /* values behind the paths */
	size_t pair_count;
};

/* What SELECT says: nothing, everything (maybe something more), or a list of columns. */
enum caliper_selection { CALIPER_USUAL, CALIPER_ALL, CALIPER_LIST };

struct caliper_numbers VECTOR(uint32_t);

/* The state of a format begins with it. */
struct caliper_printing {
	const struct query *query;
	const struct caliper_format *format;
	struct text *out;
	/* What takes `out` when it is long: a part that is read, or what a result is
	 * printed for; NULL: neither does. */
	struct query_part *part;
	const struct query_style *style;
	struct record_model *model; /* of all files: equal nodes are one */
	struct VECTOR(struct caliper_attribute) attributes; /* by number in the model */
	struct VECTOR(struct record_pair) globals;          /* the last one of each */
	enum caliper_selection selection;
	/* What records are of that come, and what that is here: by attribute the number,
	 * by node the node (0: not known yet). */
	const struct record_model *from;
	struct caliper_numbers attribute_of, node_of;
	struct VECTOR(record_node) nodes; /* of the record at hand */
	struct VECTOR(record_node) chain; /* scratch */
	struct VECTOR(struct record_pair) pairs;
};

/* A format: what its state takes, and what it does with records. */
struct caliper_format {
	size_t size; /* of its state */
	/* Orders records itself, as ORDER BY says. */
	bool orders;
	void (*begin)(struct caliper_printing *printing); /* or NULL */
	void (*record)(struct caliper_printing *printing,
		       const struct caliper_record *record);
	/* Prints the end; frees what the state has, but not the state. */
	void (*end)(struct caliper_printing *printing); /* or NULL */
};

extern const struct caliper_format caliper_table, caliper_tree, caliper_json,
	caliper_expand, caliper_lines, caliper_cali, caliper_split;

/* The state of the query's format; what is printed is added to `out`. */
struct caliper_printing *caliper_printing_create(const struct query *query,
						 struct text *out);
/* What follows is of this model, until the next call. */
void caliper_printing_use(struct caliper_printing *printing,
			  const struct record_model *model);
/* A record of that model: paths by their innermost nodes, and values. */
void caliper_printing_record(struct caliper_printing *printing, const record_node *nodes,
			     size_t node_count, const struct record_pair *pairs,
			     size_t pair_count);
void caliper_printing_global(struct caliper_printing *printing,
			     record_attribute attribute, struct record_value value);
/* Prints the end, and destroys it. */
void caliper_printing_finish(struct caliper_printing *printing);

/* An attribute of the printing's own model; one that is new is learned. `as` says what it
 * is, but for how it is selected. Another type: as with record_attribute_make. */
record_attribute caliper_attribute_make(struct caliper_printing *printing,
					const struct caliper_attribute *as);
/* The attribute of this name, or, where there is none, name.ns; false: there is neither.
 */
bool caliper_attribute_find(const struct caliper_printing *printing, const char *name,
			    record_attribute *ret_attribute);
static inline const struct caliper_attribute *
caliper_attribute(const struct caliper_printing *printing, record_attribute id)
{
	return &printing->attributes.items[id];
}

/* How SELECT calls the path; NULL: it does not list it. */
const char *caliper_path_title(const struct caliper_printing *printing);

/* Whether numbers of this type are aligned as such. */
bool caliper_is_number(enum record_type type);

/* Adds a value. `people`: six digits behind the point are enough. */
void caliper_add_value(struct text *out, struct record_value value, bool people);

/* Adds the values that a path has of an attribute, the outermost first, with / between;
 * returns whether there are any. */
bool caliper_add_path(struct caliper_printing *printing, record_node node,
		      record_attribute attribute, bool people, struct text *out);
/* The same of all nested ones. */
bool caliper_add_nested(struct caliper_printing *printing, record_node node, bool people,
			struct text *out);

/* The value with bytes that live as long as the printing. */
struct record_value caliper_keep(struct caliper_printing *printing,
				 struct record_pair pair);

/* Adds the text in so many columns, with a space behind it; one that is longer has its
 * middle left out. */
void caliper_pad(struct text *out, const char *string, size_t width, bool right);

/* The width of a column of so many characters: at least 4, at most what the option
 * column-width or else `usual` says. */
size_t caliper_width(const struct query *query, size_t width, size_t usual);

/* Between two rows: gives away what there is, if it is much. */
void caliper_give(struct caliper_printing *printing);

/* Puts run metadata into the order of their attributes, as JSON has them. */
void caliper_order_globals(struct caliper_printing *printing);

/* Run metadata, a line each, where the option print-globals is given. */
void caliper_add_globals(const struct caliper_printing *printing, struct text *out);

#endif
