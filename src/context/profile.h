/*
 * A profile of contexts alone: all that processes left in a folder of spools.
 */
#ifndef TRAMMEL_CONTEXT_PROFILE_H
#define TRAMMEL_CONTEXT_PROFILE_H

#include "context/reader.h"
#include "context/save.h"

#include <time.h>

struct context_spools VECTOR(struct context_process);

/* Reads all readable spools of a folder, in the order in which the processes began. */
struct context_spools context_spools_read(const char *folder);
void context_spools_deinit(struct context_spools *spools);

/* Further data on a run. */
struct context_run {
	const char *measure; /* as -m has it */
	const char *command; /* as a shell would need it */
	time_t start;
	uint64_t wall_ns;
	uint32_t first;         /* pid of the first process */
	const char *exit;       /* docs/profile.md, run.exit */
	const char *exit_state; /* of that process: "exited 0" */
	bool is_static;         /* the program loads no library */
};

/* Adds a line, as context_describe_faults does: why nothing was recorded. */
void context_describe_static(const struct context_spools *spools, bool is_static,
			     struct text *text);

/* Parts of a profile: the globals of the run (`running`: processes of it live on), the
 * record of a process image. */
struct trm_error *context_run_save(const struct context_saving *saving,
				   const struct context_run *run, const char *faults,
				   bool running);
struct trm_error *context_image_save(const struct context_saving *saving,
				     const struct context_spool *head, uint64_t image,
				     const char *state);

/* Writes the profile. Errors: the file cannot be written. */
struct trm_error *context_profile_write(const char *path, const char *folder,
					const struct context_run *run);

#endif
