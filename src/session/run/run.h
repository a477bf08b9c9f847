/*
 * A whole run: start a program, measure it and all that it starts, write the profile.
 */
#ifndef TRAMMEL_SESSION_RUN_RUN_H
#define TRAMMEL_SESSION_RUN_RUN_H

#include "base/error.h"
#include "session/options/options.h"
#include "session/run/planning_notice.h"

#include <stdbool.h>

struct run_outcome {
	int status;   /* of the program, as waitpid has it; only if it ran */
	int refused;  /* 126 or 127: it could not be run, as a shell says it; else 0 */
	bool profile; /* a profile was written */
	bool tracer_answered; /* it cleans up, perhaps later: it may live on */
};

/*
 * Runs options->arguments and returns when that process has ended. Three processes: this
 * one, the program, which is its child, and the tracer, which lives on while anything
 * that the program started does. The outcome is written on success and when refused is
 * not 0; the error then says why. An error with refused 0 comes after the program ran, or
 * before it started.
 */
struct trm_error *session_run(const struct session_options *options,
			      struct run_outcome *ret_outcome);

/* Returns an error if the profile cannot be written to `path`; leaves an existing file
 * unchanged. */
struct trm_error *session_check_output(const char *path);

/* Start parameters of the tracer, whose body is loop.c. `seize` returns once the
 * program may go. */
struct tracer_start {
	int status_fd;   /* to the front: see status_send */
	int ready_fd;    /* a byte comes when the program can be seized */
	int go_fd;       /* a byte lets it go */
	int planning_fd; /* to the front: see session/run/planning_notice.h; -1: not
			    used */
	pid_t program;
};
struct cache;

/* Messages of the tracer to the front: a letter and a text. */
enum status_kind {
	STATUS_SAVED = 's',   /* the profile is written */
	STATUS_FAILED = 'f',  /* text: reason why there is no profile */
	STATUS_REFUSED = 'r', /* text: reason why the program was not run */
	STATUS_NOTHING = 'n', /* the program never started */
	STATUS_RESCUED = 'k', /* text: the missing part of the profile; the tracer is
				 dead */
};

/* Executes the program in the child. `elf`: its file; NULL: execvp searches for it. On
 * failure writes errno to `failed_fd`. */
_Noreturn void front_execute(const char *elf, const struct session_options *options,
			     int failed_fd);

/* Returns the error of a program that could not be executed. */
struct trm_error *front_exec_error(const struct session_options *options, int why,
				   struct run_outcome *outcome);

/* Tells who controls the run that the program executes; `why`: errno if it could not. */
void front_tell(const struct session_options *options, pid_t program, int why);

/* Blocks the signals that belong to the program, so that they wait, and writes them to
 * `signals`. */
void front_block_signals(sigset_t *signals);

/* Waits for the program's end; stops and continues with it, as its shell expects.
 * Returns the program's status. `planning` may be NULL. */
int front_wait(pid_t program, const sigset_t *signals, struct planning_notice *planning);

#endif
