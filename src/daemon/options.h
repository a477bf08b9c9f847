/* What the user asked the daemon for. */
#ifndef TRAMMEL_DAEMON_OPTIONS_H
#define TRAMMEL_DAEMON_OPTIONS_H

#include "sample/event.h"

#include <stdbool.h>
#include <stdint.h>

struct daemon_options {
	const char *database; /* path of a file */
	const char *events;
	struct sample_rate rate;
	uint64_t flush_ns;  /* from one writing to the next */
	size_t memory;      /* bytes that sums may take */
	const char *epoch;  /* NULL: by day */
	const char *label;  /* NULL: none */
	const char *log;    /* file for the lines of the log; NULL: standard error */
	bool own_processes; /* those of this user, even if all are permitted */
	bool no_kernel, no_gc;
};

#endif
