/*
 * A tool as a source of points: shows it the functions that are planned.
 */
#ifndef TRAMMEL_TOOL_SOURCE_H
#define TRAMMEL_TOOL_SOURCE_H

#include "tool/tool.h"

/* Fills in tool->source. */
void source_init(struct tool *tool);

/* What is added to a function of a module that was shown; made if it is not there. NULL:
 * the module was not shown. */
struct added_function *source_added(struct tool *tool,
				    const struct trammel_function *function);

#endif
