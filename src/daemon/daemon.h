/* Samples of all processes, into a database, until it is told to end. See
 * docs/design/daemon.md. */
#ifndef TRAMMEL_DAEMON_DAEMON_H
#define TRAMMEL_DAEMON_DAEMON_H

#include "daemon/control.h"
#include "daemon/options.h"
#include "daemon/part.h"
#include "daemon/watch.h"

struct daemon {
	const struct daemon_options *options;
	struct sampler *sampler;
	struct watch watch;
	struct part_run part;
	struct control control;
	char *shown;         /* the database, without a password */
	char *epoch, *label; /* of runs; NULL: by day, none */
	int signal_fd, wake_fd;
	uint64_t next_ns; /* when it is written next */
	time_t begin;     /* wall clock */
	time_t hour;      /* of the run, since 1970 */
	uint64_t flushes, numbers;
	char failure[512]; /* why nothing can be written; "": it can */
	bool failing, dropping, stop;
	pid_t gc; /* process that makes what is old smaller; 0: none */
};

/* Writes what was sampled. On an error, which is logged, it stays in memory. */
struct trm_error *daemon_flush(struct daemon *daemon);

/* Begins another run: what was sampled before must have been written. */
void daemon_new_run(struct daemon *daemon);

/* Writes, and begins another epoch with a name; NULL: that of the moment. */
struct trm_error *daemon_new_epoch(struct daemon *daemon, const char *name);

/* Runs until SIGTERM, SIGINT or a request ends it. Errors: another daemon has the
 * database, that cannot be used, or perf events are forbidden. */
struct trm_error *daemon_run(const struct daemon_options *options);

#endif
