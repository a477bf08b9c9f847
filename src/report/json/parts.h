/* Parts of JSON objects that several reports have. */
#ifndef TRAMMEL_REPORT_JSON_PARTS_H
#define TRAMMEL_REPORT_JSON_PARTS_H

#include "base/json_write.h"
#include "report/profile.h"

/* Adds the members that say which function it is, for a module known by its `path` alone:
 * "module.path", "function" and "offset". */
void json_add_place(struct text *out, const char *path,
		    const struct report_function *function);

/* Adds the members "module" and "module.path". */
void json_add_module(struct text *out, const struct report_module *module);

/* Adds the members that say which function of a profile it is: those of its module,
 * "function" and "offset". */
void json_add_function(struct text *out, const struct report_profile *profile,
		       const struct report_function *function);

/* Adds the members of an arc. An arc without a site stands for all calls of a function
 * by another. */
void json_add_arc(struct text *out, const struct report_profile *profile,
		  const struct report_arc *arc);

/* Adds an object with the globals of a run. */
void json_add_globals(struct text *out, const struct report_run *run);

#endif
