/*
 * The record model: attributes, the context tree, and records, which are a node of the
 * tree plus immediate attribute:value pairs. Profiles (.trm files) are streams of them,
 * and so are those of LLNL's Caliper.
 */
#ifndef TRAMMEL_RECORD_RECORD_H
#define TRAMMEL_RECORD_RECORD_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum record_type {
	RECORD_INT,
	RECORD_UINT,
	RECORD_DOUBLE,
	RECORD_STRING,
	RECORD_BOOL,
	RECORD_ADDRESS, /* a uint that is shown as 0x... */
	RECORD_TYPE,    /* a type name: a uint with the value of an enum record_type */
	RECORD_BLOB,    /* bytes of the user's */
	RECORD_TYPE_COUNT
};

enum record_property {
	RECORD_NESTED = 1,   /* begin/end of it nest with others */
	RECORD_AS_VALUE = 2, /* stored in the record, not in the tree */
	RECORD_SCOPE_PROCESS = 4,
	RECORD_SCOPE_THREAD = 8,
	RECORD_SCOPE_TASK = 16,
	RECORD_AGGREGATABLE = 32, /* sums of it make sense */
	RECORD_HIDDEN = 64,
	RECORD_GLOBAL = 128, /* run metadata */
	RECORD_SKIP_EVENTS = 256,
	RECORD_UNALIGNED = 512, /* nests with nothing, not even with itself */
	/* How fine the contexts are, 0 (the finest) to 7, times RECORD_LEVEL_ONE. */
	RECORD_LEVEL_ONE = 1 << 16,
	RECORD_LEVEL_MASK = 7 << 16,
};

struct record_value {
	enum record_type type;
	size_t size; /* STRING, BLOB: bytes at `bytes`; else 0 */
	union {
		int64_t i;  /* INT */
		uint64_t u; /* UINT, ADDRESS, TYPE, BOOL (0 or 1) */
		double d;
		/* STRING: also 0-terminated when it comes from a reader. */
		const char *bytes;
	};
};

typedef uint32_t record_attribute; /* id of an attribute in one model */
typedef uint32_t record_node;      /* id of a node in one model; 0 is the root */

struct record_pair {
	record_attribute attribute;
	struct record_value value;
};

/* Attributes and context tree of one profile. */
struct record_model *record_model_create(void);
void record_model_destroy(struct record_model *model);

/* The attribute of this name; made with type and properties if it is new. Error
 * (TRM_ERROR_USAGE) if it exists with another type. */
struct trm_error *record_attribute_intern(struct record_model *model, const char *name,
					  enum record_type type, uint32_t properties,
					  record_attribute *ret_attribute);
/* The same; where it exists with another type, that of the name with the type behind it
 * ("level.string"). */
record_attribute record_attribute_make(struct record_model *model, const char *name,
				       enum record_type type, uint32_t properties);
/* The same as the first of several; the first error ends it. */
struct record_attribute_row {
	const char *name;
	enum record_type type;
	uint32_t properties;
	record_attribute *ret_id;
};
struct trm_error *record_attributes_intern(struct record_model *model,
					   const struct record_attribute_row *rows,
					   size_t count);
bool record_attribute_find(const struct record_model *model, const char *name,
			   record_attribute *ret_attribute);
const char *record_attribute_name(const struct record_model *model, record_attribute id);
enum record_type record_attribute_type(const struct record_model *model,
				       record_attribute id);
uint32_t record_attribute_properties(const struct record_model *model,
				     record_attribute id);
size_t record_attribute_count(const struct record_model *model);

/*
 * Says something of an attribute: `key` (another one, such as attribute.unit) has this
 * value for it. The value is copied and must have the type of `key`. What was said with
 * the same key before is replaced.
 */
void record_attribute_describe(struct record_model *model, record_attribute attribute,
			       record_attribute key, struct record_value value);
/* What is said of it, from 0 on, in the order in which it was said first. The pairs are
 * valid until the next description of the attribute. */
size_t record_attribute_descriptions(const struct record_model *model,
				     record_attribute id);
struct record_pair record_attribute_description(const struct record_model *model,
						record_attribute id, size_t number);

/*
 * The child of `parent` for attribute = value, made if it is new. The value is copied; it
 * must have the attribute's type (numbers of another type are taken bit by bit). A search
 * takes the same time whatever the number of siblings.
 */
record_node record_node_child(struct record_model *model, record_node parent,
			      record_attribute attribute, struct record_value value);
record_node record_node_parent(const struct record_model *model, record_node node);
struct record_pair record_node_pair(const struct record_model *model, record_node node);
size_t record_node_count(const struct record_model *model);

static inline struct record_value record_int(int64_t i)
{
	return (struct record_value){.type = RECORD_INT, .i = i};
}

