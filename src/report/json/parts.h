/*
 * Writing JSON objects. A comma stands in front of all members but the first.
 */
#ifndef TRAMMEL_REPORT_JSON_PARTS_H
#define TRAMMEL_REPORT_JSON_PARTS_H

#include "base/text.h"
#include "report/profile.h"

void json_add_key(struct text *out, const char *key);
/* Adds a string member; nothing if the value is empty. */
void json_add_string(struct text *out, const char *key, const char *value);
void json_add_number(struct text *out, const char *key, uint64_t value);
void json_add_boolean(struct text *out, const char *key, bool value);
/* A member with an address in hexadecimal digits, as a string. */
void json_add_address(struct text *out, const char *key, uint64_t address);

/* Begins an object of a list, each on a line of its own. */
void json_begin_item(struct text *out);
/* Begins a list, as a member on a line of its own. */
void json_begin_list(struct text *out, const char *key);

/* The members that say which function it is: "module.path", "function" and "offset". */
void json_add_place(struct text *out, const char *path,
		    const struct report_function *function);

/* Adds the members of an arc. An arc without a site stands for all calls of a function
 * by another. */
void json_add_arc(struct text *out, const struct report_profile *profile,
		  const struct report_arc *arc);

/* Adds an object with the globals of a run. */
void json_add_globals(struct text *out, const struct report_run *run);

#endif
