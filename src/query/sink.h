/*
 * Formats that take records as they are, one after the other, instead of rows.
 */
#ifndef TRAMMEL_QUERY_SINK_H
#define TRAMMEL_QUERY_SINK_H

#include "record/record.h"

struct query;
struct query_part;

struct query_sink {
	/* What is written is added to `out`, which is emptied between calls. */
	void *(*create)(const struct query *query, struct text *out);
	/* May be NULL: the part's `flush` may be called whenever much was written. */
	void (*give_to)(void *sink, struct query_part *part);
	/* What follows is of this file and model; which lives until `leave`. */
	void (*use)(void *sink, const struct record_model *model, const char *path);
	void (*record)(void *sink, record_node node, const struct record_pair *pairs,
		       size_t count);
	/* Instead, where it is not NULL: with the paths that the record has, each by its
	 * innermost node. */
	void (*entries)(void *sink, const record_node *paths, size_t path_count,
			const struct record_pair *pairs, size_t count);
	void (*global)(void *sink, record_attribute attribute, struct record_value value);
	/* Another run begins in the file. This one and the next two may be NULL. */
	void (*run)(void *sink);
	void (*leave)(void *sink);
	/* Asked when all files were read: whether they are to be read once more. */
	bool (*again)(void *sink);
	/* Writes the end, and destroys it. `warnings` gets lines. */
	void (*finish)(void *sink, struct text *warnings);
};

#endif
