/*
 * Tools by their names, and the folders in which they are: those of TRAMMEL_TOOL_PATH,
 * with colons between them, and then those that come with trammel.
 */
#ifndef TRAMMEL_TOOL_FIND_H
#define TRAMMEL_TOOL_FIND_H

#include "base/error.h"
#include "base/text.h"

/* The path of a tool: `name` itself if it has a slash in it, else NAME.so in the first
 * folder that has it. Error (TRM_ERROR_USAGE): there is none. The caller frees it. */
struct trm_error *tool_find(const char *name, char **ret_path);

/* Adds a line for each tool in the folders, with what it is about. */
void tool_find_list(struct text *out);

#endif
