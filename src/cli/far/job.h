/* What is done on each of several hosts, at the same time. */
#ifndef TRAMMEL_CLI_FAR_JOB_H
#define TRAMMEL_CLI_FAR_JOB_H

#include "base/text.h"
#include "cli/far/way.h"
#include "cli/options/settings.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct trm_process;

/* A host, with the thread that speaks to it. */
struct far_host {
	struct far_job *job;
	char *name; /* NULL: the one behind --agent-command */
	struct trm_engine *engine;
	struct trm_process *process;
	pthread_t thread;
	int wake_fd;           /* an eventfd: a signal came */
	int signal;            /* to be passed; 0: none */
	uint64_t signalled_ns; /* since when */
	int status;            /* of the command */
	bool threaded;
	bool started;
	bool over;          /* and all of the others is there */
	bool abandoned;     /* it was not waited for: its thread may still use it */
	bool reads;         /* standard input goes to the program */
	char *profile;      /* path here; NULL: there is none */
	struct text output; /* of a job that collects it */
};

struct far_job {
	struct far_way way;
	const struct option_settings *settings; /* NULL: no measurement */
	struct VECTOR(struct far_host) hosts;
	int signals_fd, done_fd;
	pid_t pid;      /* a process there; 0: a program that is started */
	int console_fd; /* to the debugger's prompt; -1: none */
	bool reads;     /* standard input is for the program */
	bool stacks, json;
};

/* Writes the way that settings say. */
struct far_way far_way_of(const struct option_settings *settings);

/* Makes the process of a host as the settings say, and its knobs. */
struct trm_error *far_make_process(const struct option_settings *settings,
				   struct trm_engine *engine,
				   struct trm_process **ret_process);

/* Prints an error; of several hosts the name comes first. Frees it. */
void far_print_error(const struct far_host *host, struct trm_error *error);

/* Does the job on all hosts, and returns when it is over on all: what one of them says is
 * told, and the others go on. */
struct trm_error *far_job_do(struct far_job *job);

/* Releases all engines that nobody uses. */
void far_job_deinit(struct far_job *job);

#endif
