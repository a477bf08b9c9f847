/*
 * Measuring a process that runs already, for a while.
 */
#ifndef TRAMMEL_SESSION_ATTACH_H
#define TRAMMEL_SESSION_ATTACH_H

#include "base/error.h"
#include "session/options.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct attach_request {
	pid_t pid;
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
