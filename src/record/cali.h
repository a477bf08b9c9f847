/*
 * The text format of LLNL's Caliper (.cali), as its documentation has it. Shared by the
 * writer and the reader only.
 *
 * A record a line, without a head. A line is fields with commas between them; a field is
 * key=value[=value...], and the first one says what the record is. Empty lines are
 * skipped. The rest of a line after an unknown key is ignored.
 *
 *     __rec=node,id=N,attr=A,data=V[,parent=P]
 *         a node of the context tree: attribute A has the value V below node P, or at the
 *         root. Numbers may have gaps and come in any order, but a node comes behind its
 *         parent and its attribute. A number that is used again stands for the new node.
 *     __rec=ctx[,ref=N[=N...]][,attr=A[=A...],data=V[=V...]]
 *         a record: the paths from the root to these nodes, and these values
 *     __rec=globals,...
 *         run metadata, with the fields of a record
 *
 * Fields come in any order. In values a backslash stands before \ , and =, and \n is a
 * new line; before anything else it stands for nothing.
 *
 * These nodes are known to all, and only files of early versions have them:
 *
 *     0-7  attribute 9: the types usr int uint string addr double bool type
 *     8    attribute 8 below 3: cali.attribute.name
 *     9    attribute 8 below 7: cali.attribute.type
 *     10   attribute 8 below 1: cali.attribute.prop
 *     11   attribute 9: the type ptr
 *
 * An attribute is a node with attribute 8, whose number is the attribute's. Nodes above
 * it describe it: the one with attribute 9 is its type, the one with attribute 10 has its
 * properties (enum cali_property), any other one says something else of it, such as
 * attribute.unit=sec.
 *
 * Values: int and uint in decimal, string as it is, addr in hexadecimal without 0x,
 * double in decimal with all digits that it needs, bool true or false, type by its name,
 * usr as hexadecimal bytes with a colon behind each.
 *
 * Where a value is of a type that a record's own cannot be (ptr), it is an address.
 */
#ifndef TRAMMEL_RECORD_CALI_H
#define TRAMMEL_RECORD_CALI_H

#include "base/vector.h"
#include "record/record.h"

enum cali_builtin {
	CALI_NAME = 8,
	CALI_TYPE = 9,
	CALI_PROPERTIES = 10,
	CALI_POINTER = 11,
	CALI_BUILTIN_COUNT = 12,
};

enum cali_property {
	CALI_AS_VALUE = 1,
	CALI_SCOPE_PROCESS = 12,
	CALI_SCOPE_THREAD = 20,
	CALI_SCOPE_TASK = 24,
	CALI_SCOPE_MASK = 60,
	CALI_SKIP_EVENTS = 64,
	CALI_HIDDEN = 128,
	CALI_NESTED = 256,
	CALI_GLOBAL = 512,
	CALI_UNALIGNED = 1024,
	CALI_AGGREGATABLE = 2048,
};

static inline bool cali_is_end(char c)
{
	return c == '=' || c == ',' || c == '\n';
}

/* Nodes that describe one attribute. */
enum { CALI_DEPTH_MAX = 250 };

/* Kinds of entries that numbers in a file stand for. */
enum cali_kind { CALI_UNKNOWN, CALI_NODE, CALI_DESCRIPTION, CALI_ATTRIBUTE };

struct cali_entry {
	uint32_t kind;   /* enum cali_kind */
	uint32_t number; /* a node of the model, or an index in the table of its kind */
};

struct cali_description {
	uint32_t parent;    /* index in descriptions; UINT32_MAX: no parent */
	uint32_t depth;     /* how many are above it */
	uint64_t attribute; /* number in the file */
	char *value;        /* as in the file, followed by a new line */
};

struct cali_attribute {
	record_attribute id;
	enum record_type type;
	uint32_t description;
};

struct cali_names {
	struct record_model *model;
	/* By number; entries with numbers too large for the vector are in the table. */
	struct VECTOR(struct cali_entry) entries;
	struct table *others;
	uint64_t defined; /* how many were given a meaning */
	struct VECTOR(struct cali_description) descriptions;
	struct VECTOR(struct cali_attribute) attributes;
	struct table *joined;  /* from two nodes to the second's path below the first */
	struct text bytes;     /* scratch */
	uint64_t node_bytes;   /* estimated memory of all nodes */
	uint64_t joined_bytes; /* part of it, of joined paths: at most a quarter */
	uint64_t node_bytes_max;
};

/* A line with a node, in parts. */
struct cali_node_line {
	uint64_t id, attribute, parent;
	const char *value; /* as in the line; NULL: no value */
	bool has_id, has_attribute, has_parent;
};

struct trm_source;

#endif
