/*
 * Sinks: formats that take records unchanged, one after the other, instead of rows.
 */
#ifndef TRAMMEL_QUERY_SINK_H
#define TRAMMEL_QUERY_SINK_H

#include "record/record.h"

struct query;
struct query_part;

struct query_sink {
	/* Creates a sink that writes to `out`, which is emptied between calls. */
	void *(*create)(const struct query *query, struct text *out);
	/* Allows the sink to call the part's `flush` when it has written much. May be
	 * NULL. */
	void (*give_to)(void *sink, struct query_part *part);
	/* Announces the file and model of the records that follow; the model lives until
	 * `leave`. */
	void (*use)(void *sink, const struct record_model *model, const char *path);
	void (*record)(void *sink, record_node node, const struct record_pair *pairs,
		       size_t count);
	/* Takes a record with all its paths, each by its innermost node; called instead
	 * of `record` if not NULL. */
	void (*entries)(void *sink, const record_node *paths, size_t path_count,
			const struct record_pair *pairs, size_t count);
	void (*global)(void *sink, record_attribute attribute, struct record_value value);
	/* Announces another run in the same file. May be NULL, like the next two. */
	void (*run)(void *sink);
	void (*leave)(void *sink);
	/* Called when all files were read: whether to read them once more. */
	bool (*again)(void *sink);
	/* Writes the end and destroys the sink. `warnings` gets lines. */
	void (*finish)(void *sink, struct text *warnings);
};

#endif
