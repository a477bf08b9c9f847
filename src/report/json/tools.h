/* Tables of tools, as JSON. */
#ifndef TRAMMEL_REPORT_JSON_TOOLS_H
#define TRAMMEL_REPORT_JSON_TOOLS_H

#include "base/text.h"
#include "report/profile.h"

/* Adds an object for each table of a tool's, with its rows. */
void json_add_tools(struct text *out, const struct report_profile *profile);

#endif
