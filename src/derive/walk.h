/* Visits the code that a profile counted: opens each module's file once, and visits
 * each of its functions. */
#ifndef TRAMMEL_DERIVE_WALK_H
#define TRAMMEL_DERIVE_WALK_H

#include "annotate/annotation.h"
#include "annotate/routes.h"
#include "base/text.h"
#include "base/vector.h"
#include "report/profile.h"

/* A module whose code could not be read. */
struct walk_trouble {
	const struct report_module *module;
	char *reason;
};

struct walk_troubles VECTOR(struct walk_trouble);

/* A walk over the functions that are selected in the profile and have block counts. */
struct walk {
	const struct report_profile *profile;
	const char *functions;              /* glob for their names; NULL: all */
	const struct report_module *module; /* only of this one; NULL: of all */
	/* Called for each function, and for each of its cold parts (annotation.part);
	 * `context` is passed through. `routes` is NULL for a function without a
	 * graph. */
	void (*visit)(void *context, const struct annotation *annotation,
		      const struct routes *routes);
	void *context;
	struct walk_troubles troubles;
	size_t uncounted; /* functions that were executed, without counts of blocks */
};

/* Options of the tables that show the result of a walk. */
struct walk_options {
	size_t limit; /* rows */
	bool colour;
	size_t width; /* columns at which lines are cut; 0: nowhere */
};

/* Tells whether a function was executed, is in a selected module, and has a name that
 * matches the glob (NULL: any name). */
bool walk_wants(const char *glob, const struct report_profile *profile,
		const struct report_function *function);

/* Error (TRM_ERROR_USAGE): no function that is asked for was executed. */
struct trm_error *walk_check(const char *glob, const struct report_profile *profile);

/* Visits all; `troubles` and `uncounted` are filled in. */
void walk_functions(struct walk *walk);

void walk_troubles_deinit(struct walk_troubles *troubles);

/* Adds a line for each module whose code could not be read. */
void walk_troubles_text(const struct walk_troubles *troubles, struct text *out);
/* Adds the troubles as a member "troubles", a list of objects. */
void walk_troubles_json(const struct walk_troubles *troubles, struct text *out);

/* A line that says how many functions are left out; nothing for 0. */
void walk_uncounted_text(size_t uncounted, struct text *out);

#endif
