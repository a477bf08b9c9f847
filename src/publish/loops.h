/* The report on loops: a table of all of them, and one of each with its blocks of
 * iterations. */
#ifndef TRAMMEL_PUBLISH_LOOPS_H
#define TRAMMEL_PUBLISH_LOOPS_H

#include "base/error.h"
#include "base/text.h"
#include "publish/source.h"

/* Adds the tables, of one process or of all. */
struct trm_error *loops_report(const struct publish_loops *loops, struct source *source,
			       struct text *out);

/* Called with the result of each query on a loop's iterations. An error ends it. */
typedef struct trm_error *loops_visit(void *context, const char *name,
				      const struct text *table);
struct trm_error *loops_each(const struct publish_loops *loops, struct source *source,
			     loops_visit *visit, void *context);

#endif
