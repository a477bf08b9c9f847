/* Writes the data of channels whose processes ended without a flush: by a signal, by
 * _exit, by exec. */
#ifndef TRAMMEL_CONTEXT_RECOVER_H
#define TRAMMEL_CONTEXT_RECOVER_H

#include "context/channels.h"
#include "context/profile.h"

#include <sys/types.h>

/* Tells whether the process of the spool is alive. */
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

/* Recovers all spools of a folder whose processes have ended; a spool without channels
 * gives one profile of all recorded data: PROGRAM-PID.trm. */
struct trm_error *context_recover_folder(const struct context_recovery *recovery,
					 const char *folder);

/* Returns the path of a running process's spool; the caller frees it. Errors
 * (TRM_ERROR_USAGE): the process does not exist, or has no spool that this user may
 * read. */
struct trm_error *context_spool_of(pid_t pid, char **ret_path);

/* Writes the data so far of the channels of a running process, which continues;
 * without channels, one profile of all data recorded by it and by the processes that
 * share its folder. */
struct trm_error *context_recover_running(const struct context_recovery *recovery,
					  pid_t pid);

#endif
