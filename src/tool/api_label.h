/*
 * Adding labels, for tools: see <trammel/tool.h>.
 */
#ifndef TRAMMEL_TOOL_API_LABEL_H
#define TRAMMEL_TOOL_API_LABEL_H

#include <trammel/tool.h>

uint32_t api_add_kind(const char *name, const char *dynamic);
uint64_t api_add_label(struct trammel_point point, uint32_t kind,
		       const struct trammel_argument *arguments, size_t count);

#endif
