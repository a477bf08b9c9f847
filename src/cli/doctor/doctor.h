/* Shared by the parts of `trammel doctor`: doctor.c shows the findings of the checks
 * in checks.c. */
#ifndef TRAMMEL_CLI_DOCTOR_DOCTOR_H
#define TRAMMEL_CLI_DOCTOR_DOCTOR_H

#include "base/text.h"

#include <stdbool.h>

enum finding_status {
	FINDING_OK,
	FINDING_WARN, /* works, but not in every case, or not as well */
	FINDING_FAIL, /* the checked feature does not work */
	FINDING_INFO, /* a fact that stops nothing */
};

struct finding {
	enum finding_status status;
	struct text value;  /* the value found on this system */
	struct text remedy; /* advice on what to change; empty: nothing */
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

/* All checks, grouped by the feature that needs them; the last row has no name. */
extern const struct check checks[];

#endif
