/* Queries in two steps: over the records of each process, and over the results of all
 * processes. */
#ifndef TRAMMEL_PUBLISH_SOURCE_H
#define TRAMMEL_PUBLISH_SOURCE_H

#include "base/error.h"
#include "base/text.h"
#include "publish/publish.h"

struct source {
	int profile; /* in memory; -1: none in this process, but others may wait */
	publish_reduce *reduce; /* NULL: the process is alone */
	publish_spread *spread;
	void *processes; /* for both */
	bool writes; /* it has the data of all processes; known after the first table */
	const char *query; /* the first step that was run last */
	int summed;        /* result of the first step; -1: not run */
};

void source_init(struct source *source, const struct publish_channel *request,
		 int profile);
void source_deinit(struct source *source);

/* Adds the result of the second step, over the rows of the first (NULL: over all
 * records); nothing in processes that do not write. All processes must call this in
 * the same order. An error in one process alone is reported, as the others continue. */
struct trm_error *source_add(struct source *source, const char *local, const char *across,
			     bool caliper, struct text *out);
/* Sends the text of the writing process to all processes. */
void source_share(const struct source *source, struct text *text);

#endif
