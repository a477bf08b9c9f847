/*
 * The parts of `trammel doctor`: doctor.c shows what the checks of checks.c find.
 */
#ifndef TRAMMEL_CLI_DOCTOR_DOCTOR_H
#define TRAMMEL_CLI_DOCTOR_DOCTOR_H

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
