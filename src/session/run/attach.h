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
	/* Set for a process that was made for this measurement and waits: it is
	 * measured from the program that it executes when a byte comes on `go_fd`. */
	bool waits;
	int go_fd;
	/* Nanoseconds between writes of the profile while the process is measured;
	 * after each, the moment (nanoseconds of CLOCK_MONOTONIC, 8 bytes) is written
	 * to `saved_fd`. The measurement ends when the pipe has no reader any more. 0:
	 * never. */
	uint64_t save_ns;
	int saved_fd;
	void (*begun)(pid_t pid); /* called when counting begins; may be NULL */
};

/*
 * Measures the process, its threads, and the processes it starts from now on, until the
 * window of the options is over, SIGINT, SIGTERM or SIGHUP comes, or the process ends;
 * writes the profile to options->output. Afterwards all of them run on as if nothing
 * had happened. The calling thread becomes the tracer; these signals are blocked when
 * it returns. options->arguments is not used. On an error before the measurement the
 * process is left unchanged.
 */
struct trm_error *session_attach(const struct session_options *options,
				 const struct attach_request *request);

#endif
