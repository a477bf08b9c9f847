/*
 * The tool that `trammel tool new` writes.
 */
#ifndef TRAMMEL_CLI_TOOL_SKELETON_H
#define TRAMMEL_CLI_TOOL_SKELETON_H

#include "base/text.h"

/* Adds the source of a tool by this name, which works as it is. */
void skeleton_write(const char *name, struct text *out);

#endif
