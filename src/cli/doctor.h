/*
 * The parts of `trammel doctor`: doctor.c shows what the checks of doctor_checks.c find,
 * and doctor_trial.c tries on a process of its own what a run does to a program.
 */
#ifndef TRAMMEL_CLI_DOCTOR_H
#define TRAMMEL_CLI_DOCTOR_H

#include "base/text.h"

#include <stdbool.h>

enum finding_status {
	FINDING_OK,
	FINDING_WARN, /* works, but not in every case, or not as well */
	FINDING_FAIL, /* what the check is for cannot be done */
	FINDING_INFO, /* a fact that stops nothing */
};

struct finding {
	enum finding_status status;
	struct text value;  /* what is there */
	struct text remedy; /* what to change; empty: nothing */
};

enum trial_step {
	TRIAL_SEIZE,  /* PTRACE_SEIZE by a process that is no ancestor */
	TRIAL_STOP,   /* PTRACE_INTERRUPT and the stop */
	TRIAL_MEMORY, /* a write to the text through /proc/PID/mem */
	TRIAL_GS,     /* a GS base set, and found by the program */
	TRIAL_KCMP,   /* kcmp(2): whether two processes share their memory */
	TRIAL_STEPS
};

/* What became of the steps. They are made in order; a failure of the first two ends the
 * trial. */
struct trial {
	struct {
		bool reached, good;
		char reason[160]; /* why it failed */
	} steps[TRIAL_STEPS];
};

/* Makes the trial, once; later calls give the same result. Takes 5 seconds at most. */
const struct trial *trial_run(void);

enum check_need {
	NEED_COUNTS,  /* functions, coverage */
	NEED_SAMPLES, /* services of channels that take samples */
	NEED_COUNT
};

struct check {
	const char *name; /* one word */
	enum check_need need;
	/* Fills in a finding that is all zero: FINDING_OK and no texts. */
	void (*look)(struct finding *finding);
};

/* All checks, those of one need together; a row without name at the end. */
extern const struct check checks[];

#endif
