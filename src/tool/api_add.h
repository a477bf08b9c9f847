/*
 * Adding calls, counts and code, for tools: see <trammel/tool.h>.
 */
#ifndef TRAMMEL_TOOL_API_ADD_H
#define TRAMMEL_TOOL_API_ADD_H

#include <trammel/tool.h>

bool api_add_call(struct trammel_point point, const char *routine,
		  const struct trammel_argument *arguments, size_t count);
bool api_add_count(struct trammel_point point, struct trammel_counter *counter,
		   int32_t amount);
bool api_add_sum(struct trammel_point point, struct trammel_counter *counter,
		 struct trammel_argument value);
bool api_replace(const struct trammel_function *function, const char *routine,
		 const struct trammel_argument *arguments, size_t count);
bool api_add_trace(struct trammel_point point, struct trammel_buffer *buffer,
		   const struct trammel_argument *values, size_t count);
struct trammel_buffer *api_buffer(const char *name);
bool api_add_code(struct trammel_point point, trammel_emit *emit, const void *data);

#endif
