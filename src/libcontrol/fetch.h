/* Bringing profiles here from where they were made. */
#ifndef TRAMMEL_LIBCONTROL_FETCH_H
#define TRAMMEL_LIBCONTROL_FETCH_H

#include "libcontrol/process.h"

/* Writes the profile of a measurement that is over, or with `now` that of what was
 * counted so far, to a descriptor. The engine is locked. */
struct trm_error *fetch_profile(struct control_process *process, bool now, int fd);

/* The same, to a file that appears whole or not at all. */
struct trm_error *fetch_to_path(struct control_process *process, bool now,
				const char *path);

/* The same of one that goes on and writes its profile again and again, and when that was
 * written, in nanoseconds of its host. */
struct trm_error *fetch_saved(struct control_process *process, const char *path,
			      uint64_t *ret_time_ns);

/* The same, to a file without a name; the caller closes the descriptor. */
struct trm_error *fetch_to_memory(struct control_process *process, bool now, int *ret_fd);

#endif
