/* The profile of what is measured elsewhere, again and again: for `trammel top`. */
#ifndef TRAMMEL_CLI_FAR_WATCH_H
#define TRAMMEL_CLI_FAR_WATCH_H

#include "base/error.h"
#include "cli/options/settings.h"

#include <stdint.h>

/* A process, or a program that is started, whose profile is brought here again and again.
 */
struct far_watching {
	uint64_t save_ns;    /* between two of them */
	const char *profile; /* path here */
	/* After each the moment (nanoseconds, 8 bytes) is written to it. */
	int saved_fd;
};

/* Measures what the settings name until SIGTERM comes or it ends, and brings profiles
 * meanwhile. */
struct trm_error *far_watch(const struct option_settings *settings,
			    const struct far_watching *watching);

#endif
