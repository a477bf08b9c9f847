/* Tables of tools, as text. */
#ifndef TRAMMEL_REPORT_TEXT_TOOLS_H
#define TRAMMEL_REPORT_TEXT_TOOLS_H

#include "base/text.h"
#include "report/profile.h"
#include "report/text/grid.h"

/* Adds the tables of tools: at most `limit` rows of each. */
void report_add_tools(struct text *out, const struct report_profile *profile,
		      size_t limit, const struct text_style *style);

/* Adds a line for each tool that says which tables it has. */
void report_add_tool_names(struct text *out, const struct report_profile *profile);

#endif
