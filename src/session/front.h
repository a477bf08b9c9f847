/*
 * What the front does in every run, with a tracer or without.
 */
#ifndef TRAMMEL_SESSION_FRONT_H
#define TRAMMEL_SESSION_FRONT_H

#include "session/planning.h"
#include "session/run.h"

#include <signal.h>

/* In the child: becomes the program. `elf`: its file, NULL to let execvp find out. errno
 * goes to `failed_fd` if that cannot be. */
_Noreturn void front_execute(const char *elf, const struct session_options *options,
			     int failed_fd);

/* The error of a program that could not be executed. */
struct trm_error *front_exec_error(const struct session_options *options, int why,
				   struct run_outcome *outcome);

/* Signals that are the program's wait in `signals` from here on. */
void front_block_signals(sigset_t *signals);

/* Waits for the program's end; stops and goes on with it, as its shell expects. Returns
 * its status. `planning` may be NULL. */
int front_wait(pid_t program, const sigset_t *signals, struct planning *planning);

#endif
