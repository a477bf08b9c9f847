/*
 * Measuring a process that runs already, for a while.
 */
#ifndef TRAMMEL_SESSION_RUN_ATTACH_H
#define TRAMMEL_SESSION_RUN_ATTACH_H

#include "base/error.h"
#include "session/options/options.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct attach_request {
	pid_t pid;
	/* A process that was made for this, and waits: it is measured from the program on
	 * that it executes when a byte comes on `go_fd`. */
	bool waits;
	int go_fd;
	/* While it is measured the profile is written so often, too, and the moment
	 * (nanoseconds of CLOCK_MONOTONIC, 8 bytes) to `saved_fd`; the measurement ends
	 * when nobody reads that. 0: never. */
	uint64_t save_ns;
	int saved_fd;
	void (*begun)(pid_t pid); /* called when counting begins; NULL */
};

/*
 * Measures the process, its threads, and what it starts from now on, until the window of
 * the options is over, SIGINT, SIGTERM or SIGHUP comes, or the process ends; writes the
 * profile to options->output. All of them run on then as if nothing had been. The calling
 * thread becomes the tracer; these signals are blocked when it returns.
 * options->arguments is not used. On an error before the measurement the process is as it
 * was.
 */
struct trm_error *session_attach(const struct session_options *options,
				 const struct attach_request *request);

#endif
