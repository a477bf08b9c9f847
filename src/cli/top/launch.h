/* A program that waits until it is traced, to be shown while it runs. */
#ifndef TRAMMEL_CLI_TOP_LAUNCH_H
#define TRAMMEL_CLI_TOP_LAUNCH_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

/* Pipes to the program: that it may go, who traces it, and why it could not be executed.
 */
struct launch {
	int go[2], tracer[2], failed[2];
	pid_t program;
};

/* Starts a process that becomes the program, which reads and writes /dev/null, when it
 * is told to go. `program`: its words, NULL at the end. The caller closes go[1] and
 * failed[1]. */
struct trm_error *launch_start(struct launch *launch, const char *const *program);

/* Tells it who its tracer is, and waits until it has heard that: then it can be seized.
 * False: it is gone. */
bool launch_introduce(const struct launch *launch, pid_t tracer);

/* Whether the program could not be executed, which is known when it runs or has ended;
 * `ret_why`: the errno. */
bool launch_failed(const struct launch *launch, int *ret_why);

#endif
