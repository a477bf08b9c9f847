/* Kinds of values, and profilers of the user's: include/trammel/values.h. */
#ifndef TRAMMEL_CLI_TOOL_VALUE_PROFILER_H
#define TRAMMEL_CLI_TOOL_VALUE_PROFILER_H

#include "base/error.h"

struct session_values;
struct trammel_value_profiler;

/* Loads the one in a shared object (`path`), for as long as this process lives. */
struct trm_error *value_profiler_open(const char *path,
				      const struct trammel_value_profiler **ret_profiler);

/* Reads the list of kinds in values->kinds (NULL: the usual ones) into values->want. */
struct trm_error *value_kinds_read(struct session_values *values);

#endif
