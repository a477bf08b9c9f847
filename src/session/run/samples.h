/*
 * Samples of programs that are not traced: no process is stopped, and nothing of it is
 * changed.
 */
#ifndef TRAMMEL_SESSION_RUN_SAMPLES_H
#define TRAMMEL_SESSION_RUN_SAMPLES_H

#include "context/profile.h"
#include "sample/sampler.h"
#include "session/run/attach.h"
#include "session/run/run.h"

/* Runs a program that is sampled, as session_run does. */
struct trm_error *samples_run(const struct session_options *options, const char *elf,
			      struct run_outcome *outcome);

/* Samples a running process, as session_attach does; `command`: its words. */
struct trm_error *samples_attach(const struct session_options *options,
				 const struct attach_request *request,
				 const char *const *command);

/* Whether an error of samples_run or samples_attach says that perf events cannot be had.
 * The program has not begun then, or runs on. */
bool samples_are_forbidden(const struct trm_error *error);

/* Writes a measurement to `ret_traced` that takes the same samples of a program that is
 * traced, and changes nothing in its code: see session/count/peeks.h. */
void samples_trace(const struct collector *collector, struct collector *ret_traced);

/* Writes a profile. `run`: the caller has set all of it. */
struct trm_error *samples_save_run(const struct session_options *options,
				   struct sampler *sampler,
				   const struct context_run *run);

/* Writes the profile of a run whose first process has ended with a status (waitpid).
 * `run`: the caller has set start, wall_ns and first. */
struct trm_error *samples_write(const struct session_options *options,
				struct sampler *sampler, struct context_run *run,
				int status);

/* Returns what a sampler is to do for a run. */
struct sampler_options samples_options(const struct session_options *options);

#endif
