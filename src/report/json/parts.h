/*
 * Writing JSON objects. A comma stands in front of all members but the first.
 */
#ifndef TRAMMEL_REPORT_JSON_PARTS_H
#define TRAMMEL_REPORT_JSON_PARTS_H

#include "base/text.h"
#include "report/profile.h"

/* Adds the key of a member, behind a comma if it needs one. */
void json_add_key(struct text *out, const char *key);
/* Adds a string member; nothing if the value is empty. */
void json_add_string(struct text *out, const char *key, const char *value);
/* Adds a number member. */
void json_add_number(struct text *out, const char *key, uint64_t value);
/* Adds a member that is true or false. */
void json_add_boolean(struct text *out, const char *key, bool value);
/* Adds a member with an address in hexadecimal digits, as a string. */
void json_add_address(struct text *out, const char *key, uint64_t address);

/* Begins an object of a list, each on a line of its own. */
void json_begin_item(struct text *out);
/* Begins a list, as a member on a line of its own. */
void json_begin_list(struct text *out, const char *key);

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
