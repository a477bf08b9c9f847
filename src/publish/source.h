/* Queries in two steps: over the records of each process, and over what that makes in all
 * of them. */
#ifndef TRAMMEL_PUBLISH_SOURCE_H
#define TRAMMEL_PUBLISH_SOURCE_H

#include "base/error.h"
#include "base/text.h"
#include "publish/publish.h"

struct source {
	int profile;            /* in memory; -1: this process has none, others wait */
	publish_reduce *reduce; /* NULL: the process is alone */
	publish_spread *spread;
	void *processes; /* for both */
	bool writes; /* it has what all processes have; known behind the first table */
	const char *query; /* the first step that was run last */
	int summed;        /* what it made; -1: nothing was run */
};

void source_init(struct source *source, const struct publish_channel *request,
		 int profile);
void source_deinit(struct source *source);

/* Adds what the second step makes of the first one's rows (NULL: of all records); nothing
 * in processes that do not write. All processes must call this in the same order. What
 * goes wrong in this one alone is said, as the others go on. */
struct trm_error *source_add(struct source *source, const char *local, const char *across,
			     bool caliper, struct text *out);
/* Gives all processes the text of the one that writes. */
void source_share(const struct source *source, struct text *text);

#endif
