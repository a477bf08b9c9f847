/*
 * What channels had of processes that ended without a flush: by a signal, by _exit, by
 * exec.
 */
#ifndef TRAMMEL_CONTEXT_RECOVER_H
#define TRAMMEL_CONTEXT_RECOVER_H

#include "context/channels.h"
#include "context/profile.h"

#include <sys/types.h>

/* Whether the process of the spool lives. */
bool context_is_running(const struct context_spool *head);

struct context_recovery {
	const char *folder;  /* where profiles go, "" or with a slash at its end */
	bool flushed;        /* also channels that the process wrote itself before */
	const char *channel; /* of this name alone; NULL: all */
	const struct context_naming *naming; /* of addresses; NULL: they stand alone */
	/* A profile was written; may be NULL. */
	void (*written)(const char *path, const struct context_spool *head);
};

/* Writes a profile for each channel that has anything: PROGRAM-PID.CHANNEL.trm. */
struct trm_error *context_recover_process(const struct context_recovery *recovery,
					  const struct context_process *process);

/* The same of a folder of spools, of processes that do not run; where no channel is, one
 * profile of all that was recorded: PROGRAM-PID.trm. */
struct trm_error *context_recover_folder(const struct context_recovery *recovery,
					 const char *folder);

/* The spool of a process that runs: its path, to be freed. Errors (TRM_ERROR_USAGE):
 * there is no such process, or it has none that this user may read. */
struct trm_error *context_spool_of(pid_t pid, char **ret_path);

/* The same of a process that runs, and runs on: what its channels have so far; where it
 * has none, one profile of all that was recorded by it and those that share its folder.
 */
struct trm_error *context_recover_running(const struct context_recovery *recovery,
					  pid_t pid);

#endif