static inline struct record_value record_uint(uint64_t u)
{
	return (struct record_value){.type = RECORD_UINT, .u = u};
}
static inline struct record_value record_address(uint64_t u)
{
	return (struct record_value){.type = RECORD_ADDRESS, .u = u};
}
struct record_value record_string(const char *text); /* not copied */

/* "int", "uint", "double", ... */
const char *record_type_name(enum record_type type);

/* Adds the value as text reads it ("0x41", "12", "deflate"; a zero byte is "\x00"), or as
 * JSON has it. */
void record_value_text(struct text *text, struct record_value value);
void record_value_json(struct text *text, struct record_value value);

/*
 * Writing a .trm file. The format is described at the head of record/trm.h. Records are
 * packed into compressed chunks; attributes and nodes go into the stream before their
 * first use. An error of the disk is kept, and later calls do nothing; trm_writer_finish
 * tells it. The writer does not own the model nor the descriptor.
 */
struct trm_writer *trm_writer_create(int fd, struct record_model *model);
/* Chunks from here on are not compressed: for what is read at once, and not kept. */
void trm_writer_leave_plain(struct trm_writer *writer);
void trm_writer_record(struct trm_writer *writer, record_node node,
		       const struct record_pair *pairs, size_t count);
/* A global: run metadata, one value for an attribute. The second one: unless the
 * attribute has one; returns whether it was written. */
void trm_writer_global(struct trm_writer *writer, record_attribute attribute,
		       struct record_value value);
bool trm_writer_global_once(struct trm_writer *writer, record_attribute attribute,
			    struct record_value value);
/* Writes what is buffered as a whole chunk. */
void trm_writer_flush(struct trm_writer *writer);
/* Writes the end mark; returns the first error there was. Destroys the writer. */
struct trm_error *trm_writer_finish(struct trm_writer *writer)
	__attribute__((warn_unused_result));

/*
 * Writing the text format of LLNL's Caliper (.cali), which record/cali.h describes. What
 * is written is added to `out`, which the caller may empty between calls. Nodes and
 * attributes are written before their first use, and equal ones once, whichever model
 * they come from. Globals come in a record of their own at the end.
 */
struct cali_writer *cali_writer_create(struct text *out);
/* What follows is of this model, which must live until the next call or the end. */
void cali_writer_use(struct cali_writer *writer, const struct record_model *model);
void cali_writer_record(struct cali_writer *writer, record_node node,
			const struct record_pair *pairs, size_t count);
/* The same of a record with several paths, by their innermost nodes. */
void cali_writer_entries(struct cali_writer *writer, const record_node *nodes,
			 size_t node_count, const struct record_pair *pairs,
			 size_t count);
/* A global. The last value that an attribute was given counts. */
void cali_writer_global(struct cali_writer *writer, record_attribute attribute,
			struct record_value value);
/* What the properties are there: bits of enum cali_property. */
uint32_t cali_properties_write(uint32_t properties);
/* Writes the globals and destroys the writer. */
void cali_writer_finish(struct cali_writer *writer);

/* What a reader calls. Pairs and strings are valid during the call only. */
struct trm_visitor {
	void *context;
	void (*record)(void *context, record_node node, const struct record_pair *pairs,
		       size_t count);
	void (*global)(void *context, record_attribute attribute,
		       struct record_value value);
	/* What follows is another run: where files were put one behind the other, this
	 * comes at the head of each. May be NULL, like the others. */
	void (*file)(void *context);
	/* Instead of `record`, where that is not NULL: also the paths, told by their
	 * innermost nodes, that the record has in the file. `node` is all of them, each
	 * below the one before. */
	void (*entries)(void *context, record_node node, const record_node *paths,
			size_t path_count, const struct record_pair *pairs, size_t count);
};

/*
 * Reads a profile ("-": from standard input) into `model` (attributes and nodes are added
 * to what it has, so several files can be read into one). A torn or damaged tail ends the
 * reading with a warning in
 * `ret_warning` (NULL if there is none; free() it); records before it are kept. Errors:
 * cannot be read, is no profile, or was written by a later format version.
 *
 * Besides .trm files there are those of LLNL's Caliper, told apart by how they begin:
 * .cali (record/cali.h) and json-split (record/split.h). In these a line, or a row, that
 * makes no sense is left out; the warning names the first.
 */
struct trm_error *trm_read(const char *path, struct record_model *model,
			   const struct trm_visitor *visitor, char **ret_warning);
/* The same from memory. `name` is for messages. */
struct trm_error *trm_read_memory(const void *bytes, size_t size, const char *name,
				  struct record_model *model,
				  const struct trm_visitor *visitor, char **ret_warning);

#endif
