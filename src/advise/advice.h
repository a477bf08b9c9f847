/*
 * Advice: what rules find in profiles that is worth a change of the program, with
 * evidence, and what to try. A rule looks at the one model of all that was measured
 * (struct report_profile), and at the code of the functions that were counted.
 */
#ifndef TRAMMEL_ADVISE_ADVICE_H
#define TRAMMEL_ADVISE_ADVICE_H

#include "base/error.h"
#include "base/text.h"
#include "base/vector.h"
#include "report/profile.h"

#include <stdbool.h>
#include <stdint.h>

enum advice_confidence { ADVICE_LOW, ADVICE_MEDIUM, ADVICE_HIGH, ADVICE_CONFIDENCES };

/* Names of confidences: "low", "medium", "high". */
extern const char *const advice_confidences[ADVICE_CONFIDENCES + 1];

/* The code that a finding is about. */
struct advice_place {
	char *module, *function; /* NULL: it is about no code */
	uint64_t address;        /* link-time; 0: the function as a whole */
	char *file;              /* NULL: not known */
	uint64_t line;
};

struct advice_finding {
	char *rule;  /* its name */
	char *title; /* what it finds, in words */
	struct advice_place place;
	/* The part of all that was measured that is reachable at most, in percent; below
	 * 0: not known. `of`: of what ("instructions", "samples", "waiting"). */
	double share;
	char *of;
	enum advice_confidence confidence;
	char *evidence, *remedy;
};

/* A rule that could not look, since the profiles lack something. */
struct advice_lack {
	char *rule, *title, *needs;
};

struct advice_options {
	const char *only;    /* list of rules with commas; NULL: all */
	double least;        /* findings with a smaller share are left out, percent */
	bool system;         /* also what is in libraries of the system */
	const char *own;     /* file of rules of one's own; NULL: none */
	const char *modules; /* folder with Python modules for these; NULL: none */
};

struct advice {
	const struct advice_options *options;
	const struct report_profile *profile;
	const char *const *paths; /* of the profiles */
	size_t path_count;
	const char *whole; /* path of a file with all of them */
	struct VECTOR(struct advice_finding) findings;
	struct VECTOR(struct advice_lack) lacks;
	size_t small;                   /* findings that were left out for their share */
	size_t looked;                  /* rules that could look */
	uint64_t samples;               /* in all functions */
	struct advice_modules *modules; /* see advise/places.h */
	struct text warnings;
};

/* Applies the rules to profiles: `profile` is what was loaded of the file `whole`, and
 * selected. Error (TRM_ERROR_USAGE): no rule has the wanted name, or rules of one's own
 * make no sense. Findings are sorted, the most worthwhile first. The caller deinits the
 * advice also after an error. */
struct trm_error *advice_make(struct advice *advice, const struct advice_options *options,
			      const struct report_profile *profile, const char *whole,
			      const char *const *paths, size_t path_count);
void advice_deinit(struct advice *advice);

#endif
