/*
 * The code of what a profile counted: each module's file is opened once, and each
 * function of it visited.
 */
#ifndef TRAMMEL_DERIVE_WALK_H
#define TRAMMEL_DERIVE_WALK_H

#include "annotate/annotation.h"
#include "annotate/routes.h"
#include "base/text.h"
#include "base/vector.h"
#include "report/profile.h"

/* A module whose code could not be looked at. */
struct walk_trouble {
	const struct report_module *module;
	char *reason;
};

struct walk_troubles VECTOR(struct walk_trouble);

/* Which functions: those selected of the profile whose blocks were counted. */
struct walk {
	const struct report_profile *profile;
	const char *functions;              /* glob for their names; NULL: all */
	const struct report_module *module; /* only of this one; NULL: of all */
	/* What is done with each, and with each cold part of it (annotation.part);
	 * `context` is handed through. `routes` is NULL for a
	 * function without a graph. */
	void (*visit)(void *context, const struct annotation *annotation,
		      const struct routes *routes);
	void *context;
	struct walk_troubles troubles;
	size_t uncounted; /* functions that were executed, without counts of blocks */
};

/* How tables of what was found are written. */
struct walk_options {
	size_t limit; /* rows */
	bool colour;
	size_t width; /* columns at which lines are cut; 0: nowhere */
};

/* Whether a function is one of those that are asked for. */
bool walk_wants(const char *glob, const struct report_profile *profile,
		const struct report_function *function);

/* Error (TRM_ERROR_USAGE): no function that is asked for was executed. */
struct trm_error *walk_check(const char *glob, const struct report_profile *profile);

/* Visits all; `troubles` and `uncounted` are filled in. */
void walk_functions(struct walk *walk);

void walk_troubles_deinit(struct walk_troubles *troubles);

/* A line for each module whose code could not be looked at. */
void walk_troubles_text(const struct walk_troubles *troubles, struct text *out);
/* The same as a member "troubles", a list of objects. */
void walk_troubles_json(const struct walk_troubles *troubles, struct text *out);

/* A line that says how many functions are left out; nothing for 0. */
void walk_uncounted_text(size_t uncounted, struct text *out);

#endif
