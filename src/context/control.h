/*
 * Lists, stops and starts the channels of a running process. The wanted state is written
 * to the process's spool; the process changes to it at its next event, without a signal
 * or a stop.
 */
#ifndef TRAMMEL_CONTEXT_CONTROL_H
#define TRAMMEL_CONTEXT_CONTROL_H

#include "base/error.h"
#include "base/vector.h"
#include "wire/context.h"
#include "wire/context_channel.h"

#include <stdbool.h>
#include <sys/types.h>

/* The channels of a process in its spool, whose wanted state may be changed. */
struct context_control {
	pid_t pid;
	struct context_spool *head;
	struct VECTOR(
		struct context_channel *) channels; /* in the order of their making */
};

/* Opens the spool of a process. Errors (TRM_ERROR_USAGE): the process does not exist,
 * does not measure itself, or belongs to another user. The caller deinits only on
 * success. */
struct trm_error *context_control_init(struct context_control *control, pid_t pid);
void context_control_deinit(struct context_control *control);

/* The error for a name that no channel has, with the nearest one; NULL is all channels.
 */
struct trm_error *context_control_check(const struct context_control *control,
					const char *name);
/* Tells whether a channel has this name (NULL: any). */
bool context_control_is(const struct context_channel *channel, const char *name);
/* Sets the wanted state of the channels of the name (NULL: all): stopped, or measuring.
 */
void context_control_want(struct context_control *control, const char *name,
			  bool stopped);

#endif
