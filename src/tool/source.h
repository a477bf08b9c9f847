/*
 * A tool as a source of points: shows it the functions that are planned.
 */
#ifndef TRAMMEL_TOOL_SOURCE_H
#define TRAMMEL_TOOL_SOURCE_H

#include "tool/tool.h"

/* Fills in tool->source. */
void source_init(struct tool *tool);

/* The tool of a source; NULL: it is none of tools. */
struct tool *source_tool(const struct point_source *source);

/* What a tool has added to the function at an address; NULL: nothing. */
const struct added_function *source_find(const struct tool *tool, const char *path,
					 uint64_t address);

/* What is added to a function of a module that was shown; made if it is not there. NULL:
 * the module was not shown. */
struct added_function *source_added(struct tool *tool,
				    const struct trammel_function *function);

#endif
