/* Paths of the program's own regions, as points find them (wire/probes.h), in words. */
#ifndef TRAMMEL_SESSION_STATE_REGION_PATH_H
#define TRAMMEL_SESSION_STATE_REGION_PATH_H

#include "base/text.h"
#include "context/reader.h"

#include <stdbool.h>
#include <sys/types.h>

/* What a process said of itself, read when it is first needed. */
struct region_source {
	const char *folder; /* with spools; NULL: none */
	pid_t pid;
	/* Nanoseconds of CLOCK_MONOTONIC: of the program that the process executed then;
	 * 0: of the last one. */
	uint64_t since_ns;
	bool tried, known;
	struct context_process process; /* if known */
};

/* Adds the path that resident code has encoded in a text: "main/solve", from the
 * outermost region to the innermost; "(none)" where the thread was in none. */
void region_path_add(struct region_source *source, const char *encoded,
		     struct text *text);

/* Frees what was read. */
void region_source_deinit(struct region_source *source);

#endif
