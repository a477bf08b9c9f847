/* Tries each step of a measurement on a process of its own. */
#ifndef TRAMMEL_CLI_DOCTOR_TRIAL_H
#define TRAMMEL_CLI_DOCTOR_TRIAL_H

#include <stdbool.h>

enum trial_step {
	TRIAL_SEIZE,  /* PTRACE_SEIZE by a process that is not an ancestor */
	TRIAL_STOP,   /* PTRACE_INTERRUPT and the stop */
	TRIAL_MEMORY, /* a write to the text through /proc/PID/mem */
	TRIAL_GS,     /* a GS base set, and found by the program */
	TRIAL_KCMP,   /* kcmp(2): whether two processes share their memory */
	TRIAL_STEPS
};

/* Results of the steps. They run in order; a failure of the first two ends the trial. */
struct trial {
	struct {
		bool reached, good;
		char reason[160]; /* why it failed */
	} steps[TRIAL_STEPS];
};

/* Makes the trial, once; later calls give the same result. Takes 5 seconds at most. */
const struct trial *trial_run(void);

#endif
