/*
 * The functions that tools are given: see <trammel/tool.h>.
 */
#ifndef TRAMMEL_TOOL_API_H
#define TRAMMEL_TOOL_API_H

#include <trammel/tool.h>

extern const struct trammel_api tool_api;

#endif
