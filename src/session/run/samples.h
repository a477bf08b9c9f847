/*
 * Samples of programs that are not traced: no process is stopped, and nothing of it is
 * changed.
 */
#ifndef TRAMMEL_SESSION_RUN_SAMPLES_H
#define TRAMMEL_SESSION_RUN_SAMPLES_H

#include "session/run/attach.h"
#include "session/run/run.h"

/* Runs a program that is sampled, as session_run does. */
struct trm_error *samples_run(const struct session_options *options, const char *elf,
			      struct run_outcome *outcome);

/* Samples a running process, as session_attach does; `command`: its words. */
struct trm_error *samples_attach(const struct session_options *options,
				 const struct attach_request *request,
				 const char *const *command);

/* Returns what a sampler is to do for a run. */
struct sampler_options samples_options(const struct session_options *options);

#endif
