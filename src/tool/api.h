/*
 * The functions that tools are given: see <trammel/tool.h>.
 */
#ifndef TRAMMEL_TOOL_API_H
#define TRAMMEL_TOOL_API_H

#include <trammel/tool.h>

extern const struct trammel_api tool_api;

/* Says for all tools that come whether a run keeps regions apart. */
void tool_api_tell_by_region(bool by_region);

#endif
